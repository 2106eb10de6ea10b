// Loops bound to levels become launches; work of all threads is divided; virtual threads are
// statements in turn.
#include "lower_support.h"

#include "compiler/lower/gpu/launch.h"

#include <gmock/gmock.h>

namespace loopscope::lower {
namespace test_launches {

using ::testing::HasSubstr;

std::string kernel(const std::string& lines) {
    return "\nprogram p\ninput A: f32[64, 64]\noutput B: f32[64, 64]\nlaunch p on device (A, B) "
           "{\n" +
           lines + "}\n";
}

TEST(BindLevels, LoopsBecomeDimensions) {
    EXPECT_EQ(test::after(bind_levels, kernel(R"(    bound block.x for y in 0..64 {
        bound thread.x for x in 0..64 {
            B[y, x] = A[y, x]
        }
    }
)")),
              kernel(R"(    bound block.x for block_x in 0..64 {
        bound thread.x for thread_x in 0..64 {
            B[block_x, thread_x] = A[block_x, thread_x]
        }
    }
)"));
}

// The block has the most threads that any loop asks for; others are masked, and so is what no loop
// encloses.
TEST(BindLevels, FewerThreadsAreMasked) {
    EXPECT_EQ(test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound thread.y for y in 0..2 {
            bound thread.x for x in 0..32 {
                B[y, x] = A[y, x]
            }
        }
        bound thread.x for x2 in 0..64 {
            B[b, x2] = A[b, x2]
        }
    }
)")),
              kernel(R"(    bound block.x for block_x in 0..8 {
        bound thread.y for thread_y in 0..2 {
            bound thread.x for thread_x in 0..64 {
                if thread_x < 32 {
                    B[thread_y, thread_x] = A[thread_y, thread_x]
                }
                if thread_y < 1 {
                    B[block_x, thread_x] = A[block_x, thread_x]
                }
            }
        }
    }
)"));
}

