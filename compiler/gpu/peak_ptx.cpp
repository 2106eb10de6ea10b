#include "compiler/gpu/peak_ptx.h"

namespace loopscope::gpu {

namespace {

constexpr int kChains = 8;    // independent results, which hide the latency of each
constexpr int kThreads = 256; // of a block
constexpr int kRepeats = 8;   // of the chains in a turn of the loop
constexpr int kTurns = 4096;
constexpr int kWarpgroupTurns = 512;

std::string header(const std::string& version, const std::string& architecture) {
    return ".version " + version + "\n.target " + architecture + "\n.address_size 64\n\n";
}

// %index: the thread among all; %to: where it writes 16 bytes.
std::string entry(int threads) {
    return ".visible .entry peak(.param .u64 results)\n.maxntid " + std::to_string(threads) +
           ", 1, 1\n{\n"
           "    .reg .b32 %index, %block, %count, %bits;\n"
           "    .reg .b64 %to, %offset;\n"
           "    .reg .pred %more;\n"
           "    mov.u32 %index, %tid.x;\n"
           "    mov.u32 %block, %ctaid.x;\n"
           "    mad.lo.u32 %index, %block, " +
           std::to_string(threads) +
           ", %index;\n"
           "    ld.param.u64 %to, [results];\n"
           "    cvta.to.global.u64 %to, %to;\n"
           "    mul.wide.u32 %offset, %index, 16;\n"
           "    add.s64 %to, %to, %offset;\n";
}

// Unrolling it further would cost the driver's compiler seconds, and gain nothing.
std::string loop(int turns, const std::string& body) {
    return "    mov.u32 %count, " + std::to_string(turns) +
           ";\nagain:\n    .pragma \"nounroll\";\n" + body +
           "    add.s32 %count, %count, -1;\n"
           "    setp.ne.s32 %more, %count, 0;\n"
           "    @%more bra again;\n";
}

std::string list(const char* prefix, int first, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i)
        text += (i ? ", " : "") + std::string(prefix) + std::to_string(first + i);
    return text + "}";
}

struct Arithmetic {
    const char* type;
    const char* registers; // of PTX
    const char* step;      // the instruction, without operands
    const char* factor;    // near one, so that a chain stays where it is
    const char* seed;      // what a chain begins with
    const char* store;
    int elements; // that an instruction works on
    int least;    // compute capability
};

constexpr Arithmetic kArithmetic[] = {
    {"f32", ".f32", "fma.rn.f32", "0f3F7FFFFF", "0f3F800001", "st.global.f32", 1, 70},
    {"f64", ".f64", "fma.rn.f64", "0d3FEFFFFFFFFFFFFF", "0d3FF0000000000001", "st.global.f64", 1,
     70},
    {"f16", ".b32", "fma.rn.f16x2", "0x3BFF3BFE", "0x3C013C02", "st.global.b32", 2, 70},
    {"bf16", ".b32", "fma.rn.bf16x2", "0x3F7F3F7E", "0x3F813F82", "st.global.b32", 2, 80},
    {"i32", ".b32", "mad.lo.s32", "1664525", "1013904223", "st.global.b32", 1, 70},
};

PeakKernel multiply_adds(const Arithmetic& a) {
    PeakKernel kernel;
    kernel.type = a.type;
    kernel.architecture = a.least >= 80 ? "sm_80" : "sm_75";
    auto text = header(a.least >= 80 ? "7.0" : "6.5", kernel.architecture) + entry(kThreads);
    const std::string chains = "%x<" + std::to_string(kChains) + ">";
    text += std::string("    .reg ") + a.registers + " " + chains + ", %factor, %term;\n";
    const std::string move = std::string("    mov") + a.registers + " ";
    text += move + "%factor, " + a.factor + ";\n" + move + "%term, " + a.seed + ";\n";
    for (int c = 0; c < kChains; ++c)
        text += move + "%x" + std::to_string(c) + ", " + a.seed + ";\n";
    std::string body;
    for (int repeat = 0; repeat < kRepeats; ++repeat)
        for (int c = 0; c < kChains; ++c) {
            const auto x = "%x" + std::to_string(c);
            body += std::string("    ") + a.step + " " + x + ", " + x + ", %factor, %term;\n";
        }
    text += loop(kTurns, body);
    for (int c = 1; c < kChains; ++c)
        text += std::string("    ") + a.step + " %x0, %x0, %factor, %x" + std::to_string(c) + ";\n";
    text += std::string("    ") + a.store + " [%to], %x0;\n    ret;\n}\n";
    kernel.ptx = std::move(text);
    kernel.threads = kThreads;
    kernel.flops_per_block = 2.0 * a.elements * kThreads * kTurns * kRepeats * kChains;
    return kernel;
}

struct TensorType {
    const char* type;
    const char* operand; // in the instruction's name
    const char* sum;
    const char* shape; // of mma.sync
    int depth;         // k of it
    const char* word;  // an operand register's bits: two or four elements near one
    int least;         // compute capability
};

constexpr TensorType kTensorTypes[] = {
    {"f16", "f16", "f32", "m16n8k16", 16, "0x3C013A02", 80},
    {"bf16", "bf16", "f32", "m16n8k16", 16, "0x3F813D02", 80},
    {"tf32", "tf32", "f32", "m16n8k8", 8, "0x3F812000", 80},
    {"i8", "s8", "s32", "m16n8k32", 32, "0x01FE0302", 80},
    {"e4m3", "e4m3", "f32", "m16n8k32", 32, "0x38393A3B", 89},
};

// Sums of a warp: `kChains` tiles of 16 x 8.
PeakKernel by_mma(const TensorType& t) {
    PeakKernel kernel;
    kernel.type = t.type;
    kernel.architecture = t.least >= 89 ? "sm_89" : "sm_80";
    const std::string sum = t.sum;
    const bool whole = sum == "s32";
    auto text = header(t.least >= 89 ? "8.4" : "7.0", kernel.architecture) + entry(kThreads);
    text += "    .reg .b32 %a<4>, %b<2>;\n    .reg " + std::string(whole ? ".b32" : ".f32") +
            " %d<" + std::to_string(4 * kChains) + ">;\n";
    text += "    and.b32 %bits, %index, 0x00010001;\n    xor.b32 %bits, %bits, " +
            std::string(t.word) + ";\n";
    for (const char* name : {"%a0", "%a1", "%a2", "%a3", "%b0", "%b1"})
        text += std::string("    mov.b32 ") + name + ", %bits;\n";
    for (int i = 0; i < 4 * kChains; ++i)
        text += "    mov." + std::string(whole ? "b32" : "f32") + " %d" + std::to_string(i) +
                (whole ? ", 0;\n" : ", 0f00000000;\n");
    std::string body;
    for (int c = 0; c < kChains; ++c) {
        const auto d = list("%d", 4 * c, 4);
        body += std::string("    mma.sync.aligned.") + t.shape + ".row.col." + sum + "." +
                t.operand + "." + t.operand + "." + sum + " " + d + ", {%a0, %a1, %a2, %a3}, " +
                "{%b0, %b1}, " + d + ";\n";
    }
    text += loop(kTurns, body);
    for (int i = 1; i < 4 * kChains; ++i)
        text += std::string("    add.") + sum + " %d0, %d0, %d" + std::to_string(i) + ";\n";
    text += std::string("    st.global.") + (whole ? "b32" : "f32") + " [%to], %d0;\n    ret;\n}\n";
    kernel.ptx = std::move(text);
    kernel.flops_per_block = 2.0 * 16 * 8 * t.depth * kChains * kTurns * (kThreads / 32);
    return kernel;
}

// The f64 instruction's tile is 8 x 8 x 4.
PeakKernel by_mma_f64() {
    PeakKernel kernel;
    kernel.type = "f64";
    kernel.architecture = "sm_80";
    auto text = header("7.0", "sm_80") + entry(kThreads) + "    .reg .f64 %a, %b, %d<" +
                std::to_string(2 * kChains) + ">;\n" +
                "    cvt.rn.f64.u32 %a, %index;\n    mov.f64 %b, 0d3F50000000000001;\n";
    for (int i = 0; i < 2 * kChains; ++i)
        text += "    mov.f64 %d" + std::to_string(i) + ", 0d0000000000000000;\n";
    std::string body;
    for (int c = 0; c < kChains; ++c) {
        const auto d = list("%d", 2 * c, 2);
        body += "    mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 " + d + ", {%a}, {%b}, " + d +
                ";\n";
    }
    text += loop(kTurns, body);
    for (int i = 1; i < 2 * kChains; ++i)
        text += "    add.f64 %d0, %d0, %d" + std::to_string(i) + ";\n";
    text += "    st.global.f64 [%to], %d0;\n    ret;\n}\n";
    kernel.ptx = std::move(text);
    kernel.flops_per_block = 2.0 * 8 * 8 * 4 * kChains * kTurns * (kThreads / 32);
    return kernel;
}

// Two warpgroups, each with a sum of 64 x 256 in registers; both operands lie in shared memory as
// core matrices of 8 rows of 16 bytes, one behind the other: 128 bytes to the next along k, 256
// along m or n (PTX ISA, "Matrix Descriptor Format").
PeakKernel by_wgmma(const TensorType& t) {
    constexpr int kSums = 128; // registers of a thread
    constexpr int kShared = (64 + 256) * 32;
    constexpr std::uint64_t kLayout =
        (std::uint64_t{128 >> 4} << 16) | (std::uint64_t{256 >> 4} << 32);
    const std::string operand = t.operand, sum = t.sum;
    const bool whole = sum == "s32", halves = operand == "f16" || operand == "bf16";
    PeakKernel kernel;
    kernel.type = t.type;
    kernel.architecture = "sm_90a";
    kernel.blocks_per_multiprocessor = 1;
    auto text = header("8.0", "sm_90a") + ".shared .align 128 .b8 operands[" +
                std::to_string(kShared) + "];\n\n" + entry(kThreads);
    text += "    .reg .b32 %at, %place;\n    .reg .b64 %left, %right;\n    .reg .pred %all;\n    "
            ".reg " +
            std::string(whole ? ".b32" : ".f32") + " %d<" + std::to_string(kSums) + ">;\n" +
            "    mov.u32 %at, operands;\n"
            "    mov.u32 %place, %tid.x;\n"
            "    shl.b32 %place, %place, 2;\n"
            "    add.u32 %place, %place, %at;\n"
            "    and.b32 %bits, %index, 0x00010001;\n"
            "    xor.b32 %bits, %bits, " +
            std::string(t.word) + ";\n";
    for (int offset = 0; offset < kShared; offset += 4 * kThreads)
        text += "    st.shared.b32 [%place+" + std::to_string(offset) + "], %bits;\n";
    text += "    fence.proxy.async;\n    bar.sync 0;\n"
            "    shr.u32 %at, %at, 4;\n"
            "    cvt.u64.u32 %left, %at;\n"
            "    or.b64 %left, %left, " +
            std::to_string(kLayout) + ";\n    add.u64 %right, %left, " +
            std::to_string(64 * 32 >> 4) + ";\n    setp.eq.u32 %all, %at, %at;\n";
    for (int i = 0; i < kSums; ++i)
        text += "    mov." + std::string(whole ? "b32" : "f32") + " %d" + std::to_string(i) +
                (whole ? ", 0;\n" : ", 0f00000000;\n");
    const std::string instruction = "    wgmma.mma_async.sync.aligned.m64n256k" +
                                    std::to_string(t.depth) + "." + sum + "." + operand + "." +
                                    operand + " " + list("%d", 0, kSums) + ", %left, %right, %all" +
                                    (whole ? "" : ", 1, 1") + (halves ? ", 0, 0" : "") + ";\n";
    std::string body = "    wgmma.fence.sync.aligned;\n";
    for (int repeat = 0; repeat < kRepeats; ++repeat)
        body += instruction;
    body += "    wgmma.commit_group.sync.aligned;\n    wgmma.wait_group.sync.aligned 1;\n";
    text += loop(kWarpgroupTurns, body) + "    wgmma.wait_group.sync.aligned 0;\n";
    for (int i = 1; i < kSums; ++i)
        text += std::string("    add.") + sum + " %d0, %d0, %d" + std::to_string(i) + ";\n";
    text += std::string("    st.global.") + (whole ? "b32" : "f32") + " [%to], %d0;\n    ret;\n}\n";
    kernel.ptx = std::move(text);
    kernel.flops_per_block =
        2.0 * 64 * 256 * t.depth * kRepeats * kWarpgroupTurns * (kThreads / 128);
    return kernel;
}

} // namespace

