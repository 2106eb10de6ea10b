#pragma once
// Region inference: which part of a stage is computed at its place, and which parts of stages and
// inputs a subtree touches. Answers are linear forms over the variables of enclosing loops; extents
// are constants.

#include "core/schedule/linear.h"
#include "core/schedule/sliding.h"
#include "core/schedule/tree.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

// The loops of one definition, with extents, and its axes in terms of them.
struct NestLayout {
    std::vector<std::int64_t> extents;  // of DefinitionState::loops, in order
    std::vector<std::string> variables; // unique names of the loop variables: "C.io", "H.u0.r"
    std::vector<std::pair<std::string, LinearForm>> axes; // axis -> value
    struct Guard {
        LinearForm value; // must be below `limit`
        std::int64_t limit;
        bool reduction; // stems from a reduction axis: does not apply to the initialisation
        bool whole;     // ends the axis, not a part of it such as a tile
    };
    std::vector<Guard> guards;
    std::vector<std::vector<LoopTail>> tails; // of DefinitionState::loops, in order
    // What one execution of the stage computes: axis a takes `computed[a]` values from its least
    // on, more than are needed where a tail pads.
    std::vector<std::int64_t> computed;
    // How often the body runs, and the initialisation: shifted tails repeat points. An upper bound
    // unless `exact`.
    double evaluations = 0;
    double initializations = 0;
    bool exact = true;
};

// How one dimension of a stage lies in memory.
struct StoredDimension {
    LinearForm min;          // of what the memory holds while it lives
    std::int64_t extent = 0; // of that
    std::int64_t fold = 0;   // circular: element i lies at i mod fold; 0: it lies at i - min
};

struct StageLayout {
    // per dimension; `greatest` - `least` + 1 is bounded by `extents`
    std::vector<FormInterval> region;
    std::vector<std::int64_t> extents; // as computed: with what padded tails compute beyond
    std::vector<std::int64_t> needed;  // without that
    std::vector<LinearForm> mins;      // region variable "P.x.min", or a constant
    bool exact = true;
    std::vector<NestLayout> nests;         // one per definition
    std::vector<StoredDimension> stored;   // per dimension
    std::vector<SlidingDimension> sliding; // per dimension; empty: stored where it is computed
    // For loops around it: the first iteration in which it runs, where that is a warm-up iteration
    // (below 0).
    std::map<std::string, std::int64_t> firsts;
    // For loops around it: it runs only where this form has another value than in the iteration
    // before (and in the first).
    std::map<std::string, LinearForm> moves;
};
std::vector<std::int64_t> stored_extents(const StageLayout& layout);
// "S.y.base": the variable that holds StoredDimension::min of a stage that is stored outside of
// where it is computed.
std::string base_variable(const std::string& stage, const std::string& index);
// The name by which inner expressions refer to the least element that the stage's memory holds;
// empty: it is a constant, or the dimension folds.
std::string minimum_variable(const StageState& stage, const Stage& declared,
                             const StageLayout& layout, std::size_t dimension);

// Everything region inference knows of a state: input to the tree, and to footprints.
struct Layout {
    std::shared_ptr<const Pipeline> derived;
    std::map<std::string, Box> boxes;          // root boxes of stages and inputs
    std::map<std::string, StageLayout> stages; // computed stages that are not inlined
    // "P.x.min" -> its value in outer variables (least = greatest)
    std::map<std::string, FormInterval> region_variables;
    std::map<std::string, std::int64_t> loop_extents; // loop variable -> extent
    // Loop variable -> first value, of loops with iterations that warm up (below 0).
    std::map<std::string, std::int64_t> begins;
    // The same with iterations in which something is only computed ahead, for which nothing more is
    // needed. Used in trees.
    std::map<std::string, std::int64_t> starts;

    // The interval of a form when only `visible` variables are held and all others take all values
    // of their ranges.
    FormInterval over(const LinearForm& form, const std::set<std::string>& visible) const;

    // The form as an expression that is also right in iterations that warm up.
    ExprPtr expr(const LinearForm& form) const;

private:
    // region variables over what they take there
    LinearForm in_all_iterations(const LinearForm& form) const;
};

Result<Layout> infer_layout(const ScheduleState& state, std::shared_ptr<const Pipeline> derived);

class LoopPaths;
class PaddedBoxes;
class Readers;
struct PaddedReads;
// Lays out one stage, and gives what it reads beyond the boxes. Its readers, and the stages at
// whose loops it or they are computed, must be laid out in `layout`, be in `readers`, and their
// reads in `padded`. `paths`: the state's.
Result<std::vector<PaddedReads>> lay_out_stage(const ScheduleState& state, const StageState& stage,
                                               LoopPaths& paths, const Readers& readers,
                                               Layout& layout, PaddedBoxes& padded);

// The variables that are held at a loop: its own and those of the loops and regions around it.
std::set<std::string> visible_at(const ScheduleState& state, const Layout& layout,
                                 const LoopRef& loop);

// The variables that are held for a stage computed or stored at a loop. Where threads or blocks
// share its memory, one region serves all of them, and the variables that number them are not held
// (languages.md: the box of a buffer is taken over all levels that share its scope).
std::set<std::string> held_for(const ScheduleState& state, const Layout& layout,
                               const StageState& stage, const LoopRef& loop);

// The interval of an index expression of a definition, given intervals of its axes. Non-affine
// parts fall back to ranges.
FormInterval index_interval(const ExprPtr& index, const Definition& definition,
                            const std::map<std::string, FormInterval>& axes, const Layout& layout);

// The guards of a nest that limit the values of its axes. Without guards the forms are simpler, and
// may hold too many values.
enum class Guards { None, InsideTiles, All };

// The parts that one definition reads and writes while the variables in `visible` are held, by
// stage or input, as hulls. Writes (to its own stage) are included when `writes`.
std::map<std::string, std::vector<FormInterval>> touched(const Layout& layout, const Stage& stage,
                                                         int definition,
                                                         const std::set<std::string>& visible,
                                                         bool writes, Guards = Guards::None);

// The derived program of a state: inlining, copies and contraction applied to the pipeline's
// definitions.
struct Derived {
    std::shared_ptr<const Pipeline> pipeline; // without inlined stages
    std::vector<DerivedStage> stages;         // all computed stages; boxes not yet filled in
};
Derived derive(const ScheduleState& state);

} // namespace loopscope
