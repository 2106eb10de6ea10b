#pragma once
// A bundle: a folder of jobs for a machine with a driver and nothing else. It holds kernels as PTX,
// inputs by rule and seed, and what the reference expects of the outputs. docs/bundles.md describes
// the files.
//
// A manifest is not trusted: names of files stay inside the folder, sizes and hashes are compared
// with the files, and numbers with what a GPU can have. The hash finds damage, but an attacker
// could forge it, and a bundle is code that runs on the GPU: take it from people whom you trust.

#include "compiler/gpu/plan.h"
#include "compiler/run/random_inputs.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>

namespace loopscope::gpu {

inline constexpr const char* kBundleFormat = "loopscope-bundle/1";
inline constexpr const char* kManifest = "manifest.json";

// A file of the bundle: its path below the folder, with what must be in it.
struct BundleFile {
    std::string path;
    std::int64_t bytes = 0;
    Hash hash = 0; // hash_of its bytes
};

// An input that both sides make by the same rule (run/random_inputs.h).
struct BundleInput {
    std::string name; // of the plan's input, whose type and extents it has
    RandomMode mode = RandomMode::Reals;
    std::uint64_t seed = 1;
};

// A part of an output, as the reference has it. Of a large one only a hash travels: every element
// must match it, and a difference has the part as its place.
struct BundleExpected {
    std::string output; // of the plan
    std::vector<std::int64_t> offset, extents;
    std::optional<Hash> elements; // hash_of_elements
    BundleFile reference;         // raw elements in C order, where there is no hash
    // Bounds of each element; none: every bit counts.
    std::optional<BundleFile> low, high;
};

struct BundleCheck {
    std::string kind; // for people: "whole numbers", "reals"
    std::vector<BundleInput> inputs;
    std::vector<BundleExpected> expected;
};

// The plan's PTX for one architecture.
struct BundleVariant {
    std::string architecture;
    BundleFile ptx;
};

// A run on somebody's own arrays, in place of checks and times.
struct BundleExecution {
    std::map<std::string, BundleFile> inputs; // of the plan: raw elements in C order
    std::vector<std::string> outputs;         // whose windows come back, as files of outputs_path
};
// Where a job's output is put, below the bundle's folder: raw elements in C order.
std::string outputs_path(const std::string& job, const std::string& output);

struct BundleJob {
    std::string name;
    std::string pipeline, schedule; // the texts' names, for people
    std::map<std::string, std::int64_t> params;
    Plan plan; // without PTX
    std::vector<BundleVariant> variants;
    std::vector<BundleCheck> checks; // at least one, or a run
    std::optional<BundleExecution> run;
    double flops = 0, bytes = 0; // compiler/worker/work_count.h
    bool flops_exact = true;
    nlohmann::json peer; // what peer.py times beside it; null: nothing
};

struct Bundle {
    std::string folder;
    Hash hash = 0; // of the manifest
    std::vector<BundleJob> jobs;

    const BundleJob* find(const std::string& name) const; // null: there is none
};

nlohmann::json to_json(const BundleJob& job);
// `path`: of the object, for errors: "jobs[3]". The files are not looked at.
Result<BundleJob> job_from_json(const nlohmann::json& json, const std::string& path);
// The text of a manifest of such jobs.
std::string manifest_text(const std::vector<nlohmann::json>& jobs, const std::string& version);

// Errors: no manifest, or one of another format; what it says that cannot be; a name twice. Files
// are read when they are needed.
Result<Bundle> read_bundle(const std::string& folder);

// Reads a file of the bundle. Errors: it is not there, leads out of the folder, or is not what the
// manifest says.
Result<std::string> read_file(const std::string& folder, const BundleFile& file);
// Writes `bytes` to a new file of the bundle; its folder is made.
Result<BundleFile> write_file(const std::string& folder, const std::string& path,
                              std::string_view bytes);
// A name that a path of a bundle may have: letters, digits, '.', '_' and '-', in parts divided by
// '/', none of them "." or "..".
bool is_bundle_path(const std::string& path);

// The variant for a GPU: the newest architecture that runs there, its own "a" first. Null: none
// does.
const BundleVariant* variant_for(const BundleJob& job, int capability);

const char* rule_name(RandomMode mode); // "reals/1": a rule that changes gets another number

} // namespace loopscope::gpu
