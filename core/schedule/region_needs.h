#pragma once
// What definitions read and write while some loops are held: the parts of region inference that
// look into expressions.

#include "core/ir/definition_expressions.h"
#include "core/schedule/region.h"

#include <functional>

namespace loopscope {

void unite(std::vector<FormInterval>& into, const std::vector<FormInterval>& more);

// The intervals of a definition's axes. An interval whose ends are numbers lies within the axis's
// own range: a guard keeps it there, unless the tail pads. With `held` the same goes for ends that
// are forms, which then have clamps; a stage that is computed for the guarded tile has the same
// clamps (region.h), so that differences to it are as small as elsewhere.
std::map<std::string, FormInterval> axis_intervals(const Layout& layout, const Stage& stage, int d,
                                                   const std::set<std::string>& visible,
                                                   Guards guards = Guards::None);

std::vector<FormInterval> access_intervals(const std::vector<ExprPtr>& indices,
                                           const Definition& definition,
                                           const std::map<std::string, FormInterval>& axes,
                                           const Layout& layout);

// A definition that loads a stage, with its loads of it, at least one. All point into the pipeline.
struct Reader {
    const Stage* stage = nullptr;
    std::size_t definition = 0;
    std::vector<const Expr*> loads;
};

// The readers of each laid-out stage of a derived pipeline. Every stage asks for its readers: to
// look through all expressions for each of them would take the square of the time. The pipeline
// must live as long.
class Readers {
public:
    explicit Readers(const Pipeline& derived) : derived_(derived) {}
    void add(const std::string& stage); // laid out now; once
    void clear() { readers_.clear(); }
    // Readers of a stage, not of an input, in the order of their names and definitions.
    const std::vector<Reader>& of(const std::string& name) const;

private:
    const Pipeline& derived_;
    std::map<std::string, std::vector<Reader>> readers_;
};

// The parts of a stage that its laid-out readers read, per dimension; empty: none reads it.
std::vector<FormInterval> needed_by_readers(const Layout& layout, const Readers& readers,
                                            const std::string& name,
                                            const std::set<std::string>& visible);

// Adds the elements that a stage's own updates write and read to a region, until nothing changes. A
// region that does not settle within the rounds that a chain of updates can need becomes the whole
// box, which holds everything.
void add_own_updates(const Layout& layout, const Stage& stage, const Box& box,
                     std::vector<FormInterval>& region);

// The region as it is computed. It has the same extents in every iteration, is moved inside the box
// where it would leave it, and holds what the stage's updates, which run in all of it, write and
// read of the stage.
std::vector<FormInterval> settled_region(const Layout& layout, const Stage& stage, const Box& box,
                                         const std::vector<FormInterval>& region);

// Per dimension: are elements independent of those at other indices? A part of the stage can then
// be computed alone.
std::vector<bool> slidable(const Stage& stage);

} // namespace loopscope
