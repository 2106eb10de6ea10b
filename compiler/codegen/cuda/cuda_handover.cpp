// Boxes that the tensor memory accelerator (TMA) brings, mbarriers that count what has arrived and
// which slots are free, and what some threads of a block do for the others. Both code generators
// say the same: device_bulk.cpp and device_handover.cpp of ../nvptx have the reasons.
//
//     uint32_t committed = 0, bytes = 0;    // groups so far, bytes of the one that is open
//     if (thread == 0)
//         make_arrivals(arrivals, 4, 1);
//     __syncthreads();
//     …
//     bytes += 16384;
//     if (thread == 0) copy_box_2d(&As[k%4*8192], &A_boxes, &arrivals[committed%4], k*64, i*128);
//     if (thread == 0) arrive_expecting(&arrivals[committed%4], bytes);
//     committed++, bytes = 0;
//     if (committed >= 3) await_phase(&arrivals[(committed - 3)%4], (committed - 3)/4%2);
#include "compiler/codegen/cuda/cuda_kernel.h"

#include "compiler/codegen/nvptx/tma_requests.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

using lower::StatementKind;

std::string CudaKernel::boxes_parameter(const std::string& identifier) const {
    return "const __grid_constant__ CUtensorMap " + identifier;
}

void CudaKernel::opening() {
    bool parted = false;
    lower::visit_statements(kernel_.shape.body, [&](const Statement& s) {
        return !(parted = parted || s.kind == StatementKind::Threads);
    });
    if (kernel_.boxes.empty() && !parted)
        return;
    thread_ = names_.scoped("thread");
    expressions_.declare(thread_);
    out_.line("const uint32_t " + thread_ + " = " + thread_number() + ";");
}

// What the in-process path leaves a loop stays one: nvcc would write short ones out, and take more
// registers for it than the schedule was tuned with.
void CudaKernel::before_loop(const Statement& s, std::optional<std::int64_t> unrolled) {
    if (!unrolled && !kernel_.boxes.empty() && lower::contains_collective(s.children[0]))
        out_.line("#pragma unroll 1", s.origin);
    else
        KernelFunction::before_loop(s, unrolled);
}

// Mbarriers are initialised before any thread goes on: the block waits behind the last of several
// allocations that begin together.
void CudaKernel::allocate(const Statement& s) {
    if (const auto counted =
            lower::allocates_shared(s) ? counted_arrivals(s, kernel_.shape) : std::nullopt) {
        Arrivals arrivals;
        arrivals.mbarriers = expressions_.buffers.at(s.storage->buffer).name;
        arrivals.count = counted->mbarriers;
        make_arrivals(arrivals, s, *counted);
        arrivals_[s.storage->buffer] = arrivals;
    }
    KernelFunction::allocate(s);
}

void CudaKernel::make_arrivals(Arrivals& arrivals, const Statement& allocation,
                               const CountedArrivals& counted) {
    const bool handed = !handed_over_.empty() && is_handed_over(allocation);
    std::vector<std::string> variables;
    auto variable = [&](std::string& identifier, const char* wanted) {
        identifier = names_.scoped(wanted);
        variables.push_back(identifier);
    };
    if (counted.of_slots) {
        variable(arrivals.acquired, "acquired");
        variable(arrivals.taken, "released");
    } else {
        variable(arrivals.committed, "committed");
        variable(arrivals.bytes, "bytes");
        if (handed)
            variable(arrivals.taken, "taken");
    }
    const std::string whose =
        std::string(counted.of_slots ? "slots that are free again" : "what the TMA has brought");
    out_.line("// Mbarriers that count " + whose + ", which take turns; groups so far" +
                  (counted.of_slots ? "." : ", and bytes of the one that is open."),
              allocation.origin);
    std::string declared;
    for (const auto& name : variables)
        declared += (declared.empty() ? "uint32_t " : ", ") + name + " = 0";
    out_.line(declared + ";", allocation.origin);
    out_.line("if (" + is_first_thread() + ")", allocation.origin);
    out_.indent();
    out_.line(cuda_helpers_.make_arrivals() + "(" + arrivals.mbarriers + ", " +
                  std::to_string(counted.mbarriers) + ", " + std::to_string(counted.arriving) +
                  ");",
              allocation.origin);
    out_.outdent();
    const auto& inside = *allocation.children[0];
    const bool more = lower::allocates_shared(inside) && counted_arrivals(inside, kernel_.shape);
    if (!more)
        out_.line("__syncthreads();", allocation.origin);
}

// Whether producer warpgroups load what the token counts.
bool CudaKernel::is_handed_over(const Statement& allocation) const {
    bool handed = false;
    lower::visit_statements(allocation.children[0], [&](const Statement& s) {
        handed = handed || (s.kind == StatementKind::Wait && !s.operands.empty() &&
                            s.operands[0].buffer == allocation.storage->buffer &&
                            handed_over_.count(s.step->token) != 0);
        return !handed;
    });
    return handed;
}

// ---- Statements ---------------------------------------------------------------------------------

void CudaKernel::device_step(const Statement& s) {
    const bool by_mbarriers = !s.operands.empty();
    switch (s.kind) {
    case StatementKind::Threads: return of_threads(s);
    case StatementKind::BulkCopy: return bulk_copy(s);
    case StatementKind::Acquire:
        if (by_mbarriers)
            acquire_slot(s);
        return; // else barriers say it, as of Release
    case StatementKind::Release:
        if (by_mbarriers)
            release_slot(s);
        return;
    case StatementKind::Commit:
        return by_mbarriers ? commit_boxes(s) : KernelFunction::device_step(s);
    case StatementKind::Wait:
        return by_mbarriers ? wait_for_boxes(s) : KernelFunction::device_step(s);
    default: return KernelFunction::device_step(s);
    }
}

