#include "core/schedule/gpu/opaque_fragments.h"

#include "core/schedule/storage.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

// How a source lies in memory.
struct Lying {
    std::vector<std::string> names; // of its indices
    std::vector<std::size_t> order; // outermost first
    std::vector<std::int64_t> extents;
    std::int64_t padding = 0;           // of the innermost
    bool swizzled = false, own = false; // is its layout the schedule's?
};

Result<Lying> lying(const ScheduleTree& tree, const std::string& source, const std::string& head) {
    Lying out;
    if (const auto* storage = tree.find({source, -1, "@storage"})) {
        const auto* state = tree.state.find(source);
        for (const auto& dimension : storage->region.dimensions)
            out.names.push_back(dimension.index);
        out.order = storage_order(*storage);
        out.extents = storage_extents(*storage);
        if (!storage->storage_padding.empty())
            out.padding = storage->storage_padding[out.order.back()];
        out.swizzled = state && state->swizzled;
        out.own = !storage->is_output;
        return out;
    }
    const auto* input = tree.derived->find(source);
    if (!input || !input->is_input)
        return error(head + ", and it is in none", source + ".compute_root()");
    if (input->boundary.kind != BoundaryKind::None)
        return error(head + ", and it has a boundary, where there is no memory",
                     "a copy in shared memory: cache_read(" + source + ", shared)");
    out.names = input->variables;
    out.extents = hints(input->extents);
    out.order.resize(out.names.size());
    std::iota(out.order.begin(), out.order.end(), std::size_t{0});
    return out;
}

// Elements from one value of each dimension to the next.
std::vector<std::int64_t> strides(const Lying& memory) {
    std::vector<std::int64_t> out(memory.order.size(), 1);
    std::int64_t elements = 1;
    for (auto d = memory.order.rbegin(); d != memory.order.rend(); ++d) {
        out[*d] = elements;
        elements *= memory.extents[*d];
    }
    return out;
}

bool is_result(const FragmentLayout& layout) { return layout.operand == &layout.intrinsic->result; }

class OpaqueFinder {
public:
    OpaqueFinder(const ScheduleTree& tree, const std::map<std::string, FragmentLayout>& layouts,
                 const OpaqueWork& given, LaneWork& work)
        : tree_(tree),
          layouts_(layouts),
          given_(given),
          work_(work),
          layout_(layouts.at(work.fragment)) {}

    Status run() {
        for (const auto& [stage, places] : work_.places) {
            const auto& other = layouts_.at(stage);
            if (!other.opaque())
                return refuse(stage + ", which is in fragments of " + other.intrinsic->name, stage);
            if (other.intrinsic->name != layout_.intrinsic->name ||
                other.operand->name != layout_.operand->name)
                return refuse(stage + ", operand " + other.operand->name + " of " +
                                  other.intrinsic->name + ", which lies in registers differently",
                              stage);
        }
        for (const auto& guard : given_.plan.guards)
            if (given_.inside.moves(guard.value))
                return error(given_.name + " leaves out a part of " + of_fragments() +
                                 ", which are moved as a whole: an extent is no multiple of theirs",
                             "split with the tail shift, or compute through shared memory");
        if (given_.definition.condition && moves(given_.definition.condition))
            return refuse("a condition", work_.fragment);
        const auto& value = given_.definition.values.front();
        const bool computes = layouts_.count(given_.stage.name) > 0;
        if (computes && value->kind == ExprKind::Load && !layouts_.count(value->name) &&
            plain_store() && moves(value))
            return load(*value);
        for (const auto& each : given_.definition.values)
            if (const auto what = depends(each); !what.empty())
                return refuse(what, work_.fragment);
        if (!is_result(layout_))
            return error(given_.name + " works on " + of_fragments() +
                             ", of which only results are worked on or stored in registers",
                         "copy from memory into them alone, and compute what is there before");
        if (computes) {
            work_.whole = LaneWork::Whole::Registers;
            return success();
        }
        return store();
    }

private:
    std::string of_fragments() const {
        return "fragments of " + layout_.intrinsic->name + " (" + work_.fragment + ")";
    }

    Status refuse(const std::string& what, const std::string& fragment) const {
        return error(given_.name + " takes each element of " + of_fragments() + " together with " +
                         what + ", and which lane holds which element of such is not known",
                     "put " + fragment +
                         " into shared memory as it is, by a stage in scope shared between, and "
                         "compute from there");
    }

