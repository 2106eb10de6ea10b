#include "compiler/gpu/bundle/bundle.h"

#include "compiler/gpu/json_reader.h"
#include "core/base/json_text.h"
#include "core/base/text_file.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <set>

namespace loopscope::gpu {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxManifest = 64 << 20;     // bytes,
constexpr JsonLimits kManifestLimits{64, 8 << 20}; // some hundreds of values a job
constexpr std::int64_t kMaxFile = std::int64_t{4} << 30;
constexpr std::size_t kMaxJobs = 10000, kMaxChecks = 16, kMaxExpected = 4096;
constexpr std::size_t kMaxVariants = 32, kMaxInputs = 4096;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 40;

struct Rule {
    RandomMode mode;
    const char* name;
};
constexpr Rule kRules[] = {{RandomMode::Reals, "reals/1"},
                           {RandomMode::SmallWhole, "small-whole/1"},
                           {RandomMode::TinyWhole, "tiny-whole/1"}};

json file_json(const BundleFile& file) {
    return {{"file", file.path}, {"bytes", file.bytes}, {"hash", hash_text(file.hash)}};
}

// A number of 64 bits as text, which JSON's readers of other languages would round.
std::uint64_t read_number(JsonReader& read, const char* key, int base, const char* must) {
    const auto text = read.text(key, 32);
    std::uint64_t value = 0;
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (read && (failed != std::errc() || end != text.data() + text.size()))
        read.fail(key, must);
    return value;
}

Result<BundleFile> read_file_entry(const json& object, const std::string& path) {
    JsonReader read(object, path);
    BundleFile file;
    file.path = read.text("file");
    file.bytes = read.whole("bytes", 0, kMaxFile);
    file.hash = read_number(read, "hash", 16, "16 hexadecimal digits");
    if (read && !is_bundle_path(file.path))
        read.fail("file", "a path inside of the bundle");
    if (!read)
        return read.errors();
    return file;
}

Result<BundleInput> read_input(const json& object, const std::string& path, const Plan& plan) {
    JsonReader read(object, path);
    BundleInput input;
    input.name = read.text("name", 256);
    const auto rule = read.text("rule", 64);
    const auto* known =
        std::find_if(std::begin(kRules), std::end(kRules), [&](auto& r) { return rule == r.name; });
    if (known == std::end(kRules))
        read.fail("rule", "one that this version knows: reals/1, small-whole/1, tiny-whole/1");
    else
        input.mode = known->mode;
    input.seed = read_number(read, "seed", 10, "a whole number of 64 bits as text");
    const auto* buffer = plan.find(input.name);
    if (read && (!buffer || buffer->role != PlanRole::Input))
        read.fail("name", "an input of the plan");
    if (!read)
        return read.errors();
    return input;
}

void check_part(JsonReader& read, const BundleExpected& part, const Plan& plan) {
    const auto* buffer = plan.find(part.output);
    if (!buffer || buffer->role != PlanRole::Output)
        return read.fail("output", "an output of the plan");
    if (part.offset.size() != buffer->window.size() || part.extents.size() != buffer->window.size())
        return read.fail("extents", "of as many dimensions as the output has");
    std::int64_t bytes = loopscope::bytes(buffer->type);
    for (std::size_t d = 0; d < part.offset.size(); ++d) {
        if (part.offset[d] + part.extents[d] > buffer->window[d])
            return read.fail("extents", "inside the output");
        bytes *= part.extents[d]; // at most the whole's, which was checked
    }
    if (part.elements)
        return;
    if (part.reference.bytes != bytes || (part.low && part.low->bytes != bytes) ||
        (part.high && part.high->bytes != bytes))
        read.fail("reference", "of " + std::to_string(bytes) + " bytes, as its part of the output");
}

Result<BundleExpected> read_expected(const json& object, const std::string& path,
                                     const Plan& plan) {
    JsonReader read(object, path);
    BundleExpected part;
    part.output = read.text("output", 256);
    part.offset = read.wholes("offset", kMaxDimensions, 0, kMaxExtent);
    part.extents = read.wholes("extents", kMaxDimensions, 0, kMaxExtent);
    Diagnostics errors;
    auto file = [&](const char* key) {
        auto entry = read_file_entry(read.object(key), path + "." + key);
        if (!entry && errors.empty())
            errors = entry.errors();
        return entry ? *entry : BundleFile{};
    };
    if (read.has("elements"))
        part.elements = read_number(read, "elements", 16, "16 hexadecimal digits");
    else
        part.reference = file("reference");
    if (read.has("low") || read.has("high")) {
        part.low = file("low");
        part.high = file("high");
    }
    if (read && errors.empty())
        check_part(read, part, plan);
    if (!read)
        return read.errors();
    if (!errors.empty())
        return errors;
    return part;
}

Result<BundleCheck> read_check(const json& object, const std::string& path, const Plan& plan) {
    JsonReader read(object, path);
    BundleCheck check;
    check.kind = read.text("kind", 256);
    for (const auto& one : read.array("inputs", kMaxInputs)) {
        auto input =
            read_input(one, path + ".inputs[" + std::to_string(check.inputs.size()) + "]", plan);
        if (!input)
            return input.errors();
        check.inputs.push_back(std::move(*input));
    }
    for (const auto& one : read.array("expected", kMaxExpected)) {
        auto part = read_expected(
            one, path + ".expected[" + std::to_string(check.expected.size()) + "]", plan);
        if (!part)
            return part.errors();
        check.expected.push_back(std::move(*part));
    }
    if (read && check.expected.empty())
        read.fail("expected", "a list of at least one element: a time of what was not checked is "
                              "worth nothing");
    if (!read)
        return read.errors();
    return check;
}

Result<BundleVariant> read_variant(const json& object, const std::string& path) {
    JsonReader read(object, path);
    BundleVariant variant;
    variant.architecture = read.text("architecture", 32);
    if (read && !capability_of(variant.architecture))
        read.fail("architecture", "as \"sm_80\" or \"sm_90a\"");
    if (!read)
        return read.errors();
    auto ptx = read_file_entry(read.object("ptx"), path + ".ptx");
    if (!ptx)
        return ptx.errors();
    variant.ptx = std::move(*ptx);
    if (!read)
        return read.errors();
    return variant;
}

json check_json(const BundleCheck& check) {
    json out{{"kind", check.kind}, {"inputs", json::array()}, {"expected", json::array()}};
    for (const auto& input : check.inputs)
        out["inputs"].push_back({{"name", input.name},
                                 {"rule", rule_name(input.mode)},
                                 {"seed", std::to_string(input.seed)}});
    for (const auto& part : check.expected) {
        json one{{"output", part.output}, {"offset", part.offset}, {"extents", part.extents}};
        if (part.elements)
            one["elements"] = hash_text(*part.elements);
        else
            one["reference"] = file_json(part.reference);
        if (part.low) {
            one["low"] = file_json(*part.low);
            one["high"] = file_json(*part.high);
        }
        out["expected"].push_back(std::move(one));
    }
    return out;
}

// All inputs of the plan, each as long as its array, and outputs of the plan.
Result<BundleExecution> read_execution(const json& object, const std::string& path,
                                       const Plan& plan) {
    JsonReader read(object, path);
    BundleExecution run;
    JsonReader inputs(read.object("inputs"), path + ".inputs");
    for (const auto& buffer : plan.buffers) {
        if (buffer.role != PlanRole::Input)
            continue;
        auto file =
            read_file_entry(inputs.object(buffer.name.c_str()), path + ".inputs." + buffer.name);
        if (!inputs)
            return inputs.errors();
        if (!file)
            return file.errors();
        if (file->bytes != buffer.bytes())
            return error("`" + path + ".inputs." + buffer.name + "` must be a file of " +
                         std::to_string(buffer.bytes()) + " bytes");
        run.inputs.emplace(buffer.name, std::move(*file));
    }
    run.outputs = read.texts("outputs", kMaxInputs);
    for (const auto& output : run.outputs)
        if (const auto* buffer = plan.find(output); !buffer || buffer->role != PlanRole::Output ||
                                                    !is_bundle_path(outputs_path("job", output)))
            read.fail("outputs", "outputs of the plan");
    if (!read)
        return read.errors();
    return run;
}

} // namespace

