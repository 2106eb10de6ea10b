#include "compiler/codegen/cuda/cuda_kernel.h"

#include "compiler/codegen/nvptx/group_order.h"
#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "compiler/codegen/nvptx/matrix_form.h"
#include "compiler/lower/gpu/instructions.h"

namespace loopscope::codegen {

bool asks_for_shared_bytes(std::int64_t bytes) { return bytes > kStaticSharedBytes; }

CudaKernel::CudaKernel(bool has_clusters, CNames& names, CudaHelpers& helpers,
                       const CDialect& dialect, const lower::Program& program,
                       const lower::Launch& launch)
    : KernelFunction(names, helpers, dialect, program, launch),
      has_clusters_(has_clusters),
      cuda_helpers_(helpers),
      fences_(lower::threads_fill_matrices(launch.body) ||
              threads_write_where_it_does(kernel_.shape.body, layout_)),
      handed_over_(lower::handed_over(launch.body)),
      of_{0, kernel_.shape.threads()},
      waits_(hardware_waits(launch.body)) {}

std::string CudaKernel::head() const {
    const auto& cluster = kernel_.shape.cluster;
    const auto clusters = "__cluster_dims__(" + std::to_string(cluster[0].extent) + ", " +
                          std::to_string(cluster[1].extent) + ", " +
                          std::to_string(cluster[2].extent) + ") ";
    return "extern \"C\" __global__ void " +
           (has_clusters_ && kernel_.shape.cluster_blocks() > 1 ? clusters : std::string()) +
           "__launch_bounds__(" + std::to_string(kernel_.shape.threads()) + ") " + kernel_.name;
}

std::string CudaKernel::parameter(const GlobalBuffer& buffer) const {
    return std::string(buffer.read_only ? "const " : "") + c_memory_type(buffer.type) + " *" +
           (buffer.alone ? dialect_.alone + " " : "") + buffer.identifier;
}

std::string CudaKernel::thread_index(const std::string& level) const {
    auto point = level.find('.');
    return level.substr(0, point) + "Idx" + level.substr(point);
}

// ---- Memory -------------------------------------------------------------------------------------

bool CudaKernel::asks_for_shared_memory() const {
    return asks_for_shared_bytes(kernel_.shared_bytes);
}

std::string CudaKernel::shared_memory(std::int64_t bytes, std::int64_t alignment) const {
    const std::string array =
        "__shared__ __align__(" + std::to_string(alignment) + ") unsigned char shared_memory[";
    return asks_for_shared_memory() ? "extern " + array + "];"
                                    : array + std::to_string(bytes) + "];";
}

std::string CudaKernel::shared_pointer(const std::string& type, const std::string& name,
                                       std::int64_t offset) const {
    return type + " *const " + name + " = (" + type + " *)" +
           (offset == 0 ? "shared_memory;" : "(shared_memory + " + std::to_string(offset) + ");");
}

std::string CudaKernel::shared_array(const std::string& type, const std::string& name,
                                     const std::string& count, std::int64_t alignment) const {
    return "__shared__ __align__(" + std::to_string(alignment) + ") " + type + " " + name + "[" +
           count + "];";
}

std::string CudaKernel::own_array(const std::string& type, const std::string& name,
                                  const std::string& count, bool in_vectors) const {
    return (in_vectors ? "__align__(16) " : "") + type + " " + name + "[" + count + "]";
}

std::string CudaKernel::fence() const {
    return "asm volatile(\"\" ::: \"memory\"); // the memory held another type before";
}

std::string CudaKernel::copied(ScalarType type, int lanes, const std::string& to,
                               const std::string& from) {
    auto vector =
        cuda_helpers_.vectors() + "<" + c_memory_type(type) + ", " + std::to_string(lanes) + ">";
    return "*(" + vector + " *)&" + to + " = *(const " + vector + " *)&" + from + ";";
}

std::string CudaKernel::streamed(const Statement& s, const std::string& place,
                                 const std::string& value) {
    return space(s.access->buffer) == Space::Global ? "__stcs(&" + place + ", " + value + ");"
                                                    : place + " = " + value + ";";
}

std::string CudaKernel::prefetched(const std::string& place) {
    return cuda_helpers_.prefetch() + "(&" + place + ");";
}

// ---- Steps --------------------------------------------------------------------------------------

std::string CudaKernel::copied_ahead(int lanes, const std::string& to, const std::string& from,
                                     const std::string& on) {
    return cuda_helpers_.copy_ahead() + "<" + std::to_string(lanes) + ">(&" + to + ", &" + from +
           (on.empty() ? "" : ", " + on) + ");";
}

std::string CudaKernel::commit(const Statement&) { return cuda_helpers_.commit_copies() + "();"; }

std::string CudaKernel::wait(const Statement& s) {
    return cuda_helpers_.wait_for_copies() + "<" + std::to_string(waits_.at(&s)) + ">();";
}

// Barrier 0 is that of all.
std::string CudaKernel::barrier(const Statement& s) {
    if (s.level != "block")
        return warp_barrier();
    const auto fence = fences_ ? cuda_helpers_.fence_matrices() + "(); " : std::string();
    if (of_.count == kernel_.shape.threads())
        return fence + "__syncthreads();";
    return fence + cuda_helpers_.barrier_of() + (of_.begin == 0 ? "<1, " : "<2, ") +
           std::to_string(of_.count) + ">();";
}

std::string CudaKernel::warp_barrier() {
    auto members = warp_members();
    return "__syncwarp(" + (members == "0xffffffffu" ? "" : members) + ");";
}

std::string CudaKernel::instruction(const Statement& s) {
    if (s.instruction.rfind("shuffle_", 0) == 0)
        return shuffle(s);
    if (lower::is_product_of_group(s))
        return group_product(s);
    if (s.operands.size() > 0 && find_intrinsic(s.instruction)->any_number)
        return around_products(s);
    auto function =
        s.instruction.rfind("ldmatrix_", 0) == 0 ? cuda_helpers_.load_matrix(s.instruction)
        : s.instruction.rfind("wmma_", 0) == 0   ? cuda_helpers_.whole_matrices(s.instruction)
                                                 : cuda_helpers_.multiply_matrices(s.instruction);
    auto operands = s.operands;
    if (find_intrinsic(s.instruction)->operands.size() > operands.size())
        operands.push_back(operands.front()); // it adds to what is there
    std::string text = function + "(";
    for (std::size_t i = 0; i < operands.size(); ++i)
        text += (i ? ", &" : "&") + expressions_.element(operands[i].buffer, operands[i].indices);
    return text + ");";
}

std::string CudaKernel::address(const lower::Operand& operand) {
    return "&" + expressions_.element(operand.buffer, operand.indices);
}

std::string CudaKernel::group_product(const Statement& s) {
    const auto &a = *s.operands[1].matrix, &b = *s.operands[2].matrix;
    // The summed index along rows is how factors lie by default: of A[i, k] the second, of B[k, j]
    // the first.
    auto text = cuda_helpers_.multiply_in_group(s.instruction, a.along == 0, b.along == 1) + "(" +
                address(s.operands[0]);
    for (std::size_t o : {1, 2})
        text += ", " + cuda_helpers_.matrix_in_shared() + "(" + address(s.operands[o]) + ", " +
                std::to_string(matrix_form(*s.operands[o].matrix)) + "ull)";
    return text + ");";
}

// One step for all sums of a group: of the first, next to the products; the others' registers are
// settled before and read behind it.
std::string CudaKernel::around_products(const Statement& s) {
    using Step = CudaHelpers::AroundProducts;
    const bool begins = lower::begins_products(s);
    const auto step = begins                      ? Step::Begin
                      : lower::leaves_products(s) ? Step::Leave
                      : products_begun_           ? Step::End
                                                  : Step::Await;
    products_begun_ = begins;
    const int sums = find_intrinsic(s.instruction)->number;
    const auto one =
        cuda_helpers_.around_products(step, sums) + "(" + address(s.operands[0]) + ");";
    std::string others;
    for (std::size_t o = 1; o < s.operands.size(); ++o)
        others += cuda_helpers_.around_products(Step::Keep, sums) + "(" + address(s.operands[o]) +
                  ");" + (o + 1 < s.operands.size() ? " " : "");
    if (others.empty())
        return one;
    return begins ? others + " " + one : one + " " + others;
}

std::string CudaKernel::shuffle(const Statement& s) {
    const auto& to = s.operands.front();
    const auto& from = s.operands.back();
    const auto last = s.instruction.rfind('_');
    auto kind = s.instruction.substr(8, last - 8), lanes = s.instruction.substr(last + 1);
    auto function = kind == "index" ? std::string("__shfl_sync") : "__shfl_" + kind + "_sync";
    auto type = expressions_.buffers.at(to.buffer).type;
    auto cast = bits(type) < 32 ? "(" + std::string(c_memory_type(type)) + ")" : "";
    return expressions_.element(to.buffer, to.indices) + " = " + cast + function + "(" +
           warp_members() + ", " + expressions_.element(from.buffer, from.indices) + ", " + lanes +
           ");";
}

} // namespace loopscope::codegen
