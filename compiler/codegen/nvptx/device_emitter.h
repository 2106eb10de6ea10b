#pragma once
// A loop program's launches on a device -> LLVM IR for NVPTX: a kernel each. Internal: includes
// LLVM. One class in several files, by what they emit: device_emitter (kernels), device_memory
// (loads, stores, prefetches, allocations, atomic steps), device_steps (barriers, asynchronous
// copies, instructions), device_bulk (the TMA), device_handover (what some threads do for
// others), device_cluster (blocks of a cluster); what targets share is in ../emit.
//
// - Indices are computed in their own type and extended where an address takes them: an address in
//   global memory is one multiplication of 32 bits that adds to 64, one in shared memory is 32 bits
//   wide throughout.
// - Vectors are no more than a way to say how wide an access is: their arithmetic is split into
//   elements (optimize.h).
// - Buffers that a launch only reads are constant for as long as it runs, which lets their loads
//   take the path for that.

#include "compiler/codegen/emit/emitter.h"
#include "compiler/codegen/nvptx/architecture.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/codegen/nvptx/shared_layout.h"
#include "compiler/codegen/nvptx/tma_requests.h"
#include "compiler/lower/gpu/launch.h"

#include <set>

namespace loopscope::codegen {

constexpr unsigned kGlobalSpace = 1, kSharedSpace = 3; // NVPTX's address spaces

class DeviceEmitter final : public Emitter {
public:
    // `origins`: receives the table that debug locations refer to: line n is entry n - 1.
    DeviceEmitter(llvm::Module& module, const lower::Program& program,
                  const Architecture& architecture, std::vector<NodeId>* origins);
    std::vector<PtxKernel> emit();

private:
    // Lanes of a vector access.
    struct Places {
        std::optional<Strided> form;
        Value* offsets = nullptr; // i64 each, where there is no form
    };
    // An access of several elements at once.
    struct Piece {
        Value* place = nullptr;
        int first = 0, count = 1; // lanes
    };

    void prepare(llvm::Function&) override {}
    Value* load(const Expr& e) override;
    void store(const Statement& s) override;
    void prefetch(const Statement& s) override;
    void allocate(const Statement& s) override;
    void device_step(const Statement& s) override;
    void children(const Statement& s) override;
    void atomic_element(const Buffer& buffer, Op op, Value* place, Value* operand) override;
    void mark_load(const Buffer& buffer, llvm::LoadInst* load) override;

    // device_emitter.cpp
    PtxKernel emit_launch(const lower::Launch& launch);
    llvm::Function* begin_kernel(const lower::Launch& launch, const PtxKernel& kernel);
    void bind_arguments(const lower::Launch& launch, llvm::Function* function);
    void bind_dimensions(const lower::Launch& launch);
    void bind_dimension(const lower::LaunchDimension& dimension, llvm::CallInst* coordinate,
                        int scope);
    void read_anew(const std::array<lower::LaunchDimension, 3>& dimensions,
                   const std::string& name);
    void make_shared_memory(PtxKernel& kernel);
    void separate_shared_buffers();
    std::string kernel_name(const std::string& launch);

    // device_memory.cpp
    static bool is_global(const Buffer& buffer);
    static bool is_shared(const Buffer& buffer);
    llvm::Align known_alignment(const Buffer& buffer, const Linear& at) const;
    Places places(const ExprPtr& at, int count);
    Value* place_of(const Buffer& buffer, const Places& places, int lane);
    std::vector<Piece> pieces(const Buffer& buffer, const Places& places, int count, bool whole,
                              int most_bytes);
    Value* load_vector(const Buffer& buffer, const ExprPtr& at, Value* mask, int count);
    Value* load_piece(const Buffer& buffer, const Piece& piece);
    Value* load_pieces(const Buffer& buffer, const std::vector<Piece>& pieces, int count);
    Value* load_each(const Buffer& buffer, const Places& places, Value* mask, int count);
    void store_piece(const Buffer& buffer, const Piece& piece, Value* stored, bool streaming);
    void stream(const Piece& piece, Value* stored, int size);

    // device_steps.cpp
    void copy(const Statement& s);
    bool copy_asynchronously(const Statement& s);
    void copy_piece(const Buffer& to, const Piece& target, Value* source, Value* from_source);
    void wait(const Statement& s);
    void instruction(const Statement& s);
    Value* warp_members();
    Value* thread_index();
    void block_barrier();
    llvm::CallInst* assembly(const std::string& text, const std::string& constraints,
                             const std::vector<Value*>& operands);

    // device_bulk.cpp. The mbarriers of a token, one for each group that may be under way, which
    // take turns.
    struct Arrivals {
        Value* mbarriers = nullptr; // in shared memory
        std::int64_t count = 1;
        // Variables.
        Value* committed = nullptr; // groups so far
        Value* bytes = nullptr;     // of the group that is open
        Value* acquired = nullptr;  // groups for which a slot was free
        Value* taken = nullptr;     // groups that the thread has waited for, or released
    };
    void bind_tensor_maps(const PtxKernel& kernel, llvm::Function* function);
    bool make_arrivals(const Statement& allocation);
    void bulk_copy(const Statement& s);
    void commit_bulk(const Statement& s);
    void wait_for_bulk(const Statement& s);
    Value* arrival_object(const Arrivals& arrivals, Value* group);
    Value* is_first_thread();
    Value* variable_of(const char* name);
    Value* next_of(Value* variable); // its value, which it then exceeds by one
    Value* phase_of(const Arrivals& arrivals, Value* group); // of its mbarrier: the parity
    void await_phase(const Arrivals& arrivals, Value* group, Value* parity,
                     const std::string& order = {}); // "acquire.cluster."; empty: the block's

    // device_handover.cpp
    void of_threads(const Statement& s);
    void cluster_barrier();
    Value* cluster_coordinate(std::size_t axis);
    Value* rank_in_cluster(const std::array<Value*, 3>& coordinates);
    Value* rank_of_sharer(const std::string& level, Value* number);
    Value* number_of_sharer(const std::string& level);
    Value* mask_of_sharers(const std::string& level);
    void barrier_of_threads();
    void acquire_slot(const Statement& s);
    void take_group(const Statement& s);
    void release_slot(const Statement& s);

    friend class StatementOperands;

    Architecture architecture_;
    std::set<std::string> names_; // of kernels
    // State of the launch at hand:
    lower::LaunchShape shape_;
    lower::ThreadRange of_;             // who runs the statement at hand
    std::set<std::string> handed_over_; // tokens
    bool shares_copies_ = false;        // with other blocks of the cluster
    std::optional<SharedLayout> layout_;
    llvm::Constant* shared_ = nullptr; // the block's memory
    struct HeldSums {
        lower::Operand operand;
        std::vector<Value*> values;
    };
    std::vector<HeldSums> held_; // of the group of a warpgroup's products at hand
    std::map<const Statement*, int> waits_;
    bool fills_matrices_ = false; // threads write what tensor cores read out of shared memory
    std::map<std::string, Arrivals> arrivals_; // by the name of their allocation
    std::vector<std::pair<TensorMap, Value*>> tensor_maps_;
    // in front of barriers: what threads have written comes before what the TMA writes
    bool fences_ = false;
    std::map<std::string, Value*> elements_; // of global buffers: how many, i64
};

} // namespace loopscope::codegen
