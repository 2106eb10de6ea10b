#include "compiler/run/reference/definition_runner.h"

#include "compiler/run/reference/contraction.h"
#include "compiler/run/reference/types.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace loopscope::reference {

namespace {

// No name of the language has a space.
std::string accumulator_name(std::size_t component) {
    return "accumulator " + std::to_string(component);
}

Op operation(ReductionOp op) {
    switch (op) {
    case ReductionOp::Sum: return Op::Add;
    case ReductionOp::Product: return Op::Multiply;
    case ReductionOp::Min: return Op::Min;
    case ReductionOp::Max: return Op::Max;
    case ReductionOp::Any: return Op::LogicalOr;
    case ReductionOp::All: return Op::LogicalAnd;
    case ReductionOp::ArgMin:
    case ReductionOp::ArgMax: break;
    }
    throw std::logic_error("reduction");
}

Op operation(UpdateOp op) {
    switch (op) {
    case UpdateOp::Add: return Op::Add;
    case UpdateOp::Multiply: return Op::Multiply;
    case UpdateOp::Max: return Op::Max;
    case UpdateOp::Min: return Op::Min;
    case UpdateOp::Assign: break;
    }
    throw std::logic_error("update");
}

template <typename T> T greatest_value() {
    if constexpr (std::is_same_v<T, Truth>)
        return Truth::True;
    else if constexpr (kIsFloat<T>)
        return T(std::numeric_limits<double>::infinity());
    else
        return std::numeric_limits<T>::max();
}

template <typename T> T least_value() {
    if constexpr (std::is_same_v<T, Truth>)
        return Truth::False;
    else if constexpr (kIsFloat<T>)
        return T(-std::numeric_limits<double>::infinity());
    else
        return std::numeric_limits<T>::min();
}

// This and `wins` say again what core/ir/pipeline's reduction_identity and reduction_step say, by
// purpose: lowering uses those, and the reference shares no code with it.
template <typename T> T identity(ReductionOp op) {
    switch (op) {
    case ReductionOp::Product: return convert<T>(std::int32_t{1});
    case ReductionOp::Min:
    case ReductionOp::ArgMin:
    case ReductionOp::All: return greatest_value<T>();
    case ReductionOp::Max:
    case ReductionOp::ArgMax: return least_value<T>();
    default: return T();
    }
}

// Does a term of argmin or argmax replace what was found so far? A NaN wins over numbers, and of
// equals the one of lower rank.
template <typename T> bool wins(ReductionOp op, T term, std::int32_t rank, T found,
                                std::int32_t found_rank) {
    if (rank == kNoRank || found_rank == kNoRank)
        return rank != kNoRank;
    if constexpr (kIsFloat<T>)
        if (is_nan(term) || is_nan(found))
            return is_nan(term) && (!is_nan(found) || rank < found_rank);
    if (term == found)
        return rank < found_rank;
    return op == ReductionOp::ArgMin ? term < found : term > found;
}

} // namespace

DefinitionRunner::DefinitionRunner(const Pipeline& pipeline, const Stage& stage,
                                   const Definition& definition, const Storages& storages,
                                   bool contract)
    : pipeline_(pipeline),
      stage_(stage),
      definition_(definition),
      storages_(storages),
      contract_(contract) {
    build_code();
    prepare_registers();
}

ExprPtr DefinitionRunner::by_rule(const ExprPtr& e) const { return contract_ ? contracted(e) : e; }

// What a step writes, as one expression: the accumulator or the old value combined with the
// definition's own. Of argmin and argmax the term and its rank, which are combined together.
ExprPtr DefinitionRunner::next_value(std::size_t component) const {
    const auto& value = definition_.values[component];
    auto type = stage_.types[component];
    if (definition_.kind == DefinitionKind::Reduction && !is_arg(definition_.reduction)) {
        auto accumulator = variable(accumulator_name(component), type);
        auto next = by_rule(binary(operation(definition_.reduction), accumulator, value));
        // A term that `where` leaves out leaves the accumulator as it is.
        return definition_.condition ? select(by_rule(definition_.condition), next, accumulator)
                                     : next;
    }
    if (definition_.kind == DefinitionKind::Update && definition_.update != UpdateOp::Assign) {
        auto old_value = load(stage_.name, type, definition_.left, static_cast<int>(component));
        auto op = operation(definition_.update);
        return stage_.types.size() == 1 ? by_rule(binary(op, old_value, value))
                                        : binary(op, old_value, by_rule(value));
    }
    return by_rule(value);
}

