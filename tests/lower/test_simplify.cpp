#include "lower_support.h"

#include "compiler/lower/expression_text.h"
#include "compiler/lower/simplify_expression.h"

namespace loopscope::lower {
namespace {

TEST(Simplify, TheExampleOfItsHeader) {
    EXPECT_EQ(test::after(simplify, test::on_host("input A: f32[1024]\noutput out: f32[1024]",
                                                  R"(    for yo in 0..32 {
        let unused = yo + 1
        for yi in 0..32 {
            if yi + yo*32 < 1024 {
                for one in 0..1 {
                    out[32*yo + yi + one] = A[min(max(yi + 32*yo - 1, 0), 1023)]
                }
            }
        }
    }
)")),
              test::on_host("input A: f32[1024]\noutput out: f32[1024]", R"(    for yo in 0..32 {
        for yi in 0..32 {
            out[yo*32 + yi] = A[max(yo*32 + yi - 1, 0)]
        }
    }
)"));
}

// One expression of i32 variables x in 0..16 (outer) and y in 0..8 (inner), a u8 load b[x] and an
// f32 load f[x].
std::string simple(const std::string& text) {
    auto program = test::parsed("program p\ninput b: u8[16]\ninput f: f32[16]\nlaunch p on host "
                                "(b, f) {\nfor x in 0..16 {\nfor y in 0..8 {\nevaluate " +
                                text + "\n}\n}\n}\n");
    auto statement = simplify(program, {}).launches[0].body;
    while (statement->kind == StatementKind::For)
        statement = statement->children[0];
    return expression_text(statement->value);
}

TEST(Simplify, SumsAreCanonical) {
    EXPECT_EQ(simple("y + 3 + x*2 - y*4 - 1"), "x*2 - y*3 + 2");
    EXPECT_EQ(simple("4*(x + y) - 4*x"), "y*4");
    EXPECT_EQ(simple("x - x"), "0");
    EXPECT_EQ(simple("3 - x"), "3 - x");
    EXPECT_EQ(simple("y*x + x*y"), "x*y*2");
    EXPECT_EQ(simple("-(x - 2)"), "2 - x");
    EXPECT_EQ(simple("(x + 1)*(2 + 3)"), "x*5 + 5");
}

TEST(Simplify, QuotientsAndRemaindersOfOneDividendAreRejoined) {
    EXPECT_EQ(simple("(x*8 + y)/3*3 + (x*8 + y)%3"), "x*8 + y");
    EXPECT_EQ(simple("x*100 + (x*8 + y)/3*12 + 4*((x*8 + y)%3) + 1"), "x*132 + y*4 + 1");
    EXPECT_EQ(simple("(x*64 + y)/3*3 + (x + y)%3"), "x*64 + y"); // 64 is 1 more than 21*3
    EXPECT_EQ(simple("(x*64 + y)/3*3 + (x*2 + y)%3"), "(x*64 + y)/3*3 + (x*2 + y)%3");
    EXPECT_EQ(simple("(x - y)/3*3 + (x - y)%3"), "x - y"); // floor division: also below 0
    EXPECT_EQ(simple("(x*8 + y)/3*6 + (x*8 + y)%3"), "(x*8 + y)/3*6 + (x*8 + y)%3");
    EXPECT_EQ(simple("(x*8 + y)/5*3 + (x*8 + y)%3"), "(x*8 + y)/5*3 + (x*8 + y)%3");
    // Three axes: x/(d*c) and x/d%c are x/d, and that and x%d are x.
    EXPECT_EQ(simple("(x*8 + y)/15*5 + (x*8 + y)/3%5"), "(x*8 + y)/3");
    EXPECT_EQ(simple("(x*8 + y)/15*15 + (x*8 + y)/3%5*3 + (x*8 + y)%3"), "x*8 + y");
    // Values are simplified too, in the arithmetic of their type.
    EXPECT_EQ(simple("b[x]/3*3 + b[x]%3"), "b[x]");
}

TEST(Simplify, QuotientsOfVectorsAreRejoined) {
    EXPECT_EQ(simple("(ramp(x*64, 1, 64)/broadcast(3, 64))*broadcast(3, 64) + "
                     "ramp(x, 1, 64)%broadcast(3, 64) + broadcast(y*384, 64)"),
              "ramp(x*64 + y*384, 1, 64)");
}

TEST(Simplify, SumsOfSmallTypesWrapAndKeepSigns) {
    EXPECT_EQ(simple("b[x] + 255"), "b[x] - 1");
    EXPECT_EQ(simple("b[x] - b[y]"), "b[x] - b[y]");
    EXPECT_EQ(simple("(b[x] + b[y] + b[0])*3"),
              "(b[0] + b[x] + b[y])*3"); // values keep their factor
    EXPECT_EQ(simple("b[x]*128 + b[x]*128"), "0u8");
}

TEST(Simplify, RangesDecide) {
    EXPECT_EQ(simple("min(x, 20)"), "x");
    EXPECT_EQ(simple("max(x*8 + y, 0)"), "x*8 + y");
    EXPECT_EQ(simple("min(x*8 + y + 1, x*8 + 8)"), "x*8 + y + 1");
    EXPECT_EQ(simple("min(3, x)"), "min(x, 3)");
    EXPECT_EQ(simple("min(min(x, 9), 4)"), "min(x, 4)");
    EXPECT_EQ(simple("x*8 + y < 128"), "true");
    EXPECT_EQ(simple("x - y > 15"), "false");
    EXPECT_EQ(simple("x - y > 14"), "x - y > 14");
    EXPECT_EQ(simple("x == y + 16"), "false");
    EXPECT_EQ(simple("x < 3 and y < 8"), "x < 3");
    EXPECT_EQ(simple("not x < 3"), "x >= 3");
    EXPECT_EQ(simple("select(x >= 0, f[x], 1.0)"), "f[x]");
    EXPECT_EQ(simple("abs(x)"), "x");
    EXPECT_EQ(simple("max(min(max(x - 1, 0), 15), 0)"), "max(x - 1, 0)");
}

TEST(Simplify, DivisionByConstants) {
    EXPECT_EQ(simple("(x*8 + y)/8"), "x");
    EXPECT_EQ(simple("(x*8 + y) % 8"), "y");
    EXPECT_EQ(simple("(x*8 + y)/16"), "x/2");
    EXPECT_EQ(simple("(x*8 + y) % 16"), "x%2*8 + y");
    EXPECT_EQ(simple("(x*4 + y)/4"), "x + y/4");
    EXPECT_EQ(simple("(x*4 + y - 4)/4"), "x + y/4 - 1");
    EXPECT_EQ(simple("y/8"), "0");
    EXPECT_EQ(simple("(y - 8)/8"), "-1");
    EXPECT_EQ(simple("(y - 8) % 8"), "y");
    EXPECT_EQ(simple("x/0"), "0");
    EXPECT_EQ(simple("x/1"), "x");
    EXPECT_EQ(simple("x/y"), "x/y");
}

TEST(Simplify, FloatsOnlyByWhatHoldsForEveryValue) {
    EXPECT_EQ(simple("f[x]*1.0"), "f[x]");
    EXPECT_EQ(simple("f[x] + 0.0"), "f[x] + 0.0"); // -0 + 0 is +0
    EXPECT_EQ(simple("f[x] + -0.0"), "f[x]");
    EXPECT_EQ(simple("f[x] - 0.0"), "f[x]");
    EXPECT_EQ(simple("f[x]*0.0"), "f[x]*0.0");
    EXPECT_EQ(simple("f[x] - f[x]"), "f[x] - f[x]");
    EXPECT_EQ(simple("not f[x] < 1.0"), "not f[x] < 1.0"); // NaN
    EXPECT_EQ(simple("2.0*3.0 + f[x]"), "6.0 + f[x]");
    EXPECT_EQ(simple("(f[x] + 1.0) + 2.0"), "f[x] + 1.0 + 2.0");
}

TEST(Simplify, VectorsBecomeRampsAndBroadcasts) {
    EXPECT_EQ(simple("ramp(x, 1, 8)*broadcast(4, 8) + broadcast(y, 8)"), "ramp(x*4 + y, 4, 8)");
    EXPECT_EQ(simple("ramp(x, 1, 8) - ramp(y, 1, 8)"), "broadcast(x - y, 8)");
    EXPECT_EQ(simple("i64(ramp(x, 2, 4))"), "ramp(i64(x), 2, 4)");
    EXPECT_EQ(simple("f[broadcast(x, 8)]"), "broadcast(f[x], 8)");
    EXPECT_EQ(simple("broadcast(f[x], 8)*broadcast(2.0, 8)"), "broadcast(f[x]*2.0, 8)");
    EXPECT_EQ(simple("ramp(y, 1, 8) < broadcast(15, 8)"), "broadcast(true, 8)");
    EXPECT_EQ(simple("ramp(y, 1, 9) < broadcast(15, 9)"), "ramp(y, 1, 9) < broadcast(15, 9)");
    EXPECT_EQ(simple("min(ramp(x*8, 1, 8), broadcast(127, 8))"), "ramp(x*8, 1, 8)");
    EXPECT_EQ(simple("ramp(x*8, 1, 8)/broadcast(8, 8)"), "broadcast(x, 8)");
    EXPECT_EQ(simple("f[ramp(x, 1, 2) where ramp(x, 1, 2) < broadcast(90, 2)]"),
              "f[ramp(x, 1, 2)]");
}

TEST(Simplify, LetsOfOneNameKeepTheirValues) {
    // Copies of an inlined definition share the nodes of their bodies.
    auto body = binary(Op::Multiply, variable("t"), variable("t"));
    auto first = let("t", constant_int(ScalarType::I32, 3), body),
         second = let("t", binary(Op::Add, variable("x"), constant_int(ScalarType::I32, 1)), body);
    KnownFacts scope;
    scope.bind_loop("x", constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, 8));
    auto sum = ExpressionSimplifier(scope).run(binary(Op::Add, first, second));
    EXPECT_EQ(expression_text(sum), "(let t = x + 1 in t*t) + 9");
}

TEST(Simplify, LooksThroughLetsWhereTermsCancel) {
    auto text = test::after(simplify, test::on_host("output out: f32[16]", R"(    for y in 0..2 {
        let min = y*8 - 1
        for i in 0..8 {
            out[y*8 + i - min] = 1.0
            out[max(min + i, 0)] = 1.0
        }
    }
)"));
    EXPECT_NE(text.find("out[i + 1] = 1.0"), std::string::npos) << text;
    EXPECT_NE(text.find("out[max(min + i, 0)] = 1.0"), std::string::npos) << text;
}

TEST(Simplify, ConditionsHoldInTheirBranches) {
    EXPECT_EQ(test::after(simplify, test::on_host("input n: i32[1]\noutput out: f32[100]",
                                                  R"(    for y in 0..128 {
        if y < 100 {
            out[min(y, 99)] = 1.0
        }
        if n[0] > 3 {
            if n[0] > 3 {
                out[0] = 2.0
            } else {
                out[0] = 3.0
            }
        }
    }
    for a in 0..8 {
        for b in a..+8 - a {
            out[min(b, 7)] = select(b >= a, 1.0, 2.0)
        }
    }
)")),
              test::on_host("input n: i32[1]\noutput out: f32[100]", R"(    for y in 0..128 {
        if y < 100 {
            out[y] = 1.0
        }
        if n[0] > 3 {
            out[0] = 2.0
        }
    }
    for a in 0..8 {
        for b in a..+8 - a {
            out[b] = 1.0
        }
    }
)"));
}

TEST(Simplify, DropsWhatDoesNothing) {
    EXPECT_EQ(test::after(simplify, test::on_host("output out: f32[8]", R"(    let a = 3
    let b = a + 4
    for x in 0..0 {
        out[x] = 1.0
    }
    if b < 7 {
        out[0] = 1.0
    } else {
        out[1] = 1.0
    }
    for e in 0..8 {
        allocate t: f32[4] in register
        if e < 0 {
            t[0] = 1.0
        }
    }
    out[ramp(0, 1, 8) where broadcast(false, 8)] = broadcast(0.0, 8)
    out[ramp(0, 1, 8) where broadcast(true, 8)] = broadcast(4.0, 8)
)")),
              test::on_host("output out: f32[8]", R"(    out[1] = 1.0
    out[ramp(0, 1, 8)] = broadcast(4.0, 8)
)"));
}

} // namespace
} // namespace loopscope::lower
