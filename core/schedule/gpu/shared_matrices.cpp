#include "core/schedule/gpu/shared_matrices.h"

#include "core/schedule/gpu/swizzling.h"
#include "core/schedule/storage.h"

#include <algorithm>
#include <numeric>

namespace loopscope {

namespace {

// Elements of this size alone may lie with the summed axis from row to row: PTX ISA,
// "wgmma.mma_async", transposition.
constexpr std::int64_t kTransposable = 2; // bytes

bool is_summed(const Intrinsic& intrinsic, const std::string& axis) {
    return std::any_of(intrinsic.axes.begin(), intrinsic.axes.end(),
                       [&](const auto& each) { return each.name == axis && each.reduction; });
}

std::int64_t padding(const TreeNode& storage, std::size_t dimension) {
    return storage.storage_padding.empty() ? 0 : storage.storage_padding[dimension];
}

} // namespace

Result<SharedOperand> shared_operand(const TreeNode& storage, bool swizzled,
                                     const Intrinsic& intrinsic, const IntrinsicOperand& of,
                                     const TensorCall::Operand& call) {
    const auto& stage = storage.id.stage;
    const auto head = stage + " is operand " + of.name + " of " + intrinsic.name + ", ";
    if (storage.scope.shared_by != device::Unit::Block)
        return error(head + "which reads it out of memory that the block shares, and is in " +
                         storage.scope.name + " memory",
                     stage +
                         ".scope(shared), computed inside of the loops that are bound to blocks");
    if (storage.store_level == NodeId{})
        return error(
            head + "which reads it out of memory that the block shares, and is stored at root",
            storage.compute_level == NodeId{}
                ? stage + ".compute_at(…), inside of the loops that are bound to blocks"
                : "leave out " + stage + ".store_root()");
    const auto& dimensions = storage.region.dimensions;
    const auto order = storage_order(storage);
    const auto extents = storage_extents(storage);
    const auto size = static_cast<std::int64_t>(bytes(of.type));
    const auto last = order.back();
    const auto along = std::find_if(call.parts.begin(), call.parts.end(), [&](const auto& parts) {
        return parts.size() == 1 && parts.front().dimension == static_cast<int>(last);
    });
    if (call.parts.size() != 2 || along == call.parts.end())
        return error(head + "and its elements follow one another along " + dimensions[last].index +
                         ", which is none of the operand's indices",
                     stage + ".reorder_storage(…), one of the operand's indices innermost");
    SharedOperand out;
    auto& matrix = out.matrix;
    matrix.along = static_cast<int>(along - call.parts.begin());
    const auto across = static_cast<std::size_t>(1 - matrix.along);
    const auto along_rows = static_cast<std::size_t>(matrix.along);
    matrix.columns = of.extents[along_rows];
    matrix.rows = of.extents[across];
    // From row to row, the last part first; one row behind the other, so that all parts but the
    // first are whole.
    auto p = order.size() - 1;
    std::int64_t whole = 1;
    std::size_t other = last;
    for (auto part = call.parts[across].rbegin(); part != call.parts[across].rend(); ++part) {
        if (other != last && extents[other] != (part - 1)->extent)
            return error(head + "and of " + std::to_string(extents[other]) + " rows along " +
                             dimensions[other].index + " it takes " +
                             std::to_string((part - 1)->extent) + ", before the next ones along " +
                             dimensions[static_cast<std::size_t>(part->dimension)].index,
                         "compute " + stage +
                             " where no more of them are needed, or put the loops "
                             "over " +
                             dimensions[other].index + " outside of the others");
        whole *= other != last ? extents[other] : 1;
        other = static_cast<std::size_t>(part->dimension);
        for (; p-- > 0 && order[p] != other;)
            if (extents[order[p]] != 1)
                return error(head + "and between its rows there are others, along " +
                                 dimensions[order[p]].index,
                             stage + ".reorder_storage(…), the operand's indices innermost, in the "
                                     "order of their loops");
    }
    const auto pattern = swizzling(storage, of.type);
    if (!swizzled)
        return error(head + "which takes rows whose chunks have changed places",
                     stage + ".swizzle()" +
                         (pattern ? "" : ", and rows of 32, 64 or a multiple of 128 bytes"));
    if (!pattern)
        return error(
            head + "which takes rows of 32, 64 or a multiple of 128 bytes, and its rows along " +
                dimensions[last].index + " are of " + std::to_string(extents[last] * size),
            stage + ".pad_storage(" + dimensions[last].index +
                ", …), or another number of elements along it");
    // Copies, panels and what lies further out then begin at such rows as well.
    const auto unit = SharedMatrix::kUnit / std::gcd(whole, SharedMatrix::kUnit);
    if (const auto over = extents[other] % unit; over != 0)
        return error(head + "which takes rows eight by eight, and it has " +
                         std::to_string(extents[other] * whole) + " along " +
                         dimensions[other].index,
                     stage + ".pad_storage(" + dimensions[other].index + ", " +
                         std::to_string(padding(storage, other) + unit - over) + ")");
    matrix.row_bytes = pattern->bytes();
    const bool transposed = !is_summed(intrinsic, of.axes[along_rows]);
    if (transposed && size != kTransposable)
        return error(head + "which takes elements of " + std::to_string(size) +
                         " bytes with the summed index along rows alone",
                     stage + ".reorder_storage(…), the summed index innermost");
    const auto row_elements = pattern->bytes() / size;
    if (transposed && matrix.columns % row_elements != 0)
        return error(head + "which takes " + std::to_string(matrix.columns) +
                         " elements of a row, and rows of " + std::to_string(row_elements) +
                         " are to be taken as a whole",
                     "an intrinsic of a greater extent, or smaller rows of " + stage);
    if (matrix.columns > row_elements)
        matrix.panel_bytes = pattern->all_rows * pattern->bytes();
    out.granule.assign(dimensions.size(), 1);
    for (const auto& part : call.parts[across]) // whole ones begin at their first
        out.granule[static_cast<std::size_t>(part.dimension)] = part.extent;
    out.granule[other] = unit;
    out.granule[last] = transposed ? row_elements : matrix.columns;
    return out;
}

} // namespace loopscope
