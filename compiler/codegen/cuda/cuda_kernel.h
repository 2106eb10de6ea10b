#pragma once
// A launch as a kernel of CUDA C++.

#include "compiler/codegen/cuda/cuda_helpers.h"
#include "compiler/codegen/kernel_source/kernel_function.h"
#include "compiler/codegen/nvptx/tma_requests.h"

namespace loopscope::codegen {

class CudaKernel final : public KernelFunction {
public:
    // Where the architecture has no clusters, their blocks are only numbered as theirs: nothing of
    // the source needs a cluster.
    CudaKernel(bool has_clusters, CNames& names, CudaHelpers& helpers, const CDialect& dialect,
               const lower::Program& program, const lower::Launch& launch);

private:
    std::string head() const override;
    std::string parameter(const GlobalBuffer& buffer) const override;
    std::string boxes_parameter(const std::string& identifier) const override;
    void opening() override;
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

    // cuda_handover.cpp
    void before_loop(const Statement& s, std::optional<std::int64_t> unrolled) override;
    void allocate(const Statement& s) override;
    void device_step(const Statement& s) override;
    // Mbarriers of a token, one for each group that may be under way or for each slot, and
    // variables that count.
    struct Arrivals {
        std::string mbarriers;
        std::int64_t count = 1;
        std::string committed, bytes, acquired, taken; // identifiers
    };
    void make_arrivals(Arrivals& arrivals, const Statement& allocation,
                       const CountedArrivals& counted);
    bool is_handed_over(const Statement& allocation) const;
    void of_threads(const Statement& s);
    std::string is_first_thread() const;
    void by_first_thread(const std::string& step, const NodeId& origin);
    std::string mbarrier(const Arrivals& arrivals, const std::string& group) const;
    std::string phase(const Arrivals& arrivals, const std::string& group) const;
    void bulk_copy(const Statement& s);
    void commit_boxes(const Statement& s);
    void wait_for_boxes(const Statement& s);
    void acquire_slot(const Statement& s);
    void release_slot(const Statement& s);

    std::string warp_barrier();
    std::string shuffle(const Statement& s);
    std::string group_product(const Statement& s);
    std::string around_products(const Statement& s);
    std::string address(const lower::Operand& operand);

    const bool has_clusters_;
    bool products_begun_ = false; // a group of them stands open in the text
    CudaHelpers& cuda_helpers_;
    // Do threads write what tensor cores read out of shared memory, or where the TMA does? They
    // then fence in front of barriers.
    bool fences_;
    std::set<std::string> handed_over_;        // tokens
    lower::ThreadRange of_;                    // who runs the statement at hand
    std::string thread_;                       // the identifier of the thread's number
    std::map<std::string, Arrivals> arrivals_; // by the name of their allocation
    std::map<const Statement*, int> waits_; // groups that may be under way, as the hardware counts
};

// Whether a kernel with so many bytes of shared memory has to ask for them when it is launched.
bool asks_for_shared_bytes(std::int64_t bytes);

} // namespace loopscope::codegen