std::string outputs_path(const std::string& job, const std::string& output) {
    return "outputs/" + job + "/" + output + ".bin";
}

const char* rule_name(RandomMode mode) {
    for (const auto& rule : kRules)
        if (rule.mode == mode)
            return rule.name;
    throw std::logic_error("inputs of a bundle are made by one of its rules");
}

const BundleJob* Bundle::find(const std::string& name) const {
    auto found =
        std::find_if(jobs.begin(), jobs.end(), [&](const BundleJob& j) { return j.name == name; });
    return found == jobs.end() ? nullptr : &*found;
}

json to_json(const BundleJob& job) {
    json out{
        {"name", job.name},        {"pipeline", job.pipeline},  {"schedule", job.schedule},
        {"params", job.params},    {"plan", to_json(job.plan)}, {"variants", json::array()},
        {"checks", json::array()}, {"flops", job.flops},        {"flops_exact", job.flops_exact},
        {"bytes", job.bytes}};
    if (!job.peer.is_null())
        out["peer"] = job.peer;
    for (const auto& variant : job.variants)
        out["variants"].push_back(
            {{"architecture", variant.architecture}, {"ptx", file_json(variant.ptx)}});
    for (const auto& check : job.checks)
        out["checks"].push_back(check_json(check));
    if (job.run) {
        auto inputs = json::object();
        for (const auto& [name, file] : job.run->inputs)
            inputs[name] = file_json(file);
        out["run"] = {{"inputs", std::move(inputs)}, {"outputs", job.run->outputs}};
    }
    return out;
}

