// Reductions over vectorised axes keep an accumulator a lane, which are combined after the loops.
#include "lower_support.h"

namespace loopscope::lower {
namespace test_lane_accumulators {

std::string program(const std::string& lines) {
    return "\nprogram p\ninput a: f32[64, 64]\noutput s: f32[64]\nlaunch p on host (a, s) {\n" +
           lines + "}\n";
}

TEST(LaneAccumulators, CombineOnceAfterTheLoops) {
    EXPECT_EQ(test::after(
                  [](const Program& p, const TargetInfo& t) {
                      return simplify(vectorize(lane_accumulators(p, t), t), t);
                  },
                  test::on_host("input a: f32[4, 1000]\noutput s: f32[4]", R"(    for i in 0..4 {
        s[i] = 0.0
        for ko in 0..250 {
            vectorised for ki in 0..4 {
                s[i] = s[i] + a[i, ko*4 + ki]
            }
        }
    }
)")),
              test::on_host("input a: f32[4, 1000]\noutput s: f32[4]", R"(    for i in 0..4 {
        s[i] = 0.0
        allocate s.lanes_1: f32[4] in register
        s.lanes_1[ramp(0, 1, 4)] = broadcast(-0.0, 4)
        for ko in 0..250 {
            s.lanes_1[ramp(0, 1, 4)] = s.lanes_1[ramp(0, 1, 4)] + a[i, ramp(ko*4, 1, 4)]
        }
        allocate s.lanes_2: f32[4] in register
        s.lanes_2[ramp(0, 1, 4)] = s.lanes_1[ramp(0, 1, 4)]
        s[i] = s[i] + s.lanes_2[0]
        s[i] = s[i] + s.lanes_2[1]
        s[i] = s[i] + s.lanes_2[2]
        s[i] = s[i] + s.lanes_2[3]
    }
)"));
}

TEST(LaneAccumulators, OnlyWhereThePlaceIsInsideForCertain) {
    auto text =
        test::after(lane_accumulators,
                    test::on_host("input a: f32[4, 1000]\noutput s: f32[4]", R"(    for i in 0..5 {
        for ko in 0..250 {
            vectorised for ki in 0..4 {
                if i + ko < 4 {
                    s[i] = s[i] + a[i, ko*4 + ki]
                }
            }
        }
    }
)"));
    EXPECT_EQ(text.find("lanes"), std::string::npos) << text;
}

// Lanes that store nothing combine a neutral value; a difference is a sum of what is subtracted.
TEST(LaneAccumulators, BeginWithNeutralValues) {
    EXPECT_EQ(test::after(lane_accumulators, program(R"(    for ko in 0..8 {
        vectorised for ki in 0..8 {
            if ko*8 + ki < 60 {
                s[0] = max(s[0], a[0, ko*8 + ki])
            }
        }
    }
    for no in 0..8 {
        vectorised for ni in 0..8 {
            s[1] = s[1] - a[0, no*8 + ni]
        }
    }
)")),
              program(R"(    allocate s.lanes_1: f32[8] in register {
        vectorised for ki.first_1 in 0..8 {
            s.lanes_1[ki.first_1] = -inf
        }
        for ko in 0..8 {
            vectorised for ki in 0..8 {
                if ko*8 + ki < 60 {
                    s.lanes_1[ki - 0] = max(s.lanes_1[ki - 0], a[0, ko*8 + ki])
                }
            }
        }
        vectorised for ki.last_1 in 0..8 {
            s[0] = max(s[0], s.lanes_1[ki.last_1])
        }
    }
    allocate s.lanes_2: f32[8] in register
    vectorised for ni.first_1 in 0..8 {
        s.lanes_2[ni.first_1] = -0.0
    }
    for no in 0..8 {
        vectorised for ni in 0..8 {
            s.lanes_2[ni - 0] = s.lanes_2[ni - 0] - a[0, no*8 + ni]
        }
    }
    vectorised for ni.last_1 in 0..8 {
        s[1] = s[1] + s.lanes_2[ni.last_1]
    }
)"));
}

// A vectorised loop alone, which vectorize combines as well; another element in each iteration; a
// second store; a term that reads what is summed.
TEST(LaneAccumulators, LeaveWhatIsNoNestOfOneElement) {
    const auto text = program(R"(    for i in 0..8 {
        vectorised for ka in 0..8 {
            s[i] = s[i] + a[i, ka]
        }
        for ko in 0..8 {
            vectorised for kb in 0..8 {
                s[ko] = s[ko] + a[i, ko*8 + kb]
            }
        }
        for kc in 0..8 {
            vectorised for kd in 0..8 {
                s[i] = s[i] + a[i, kc*8 + kd]
                s[i + 8] = 1.0
            }
        }
        for ke in 0..8 {
            vectorised for kf in 0..8 {
                s[i] = s[i] + s[ke]
            }
        }
    }
)");
    EXPECT_EQ(test::after(lane_accumulators, text), text);
}

} // namespace test_lane_accumulators
} // namespace loopscope::lower