    bool plain_store() const {
        return given_.definition.kind == DefinitionKind::Pure ||
               (given_.definition.kind == DefinitionKind::Update &&
                given_.definition.update == UpdateOp::Assign);
    }

    // Does it differ between elements?
    bool moves(const ExprPtr& e) const {
        bool out = false;
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Variable)
                for (const auto& [axis, form] : given_.plan.axes)
                    out = out || (axis == x.name && given_.inside.moves(form));
            return true;
        });
        return out;
    }

    // What, beside fragments, the value takes of each element by itself; empty: nothing.
    std::string depends(const ExprPtr& e) const {
        std::string out;
        visit(e, [&](const Expr& x) {
            if (x.kind == ExprKind::Load && layouts_.count(x.name))
                return false;
            if (x.kind == ExprKind::Load && out.empty())
                for (const auto& index : x.args)
                    if (out.empty() && moves(index))
                        out = x.name + "'s own";
            if (x.kind == ExprKind::Variable && out.empty())
                for (const auto& [axis, form] : given_.plan.axes)
                    if (axis == x.name && given_.inside.moves(form))
                        out = "its index " + axis;
            return out.empty();
        });
        return out;
    }

    Status load(const Expr& element) {
        if (given_.definition.values.size() > 1)
            return refuse("other components", work_.fragment);
        auto order = moved(element.name, element.args);
        if (!order)
            return order.errors();
        work_.whole = LaneWork::Whole::Load;
        work_.order = *order;
        return success();
    }

    Status store() {
        if (given_.stage.types.size() > 1 || !plain_store())
            return error(given_.name + " does more than to write elements of " + of_fragments() +
                             ", which are stored as a whole",
                         "a stage in scope shared between, from which it is computed");
        if (given_.stage.types.front() != layout_.operand->type)
            return error(given_.name + " is of " + name(given_.stage.types.front()) + ", and " +
                             of_fragments() + " are of " + name(layout_.operand->type) +
                             ", which is how they are stored: of another type they would lie in "
                             "registers differently",
                         "a stage of " + std::string(name(layout_.operand->type)) +
                             " in scope shared between, from which it is cast");
        std::vector<ExprPtr> indices;
        if (given_.definition.kind == DefinitionKind::Update)
            indices = given_.definition.left;
        else
            for (const auto& index : given_.stage.variables)
                indices.push_back(variable(index));
        auto order = moved(given_.stage.name, indices);
        if (!order)
            return order.errors();
        work_.whole = LaneWork::Whole::Store;
        work_.order = *order;
        return success();
    }

    // The dimension of the fragment's stage that a variable counts elements of; -1: none.
    int counted_by(const std::string& variable) const {
        for (const auto& digit : work_.digits)
            if (digit.variable == variable)
                return digit.dimension;
        return -1;
    }

    // The element of memory that goes with the fragment's, at those indices.
    Result<MatrixOrder> moved(const std::string& source, const std::vector<ExprPtr>& indices) {
        MatrixInMemory matrix;
        matrix.source = source;
        matrix.dimensions.assign(layout_.operand->axes.size(), -1);
        const auto unknown = [&](std::size_t d) {
            return error(given_.name + " moves " + of_fragments() + " and " + source + " at " +
                             to_text(indices[d]) +
                             ", whose elements do not go together one after the other",
                         "one index of " + source + " for each of the fragment's");
        };
        for (std::size_t d = 0; d < indices.size(); ++d) {
            auto form = given_.from(source, d, indices[d]);
            const auto steps = form ? given_.inside.steps(*form)
                                    : std::optional<std::map<std::string, std::int64_t>>();
            if (!steps)
                return unknown(d);
            matrix.base.emplace_back(given_.inside.base(*form));
            matrix.steps.push_back(0);
            if (auto a = axis(*steps); a >= 0 && matrix.dimensions[static_cast<std::size_t>(a)] < 0)
                matrix.dimensions[static_cast<std::size_t>(a)] = static_cast<int>(d),
                matrix.steps[d] = layout_.operand->extents[static_cast<std::size_t>(a)];
            else if (within_tile(*steps))
                return unknown(d);
            else
                for (const auto& [variable, step] : *steps)
                    matrix.steps[d] = std::gcd(matrix.steps[d], step);
        }
        if (std::count(matrix.dimensions.begin(), matrix.dimensions.end(), -1) > 0)
            return unknown(0);
        return order_in_memory(tree_, *layout_.intrinsic, *layout_.operand, matrix);
    }

    bool within_tile(const std::map<std::string, std::int64_t>& steps) const {
        return std::any_of(steps.begin(), steps.end(), [&](const auto& step) {
            const auto d = counted_by(step.first);
            return given_.inside.extent(step.first) > 1 &&
                   (d < 0 || layout_.axes[static_cast<std::size_t>(d)] >= 0);
        });
    }

    // The axis of the operand with which an index moves one by one; -1: none.
    int axis(const std::map<std::string, std::int64_t>& steps) const {
        for (std::size_t d = 0; d < layout_.axes.size(); ++d) {
            if (layout_.axes[d] < 0)
                continue;
            std::map<std::string, std::int64_t> own, given;
            for (const auto& digit : work_.digits)
                if (digit.dimension == static_cast<int>(d))
                    own[digit.variable] = digit.step;
            for (const auto& [variable, step] : steps)
                if (given_.inside.extent(variable) > 1)
                    given[variable] = step;
            if (!own.empty() && own == given)
                return layout_.axes[d];
        }
        return -1;
    }

    const ScheduleTree& tree_;
    const std::map<std::string, FragmentLayout>& layouts_;
    const OpaqueWork& given_;
    LaneWork& work_;
    const FragmentLayout& layout_;
};

} // namespace

