#include "core/schedule/gpu/swizzling.h"

#include "core/schedule/storage.h"

namespace loopscope {

namespace {

constexpr std::int64_t kBankLine = 128; // bytes of all banks

std::int64_t row_elements(const TreeNode& storage) {
    const auto order = storage_order(storage);
    return order.empty() ? 1 : storage_extents(storage)[order.back()];
}

// The shortest row with a pattern that is at least as long.
std::int64_t next_row(std::int64_t bytes) {
    for (const std::int64_t shape : {32, 64})
        if (bytes <= shape)
            return shape;
    return (bytes + kBankLine - 1) / kBankLine * kBankLine;
}

std::string pad_remedy(const TreeNode& storage, std::int64_t row_bytes, std::int64_t element) {
    const auto& stage = storage.id.stage;
    const auto wanted = next_row(row_bytes);
    const auto& index = storage.region.dimensions[storage_order(storage).back()].index;
    const auto now = storage.storage_padding.empty()
                         ? 0
                         : storage.storage_padding[storage_order(storage).back()];
    return stage + ".pad_storage(" + index + ", " +
           std::to_string(now + (wanted - row_bytes) / element) + ") makes rows of " +
           std::to_string(wanted) + " bytes; or leave out " + stage + ".swizzle()";
}

} // namespace

std::int64_t Swizzling::place(std::int64_t byte) const {
    const auto row = byte / row_bytes, along = byte % row_bytes;
    const auto line = along / bytes() * all_rows + row;
    const auto chunk = (along % bytes() / kSwizzledChunk) ^ (line / rows % chunks);
    return line * bytes() + chunk * kSwizzledChunk + along % kSwizzledChunk;
}

std::int64_t Swizzling::origin(std::int64_t place) const {
    const auto line = place / bytes();
    const auto chunk = (place % bytes() / kSwizzledChunk) ^ (line / rows % chunks);
    return line % all_rows * row_bytes + line / all_rows * bytes() + chunk * kSwizzledChunk +
           place % kSwizzledChunk;
}

std::optional<Swizzling> swizzling(std::int64_t row_bytes, std::int64_t all_rows) {
    if (row_bytes > 0 && row_bytes % kBankLine == 0)
        return Swizzling{row_bytes, all_rows, kBankLine / kSwizzledChunk, 1};
    if (row_bytes == 64 || row_bytes == 32)
        return Swizzling{row_bytes, all_rows, row_bytes / kSwizzledChunk, kBankLine / row_bytes};
    return std::nullopt;
}

std::optional<Swizzling> swizzling(const TreeNode& storage, ScalarType component) {
    std::int64_t rows = 1;
    const auto order = storage_order(storage);
    const auto extents = storage_extents(storage);
    for (std::size_t d = 0; d + 1 < order.size(); ++d)
        rows *= extents[order[d]];
    return swizzling(row_elements(storage) * bytes(component), rows);
}

std::optional<SwizzleProblem> swizzle_problem(const TreeNode& storage) {
    const auto& stage = storage.id.stage;
    const auto leave_out = "leave out " + stage + ".swizzle()";
    if (storage.scope.shared_by != device::Unit::Block)
        return SwizzleProblem{
            stage + " is swizzled and lies in " + storage.scope.name +
                " memory: only what the threads of a block share has banks",
            stage + ".scope(shared) inside of the loops that are bound to blocks, or " + leave_out};
    if (storage.region.dimensions.empty())
        return SwizzleProblem{stage + " is swizzled and is one element, without rows", leave_out};
    for (const auto& dimension : storage.region.dimensions)
        if (!dimension.extent.is_constant())
            return SwizzleProblem{stage + " is swizzled, and its extent along " + dimension.index +
                                      " is known at run time only",
                                  leave_out};
    const auto& row = storage.region.dimensions[storage_order(storage).back()];
    for (auto type : storage.types) {
        const auto row_bytes = row_elements(storage) * bytes(type);
        if (swizzling(row_bytes, 1))
            continue;
        const auto head = stage + " is swizzled, and its rows along " + row.index + " are of " +
                          std::to_string(row_bytes) + " bytes";
        if (row_bytes == kSwizzledChunk)
            return SwizzleProblem{head + ": one chunk, which has none to change places with",
                                  pad_remedy(storage, row_bytes, bytes(type))};
        return SwizzleProblem{
            head + (row_bytes % kSwizzledChunk != 0
                        ? ", no multiple of the chunks of 16 that change places"
                        : ": chunks of 16 change places in rows of 32, 64 or a multiple of 128"),
            pad_remedy(storage, row_bytes, bytes(type))};
    }
    return std::nullopt;
}

} // namespace loopscope
