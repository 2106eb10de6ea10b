#pragma once
// A person's own arrays, and the program that runs on them: what `run` does here, and prepares for
// a GPU elsewhere.

#include "compiler/run/buffer.h"
#include "compiler/worker/context.h"
#include "compiler/worker/program.h"
#include "compiler/worker/run_files.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope::worker {

struct RunArrays {
    Files inputs, outputs;
    Buffers arrays;                             // of the inputs
    std::map<std::string, std::uint64_t> seeds; // of the inputs that are random
    LoadedProgram loaded;
    // Where the box of the stage begins that is computed in place of the outputs.
    std::optional<std::vector<std::int64_t>> begin;
};
// Of the arguments of `run` (compiler/measure/requests.h): the files are read, the program is
// loaded with the params that their shapes give; inputs without a file are random where that is
// asked for. Errors: those of the files and of loading; arrays
// of other types or shapes.
Result<RunArrays> run_arrays(const nlohmann::json& arguments, const Context& context);

// Of run's answer what is known before anything has run: "pipeline", "params", "inputs".
nlohmann::json run_facts(const RunArrays& run);

} // namespace loopscope::worker