void CudaKernel::of_threads(const Statement& s) {
    const auto outer = of_;
    of_ = *s.threads;
    const auto first = std::to_string(of_.begin), end = std::to_string(of_.begin + of_.count);
    out_.line("if (" +
                  (of_.count == 1   ? thread_ + " == " + first
                   : of_.begin == 0 ? thread_ + " < " + end
                                    : thread_ + " >= " + first + " && " + thread_ + " < " + end) +
                  ") {",
              s.origin);
    nested(*s.children[0]);
    out_.line("}", s.origin);
    of_ = outer;
}

// The first of the threads that run the statement.
std::string CudaKernel::is_first_thread() const {
    return thread_ + " == " + std::to_string(of_.begin);
}

// By the first thread of those that run it.
void CudaKernel::by_first_thread(const std::string& step, const NodeId& origin) {
    out_.line((of_.count == 1 ? "" : "if (" + is_first_thread() + ") ") + step, origin);
}

std::string CudaKernel::mbarrier(const Arrivals& arrivals, const std::string& group) const {
    return "&" + arrivals.mbarriers + "[" + group + "%" + std::to_string(arrivals.count) + "]";
}

std::string CudaKernel::phase(const Arrivals& arrivals, const std::string& group) const {
    return group + "/" + std::to_string(arrivals.count) + "%2";
}

// Every thread counts the bytes, though the first one alone tells the mbarrier of them.
void CudaKernel::bulk_copy(const Statement& s) {
    const auto &to = s.operands[0], &from = s.operands[1];
    const auto& arrivals = arrivals_.at(s.operands[2].buffer);
    const auto map = tensor_map_of(s, kernel_.shape);
    const auto boxes = std::find_if(kernel_.boxes.begin(), kernel_.boxes.end(),
                                    [&](const KernelBoxes& known) { return known.map == map; });
    stage_comment(s);
    out_.line(arrivals.bytes + " += " +
                  std::to_string(bytes_of_box(map, expressions_.buffers.at(to.buffer).type)) + ";",
              s.origin);
    auto together = to.indices;
    together.insert(together.end(), from.indices.begin(), from.indices.end());
    expressions_.begin(together);
    std::string text = cuda_helpers_.copy_box(from.indices.size()) + "(" + address(to) + ", &" +
                       boxes->identifier + ", " + mbarrier(arrivals, arrivals.committed);
    // The TMA takes coordinates along the contiguous dimension first.
    for (auto index = from.indices.rbegin(); index != from.indices.rend(); ++index)
        text += ", " + expressions_.text(*index);
    declarations(s.origin);
    by_first_thread(text + ");", s.origin);
}

void CudaKernel::commit_boxes(const Statement& s) {
    const auto& arrivals = arrivals_.at(s.operands[0].buffer);
    by_first_thread(cuda_helpers_.arrive_expecting() + "(" +
                        mbarrier(arrivals, arrivals.committed) + ", " + arrivals.bytes + ");",
                    s.origin);
    out_.line(arrivals.bytes + " = 0;", s.origin);
    out_.line(arrivals.committed + "++;", s.origin);
}

// Waits for boxes. Where producer warpgroups ask for them, it waits for the next group; else for
// the youngest group but `pending`, and with it for all before; where there are not yet so many,
// for none.
void CudaKernel::wait_for_boxes(const Statement& s) {
    const auto& arrivals = arrivals_.at(s.operands[0].buffer);
    const auto await = [&](const std::string& group) {
        return cuda_helpers_.await_phase() + "(" + mbarrier(arrivals, group) + ", " +
               phase(arrivals, group) + ");";
    };
    if (handed_over_.count(s.step->token)) {
        out_.line(await(arrivals.taken), s.origin);
        out_.line(arrivals.taken + "++;", s.origin);
        return;
    }
    const auto younger = std::to_string(s.step->pending + 1);
    out_.line("if (" + arrivals.committed + " >= " + younger + ") " +
                  await("(" + arrivals.committed + " - " + younger + ")"),
              s.origin);
}

// At an mbarrier where nothing has arrived yet, the phase before the first one counts as complete.
void CudaKernel::acquire_slot(const Statement& s) {
    const auto& releases = arrivals_.at(s.operands[0].buffer);
    by_first_thread(cuda_helpers_.await_phase() + "(" + mbarrier(releases, releases.acquired) +
                        ", " + phase(releases, releases.acquired) + " ^ 1);",
                    s.origin);
    out_.line(releases.acquired + "++;", s.origin);
}

// By a warp's first thread, when all of it are here.
void CudaKernel::release_slot(const Statement& s) {
    const auto& releases = arrivals_.at(s.operands[0].buffer);
    out_.line(warp_barrier(), s.origin);
    out_.line("if (" + thread_ + "%" + std::to_string(lower::kWarp) + " == 0) " +
                  cuda_helpers_.arrive() + "(" + mbarrier(releases, releases.taken) + ");",
              s.origin);
    out_.line(releases.taken + "++;", s.origin);
}

} // namespace loopscope::codegen
