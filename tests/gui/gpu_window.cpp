#include "tests/gui/gpu_window.h"

#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <fstream>

namespace loopscope::app::test {

namespace {

const char* kPipelined =
    "schedule for matmul\ntarget h200\n"
    "CL = C.cache_write(register)\nC.tile(i, j, io, jo, ii, ji, 64, 64)\n"
    "C.bind(io, block.y)\nC.bind(jo, block.x)\nC.split(ii, it, ir, 4)\nC.split(ji, jt, jr, 4)\n"
    "C.reorder(it, jt, ir, jr)\nC.bind(it, thread.y)\nC.bind(jt, thread.x)\n"
    "CL.compute_at(C, jt)\nCL.split(k, ko, ki, 16)\nCL.reorder(ko, ki, i, j)\n"
    "As = CL.cache_read(A, shared)\nBs = CL.cache_read(B, shared)\n"
    "As.compute_at(CL, ko)\nBs.compute_at(CL, ko)\nAs.pipeline(3)\nBs.pipeline(3)\n";

} // namespace

MainWindow& GpuWindow::open_gpu(std::map<std::string, std::int64_t> params, int width, int height) {
    const auto path = loopscope::test::scratch_folder() + "/gpu.sched";
    std::ofstream(path) << kPipelined;
    auto& window = open("matmul.loop", {path, std::move(params), ""}, width, height);
    EXPECT_TRUE(settle());
    return window;
}

} // namespace loopscope::app::test