PeakKernel copy_kernel() {
    PeakKernel kernel;
    kernel.architecture = "sm_75";
    auto text = header("6.5", "sm_75") +
                ".visible .entry peak(.param .u64 from, .param .u64 to)\n.maxntid 256, 1, 1\n{\n"
                "    .reg .b32 %thread, %block, %x<16>;\n"
                "    .reg .b64 %from, %to, %offset, %within;\n"
                "    mov.u32 %thread, %tid.x;\n"
                "    mov.u32 %block, %ctaid.x;\n"
                "    ld.param.u64 %from, [from];\n"
                "    ld.param.u64 %to, [to];\n"
                "    cvta.to.global.u64 %from, %from;\n"
                "    cvta.to.global.u64 %to, %to;\n"
                "    mul.wide.u32 %offset, %block, " +
                std::to_string(kCopyBytesPerBlock) +
                ";\n"
                "    mul.wide.u32 %within, %thread, 16;\n"
                "    add.s64 %offset, %offset, %within;\n"
                "    add.s64 %from, %from, %offset;\n"
                "    add.s64 %to, %to, %offset;\n";
    for (int i = 0; i < 4; ++i)
        text += "    ld.global.nc.v4.u32 " + list("%x", 4 * i, 4) + ", [%from+" +
                std::to_string(i * 4096) + "];\n";
    for (int i = 0; i < 4; ++i)
        text += "    st.global.v4.u32 [%to+" + std::to_string(i * 4096) + "], " +
                list("%x", 4 * i, 4) + ";\n";
    kernel.ptx = text + "    ret;\n}\n";
    return kernel;
}

std::vector<PeakKernel> multiply_add_kernels(int capability) {
    std::vector<PeakKernel> kernels;
    for (const auto& a : kArithmetic)
        if (a.least <= capability)
            kernels.push_back(multiply_adds(a));
    return kernels;
}

std::vector<PeakKernel> tensor_kernels(int capability) {
    std::vector<PeakKernel> kernels;
    if (capability < 80)
        return kernels;
    for (const auto& t : kTensorTypes)
        if (t.least <= capability)
            kernels.push_back(capability == 90 ? by_wgmma(t) : by_mma(t));
    kernels.push_back(by_mma_f64());
    return kernels;
}

} // namespace loopscope::gpu
