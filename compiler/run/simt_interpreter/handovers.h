#pragma once
// Copies that producers ask for and the other threads of a block use (tokens of
// lower::handed_over): which groups are under way, who has waited for which, and who is done. A
// group is the copies between two commits; it uses the slot that group number - slots used.
//
// Neither side passes a barrier of the other. So accesses are judged by what each side knows, not
// by when it happens: a reader may read what the groups brought that it has waited for and not
// released; a copy may begin where the group that was there before is one that Acquire has awaited
// the release of. A fault is then the same one in whatever order warps take their turns.

#include "compiler/run/simt_interpreter/code.h"
#include "compiler/run/simt_interpreter/judge.h"
#include "compiler/run/simt_interpreter/warp.h"

#include <vector>

namespace loopscope::simt_interpreter {

class Handovers {
public:
    Handovers(const LaunchCode& code, Memory& memory, Judge& judge, std::size_t warps);

    void begin_block();
    bool is_handed_over(std::uint32_t token) const { return code_.handovers[token].slots > 0; }

    // The producers' steps: may they begin their next group; they begin it; they copy one element
    // to where it is to arrive; the group is whole.
    bool may_acquire(std::uint32_t token) const;
    void acquire(std::uint32_t token);
    void begin_copy(std::uint32_t token, std::uint32_t store, std::int64_t element, Cell value,
                    const Act& act);
    void commit(std::uint32_t token);

    // The steps of a consumer's warp: has the next group arrived; the warp sees it; later it reads
    // it no more.
    bool has_arrived(std::uint32_t token, const Warp& warp) const;
    void take(std::uint32_t token, const Warp& warp);
    std::uint32_t next_release(std::uint32_t token, const Warp& warp) const; // a group
    bool holds_group(std::uint32_t token, const Warp& warp) const;
    void release(std::uint32_t token, const Warp& warp);

    // Judges an access of a thread to memory that producers fill; true: it reads what the thread
    // holds.
    bool judge(Store& store, std::int64_t element, const Act& act, bool writes) const;

private:
    struct Token {
        std::uint32_t acquired = 0, committed = 0;  // groups
        std::vector<std::uint32_t> taken, released; // by warp
        std::vector<PendingCopy> pending;           // in order
    };

    const LaunchCode& code_;
    Memory& memory_;
    Judge& judge_;
    std::vector<Token> tokens_;
};

} // namespace loopscope::simt_interpreter
