#pragma once
// Loop program in final form -> LLVM IR for this machine's processor. Internal: includes LLVM. One
// class in several files, by what they emit: emit_memory, emit_window, emit_interleave,
// emit_transpose, emit_allocation, emit_parallel; what targets share is in ../emit. Loop counters
// are i64, and so is all index arithmetic.

#include "compiler/codegen/emit/emitter.h"
#include "compiler/codegen/host/host_info.h"

namespace loopscope::codegen {

class HostEmitter final : public Emitter {
public:
    // `origins`: null, or receives the table that debug locations refer to: line n is entry n - 1.
    HostEmitter(llvm::Module& module, const lower::Program& program, const HostInfo& host,
                std::vector<NodeId>* origins);
    // One function per launch, void(ptr buffers, ptr symbols): arrays of the arguments' data and
    // the symbols' values.
    void emit();
    static std::string entry_name(std::size_t launch);

private:
    // A vector of indices base + a constant for each lane, exact in i64.
    struct Window {
        Linear base;
        std::vector<std::int64_t> offsets;
        Window plus(const Window& other) const;
    };
    // The dense vectors that a window is read as.
    struct Pieces {
        std::int64_t least = 0;              // of the window's offsets
        std::int64_t length = 0;             // of each vector
        std::vector<std::int64_t> begins;    // from the least offset on
        std::map<std::int64_t, int> readers; // how many lanes read an element
    };
    // Stores that are dense together, the one of the least place first.
    struct InterleavedStores {
        std::vector<const Statement*> members;
    };
    // Loads that are dense together in each of their lanes.
    struct Tile {
        std::int64_t stride = 0;     // from one lane to the next
        std::int64_t span = 0;       // elements of a lane
        std::vector<Value*> columns; // what the loads give, by place; empty: it
                                     // has not been read yet
    };
    struct InTile {
        std::shared_ptr<Tile> tile;
        std::int64_t column = 0;
    };

    void prepare(llvm::Function& function) override;
    Value* load(const Expr& e) override;
    void store(const Statement& s) override;
    void prefetch(const Statement& s) override;
    void allocate(const Statement& s) override;
    void parallel_loop(const Statement& s) override;
    void children(const Statement& s) override;

    // host_emitter.cpp
    void end_function();
    void fence_streams();
    void emit_launch(std::size_t index);
    Value* pointer_from(Value* array, std::size_t index, const std::string& name,
                        std::int64_t known_bytes);

    // emit_memory.cpp
    Value* load_vector(const Buffer& buffer, const ExprPtr& at, Value* mask, int count);
    Value* load_uniform(const Buffer& buffer, const Linear& at, Value* mask, int count);
    Value* load_dense(const Buffer& buffer, const Linear& at, Value* mask, int count);
    Value* places(const Buffer& buffer, const ExprPtr& at, int count);
    llvm::Value* padded(llvm::Value* vector, int count);
    Value* gather(const Buffer& buffer, const ExprPtr& at, Value* mask, int count);
    void store_scalar(const Buffer& buffer, const ExprPtr& at, Value* stored, Value* mask,
                      bool streaming);
    void store_vector(const Buffer& buffer, const ExprPtr& at, Value* stored, Value* mask,
                      int count, bool streaming);
    void store_dense(const Buffer& buffer, const Linear& at, Value* stored, Value* mask, int count,
                     bool streaming);
    bool stream(const Buffer& buffer, const Linear& at, Value* place, Value* stored, int count);
    llvm::Align known_alignment(const Buffer& buffer, const Linear& at) const;
    Value* reversed(Value* vector);

    // emit_window.cpp
    std::optional<Window> window(const ExprPtr& e, int count);
    std::optional<Window> window_binary(const Expr& e, const Window& left, const Window& right);
    static std::optional<Window> window_division(Op op, const Window& dividend,
                                                 std::int64_t divisor);
    std::optional<Pieces> pieces_of(const Buffer& buffer, const Window& at, bool masked) const;
    Value* piece_mask(const Window& at, const Pieces& pieces, std::size_t piece, Value* mask);
    Value* load_window(const Buffer& buffer, const Window& at, Value* mask);
    bool is_clamped(const Buffer& buffer, const ExprPtr& at, const Window& shift);
    std::pair<ExprPtr, std::optional<Window>> clamp_of_sum(const Expr& sum, int count);
    Value* load_clamped(const Buffer& buffer, const ExprPtr& at, const Window& shift, Value* mask);

    // emit_interleave.cpp
    static std::vector<InterleavedStores> interleaved_groups(const Statement& block,
                                                             std::size_t first);
    std::size_t interleaved_stores(const Statement& block, std::size_t first);
    void store_interleaved(const InterleavedStores& group);
    Value* interleaved(const std::vector<Value*>& vectors, std::size_t piece);

    // emit_transpose.cpp
    std::int64_t widest_tile(ScalarType type, int lanes) const;
    std::size_t find_tiles(const Statement& block, std::size_t first);
    Value* load_from_tile(const Buffer& buffer, const Expr& e, Value* mask);
    std::vector<Value*> transposed(std::vector<Value*> rows);

    // emit_allocation.cpp
    void allocate_on_heap(const Statement& s);

    // emit_parallel.cpp. What a loop's body uses from outside it, and how that is passed to the
    // outlined function.
    struct Closure {
        std::map<std::string, Variable> variables; // as the body sees them
        std::map<std::string, Buffer> buffers;
        // slots of the above, with a name for reading
        std::vector<std::pair<Value**, std::string>> fields;
        llvm::StructType* type = nullptr;
        Value* data = nullptr;
    };
    void capture(const Statement& s, Closure& closure);
    void fill(const Statement& s, Closure& closure);
    void unpack(Closure& closure, Value* data);
    llvm::Function* outline(const Statement& s, Closure& closure, std::optional<Interval> counted);

    int vector_bits_;
    std::unordered_map<const Expr*, InTile> tiled_; // of the stores at hand
    int outlined_ = 0;
};

} // namespace loopscope::codegen
