#pragma once
// A person's files as the inputs of a program: which input a file fits, and the params that the
// files' shapes ask for. No Qt.

#include "app/document/document.h"
#include "compiler/run/buffer.h"
#include "core/base/result.h"
#include "core/ir/pipeline.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::session {

// An array of a run, which need not be in memory.
struct DataArray {
    std::string name; // of the input, the output or the stage; "S.0" of a tuple
    ScalarType type = ScalarType::F32;
    std::vector<std::int64_t> extents;
    std::vector<std::int64_t> begin;     // its least indices; empty: 0
    std::string file;                    // empty: it is random
    std::optional<std::uint64_t> seed;   // of random_buffer
    std::optional<std::int64_t> written; // when, of a file that a person chose
    bool operator==(const DataArray&) const = default;
};
using DataFiles = std::map<std::string, DataArray>; // the files that a person chose, by inputs

// The greatest array that the window has in memory; a worker runs on larger ones.
constexpr std::int64_t kMostShown = std::int64_t{1} << 28;
// Its elements. Errors: larger than that; those of its file.
Result<std::shared_ptr<const Buffer>> load_array(const DataArray& array);

struct DataProgram {
    std::string name; // of the pipeline's file, for messages
    ProgramPtr program;
};
// What a program is with the files' sizes.
struct SizedProgram {
    PipelinePtr pipeline;
    std::map<std::string, std::int64_t> params; // all that have another value than the text says
};
// A param stands alone in an extent, or times and plus constants, to be of a file's size. Errors:
// files whose types or shapes the inputs do not take at any such size.
Result<SizedProgram> sized_for(const DataProgram& program, const DataFiles& files);

// The file as an input: the named one, else the first that it fits, those without a file first.
// Errors: those of reading it; it fits none, with what they take.
Result<DataArray> fitting_input(const DataProgram& program, const DataFiles& files,
                                const std::string& path, const std::string& input = {});

bool is_array_file(const std::string& path); // by its ending: .png, .npy

} // namespace loopscope::session
