#pragma once
// What promote_accumulators and promote_tiles share: accesses of a serial loop move to registers,
// which are filled before the loop and stored behind it.

#include "compiler/lower/known_facts.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::lower {

// Registers that stand for a part of a buffer while a loop runs.
struct Registers {
    std::string name, buffer;
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
    // Where in the registers the element of the buffer is.
    std::function<std::vector<ExprPtr>(const std::vector<ExprPtr>& indices)> place;
};

// The statement with all accesses to the buffer moved to the registers; one store alone moved.
StatementPtr moved(const StatementPtr& s, const Registers& to);
StatementPtr moved_store(const StatementPtr& s, const Registers& to);

class Promotion {
public:
    virtual ~Promotion() = default;
    StatementPtr run(const StatementPtr& s);

protected:
    // A loop in its block. Registers are allocated around it, around what is put before and after
    // it, and around the statements that stood before it from `first` on, which store first values.
    struct Site {
        StatementPtr loop;
        std::vector<StatementPtr>& done;
        std::size_t first;
        std::vector<StatementPtr> before, after;
        std::vector<Registers> made;
    };
    virtual void promote(Site& site) = 0; // of a serial loop

    // Between barriers no other thread touches an element that this one writes; beyond one it may.
    bool meets_others(const StatementPtr& loop, const std::string& buffer) const;

    KnownFacts scope_;
    std::unordered_map<std::string, StatementPtr> allocated_; // around

private:
    void append(const StatementPtr& s, std::vector<StatementPtr>& done);
    StatementPtr children(const StatementPtr& s);
};

} // namespace loopscope::lower