Result<MatrixOrder> order_in_memory(const ScheduleTree& tree, const Intrinsic& intrinsic,
                                    const IntrinsicOperand& of, const MatrixInMemory& matrix) {
    const auto head = matrix.source + " is operand " + of.name + " of " + intrinsic.name +
                      ", which is moved between registers and memory as a whole";
    auto memory = lying(tree, matrix.source, head);
    if (!memory)
        return memory.errors();
    if (memory->swizzled)
        return error(head + ", and its chunks have changed places",
                     "pad_storage in place of " + matrix.source + ".swizzle()");
    const auto last = memory->order.back();
    const auto along =
        std::find(matrix.dimensions.begin(), matrix.dimensions.end(), static_cast<int>(last));
    if (matrix.dimensions.size() != 2 || along == matrix.dimensions.end())
        return error(head + ", and its elements follow one another along " + memory->names[last] +
                         ", which is none of the operand's indices",
                     memory->own
                         ? matrix.source +
                               ".reorder_storage(…), one of the operand's indices innermost"
                         : "a copy that lies otherwise: cache_read(" + matrix.source + ", shared)");
    const auto axis = along - matrix.dimensions.begin();
    const std::string lines = axis == 1 ? "rows" : "columns";
    // PTX ISA, "Matrix Storage for WMMA": each row begins at a multiple of what a lane holds.
    const auto size = static_cast<std::int64_t>(bytes(of.type));
    const auto aligned = of.registers * size;
    const auto stride = strides(*memory);
    const auto other =
        static_cast<std::size_t>(matrix.dimensions[static_cast<std::size_t>(1 - axis)]);
    if (const auto over = stride[other] * size % aligned; over != 0)
        return error(head + " by " + lines + " that begin at multiples of " +
                         std::to_string(aligned) + " bytes, and those of " + matrix.source +
                         " are " + std::to_string(stride[other] * size) + " bytes apart",
                     memory->own
                         ? matrix.source + ".pad_storage(" + memory->names[last] + ", " +
                               std::to_string(memory->padding + (aligned - over) / size) + ")"
                         : "a copy whose rows are padded: cache_read(" + matrix.source +
                               ", shared)");
    std::int64_t common = 0; // divides all places where a matrix begins
    for (std::size_t d = 0; d < matrix.base.size(); ++d) {
        if (!matrix.base[d])
            return error(head + ", and its memory wraps around along " + memory->names[d],
                         "store " + matrix.source + " where it is computed");
        const auto moves = std::gcd(known_divisor(*matrix.base[d]), matrix.steps[d]);
        common = std::gcd(common, moves * stride[d] * size);
    }
    if (common % aligned != 0)
        return error(head + " by " + lines + " that begin at multiples of " +
                         std::to_string(aligned) + " bytes, and those of " + matrix.source +
                         " begin at multiples of " + std::to_string(common),
                     "split the loops around it by multiples of " + std::to_string(aligned / size) +
                         " along " + memory->names[last] + ", of an extent that is one");
    return axis == 1 ? MatrixOrder::Rows : MatrixOrder::Columns;
}

Status find_opaque_work(const ScheduleTree& tree,
                        const std::map<std::string, FragmentLayout>& layouts,
                        const OpaqueWork& given, LaneWork& work) {
    return OpaqueFinder(tree, layouts, given, work).run();
}

} // namespace loopscope
