#pragma once
// Intrinsic statements: instructions of a warp, each one entry of a table (intrinsics.cpp) with its
// semantics.

#include "compiler/run/simt_interpreter/accessor.h"
#include "core/base/result.h"

namespace loopscope::simt_interpreter {

// A running instruction, as its semantics sees it: operands are numbered as in the statement.
class IntrinsicRun {
public:
    IntrinsicRun(const Call& call, Accessor& accessor, SimtCounts& counts);

    int number() const { return call_.number; }
    Mask on() const { return accessor_.warp().active; }
    ScalarType type(std::size_t operand) const { return store(operand).type; }
    SimtCounts& counts() { return counts_; }

    // Reads each thread's element `offset` behind its operand.
    Lanes read(std::size_t operand, std::int64_t offset = 0);
    void write(std::size_t operand, const Lanes& values, std::int64_t offset = 0);

    // Where some threads' parts of an operand in shared memory are, and reads of any elements
    // inside.
    Places places(std::size_t operand, Mask threads) const;
    std::int64_t count(std::size_t operand) const { return store(operand).count; }
    std::size_t operands() const { return call_.operands.size(); }
    // The matrix of an operand that a warpgroup takes as one.
    const SharedMatrix& matrix(std::size_t operand) const {
        return *call_.operands[operand].matrix;
    }
    // The warp's number among the four of its group.
    std::uint32_t warp_of_group() const { return accessor_.warp().number % 4; }

    // Sums that are under way: the operand's registers hold nothing until deliver(). Null: there
    // are none from there on.
    const HeldSums* held(std::size_t operand) const;
    void hold(std::size_t operand, std::vector<Lanes> sums);
    void deliver(std::size_t operand);
    // Products under way may read elements until their group is awaited: in memory that is handed
    // over, the slot is noted.
    void read_later(std::size_t operand, const Places& places);
    // Ends a group: awaits those before it, or with them the group itself.
    void await_before();
    void await_all();
    Lanes read_at(std::size_t operand, const Places& places);
    void write_at(std::size_t operand, const Places& places, const Lanes& values);
    bool in_global(std::size_t operand) const { return store(operand).space == Space::Global; }

    // Reports an operand's element that a thread cannot have: "T[8] WHAT".
    void report(SimtFinding::Kind kind, std::size_t operand, std::int64_t element,
                std::uint32_t thread, const std::string& what);
    std::uint32_t thread_of_block(std::uint32_t thread) const {
        return accessor_.warp().first_thread() + thread;
    }

private:
    const Store& store(std::size_t operand) const {
        return accessor_.memory(call_.operands[operand].store);
    }
    Places moved(std::size_t operand, std::int64_t offset);

    const Call& call_;
    Accessor& accessor_;
    SimtCounts& counts_;
    std::vector<Places> places_; // of operands in memory of threads
};

struct OperandRule {
    Space space = Space::Private;
    std::vector<ScalarType> types; // one of these; none: any
    bool or_global = false;        // in place of shared memory
};

struct IntrinsicEntry {
    std::string name; // a number follows where it ends in "_#"
    std::vector<OperandRule> operands;
    bool one_type = false;   // of all operands
    bool whole_warp = false; // all 32 threads must be there
    void (*run)(IntrinsicRun&) = nullptr;
    bool any_number = false; // of operands, all as the first
};

// Their parts of the table.
std::vector<IntrinsicEntry> shuffles();            // shuffles.cpp
std::vector<IntrinsicEntry> matrix_loads();        // matrix_loads.cpp
std::vector<IntrinsicEntry> matrix_instructions(); // matrix_instructions.cpp
std::vector<IntrinsicEntry> whole_matrices();      // whole_matrices.cpp
std::vector<IntrinsicEntry> warpgroup_products();  // warpgroup_products.cpp

struct FoundIntrinsic {
    const IntrinsicEntry* entry = nullptr;
    int number = 0;
};
// Errors: a name that no entry has; operands that it does not take.
Result<FoundIntrinsic> find_intrinsic(const std::string& name,
                                      const std::vector<const Store*>& operands);

} // namespace loopscope::simt_interpreter