// What a thread computes for itself, it computes in every thread.
TEST(BindLevels, OwnMemoryIsNotMasked) {
    const auto text = test::after(bind_levels, kernel(R"(    allocate r: f32[1] in register
    r[0] = A[0, 0]
    bound thread.x for x in 0..64 {
        B[0, x] = r[0]
    }
)"));
    EXPECT_THAT(text, HasSubstr("        r[0] = A[0, 0]\n        B[0, thread_x] = r[0]\n")) << text;
}

// Work of all threads stands in no mask, whatever loops are around it.
TEST(BindLevels, WorkOfAllIsNotMasked) {
    const auto text = test::after(bind_levels, kernel(R"(    bound thread.y for y in 0..2 {
        bound thread.x for x in 0..16 {
            allocate s: f32[64] in shared
            bound threads for i in 0..64 {
                s[i] = A[0, i]
            }
            B[y, x] = s[x]
        }
    }
    bound thread.x for x2 in 0..64 {
        B[8, x2] = A[8, x2]
    }
)"));
    EXPECT_THAT(text, HasSubstr(R"(bound threads for i in 0..64 {
                    s[i] = A[0, i]
                })"))
        << text;
    EXPECT_THAT(text, HasSubstr("if thread_x < 16 {")) << text;
}

TEST(BindLevels, Warps) {
    const auto text = test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound warp for w in 0..4 {
            bound thread.x for x in 0..32 {
                B[b*4 + w, x] = A[b*4 + w, x]
            }
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("bound thread.y for thread_y in 0..4 {"));
    EXPECT_THAT(text, HasSubstr("bound thread.x for thread_x in 0..32 {"));
    EXPECT_THAT(text, HasSubstr("B[block_x*4 + thread_y, thread_x]"));
}

TEST(BindLevels, Clusters) {
    const auto text = test::after(bind_levels, kernel(R"(    bound block.x for b in 0..8 {
        bound cluster.x for c in 0..2 {
            bound thread.x for x in 0..64 {
                B[b*2 + c, x] = A[b*2 + c, x]
            }
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("bound block.x for block_x in 0..8 {\n"
                                "        bound cluster.x for cluster_x in 0..2 {\n"));
    EXPECT_THAT(text, HasSubstr("B[block_x*2 + cluster_x, thread_x]"));
}

TEST(DivideWork, AmongAllThreads) {
    EXPECT_EQ(test::after(divide_work, kernel(R"(    bound thread.y for ty in 0..4 {
        bound thread.x for tx in 0..32 {
            allocate s: f32[16, 16] in shared
            bound threads for i in 0..16 {
                bound threads for j in 0..16 {
                    s[i, j] = A[i, j]
                }
            }
        }
    }
)")),
              kernel(R"(    bound thread.y for ty in 0..4 {
        bound thread.x for tx in 0..32 {
            allocate s: f32[16, 16] in shared
            unrolled for i.part in 0..2 {
                let i.point = i.part*128 + (tx + ty*32)
                s[i.point/16, i.point%16] = A[i.point/16, i.point%16]
            }
        }
    }
)"));
}

TEST(DivideWork, TheLastPartIsGuarded) {
    const auto text = test::after(divide_work, kernel(R"(    bound thread.x for tx in 0..64 {
        allocate s: f32[100] in shared
        bound threads for i in 0..100 {
            s[i] = A[0, i%64]
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("if i.point < 100 {")) << text;
}

TEST(DivideWork, OneThreadsWorkStaysIts) {
    const auto text = test::after(divide_work, kernel(R"(    bound thread.x for tx in 0..64 {
        bound threads for one in 0..1 {
            B[0, 0] = A[0, 0]
        }
    }
)"));
    EXPECT_THAT(text, HasSubstr("if one.point < 1 {")) << text;
}

TEST(VirtualThreads, WorkOfAllIsDoneOnce) {
    EXPECT_EQ(test::after(virtual_threads, kernel(R"(    bound thread.x for t in 0..32 {
        bound vthread for v in 0..2 {
            allocate acc: f32[1] in register
            acc[0] = 0.0
            for k in 0..8 {
                allocate s: f32[64] in shared
                bound threads for i in 0..64 {
                    s[i] = A[k, i]
                }
                acc[0] = acc[0] + s[32*v + t]
            }
            B[v, t] = acc[0]
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        allocate acc: f32[2, 1] in register
        unrolled for v_1 in 0..2 {
            acc[v_1, 0] = 0.0
        }
        for k in 0..8 {
            allocate s: f32[64] in shared
            bound threads for i in 0..64 {
                s[i] = A[k, i]
            }
            unrolled for v_2 in 0..2 {
                acc[v_2, 0] = acc[v_2, 0] + s[32*v_2 + t]
            }
        }
        unrolled for v_3 in 0..2 {
            B[v_3, t] = acc[v_3, 0]
        }
    }
)"));
}

TEST(VirtualThreads, WorkOfAllReadsWhatTheFirstHas) {
    EXPECT_EQ(test::after(virtual_threads, kernel(R"(    bound thread.x for t in 0..32 {
        bound vthread for v in 0..2 {
            allocate own: f32[64] in local
            for i in 0..64 {
                own[i] = A[v, i]
            }
            allocate s: f32[64] in shared
            bound threads for j in 0..64 {
                s[j] = own[j]
            }
            B[v, t] = s[t] + own[t]
        }
    }
)")),
              kernel(R"(    bound thread.x for t in 0..32 {
        allocate own: f32[2, 64] in local
        for i in 0..64 {
            unrolled for v_1 in 0..2 {
                own[v_1, i] = A[v_1, i]
            }
        }
        allocate s: f32[64] in shared
        bound threads for j in 0..64 {
            s[j] = own[0, j]
        }
        unrolled for v_2 in 0..2 {
            B[v_2, t] = s[t] + own[v_2, t]
        }
    }
)"));
}

TEST(Launches, Shape) {
    const auto program = test::parsed(kernel(R"(    bound block.y for y in 0..8 {
        bound thread.x for x in 0..64 {
            B[y, x] = A[y, x]
        }
    }
)"));
    auto shape = launch_shape(program.launches[0]);
    ASSERT_TRUE(shape);
    EXPECT_EQ(shape->threads(), 64);
    EXPECT_EQ(shape->blocks(), 8);
    EXPECT_EQ(shape->grid[1].variable, "y");
    EXPECT_EQ(shape->grid[0].extent, 1);
}

// A collective step in a condition that differs between threads is no program.
TEST(Launches, CollectivesAreReachedByAll) {
    auto errors = [](const std::string& lines) {
        auto program = parse_program(kernel(lines));
        EXPECT_TRUE(program.ok()) << format(program.errors());
        return format(verify(*program));
    };
    EXPECT_THAT(errors(R"(    bound thread.x for x in 0..64 {
        if x < 32 {
            barrier block
        }
    }
)"),
                HasSubstr("a barrier of the block that not all threads reach"));
    EXPECT_EQ(errors(R"(    bound block.x for y in 0..64 {
        bound thread.x for x in 0..64 {
            for i in 0..y {
                barrier block
            }
        }
    }
)"),
              "");
    EXPECT_THAT(errors(R"(    bound thread.x for x in 0..64 {
        let n = x*2
        for i in 0..n {
            commit tok
        }
    }
)"),
                HasSubstr("a step of the pipeline tok that not all threads reach"));
}

} // namespace test_launches
} // namespace loopscope::lower
