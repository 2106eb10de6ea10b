#pragma once
// A launch as a kernel of CUDA C++.

#include "compiler/codegen/cuda/cuda_helpers.h"
#include "compiler/codegen/kernel_source/kernel_function.h"

namespace loopscope::codegen {

class CudaKernel final : public KernelFunction {
public:
    CudaKernel(CNames& names, CudaHelpers& helpers, const CDialect& dialect,
               const lower::Program& program, const lower::Launch& launch);

private:
    std::string head() const override;
    std::string parameter(const GlobalBuffer& buffer) const override;
    std::string thread_index(const std::string& level) const override;
    std::string shared_memory(std::int64_t bytes, std::int64_t alignment) const override;
    std::string shared_pointer(const std::string& type, const std::string& name,
                               std::int64_t offset) const override;
    std::string shared_array(const std::string& type, const std::string& name,
                             const std::string& count, std::int64_t alignment) const override;
    bool asks_for_shared_memory() const override;
    std::string own_array(const std::string& type, const std::string& name,
                          const std::string& count, bool in_vectors) const override;
    bool aligns_vectors() const override { return true; }
    std::string copied(ScalarType type, int lanes, const std::string& to,
                       const std::string& from) override;
    bool copies_ahead() const override { return true; }
    std::string copied_ahead(int lanes, const std::string& to, const std::string& from,
                             const std::string& on) override;
    std::string barrier(const Statement& s) override;
    std::string commit(const Statement& s) override;
    std::string wait(const Statement& s) override;
    std::string instruction(const Statement& s) override;
    std::string prefetched(const std::string& place) override;
    std::string fence() const override;
    std::string streamed(const Statement& s, const std::string& place,
                         const std::string& value) override;

    std::string shuffle(const Statement& s);
    std::string group_product(const Statement& s);
    std::string around_products(const Statement& s);
    std::string address(const lower::Operand& operand);

    CudaHelpers& cuda_helpers_;
    bool fills_matrices_; // threads write what tensor cores read out of shared memory
    std::map<const Statement*, int> waits_; // groups that may be under way, as the hardware counts
};

// Of so many bytes of shared memory a kernel has to ask for them when it is launched.
bool asks_for_shared_bytes(std::int64_t bytes);

} // namespace loopscope::codegen
