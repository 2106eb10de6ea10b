#pragma once
// Runs one definition of a stage over the stage's box, in the order that the language defines.

#include "compiler/run/buffer.h"
#include "compiler/run/reference/code_builder.h"
#include "core/base/result.h"

#include <atomic>

namespace loopscope::reference {

class DefinitionRunner {
public:
    // `storages` holds the stage's own storage and those of all that it reads, and outlives the
    // runner; so do the others.
    DefinitionRunner(const Pipeline& pipeline, const Stage& stage, const Definition& definition,
                     const Storages& storages, bool contract);

    // Errors: cancelled; an index outside its storage (an internal error, with the place).
    Status run(const Box& box, const std::atomic<bool>* cancel);

private:
    // A free variable or an axis with its range and the registers that hold it.
    struct Axis {
        std::string name;
        Interval range;
        std::vector<Code::Variable> registers;
    };
    using Body = Status (DefinitionRunner::*)();

    void build_code();
    ExprPtr next_value(std::size_t component) const;
    ExprPtr by_rule(const ExprPtr& e) const;
    bool free_variables_are_independent() const;
    void set_axes(const Box& box);
    Axis make_axis(const std::string& name, const Interval& range) const;
    void prepare_registers();
    bool is_known(const Code::Variable& v) const;
    void fill(const Axis& axis, std::int64_t first, bool consecutive, int lanes);
    Status for_each(const std::vector<Axis>& axes, std::size_t depth, Body body);
    Status run_batches();
    Status run_axes();
    Status run_once();
    void start_accumulators();
    void keep_accumulators();
    void keep_winners(); // argmin and argmax
    void store(const std::vector<int>& values, int condition);
    Status check() const;

    const Pipeline& pipeline_;
    const Stage& stage_;
    const Definition& definition_;
    const Storages& storages_;
    bool contract_;
    const std::atomic<bool>* cancel_ = nullptr;

    Code code_;
    std::vector<Access> targets_; // where each component is written
    // registers of the components' values; of a reduction: of the next accumulators, or the term
    // and its rank
    std::vector<int> values_;
    std::vector<int> accumulators_; // registers; Reduction only
    int condition_ = -1;            // register; -1: none, or part of the accumulation
    AlignedBytes registers_;
    Frame frame_;

    std::vector<Axis> outer_; // free variables but the batched one, in order
    std::optional<Axis> batch_;
    std::vector<Axis> axes_;
};

} // namespace loopscope::reference
