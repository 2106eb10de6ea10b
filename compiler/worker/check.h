#pragma once
// Compares compiled code with the reference interpreter, by the rule of languages.md: bit for bit;
// or, for a schedule that reassociates or approximates, bit for bit where sums are exact in any
// order (exactness.h), and on random reals within what any order of the sums, the approximations
// and what follows them may make of each element (tolerance.h).

#include "compiler/run/reference/reference.h"
#include "compiler/worker/context.h"
#include "compiler/worker/program.h"

#include <optional>

namespace loopscope::worker {

struct CheckRequest {
    std::uint64_t seed = 1;
    int threads = 1;
    std::optional<double> tolerance; // absolute, in place of those bounds
    // The work above which, by the measure of windows.h, the reference evaluates only parts of the
    // outputs; 0: everything, always.
    double most_work = 0;
    // Likewise of larger outputs that are held to bounds, and not to the bit; 0: of any size.
    std::int64_t most_bounded_bytes = 0;
    double kernel_seconds = 20; // of a kernel on a GPU, after which it is taken to hang
};
CheckRequest check_request(const nlohmann::json& arguments);
constexpr double kReferenceFlops = 1e8; // for most_work: some seconds, with enclosures

// The answer of `check` (compiler/measure/requests.h). The reference is told which definitions are
// contracted, those of fast_math among them, and nothing else of the schedule.
Result<nlohmann::json> check_program(const LoadedProgram& loaded, const CompiledProgram& compiled,
                                     const CheckRequest& request, const Context& context);

// The same with a runner of the caller's, who runs the program on.
class Runner;
Result<nlohmann::json> check_program(const LoadedProgram& loaded, const CompiledProgram& compiled,
                                     const CheckRequest& request, Runner& runner,
                                     const Context& context);

} // namespace loopscope::worker
