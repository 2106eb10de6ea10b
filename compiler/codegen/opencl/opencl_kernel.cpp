#include "compiler/codegen/opencl/opencl_kernel.h"

#include "compiler/codegen/c/replaced.h"
#include "compiler/codegen/opencl/lift_barriers.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr const char* kExchange = R"(// One step that no other work-item sees half done.
static inline void $NAME(volatile $SPACE $M *place, $M value) {
    volatile $SPACE $W *word = (volatile $SPACE $W *)place;
    $W seen = *word, before;
    do {
        before = seen;
        seen = $CMPXCHG(word, before, as_$W($COMBINE(as_$T(before), value)));
    } while (seen != before); // as bits: a NaN differs from itself as a number
}
)";

constexpr const char* kExchangePart =
    R"(// One step that no other work-item sees half done: on the word that the element is in.
static inline void $NAME(volatile $SPACE $M *place, $M value) {
    volatile $SPACE uint *word = (volatile $SPACE uint *)((size_t)place & ~(size_t)3);
    const uint shift = 8 * (uint)((size_t)place & 3);
    uint seen = *word, before;
    do {
        before = seen;
        const $M combined = $COMBINE(($M)(before >> shift), value);
        seen = atomic_cmpxchg(word, before, (before & ~($ONESu << shift)) | (uint)($U)combined << shift);
    } while (seen != before);
}
)";

// LLVM, which knows nothing of work-items, makes one condition of those that stand one behind the
// other beside barriers, and lets work-items for which one holds leave a loop at another place than
// the rest where it stands behind the loop again:
//
//     for (…) { barrier; if (c) A }  if (c) B
//         →
//     for (…) { barrier; if (c) { A, leave to B } else leave }
//
// PoCL 3.1 then has all work-items go where one of them went, and B may never run. The kernel is
// right: OpenCL asks that all work-items meet at each barrier, which they do. LLVM takes no
// condition over a barrier.
constexpr const char* kTogether =
    R"(// Beside barriers PoCL must not part work-items from one condition to the next: one more keeps them.
#ifdef POCL_DEVICE_ADDRESS_BITS
#define $NAME barrier(CLK_LOCAL_MEM_FENCE);
#else
#define $NAME
#endif
)";

// As OpenCL C calls it, where bits are taken for another type.
const char* opencl_type(ScalarType type) {
    switch (type) {
    case ScalarType::I32: return "int";
    case ScalarType::U32: return "uint";
    case ScalarType::I64: return "long";
    case ScalarType::U64: return "ulong";
    case ScalarType::F64: return "double";
    default: return "float";
    }
}

// Does a barrier stand inside?
bool any_waits(const Statement& s) {
    return std::any_of(s.children.begin(), s.children.end(),
                       [](const auto& child) { return child && waits(child); });
}

} // namespace

std::string OpenclHelpers::instruction(Op op, ScalarType type, const std::string& place,
                                       const std::string& value) {
    if (type != ScalarType::I32 && type != ScalarType::U32)
        return {};
    const char* function = op == Op::Add   ? "atomic_add"
                           : op == Op::Min ? "atomic_min"
                           : op == Op::Max ? "atomic_max"
                                           : nullptr;
    return function ? std::string(function) + "(&" + place + ", " + value + ");" : "";
}

// Pointers say which memory they are of: a function for each.
std::string OpenclHelpers::exchange(const std::string& name, const std::string& combine,
                                    ScalarType type, Space space) {
    const bool global = space == Space::Global;
    auto own_name = name + (global ? "_global" : "_local");
    const int width = bits(type);
    return use(own_name,
               replaced(width < 32 ? kExchangePart : kExchange,
                        {{"$NAME", own_name},
                         {"$COMBINE", combine},
                         {"$SPACE", global ? "__global" : "__local"},
                         {"$M", c_memory_type(type)},
                         {"$U", c_unsigned(type)},
                         {"$ONES", width == 8 ? "0xff" : "0xffff"},
                         {"$W", width == 64 ? "ulong" : "uint"},
                         {"$CMPXCHG", width == 64 ? "atom_cmpxchg" : "atomic_cmpxchg"},
                         {"$T", opencl_type(type)}}),
               Side::Device);
}

std::string OpenclHelpers::together() {
    const std::string name = "KEEP_TOGETHER";
    return use(name, replaced(kTogether, {{"$NAME", name}}), Side::Device);
}