void DefinitionRunner::build_code() {
    CodeBuilder builder(storages_);
    auto components = definition_.values.size();
    for (std::size_t c = 0; c < components; ++c)
        builder.result(next_value(c));
    auto left = definition_.left;
    if (definition_.kind != DefinitionKind::Update)
        for (const auto& v : stage_.variables)
            left.push_back(variable(v));
    for (const auto& index : left)
        builder.result(by_rule(index));
    bool reduction = definition_.kind == DefinitionKind::Reduction;
    bool conditional = definition_.condition && (!reduction || is_arg(definition_.reduction));
    if (conditional)
        builder.result(by_rule(definition_.condition));
    if (reduction)
        for (std::size_t c = 0; c < components; ++c)
            builder.result(variable(accumulator_name(c), stage_.types[c]));
    code_ = builder.finish();

    auto next = code_.results.begin();
    for (std::size_t c = 0; c < components; ++c)
        values_.push_back(*next++);
    Access target;
    for (const auto& index : left) {
        target.indices.push_back(*next++);
        target.index_types.push_back(index->type);
    }
    for (std::size_t c = 0; c < components; ++c) {
        target.storage = &storages_.at(stage_.name)[c];
        targets_.push_back(target);
    }
    if (conditional)
        condition_ = *next++;
    accumulators_.assign(next, code_.results.end());
}

void DefinitionRunner::prepare_registers() {
    registers_.resize(static_cast<std::size_t>(code_.register_count) * kRegisterBytes);
    frame_.registers = registers_.data();
    for (const auto& c : code_.constants)
        fill_lanes(c.type, c.bits, frame_.lanes<std::byte>(c.reg));
    for (const auto& symbol : pipeline_.symbols)
        fill(make_axis(symbol.name, {}), symbol.hint, false, kLanes);
    for (const auto& v : code_.variables)
        if (!is_known(v))
            throw std::logic_error("reference interpreter: unknown name '" + v.name +
                                   "' in stage '" + stage_.name + "'");
}

bool DefinitionRunner::is_known(const Code::Variable& v) const {
    auto named = [&](const auto& thing) { return thing.name == v.name; };
    return std::find(definition_.free.begin(), definition_.free.end(), v.name) !=
               definition_.free.end() ||
           std::any_of(definition_.axes.begin(), definition_.axes.end(), named) ||
           std::any_of(pipeline_.symbols.begin(), pipeline_.symbols.end(), named) ||
           std::find(accumulators_.begin(), accumulators_.end(), v.reg) != accumulators_.end();
}

DefinitionRunner::Axis DefinitionRunner::make_axis(const std::string& name,
                                                   const Interval& range) const {
    Axis axis{name, range, {}};
    for (const auto& v : code_.variables)
        if (v.name == name)
            axis.registers.push_back(v);
    return axis;
}

void DefinitionRunner::fill(const Axis& axis, std::int64_t first, bool consecutive, int lanes) {
    for (const auto& v : axis.registers)
        with_type(v.type, [&]<typename T>(Tag<T>) {
            T* target = frame_.lanes<T>(v.reg);
            for (int lane = 0; lane < lanes; ++lane)
                target[lane] = convert<T>(first + (consecutive ? lane : 0));
        });
}

// Different values of a free variable touch different elements: it stands in its own position on
// the left and, by the language's rule, unchanged in its own position in every read of the stage
// itself. Then lanes of it may run together.
bool DefinitionRunner::free_variables_are_independent() const {
    bool independent = true;
    auto examine = [&](const ExprPtr& root) {
        if (!root)
            return;
        visit(root, [&](const Expr& e) {
            if (e.kind == ExprKind::Load && e.name == stage_.name)
                for (std::size_t d = 0; d < e.args.size(); ++d) {
                    const auto& own = stage_.variables[d];
                    bool free = std::find(definition_.free.begin(), definition_.free.end(), own) !=
                                definition_.free.end();
                    bool unchanged =
                        e.args[d]->kind == ExprKind::Variable && e.args[d]->name == own;
                    independent = independent && (!free || unchanged);
                }
            return true;
        });
    };
    for (const auto& value : definition_.values)
        examine(value);
    for (const auto& index : definition_.left)
        examine(index);
    examine(definition_.condition);
    return independent;
}

void DefinitionRunner::set_axes(const Box& box) {
    auto ranges = axis_ranges(stage_, definition_, box);
    outer_.clear();
    axes_.clear();
    batch_.reset();
    for (const auto& v : stage_.variables)
        if (std::find(definition_.free.begin(), definition_.free.end(), v) !=
            definition_.free.end())
            outer_.push_back(make_axis(v, ranges.at(v)));
    for (const auto& axis : definition_.axes)
        axes_.push_back(make_axis(axis.name, ranges.at(axis.name)));
    if (outer_.empty() || !free_variables_are_independent())
        return;
    // The contiguous one, unless it is so short that batches of another are much fuller.
    auto best = outer_.end() - 1;
    if (best->range.extent() < 32)
        best = std::max_element(outer_.begin(), outer_.end(), [](const Axis& a, const Axis& b) {
            return a.range.extent() < b.range.extent();
        });
    batch_ = *best;
    outer_.erase(best);
}