Result<BundleJob> job_from_json(const json& object, const std::string& path) {
    JsonReader read(object, path);
    BundleJob job;
    job.name = read.text("name", 200);
    job.pipeline = read.text("pipeline");
    job.schedule = read.text("schedule");
    job.flops = read.number("flops", 0, 1e30);
    job.flops_exact = read.boolean("flops_exact");
    job.bytes = read.number("bytes", 0, 1e30);
    job.params = read.wholes_by_name("params");
    if (read.has("peer"))
        job.peer = read.object("peer");
    if (read && (!is_bundle_path(job.name) || job.name.find('/') != std::string::npos))
        read.fail("name", "of letters, digits, '.', '_' and '-'");
    auto plan = plan_from_json(read.object("plan"), path + ".plan");
    if (!read)
        return read.errors();
    if (!plan)
        return plan.errors();
    job.plan = std::move(*plan);
    for (const auto& one : read.array("variants", kMaxVariants)) {
        auto variant =
            read_variant(one, path + ".variants[" + std::to_string(job.variants.size()) + "]");
        if (!variant)
            return variant.errors();
        job.variants.push_back(std::move(*variant));
    }
    for (const auto& one : read.array("checks", kMaxChecks)) {
        auto check =
            read_check(one, path + ".checks[" + std::to_string(job.checks.size()) + "]", job.plan);
        if (!check)
            return check.errors();
        job.checks.push_back(std::move(*check));
    }
    if (read && job.variants.empty())
        read.fail("variants", "a list of at least one element");
    if (read.has("run")) {
        auto run = read_execution(read.object("run"), path + ".run", job.plan);
        if (!run)
            return run.errors();
        job.run = std::move(*run);
    }
    if (read && job.checks.empty() && !job.run)
        read.fail("checks", "a list of at least one element");
    if (!read)
        return read.errors();
    return job;
}

std::string manifest_text(const std::vector<json>& jobs, const std::string& version) {
    return json{{"format", kBundleFormat}, {"made_by", "loopscope " + version}, {"jobs", jobs}}
               .dump(1) +
           "\n";
}

Result<Bundle> read_bundle(const std::string& folder) {
    const auto path = folder + "/" + kManifest;
    const auto remedy = "a bundle is a folder with a " + std::string(kManifest) +
                        ", as `loopscope-cli bundle` makes it";
    auto text = read_text_file(path, {kMaxManifest, remedy, FileKind::Regular});
    if (!text) {
        auto errors = text.errors();
        errors.front().remedy = remedy;
        return errors;
    }
    const auto object = read_json(*text, remedy, kManifestLimits);
    if (!object)
        return object.errors();
    JsonReader read(*object, "manifest");
    const auto format = read.text("format");
    if (read && format != kBundleFormat)
        return error(path + " has the format `" + format + "`, and this version reads `" +
                         kBundleFormat + "`",
                     "run it with the agent of the version that made it");
    Bundle bundle{folder, hash_of((*text)->text()), {}};
    std::set<std::string> names;
    for (const auto& one : read.array("jobs", kMaxJobs)) {
        auto job = job_from_json(one, "jobs[" + std::to_string(bundle.jobs.size()) + "]");
        if (!job)
            return job.errors();
        if (!names.insert(job->name).second)
            return error("the bundle has two jobs of the name " + job->name);
        bundle.jobs.push_back(std::move(*job));
    }
    if (!read)
        return read.errors();
    if (bundle.jobs.empty())
        return error(path + " lists no job: there is nothing to run", remedy);
    return bundle;
}

const BundleVariant* variant_for(const BundleJob& job, int capability) {
    const BundleVariant* best = nullptr;
    int best_rank = -1;
    for (const auto& variant : job.variants) {
        const bool alone = variant.architecture.ends_with('a');
        const int number = capability_of(variant.architecture).value_or(0);
        if (number == 0 || (alone ? number != capability : number > capability))
            continue;
        if (const int rank = 2 * number + alone; rank > best_rank) {
            best = &variant;
            best_rank = rank;
        }
    }
    return best;
}

} // namespace loopscope::gpu