std::string OpenclKernel::head() const {
    std::string block;
    for (const auto& dimension : kernel_.shape.block)
        block += (block.empty() ? "" : ", ") + std::to_string(dimension.extent);
    return "__kernel __attribute__((reqd_work_group_size(" + block + "))) void " + kernel_.name;
}

std::string OpenclKernel::parameter(const GlobalBuffer& buffer) const {
    return std::string("__global ") + (buffer.read_only ? "const " : "") +
           c_memory_type(buffer.type) + " *" + (buffer.alone ? dialect_.alone + " " : "") +
           buffer.identifier;
}

std::string OpenclKernel::thread_index(const std::string& level) const {
    const std::string axis(1, static_cast<char>('0' + (level.back() - 'x')));
    return (lower::level_unit(level) == "block" ? "get_group_id(" : "get_local_id(") + axis + ")";
}

std::string OpenclKernel::shared_memory(std::int64_t bytes, std::int64_t alignment) const {
    return "__local uchar shared_memory[" + std::to_string(bytes) + "] __attribute__((aligned(" +
           std::to_string(alignment) + ")));";
}

std::string OpenclKernel::shared_pointer(const std::string& type, const std::string& name,
                                         std::int64_t offset) const {
    return "__local " + type + " *const " + name + " = (__local " + type + " *)" +
           (offset == 0 ? "shared_memory;" : "(shared_memory + " + std::to_string(offset) + ");");
}

std::string OpenclKernel::shared_array(const std::string& type, const std::string& name,
                                       const std::string& count, std::int64_t) const {
    return "__local " + type + " " + name + "[" + count + "];";
}

std::string OpenclKernel::own_array(const std::string& type, const std::string& name,
                                    const std::string& count, bool) const {
    return type + " " + name + "[" + count + "]";
}

std::string OpenclKernel::copied(ScalarType, int lanes, const std::string& to,
                                 const std::string& from) {
    const auto n = std::to_string(lanes);
    return "vstore" + n + "(vload" + n + "(0, &" + from + "), 0, &" + to + ");";
}

std::string OpenclKernel::copied_ahead(int lanes, const std::string& to, const std::string& from,
                                       const std::string&) {
    return copied(ScalarType::F32, lanes, to, from);
}

std::string OpenclKernel::barrier(const Statement&) {
    return exchanges_global() ? "barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
                              : "barrier(CLK_LOCAL_MEM_FENCE);";
}

// PoCL 3.1 loses what stands behind a barrier in a round of a loop that is unrolled.
void OpenclKernel::before_loop(const Statement& s, std::optional<std::int64_t> unrolled) {
    const bool but_with_pocl = unrolled && any_waits(s);
    if (but_with_pocl)
        out_.line("#ifndef POCL_DEVICE_ADDRESS_BITS", s.origin);
    KernelFunction::before_loop(s, unrolled);
    if (but_with_pocl)
        out_.line("#endif", s.origin);
}

// What stands beside a barrier, to which all work-items come, but for what one stands behind.
const std::set<const Statement*>& OpenclKernel::beside_barriers() {
    if (!beside_barriers_) {
        beside_barriers_.emplace();
        lower::visit_statements(kernel_.shape.body, [&](const Statement& s) {
            if (s.kind == lower::StatementKind::Block && any_waits(s))
                for (std::size_t c = 0; c < s.children.size(); ++c)
                    if (c + 1 == s.children.size() ||
                        s.children[c + 1]->kind != lower::StatementKind::Barrier)
                        beside_barriers_->insert(s.children[c].get());
            return true;
        });
    }
    return *beside_barriers_;
}

void OpenclKernel::after(const Statement& s) {
    const bool branches = s.kind == lower::StatementKind::For || s.kind == lower::StatementKind::If;
    const bool parts = s.kind == lower::StatementKind::If && beside_barriers().count(&s);
    if (parts || (branches && any_waits(s)))
        out_.line(static_cast<OpenclHelpers&>(kernel_helpers_).together(), s.origin);
}

std::string OpenclKernel::prefetched(const std::string& place) {
    return "prefetch(&" + place + ", 1);";
}

std::string OpenclKernel::fence() const {
    return "mem_fence(CLK_LOCAL_MEM_FENCE); // the memory held another type before";
}

std::string OpenclKernel::streamed(const Statement&, const std::string& place,
                                   const std::string& value) {
    return place + " = " + value + ";";
}

} // namespace loopscope::codegen
