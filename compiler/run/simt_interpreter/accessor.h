#pragma once
// Accesses of a warp to memory: where they go, what they cost, how the judge sees them, and their
// values.

#include "compiler/run/simt_interpreter/code.h"
#include "compiler/run/simt_interpreter/judge.h"
#include "compiler/run/simt_interpreter/warp.h"

namespace loopscope::simt_interpreter {

class Handovers;

class Accessor {
public:
    Accessor(LaunchCode& code, Memory& memory, Judge& judge, Handovers& handovers)
        : code_(code), memory_(memory), judge_(judge), handovers_(handovers) {}

    // Says whose accesses follow.
    void begin(Warp& warp, std::uint32_t block, std::uint32_t epoch, std::uint32_t launch);

    void load(const Access& access);
    void store(const Access& access); // or an atomic store
    void prefetch(const Access& access);
    void allocate(std::uint32_t store); // each thread's own
    void copy(const Access& access, std::uint32_t token);
    void bulk_copy(const Call& call, std::uint32_t token); // by the warp's first thread
    void commit(std::uint32_t token);
    void wait(std::uint32_t token, int pending);

    // Reads one value for each thread that is on, from elements that are inside; other threads get
    // zero.
    void read(std::uint32_t store, const Places& places, std::uint32_t site, Cell* out);
    void write(std::uint32_t store, const Places& places, std::uint32_t site, const Cell* values);
    // The element of each thread's operand; threads whose element is outside are reported, and not
    // on in the result.
    Places operand(const Call::Operand& operand, bool flat, std::uint32_t site, Mask threads);
    Act act(std::uint32_t site) const;
    const Warp& warp() const { return *warp_; }
    std::vector<HeldSums>& held() { return warp_->held; }
    std::vector<SlotRead>& reads_under_way() { return warp_->reads; }
    // The threads' own elements count as not written any more.
    void forget(std::uint32_t store, std::int64_t element, Mask threads);
    const Store& memory(std::uint32_t store) const { return memory_[store]; }
    Judge& judge() { return judge_; }

private:
    struct Indexed { // what an access and an operand have alike
        const Store& store;
        const std::vector<Value>& indices;
        bool flat;
        std::uint32_t site;
    };
    Places resolve(const Indexed& what, std::uint32_t lane, Mask on);
    void resolve_lanes(const Access& access);
    void report_outside(const Indexed& what, std::uint32_t lane, Mask outside);
    Mask on(const Access& access, std::uint32_t lane) const;
    void count(const Access& access, bool writes);
    void read_private(const Store& store, const Places& places, std::uint32_t site, Cell* out);
    void combine(Store& store, const Places& places, const Access& access, std::uint32_t lane);
    void begin_copy(const Call& call, std::int64_t element, Cell value, std::uint32_t token);
    void begin_copies(const Access& access, std::uint32_t lane, TokenQueue& queue);

    LaunchCode& code_;
    Memory& memory_;
    Judge& judge_;
    Handovers& handovers_;
    Warp* warp_ = nullptr;
    Act act_;                   // without its site
    std::vector<Places> lanes_; // of the running access
};

} // namespace loopscope::simt_interpreter