Status DefinitionRunner::for_each(const std::vector<Axis>& axes, std::size_t depth, Body body) {
    if (depth == axes.size())
        return (this->*body)();
    const auto& axis = axes[depth];
    // Lanes beyond the batch are never read, but outer variables outlive a short batch.
    int lanes = &axes == &outer_ ? kLanes : frame_.count;
    for (auto i = axis.range.least; i <= axis.range.greatest; ++i) {
        fill(axis, i, false, lanes);
        if (auto status = for_each(axes, depth + 1, body); !status)
            return status;
    }
    return success();
}

Status DefinitionRunner::run(const Box& box, const std::atomic<bool>* cancel) {
    cancel_ = cancel;
    set_axes(box);
    return for_each(outer_, 0, &DefinitionRunner::run_batches);
}

Status DefinitionRunner::run_batches() {
    if (!batch_) {
        frame_.count = 1;
        return run_axes();
    }
    const auto& range = batch_->range;
    for (auto first = range.least; first <= range.greatest; first += kLanes) {
        frame_.count = static_cast<int>(std::min<std::int64_t>(kLanes, range.greatest - first + 1));
        fill(*batch_, first, true, frame_.count);
        if (auto status = run_axes(); !status)
            return status;
    }
    return success();
}

Status DefinitionRunner::run_axes() {
    if (definition_.kind != DefinitionKind::Reduction)
        return for_each(axes_, 0, &DefinitionRunner::run_once);
    start_accumulators();
    if (auto status = for_each(axes_, 0, &DefinitionRunner::run_once); !status)
        return status;
    store(accumulators_, -1);
    return check();
}

Status DefinitionRunner::run_once() {
    for (const auto& instruction : code_.instructions)
        instruction.run(instruction, frame_);
    if (definition_.kind == DefinitionKind::Reduction)
        keep_accumulators();
    else
        store(values_, condition_);
    return check();
}

void DefinitionRunner::start_accumulators() {
    for (std::size_t c = 0; c < accumulators_.size(); ++c)
        with_type(stage_.types[c], [&]<typename T>(Tag<T>) {
            std::fill_n(frame_.lanes<T>(accumulators_[c]), frame_.count,
                        identity<T>(definition_.reduction));
        });
    if (is_arg(definition_.reduction))
        std::fill_n(frame_.lanes<std::int32_t>(accumulators_[1]), frame_.count, kNoRank);
}

void DefinitionRunner::keep_winners() {
    const auto* on = condition_ < 0 ? nullptr : frame_.lanes<Truth>(condition_);
    const auto* rank = frame_.lanes<std::int32_t>(values_[1]);
    auto* found_rank = frame_.lanes<std::int32_t>(accumulators_[1]);
    with_type(stage_.types[0], [&]<typename T>(Tag<T>) {
        const T* term = frame_.lanes<T>(values_[0]);
        T* found = frame_.lanes<T>(accumulators_[0]);
        for (int lane = 0; lane < frame_.count; ++lane) {
            bool counts = !on || on[lane] == Truth::True;
            if (!counts ||
                !wins(definition_.reduction, term[lane], rank[lane], found[lane], found_rank[lane]))
                continue;
            found[lane] = term[lane];
            found_rank[lane] = rank[lane];
        }
    });
}

void DefinitionRunner::keep_accumulators() {
    if (is_arg(definition_.reduction))
        return keep_winners();
    for (std::size_t c = 0; c < accumulators_.size(); ++c)
        std::memcpy(frame_.lanes<std::byte>(accumulators_[c]), frame_.lanes<std::byte>(values_[c]),
                    static_cast<std::size_t>(frame_.count * bytes(stage_.types[c])));
}

void DefinitionRunner::store(const std::vector<int>& values, int condition) {
    for (std::size_t c = 0; c < values.size(); ++c)
        store_lanes(targets_[c], values[c], condition, frame_);
}

Status DefinitionRunner::check() const {
    if (cancel_ && cancel_->load(std::memory_order_relaxed)) {
        return coded_error("cancelled", "cancelled");
    }
    if (!frame_.escape)
        return success();
    const auto& escape = *frame_.escape;
    auto d = static_cast<std::size_t>(escape.dimension);
    auto begin = escape.storage->origin[d], end = begin + escape.storage->extents[d];
    return coded_error("read-outside",
                       "internal error: stage '" + stage_.name + "' touches '" +
                           escape.storage->stage->name + "' at " + std::to_string(escape.index) +
                           " in dimension " + std::to_string(escape.dimension) + ", outside [" +
                           std::to_string(begin) + ", " + std::to_string(end) + ")",
                       {}, definition_.where);
}

} // namespace loopscope::reference
