#include "tests/export_cuda/kernel_support.h"

namespace loopscope::test {

namespace {

constexpr const char* kPipelinedMatmul = R"(schedule for matmul
CL = C.cache_write(register)
C.tile(i, j, io, jo, ii, ji, 64, 64)
C.bind(io, block.y)
C.bind(jo, block.x)
C.split(ii, it, ir, 4)
C.split(ji, jt, jr, 4)
C.reorder(it, jt, ir, jr)
C.bind(it, thread.y)
C.bind(jt, thread.x)
C.vectorize(jr)
C.unroll(ir)
CL.compute_at(C, jt)
CL.split(k, ko, ki, 16)
CL.reorder(ko, ki, i, j)
CL.unroll(i)
CL.unroll(j)
As = CL.cache_read(A, shared)
Bs = CL.cache_read(B, shared)
As.compute_at(CL, ko)
Bs.compute_at(CL, ko)
As.vectorize(k, 4)
Bs.vectorize(j, 4)
As.pipeline(3)
Bs.pipeline(3)
)";

// No copy of the result: promote_tiles keeps it in registers. Tails on all sides.
constexpr const char* kDirectMatmul = R"(schedule for matmul
C.split(i, i, ii, 4)
C.split(j, j, jj, 4)
C.reorder(i, j, k, ii, jj)
C.gpu_tile(i, j, io, jo, it, jt, 4, 8)
C.reorder(io, jo, it, jt, k, ii, jj)
C.unroll(ii)
C.unroll(jj)
)";

// More than 48 KB of shared memory, which the launch asks for.
constexpr const char* kLargeTiles = R"(schedule for matmul
C.gpu_tile(i, j, io, jo, ii, ji, 16, 64)
C.split(k, ko, ki, 64)
C.reorder(io, jo, ii, ji, ko, ki)
As = C.cache_read(A, shared)
Bs = C.cache_read(B, shared)
As.compute_at(C, ko)
Bs.compute_at(C, ko)
As.vectorize(k, 4)
Bs.vectorize(j, 4)
As.pipeline(4)
Bs.pipeline(4)
)";

// f16 by the eights, rows padded against bank conflicts.
constexpr const char* kHalfMatmul = R"(schedule for matmul_f16
C.gpu_tile(i, j, io, jo, ii, ji, 16, 16)
C.split(k, ko, ki, 16)
C.reorder(io, jo, ii, ji, ko, ki)
C.unroll(ki, 4)
As = C.cache_read(A, shared)
Bs = C.cache_read(B, shared)
As.compute_at(C, ko)
Bs.compute_at(C, ko)
As.vectorize(k, 8)
Bs.vectorize(j, 8)
Bs.pad_storage(j, 8)
)";

// The same with banks swizzled, rows of 64 and of 32 bytes, copied ahead.
constexpr const char* kSwizzledMatmul = R"(schedule for matmul_f16
C.gpu_tile(i, j, io, jo, ii, ji, 16, 16)
C.split(k, ko, ki, 32)
C.reorder(io, jo, ii, ji, ko, ki)
C.unroll(ki, 4)
As = C.cache_read(A, shared)
Bs = C.cache_read(B, shared)
As.compute_at(C, ko)
Bs.compute_at(C, ko)
As.vectorize(k, 8)
Bs.vectorize(j, 4)
As.swizzle()
Bs.swizzle()
As.pipeline(3)
Bs.pipeline(3)
)";

// A tile of rows of 128 bytes is read down its columns; the last tiles are partial.
constexpr const char* kSwizzledTranspose = R"(schedule for transpose
t = out.cache_read(img, shared)
out.tile(y, x, by, bx, ty, tx, 32, 32)
out.split(ty, tv, tt, 8)
out.bind(by, block.y)
out.bind(bx, block.x)
out.bind(tt, thread.y)
out.bind(tx, thread.x)
t.compute_at(out, bx)
t.swizzle()
)";

constexpr const char* kBlur = R"(schedule for blur
out.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)
blur_x.compute_at(out, xo)
)";

// Vectors that are computed with, and stored past the caches.
constexpr const char* kVectorBlur = R"(schedule for blur
out.split(x, x, xv, 4)
out.gpu_tile(y, x, yo, xo, yi, xi, 8, 16)
out.vectorize(xv)
out.non_temporal()
staged = blur_x.cache_read(img, shared)
blur_x.compute_at(out, xi)
staged.compute_at(out, xo)
)";

// Several launches, memory between them, functions of the prelude.
constexpr const char* kSoftmax = R"(schedule for softmax
greatest.bind(i, thread.x)
total.bind(i, thread.x)
power.gpu_tile(i, k, io, ko, ii, ki, 4, 32)
out.gpu_tile(i, k, io, ko, ii, ki, 4, 32)
)";

