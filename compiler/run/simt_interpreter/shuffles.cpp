// Shuffles: each thread gives a value and takes that of another thread of its warp, at the distance
// in the name (PTX: shfl.sync with a full clamp). Operands: what is taken, what is given; both in
// memory of threads, elements of one type. They order no accesses of memory. shuffle_index_N gives
// all the value of thread N of the warp.
#include "compiler/run/simt_interpreter/intrinsics.h"

namespace loopscope::simt_interpreter {

namespace {

void report_no_source(IntrinsicRun& run, std::uint32_t thread, std::uint32_t from) {
    run.report(SimtFinding::Kind::UninitializedRead, 1, 0, thread,
               "is wanted of thread " + std::to_string(run.thread_of_block(from)) +
                   ", which takes no part");
}

// The thread to take from; outside of the warp: one's own.
template <std::int64_t (*From)(std::int64_t, std::int64_t)> void shuffle(IntrinsicRun& run) {
    constexpr std::int64_t kRegister = 4; // bytes that an instruction exchanges
    const auto given = run.read(1);
    auto taken = given;
    for_threads(run.on(), [&](std::uint32_t t) {
        auto from = From(t, run.number());
        if (from < 0 || from >= static_cast<std::int64_t>(kWarp))
            return;
        auto other = static_cast<std::uint32_t>(from);
        if (!(run.on() >> other & 1))
            return report_no_source(run, t, other);
        taken[t] = given[other];
    });
    run.write(0, taken);
    run.counts().shuffles +=
        static_cast<std::uint64_t>((bytes(run.type(0)) + kRegister - 1) / kRegister);
}

std::int64_t down(std::int64_t t, std::int64_t n) { return t + n; }
std::int64_t up(std::int64_t t, std::int64_t n) { return t - n; }
std::int64_t exclusive_or(std::int64_t t, std::int64_t n) { return t ^ n; }
std::int64_t from_index(std::int64_t, std::int64_t n) { return n; }

} // namespace

std::vector<IntrinsicEntry> shuffles() {
    const std::vector<OperandRule> two(2);
    return {
        {"shuffle_down_#", two, true, false, shuffle<down>},
        {"shuffle_up_#", two, true, false, shuffle<up>},
        {"shuffle_xor_#", two, true, false, shuffle<exclusive_or>},
        {"shuffle_index_#", two, true, false, shuffle<from_index>},
    };
}

} // namespace loopscope::simt_interpreter
