#pragma once
// Shared parts of loop directives: finding a definition's loops by name, the rules on names and on
// loops in use, and the checks that follow every change of a nest.

#include "core/base/result.h"
#include "core/schedule/directive.h"

#include <optional>
#include <string>
#include <vector>

namespace loopscope {

// The definition that a receiver or an argument names. Errors: unknown stage (nearest name), an
// input, no such update.
Result<DefinitionRef> find_definition(const ScheduleState& state, const DefinitionRef& ref);

// The position of a loop in a definition's nest, by name; the error names the nearest loop.
Result<std::size_t> find_loop(const ScheduleState& state, const DefinitionRef& ref,
                              const std::string& loop);

// The loop at which a directive's receiver is to be "computed" or "stored". Errors: as
// find_definition and find_loop, at the directive's fields "host" and "loop"; its stage is inlined.
Result<LoopRef> find_host_loop(const ScheduleState& state, const Directive& directive,
                               const DefinitionRef& host, const std::string& loop,
                               const std::string& what);

// Names of stages, copies and, if `inputs`, inputs: candidates for "did you mean".
std::vector<std::string> stage_names(const ScheduleState& state, bool inputs);
// ASCII letters, digits and '_', not starting with a digit
bool is_plain_name(const std::string& name);
std::string did_you_mean(const std::string& name,
                         const std::vector<std::string>& candidates); // "" or a remedy

// May the stage that a directive makes have this name, which stands in the given field? Where there
// is none, the remedy gives it one.
Status check_made_name(const ScheduleState& state, const Directive& directive, const char* field,
                       const std::string& made, const std::string& example = "B");

// The value of a factor: at least 1. `native` is the lanes of the device's vectors for the
// definition's stage.
Result<std::int64_t> factor_value(const ScheduleState& state, const std::string& stage,
                                  const Factor& factor, const ApplyContext& context);

// What a tail adds to the description of a split: ", shifting the tail"; nothing for guard.
std::string tail_phrase(Tail tail);

// A definition's nest, opened for change.
class Nest {
public:
    // Errors: as find_definition, and a stage that is inlined.
    static Result<Nest> open(ScheduleState& state, const DefinitionRef& ref);

    DefinitionState& loops() { return *loops_; }
    const DefinitionRef& ref() const { return ref_; }
    std::string text() const { return ref_.text(); }

    Result<std::size_t> position(const std::string& loop) const;
    // May the loop be split or fused? Nothing may be computed or stored at it, it may not be
    // vectorised, and no instruction may replace it.
    Status not_in_use(std::size_t position, const std::string& to_do) const;
    // May a split of this loop have this tail, as far as the definition tells? Whether the reads of
    // a padded tail are there follows from extents (padding.h).
    Status tail_fits(std::size_t position, Tail tail, std::int64_t factor) const;
    // New names: valid, distinct, and not those of loops that stay (`released` go).
    Status names_are_free(const std::vector<std::string>& made,
                          const std::vector<std::string>& released) const;
    int new_id() { return loops_->next_id++; }

    // Changes the nest without checks. The outer loop runs as the split one did; the inner one is
    // serial.
    void split(std::size_t position, const std::string& outer, const std::string& inner,
               std::int64_t factor, Tail tail);
    // Runs a loop as a kind, bound to no level, or at a level of the target, which numbers
    // `numbers`.
    void run_as(std::size_t position, LoopKind kind, const std::string& level = {},
                const device::Numbering& numbers = {});
    // Gives the loops at these positions, in this order, the places that they hold together.
    void reorder(const std::vector<std::size_t>& positions);
    // The split that `vectorize(a, F)` and `unroll(a, F)` begin with: the outer loop keeps the
    // name, the inner one is a_v or a_u. Returns the inner loop's position. Errors carry the
    // directive's places.
    Result<std::size_t> split_for(const Directive& directive, std::size_t position,
                                  const Factor& factor, const std::string& suffix, Tail tail,
                                  const ApplyContext& context);

    // After the change: dependences (legality.h), the loops that are shared (merging.h), then all
    // placements of the state. Marks reassociation. With a directive: errors are at its loop.
    Status finish();
    Status finish(const Directive& directive);

private:
    std::string unvectorized_remedy(std::size_t position) const;
    // Checks that an instruction replaces the same loops as before the line, unchanged.
    Status keeps_instruction() const;
    // Are values of a loop beyond its extent beyond those of its axis? They are not for the inner
    // loop of a split: they are in the next tile.
    bool ends_with_its_axis(int loop) const;
    // The extent of a loop that splits alone decide; nullopt: it follows from a region.
    std::optional<std::int64_t> fixed_extent(int loop) const;

    Nest(ScheduleState& state, DefinitionRef ref, DefinitionState& loops)
        : state_(&state), ref_(std::move(ref)), loops_(&loops), before_(loops.loops) {}
    ScheduleState* state_;
    DefinitionRef ref_;
    DefinitionState* loops_;
    std::vector<LoopState> before_; // as opened
};

// The nest of a directive's receiver, opened at the loop that its field "loop" names.
struct OpenLoop {
    Nest nest;
    std::size_t position;
};
Result<OpenLoop> open_loop(ScheduleState& state, const Directive& directive,
                           const std::string& loop);

} // namespace loopscope
