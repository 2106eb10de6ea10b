#pragma once
// Memory that runs out: this program defines operator new and SQLite's allocator in place of the
// libraries' own (failing_allocations.cpp), so that one call of them fails.

#include <cstddef>
#include <functional>
#include <string>

namespace loopscope::test {

// While it lives, the allocation with number `fails` of this thread (from 1) fails; 0: none, they
// are counted. If `for_good`, all after it do so as well. One at a time.
class FailingAllocations {
public:
    explicit FailingAllocations(std::size_t fails = 0, bool for_good = false);
    ~FailingAllocations();
    FailingAllocations(const FailingAllocations&) = delete;
    FailingAllocations& operator=(const FailingAllocations&) = delete;

    std::size_t count() const; // of allocations so far
    bool failed() const;       // did the one that fails come?
};

// What `call` gives in a process of its own whose allocations fail as above: its text,
// "out of memory" where it throws std::bad_alloc, "terminated" where that cannot be caught (values
// of the JSON library allocate while they are destroyed), or how else the process ended. `failed`:
// it came to that allocation.
std::string starved_process(std::size_t fails, bool for_good, bool& failed,
                            const std::function<std::string()>& call);

} // namespace loopscope::test
