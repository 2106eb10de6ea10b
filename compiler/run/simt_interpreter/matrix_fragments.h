#pragma once
// How the threads of a warp hold the matrices of a matrix instruction, after the PTX ISA's tables
// "Matrix Fragments for mma.m16n8k…". With g = lane / 4 (PTX: groupID), t = lane % 4
// (threadID_in_group), and an element of a thread numbered i:
//
//   m16n8k16, elements of 16 bits
//       A: a0…a7    row g for i = 0 1 4 5, else g + 8     column 2t + (i & 1), + 8 from a4 on
//       B: b0…b3    row 2t + (i & 1), + 8 from b2 on      column g
//   m16n8k8, tf32
//       A: a0…a3    row g for i = 0 2, else g + 8         column t, + 4 from a2 on
//       B: b0 b1    row t, + 4 for b1                     column g
//   m16n8k32, elements of 8 bits
//       A: a0…a15   row g for i = 0…3 8…11, else g + 8    column 4t + (i & 3), + 16 from a8
//       B: b0…b7    row 4t + (i & 3), + 16 from b4 on     column g
//   all, elements of 32 bits
//       C, D: c0…c3 row g for c0 c1, g + 8 for c2 c3      column 2t + (i & 1)
//
// In each, a thread's registers of 32 bits hold e elements, and k is 8e: A's registers are g | g +
// 8 above each other, then the same further right; B's are above each other. That is what the
// functions below say.

#include <cstdint>

namespace loopscope::simt_interpreter {

constexpr std::uint32_t kMatrixRows = 16, kMatrixColumns = 8; // of D: m and n

struct MatrixPlace {
    std::uint32_t row = 0, column = 0;
};

// Element i of thread `lane`, of e elements a register.
constexpr MatrixPlace place_in_a(std::uint32_t lane, std::uint32_t i, std::uint32_t e) {
    auto r = i / e;
    return {lane / 4 + (r % 2) * 8, lane % 4 * e + i % e + (r / 2) * 4 * e};
}
constexpr MatrixPlace place_in_b(std::uint32_t lane, std::uint32_t i, std::uint32_t e) {
    return {lane % 4 * e + i % e + (i / e) * 4 * e, lane / 4};
}
constexpr MatrixPlace place_in_c(std::uint32_t lane, std::uint32_t i) {
    return {lane / 4 + (i / 2) * 8, lane % 4 * 2 + i % 2};
}

} // namespace loopscope::simt_interpreter
