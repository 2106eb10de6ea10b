#pragma once
// One launch of a loop program as one kernel. The common part of languages for devices is here;
// each overrides how it is said. kernel_parameters.cpp has the kernels' parameters,
// kernel_memory.cpp vectors and copies.

#include "compiler/codegen/c/statements.h"
#include "compiler/codegen/kernel_source/kernel_helpers.h"
#include "compiler/codegen/kernel_source/vector_access.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/codegen/nvptx/shared_layout.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/known_facts.h"

#include <set>

namespace loopscope::codegen {

// Memory of the device that a kernel is given: an argument of the program, or one of its buffers.
struct GlobalBuffer {
    std::string buffer, identifier; // in the program, in the kernel
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
    bool read_only = false;
    // Does no other pointer reach this memory, nor one thread read behind a barrier what another
    // writes to it here?
    bool alone = true;
};

// The boxes of an array that the tensor memory accelerator (TMA) brings; a kernel gets their tensor
// map in place of the array's address.
struct KernelBoxes {
    TensorMap map;
    std::string identifier; // in the kernel
};

struct Kernel {
    std::string name;
    lower::LaunchShape shape;
    std::vector<std::string> symbols; // their identifiers
    std::vector<GlobalBuffer> buffers;
    std::vector<KernelBoxes> boxes;
    std::int64_t shared_bytes = 0;
};

class KernelFunction : public CStatements {
public:
    // The launch must have a shape.
    KernelFunction(CNames& names, KernelHelpers& helpers, const CDialect& dialect,
                   const lower::Program& program, const lower::Launch& launch);
    // The whole kernel.
    CWriter print(const std::string& name);
    const Kernel& kernel() const { return kernel_; }

protected:
    // How the language says it:
    virtual std::string head() const = 0; // before the parameters: "void f"
    virtual std::string parameter(const GlobalBuffer& buffer) const = 0;
    virtual std::string boxes_parameter(const std::string&) const { return {}; }
    virtual std::string thread_index(const std::string& level) const = 0; // "thread.x"
    virtual void opening() {} // before the first statement
    // Shared memory: one array, in which buffers lie at places of their own, or an array for each
    // of them.
    virtual std::string shared_memory(std::int64_t bytes, std::int64_t alignment) const = 0;
    virtual std::string shared_pointer(const std::string& type, const std::string& name,
                                       std::int64_t offset) const = 0;
    virtual std::string shared_array(const std::string& type, const std::string& name,
                                     const std::string& count, std::int64_t alignment) const = 0;
    virtual bool asks_for_shared_memory() const { return false; } // at the launch
    virtual std::string own_array(const std::string& type, const std::string& name,
                                  const std::string& count, bool in_vectors) const = 0;
    // Accesses of several elements at once: whether their places must be aligned, and a statement
    // that copies some.
    virtual bool aligns_vectors() const = 0;
    virtual std::string copied(ScalarType type, int lanes, const std::string& to,
                               const std::string& from) = 0;
    // An asynchronous copy from global to shared memory; `on`: zeros arrive where it does not hold;
    // empty: it always holds.
    virtual bool copies_ahead() const = 0;
    virtual std::string copied_ahead(int lanes, const std::string& to, const std::string& from,
                                     const std::string& on) = 0;
    virtual std::string barrier(const Statement& s) = 0;
    virtual std::string commit(const Statement& s) = 0; // may be empty, as the next
    virtual std::string wait(const Statement& s) = 0;
    virtual std::string instruction(const Statement& s) = 0;
    virtual std::string prefetched(const std::string& place) = 0;
    // A fence that keeps the order of accesses, where memory is used for another type.
    virtual std::string fence() const = 0;

    Space space(const std::string& buffer) const;
    // Does one thread write a global buffer that another reads in the same launch?
    bool exchanges_global() const;
    // The thread's number in its block.
    std::string thread_number() const;
    // The lanes of the thread's warp that there are, as a mask; the last warp of a block may be a
    // part of one.
    std::string warp_members();

    void before_loop(const Statement& s, std::optional<std::int64_t> unrolled) override;
    void allocate(const Statement& s) override;
    void device_step(const Statement& s) override;

    const lower::Program& program_;
    const lower::Launch& launch_;
    KernelHelpers& kernel_helpers_;
    Kernel kernel_;
    SharedLayout layout_;

private:
    void before_lanes(bool independent, const NodeId& origin) override;
    void prefetch(const Statement& s) override;
    std::string atomic_step(const Statement& s, const std::string& place,
                            const std::string& value) override;
    void loop(const Statement& s) override;
    void let_scalar(const Statement& s) override;
    void let_vector(const Statement& s) override;
    void store_vector(const Statement& s, int count) override;

    void find_buffers();
    std::vector<std::string> parameters();
    void dimensions();
    std::string coordinate(const std::string& level) const;
    void shared_buffers();
    bool hands_over_slots() const;

    std::optional<VectorAccess> access(const std::string& buffer,
                                       const std::vector<ExprPtr>& indices, int lanes,
                                       int bytes = 16);
    std::string place(const std::string& buffer, const std::vector<ExprPtr>& indices);
    bool copy_vector(const Statement& s, int count);
    bool loads_vectors(const ExprPtr& value);
    void compute_vector(const Statement& s, int count);
    ExprPtr with_loaded(const ExprPtr& value, const NodeId& origin);
    std::string loaded(const Expr& load, const VectorAccess& access, const NodeId& origin);
    void copy(const Statement& s);
    bool copy_ahead(const Statement& s, int count);
    bool copy_pieces_ahead(const Statement& s, int count);
    void copy_lanes_ahead(const Statement& s, int count);
    std::string zeros_unless(const Statement& s);
    void opened(const std::string& head, const NodeId& origin, const std::function<void()>& body);

    lower::KnownFacts scope_;
    std::map<std::string, Space> spaces_;
    std::map<std::string, std::int64_t> alignments_; // in bytes, of a buffer's first element
    std::set<std::string> in_vectors_; // buffers that some vector is loaded from or stored to
};

} // namespace loopscope::codegen
