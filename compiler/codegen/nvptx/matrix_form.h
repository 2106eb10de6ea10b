#pragma once
// The 64 bits by which instructions of a warpgroup are told of a matrix in shared memory, without
// its address: PTX ISA, "Matrix Descriptor Format".

#include "core/schedule/gpu/shared_matrix.h"

#include <cstdint>

namespace loopscope::codegen {

// of the address in shared memory, which is then divided by 16
constexpr std::uint32_t kMatrixAddressMask = 0x3ffff;

// In units of 16 bytes: from a row's first chunk to that of the next panel is the leading offset
// (where all is in one panel the instruction does not look at it), from eight rows to the next
// eight is the stride. The pattern's code comes last.
inline std::uint64_t matrix_form(const SharedMatrix& m) {
    constexpr std::int64_t kUnit = 16;
    constexpr unsigned kLeadingBit = 16, kStrideBit = 32, kPatternBit = 62;
    const auto leading = static_cast<std::uint64_t>(m.panel_bytes > 0 ? m.panel_bytes / kUnit : 1);
    const auto stride = static_cast<std::uint64_t>(m.unit_bytes() / kUnit);
    const std::uint64_t pattern = m.row_bytes == 128 ? 1 : m.row_bytes == 64 ? 2 : 3;
    return leading << kLeadingBit | stride << kStrideBit | pattern << kPatternBit;
}

} // namespace loopscope::codegen
