#pragma once
// Runs a launch: blocks one after the other in a random order, in each the warps by turns of random
// length. A warp's turn ends at a barrier of the block, behind a wait, and anywhere. When no warp
// can go on, all stand at barriers or have ended: either they meet, or they wait for each other for
// ever.

#include "compiler/run/simt_interpreter/accessor.h"
#include "compiler/run/simt_interpreter/handovers.h"

namespace loopscope::simt_interpreter {

// Resources that a run has used so far.
struct Progress {
    std::uint64_t steps = 0;
    // barriers of blocks, and blocks: a number for each part of the run that they divide
    std::uint32_t epoch = 0;
    bool deadlock = false; // nothing runs any more
};

class Machine {
public:
    Machine(LaunchCode& code, Memory& memory, Judge& judge, Findings& findings,
            const SimtOptions& options, Progress& progress, std::uint32_t launch);

    void run();

private:
    std::int64_t cell_bytes() const;
    void begin_block(std::uint32_t block);
    void begin_warp(Warp& warp);
    void set_block_variables(Warp& warp);
    void set_thread_variables(Warp& warp);
    void run_block(std::uint32_t block);
    void check_meetings();

    // Barriers of the block.
    void go_on();
    bool may_go_on(const Warp& warp) const; // that waits at an mbarrier
    void meet();
    bool meet(const Step& barrier); // false: not all that it is for stand there
    void report_deadlock();
    std::string waiting_text(std::uint32_t step) const;

    // A warp's turn: turns.cpp.
    void turn(Warp& warp);
    void count_step();
    void next_epoch();
    [[noreturn]] void stop_at_limit(const std::string& what) const;
    bool step(Warp& warp); // false: its turn ends
    void instructions(Warp& warp, const Run& head);
    void loop(Warp& warp, const Step& s);
    void next_iteration(Warp& warp, const Step& end);
    void set_variable(Warp& warp, const Step& loop, std::int64_t iteration);
    Mask iterating(const Warp& warp, const Step& loop, std::int64_t iteration) const;
    void branch(Warp& warp, const Step& s);
    void end_side(Warp& warp, const Step& s);
    bool block_barrier(Warp& warp, const Step& s);
    void threads(Warp& warp, const Step& s);
    void report_release(const Warp& warp, const Step& s);
    // Is it the warp whose first thread acts for all threads?
    static bool asks(const Warp& warp, const Step& s) { return warp.number == s.of.begin / kWarp; }
    void intrinsic(Warp& warp, const Step& s);
    bool converged(Warp& warp, const Step& s); // all its threads are on; else a finding
    void report_divergence(const Step& s, const std::string& who);
    const Step& running(const Warp& warp) const { return code_.steps[warp.next]; }

    LaunchCode& code_;
    Memory& memory_;
    Findings& findings_;
    Judge& judge_;
    const SimtOptions& options_;
    Progress& progress_;
    std::uint32_t launch_, block_ = 0;
    Dice dice_;
    Handovers handovers_;
    Accessor accessor_;
    std::vector<Warp> warps_;
};

} // namespace loopscope::simt_interpreter