constexpr const char* kLayerNorm = R"(schedule for layer_norm
total.split(i, io, ii, 8)
total.bind(io, block.x)
total.bind(ii, thread.x)
squares.split(i, io, ii, 8)
squares.bind(io, block.x)
squares.bind(ii, thread.x)
squares.contract()
squares.unroll(k, 4)
out.gpu_tile(i, k, io, ko, ii, ki, 4, 32)
)";

// Sums of a row by all threads of a block, which shuffle.
constexpr const char* kBlockSums = R"(schedule for layer_norm
total.bind(i, block.x)
total.split(k, ko, ki, 32)
total.bind(ki, thread.x)
squares.bind(i, block.x)
squares.split(k, ko, ki, 32)
squares.bind(ki, thread.x)
out.bind(i, block.x)
out.split(k, ko, ki, 32)
out.bind(ki, thread.x)
)";

// What follows asks a TMA. Boxes of rows of 128 and of 64 bytes, of which one is swizzled.
constexpr const char* kBoxes = R"(schedule for matmul
target h200
CL = C.cache_write(register)
C.tile(i, j, io, jo, ii, ji, 32, 32)
C.bind(io, block.y)
C.bind(jo, block.x)
C.split(ii, it, ir, 4)
C.split(ji, jt, jr, 4)
C.reorder(it, jt, ir, jr)
C.bind(it, thread.y)
C.bind(jt, thread.x)
C.vectorize(jr)
C.unroll(ir)
CL.compute_at(C, jt)
CL.split(k, ko, ki, 16)
CL.reorder(ko, ki, i, j)
CL.unroll(i)
CL.unroll(j)
As = CL.cache_read(A, shared)
Bs = CL.cache_read(B, shared)
As.compute_at(CL, ko)
Bs.compute_at(CL, ko)
As.vectorize(k, 4)
Bs.vectorize(j, 4)
As.swizzle()
As.pipeline(3)
Bs.pipeline(3)
)";

// The same, loaded by producer warpgroups.
const std::string kOwnWarps = std::string(kBoxes) + R"(As.specialize(1)
Bs.specialize(1)
)";

// By blocks that stay: phases go on from tile to tile. Boxes of several panels, more than 48 KB of
// slots.
constexpr const char* kStayingBlocks = R"(schedule for matmul_f16
target h200
CL = C.cache_write(register)
C.tile(i, j, io, jo, ii, ji, 16, 128)
C.fuse(io, jo, tile)
C.bind(tile, block.x)
C.persistent(tile)
C.split(ji, jt, jr, 8)
C.bind(ii, thread.y)
C.bind(jt, thread.x)
CL.compute_at(C, jt)
CL.split(k, ko, ki, 64)
CL.reorder(ko, ki, i, j)
As = CL.cache_read(A, shared)
Bs = CL.cache_read(B, shared)
As.compute_at(CL, ko)
Bs.compute_at(CL, ko)
As.swizzle()
Bs.swizzle()
As.pipeline(3)
Bs.pipeline(3)
As.specialize(1)
Bs.specialize(1)
)";

} // namespace

const std::vector<KernelCase>& kernel_cases() {
    static const std::vector<KernelCase> cases{
        {"matmul_pipelined", "matmul", {{"M", 128}, {"N", 128}, {"K", 64}}, kPipelinedMatmul},
        {"matmul_direct", "matmul", {{"M", 45}, {"N", 37}, {"K", 29}}, kDirectMatmul},
        {"matmul_large", "matmul", {{"M", 32}, {"N", 64}, {"K", 256}}, kLargeTiles},
        {"matmul_f16", "matmul_f16", {{"M", 32}, {"N", 48}, {"K", 64}}, kHalfMatmul},
        {"matmul_swizzled", "matmul_f16", {{"M", 40}, {"N", 48}, {"K", 96}}, kSwizzledMatmul},
        {"transpose_swizzled", "transpose", {{"H", 70}, {"W", 45}}, kSwizzledTranspose},
        {"blur", "blur", {{"H", 45}, {"W", 70}}, kBlur},
        {"blur_vectors", "blur", {{"H", 16}, {"W", 128}}, kVectorBlur},
        {"softmax", "softmax", {{"N", 16}, {"D", 64}}, kSoftmax},
        {"layer_norm", "layer_norm", {{"N", 16}, {"D", 96}}, kLayerNorm},
        {"block_sums", "layer_norm", {{"N", 4}, {"D", 96}}, kBlockSums, false},
    };
    return cases;
}

const std::vector<KernelCase>& tma_cases() {
    static const std::vector<KernelCase> cases{
        {"boxes", "matmul", {{"M", 64}, {"N", 96}, {"K", 80}}, kBoxes, false, true},
        {"own_warps", "matmul", {{"M", 64}, {"N", 96}, {"K", 80}}, kOwnWarps, false, true},
        {"staying_blocks",
         "matmul_f16",
         {{"M", 32}, {"N", 256}, {"K", 256}},
         kStayingBlocks,
         false,
         true,
         2},
    };
    return cases;
}

} // namespace loopscope::test
