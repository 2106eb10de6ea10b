// The line beside PTX.

#include "app/session/kernel_remark.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope::session::test {

using nlohmann::json;

TEST(KernelRemark, SharedMemoryThatALaunchAsksForIsCountedOnce) {
    json kernel{{"name", "C"},
                {"registers", 54},
                {"spill_bytes", 0},
                {"shared_bytes", 56832},
                {"dynamic_bytes", 56832}};
    EXPECT_EQ(
        kernel_remark({{"kernels", {kernel}}}),
        "ptxas: C takes 54 registers a thread, spills nothing, 56832 bytes of shared memory a "
        "block");
    kernel["spill_bytes"] = 8;
    kernel["shared_bytes"] = 1024;
    kernel["dynamic_bytes"] = 0;
    EXPECT_EQ(kernel_remark({{"kernels", {kernel}}}),
              "ptxas: C takes 54 registers a thread, spills 8 bytes, 1024 bytes of shared memory a "
              "block");
}

TEST(KernelRemark, WithoutAnAssemblerItSaysWhy) {
    const json answer{{"kernels", {{{"name", "C"}, {"shared_bytes", 8}}}},
                      {"ptxas", "there is no ptxas here\nmore"}};
    EXPECT_EQ(kernel_remark(answer), "Registers are not known: there is no ptxas here");
    EXPECT_EQ(kernel_remark({{"text", "int x;"}}), "");
}

} // namespace loopscope::session::test
