#pragma once
// Small functions of CUDA kernels: atomic steps, copies that go on while the thread computes,
// instructions of tensor cores.

#include "compiler/codegen/kernel_source/kernel_helpers.h"

namespace loopscope::codegen {

class CudaHelpers final : public KernelHelpers {
public:
    CudaHelpers(CNames& names, const CDialect& dialect);

    // Names of functions, noted as used.
    std::string vectors();    // a template of (type, count): as many elements as one access takes
    std::string copy_ahead(); // a template of the count
    std::string commit_copies();
    std::string wait_for_copies(); // a template of how many groups may be under way
    std::string prefetch();
    std::string load_matrix(const std::string& instruction);       // "ldmatrix_x4_trans_b16"
    std::string multiply_matrices(const std::string& instruction); // "mma_m16n8k16_f16"
    std::string whole_matrices(const std::string& instruction); // "wmma_load_a_row_m16n16k16_f16"
    // Products of a warpgroup, "wgmma_m64n128k16_f16", by whether the factors lie transposed.
    std::string multiply_in_group(const std::string& instruction, bool left_transposed,
                                  bool right_transposed);
    // Steps around a warpgroup's products, by how many sums a lane has: "wgmma_begin_64".
    enum class AroundProducts : std::uint8_t { Begin, Leave, End, Await, Keep };
    std::string around_products(AroundProducts step, int sums);
    std::string matrix_in_shared();
    std::string fence_matrices();
    // cuda_tma.cpp: mbarriers, and boxes that the TMA brings.
    std::string make_arrivals();
    std::string arrive();
    std::string arrive_expecting();
    std::string await_phase();
    std::string copy_box(std::size_t rank);
    std::string barrier_of(); // a template of a barrier's number, and of how many threads

private:
    static void reserve_tma(CNames& names);
    // The text that refuses older devices.
    static std::string needs(const std::string& name, int architecture);
    std::string instruction(Op op, ScalarType type, const std::string& place,
                            const std::string& value) override;
    std::string exchange(const std::string& name, const std::string& combine, ScalarType type,
                         Space space) override;
};

// The host's function that describes boxes to the tensor memory accelerator (TMA).
const char* describe_boxes_text();

} // namespace loopscope::codegen
