// Shared memory that is not in use at once lies at one place.
#include "lower_support.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_reuse_storage {

using ::testing::HasSubstr;

// A kernel of 64 threads in one block, over these lines.
std::string kernel(const std::string& lines) {
    return "\nprogram p\ninput A: f32[64, 64]\noutput B: f32[64, 64]\nlaunch p on device (A, B) {\n"
           "    bound thread.x for t in 0..64 {\n" +
           lines + "    }\n}\n";
}

TEST(ReuseStorage, WhatIsNotInUseAtOnceLiesAtOnePlace) {
    const auto text = test::after(reuse_storage, kernel(R"(        allocate a: f32[64] in shared
        a[t] = A[0, t]
        allocate b: f32[64] in shared
        b[t] = a[63 - t]
        allocate c: f32[64] in shared
        c[t] = b[63 - t]
        B[0, t] = c[63 - t]
)"));
    EXPECT_THAT(text, HasSubstr("a: f32[64] in shared at 0"));
    EXPECT_THAT(text, HasSubstr("b: f32[64] in shared at 256"));
    EXPECT_THAT(text, HasSubstr("c: f32[64] in shared at 0"));
}

// In a condition that differs between threads no barrier can part who still reads from who writes
// already.
TEST(ReuseStorage, InUseForAllOfAConditionOfThreads) {
    const std::string lines = R"(        allocate a: f32[64] in shared
        a[t] = A[0, t]
        allocate c: f32[64] in shared
        if CONDITION {
            allocate r: f32[1] in register
            r[0] = a[63 - t]
            c[t] = r[0]
        }
        B[0, t] = c[63 - t]
)";
    auto offset_of_c = [&](const char* condition) {
        auto text = lines;
        text.replace(text.find("CONDITION"), 9, condition);
        text = test::after(reuse_storage, kernel(text));
        return text.substr(text.find("c: f32[64] in shared at ") + 24, 3);
    };
    EXPECT_EQ(offset_of_c("t < 40"), "256");
    EXPECT_EQ(offset_of_c("A[0, 0] < 40.0"), "256"); // a load may differ
}

// A loop runs again: what its first statement reads must not lie where its last one writes.
TEST(ReuseStorage, InUseForAllOfALoop) {
    const auto text = test::after(reuse_storage, kernel(R"(        allocate a: f32[64] in shared
        a[t] = A[0, t]
        for i in 0..4 {
            B[i, t] = a[63 - t]
            allocate b: f32[64] in shared
            b[t] = A[i, t]
            B[i + 8, t] = b[63 - t]
        }
)"));
    EXPECT_THAT(text, HasSubstr("a: f32[64] in shared at 0"));
    EXPECT_THAT(text, HasSubstr("b: f32[64] in shared at 256"));
}

// Memory of a thread's own has no place in the block's.
TEST(ReuseStorage, LeavesOtherMemory) {
    const auto text = kernel(R"(        allocate r: f32[64] in local
        r[0] = A[0, t]
        B[0, t] = r[0]
)");
    EXPECT_EQ(test::after(reuse_storage, text), text);
}

} // namespace test_reuse_storage
} // namespace loopscope::lower
