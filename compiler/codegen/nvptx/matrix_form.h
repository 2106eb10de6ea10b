#pragma once
// The 64 bits that describe a matrix in shared memory to instructions of a warpgroup, without its
// address: PTX ISA, "Matrix Descriptor Format".

#include "core/schedule/gpu/shared_matrix.h"

#include <cstdint>

namespace loopscope::codegen {

// of the address in shared memory, which is then divided by 16
constexpr std::uint32_t kMatrixAddressMask = 0x3ffff;

// Offsets are in units of 16 bytes. The leading offset is the distance from a row's first chunk to
// that of the next panel (where all is in one panel the instruction does not look at it), the
// stride that from eight rows to the next eight. The pattern's code comes last.
inline std::uint64_t matrix_form(const SharedMatrix& m) {
    constexpr std::int64_t kUnit = 16;
    constexpr unsigned kLeadingBit = 16, kStrideBit = 32, kPatternBit = 62;
    const auto leading = static_cast<std::uint64_t>(m.panel_bytes > 0 ? m.panel_bytes / kUnit : 1);
    const auto stride = static_cast<std::uint64_t>(m.unit_bytes() / kUnit);
    const std::uint64_t pattern = m.row_bytes == 128 ? 1 : m.row_bytes == 64 ? 2 : 3;
    return leading << kLeadingBit | stride << kStrideBit | pattern << kPatternBit;
}

} // namespace loopscope::codegen
