// Every invariant of program.h: a program that breaks it, and what the verifier says.
#include "lower_support.h"

#include "compiler/lower/statements.h"

namespace loopscope::lower {
namespace {

ExprPtr i32(std::int64_t v) { return constant_int(ScalarType::I32, v); }

Program with_body(StatementPtr body) {
    Program p;
    p.name = "p";
    p.arguments = {{"A", Role::Input, ScalarType::F32, {Extent(4)}, {}, {}},
                   {"out", Role::Output, ScalarType::F32, {Extent(4), Extent(4)}, {}, {}}};
    p.launches = {{"p", "host", {"A", "out"}, std::move(body)}};
    return p;
}

void expect_broken(const Program& p, const std::string& message) {
    auto errors = verify(p);
    ASSERT_FALSE(errors.empty()) << message;
    EXPECT_NE(errors[0].message.find(message), std::string::npos) << format(errors);
}

void expect_broken(StatementPtr body, const std::string& message) {
    expect_broken(with_body(std::move(body)), message);
}

StatementPtr fine_store() {
    return store({}, "out", {i32(0), i32(1)}, constant_float(ScalarType::F32, 1));
}

TEST(Verify, AcceptsWhatIsRight) {
    EXPECT_TRUE(verify(with_body(fine_store())).empty());
    EXPECT_TRUE(verify(with_body(for_loop({}, "i", i32(0), i32(4), ForKind::Serial, fine_store())))
                    .empty());
}

TEST(Verify, NamesAreDefinedAndUnique) {
    auto i = variable("i");
    auto use = store({}, "out", {i, i}, constant_float(ScalarType::F32, 1));
    expect_broken(use, "the variable i is not in scope");
    auto loop = for_loop({}, "i", i32(0), i32(4), ForKind::Serial, use);
    EXPECT_TRUE(verify(with_body(loop)).empty());
    expect_broken(block({loop, loop}), "variable i is bound twice");
    auto shadow = let_statement(
        {}, "i", i32(1),
        for_loop({}, "j", let("i", i32(0), variable("i")), i32(1), ForKind::Serial, use));
    expect_broken(shadow, "let i hides a variable");
    auto buffer = [&] {
        return allocate({}, "t", ScalarType::F32, {Extent(1)}, {"host"}, fine_store());
    };
    expect_broken(block({buffer(), buffer()}), "buffer t is allocated twice");
    expect_broken(allocate({}, "A", ScalarType::F32, {Extent(1)}, {"host"}, fine_store()),
                  "has an argument's name");
}

TEST(Verify, BuffersAreKnownAndUsedAsDeclared) {
    auto one = constant_float(ScalarType::F32, 1);
    expect_broken(store({}, "t", {i32(0)}, one), "a store to the unknown buffer t");
    expect_broken(store({}, "A", {i32(0)}, one), "a store to the input A");
    expect_broken(store({}, "out", {i32(0)}, one), "out has 2 indices, not 1");
    expect_broken(store({}, "out", {i32(0), i32(0)}, i32(1)), "a store of i32 to out");
    expect_broken(store({}, "out", {i32(0), one}, one), "an index of out is f32");
    expect_broken(store({}, "out", {i32(0), i32(0)}, load("A", ScalarType::F64, {i32(0)})),
                  "a load of f64 from A");
    expect_broken(store({}, "out", {i32(0), i32(0)}, load("A", ScalarType::F32, {i32(0), i32(0)})),
                  "A has 1 indices, not 2");
    expect_broken(store({}, "out", {i32(0), i32(0)}, load("A", ScalarType::F32, {i32(0)}, 1)),
                  "a load of a component");
    auto flat = with_body(fine_store());
    flat.flat = true;
    expect_broken(flat, "out has 1 indices, not 2");
    auto bad = edited(allocate({}, "t", ScalarType::F32, {Extent(1)}, {"host"}, fine_store()),
                      [](Statement& s) { s.storage->alignment = 48; });
    expect_broken(bad, "alignment is no power of two");
    expect_broken(
        edited(bad, [](Statement& s) { s.storage->alignment = 64, s.storage->scope = {}; }),
        "has no scope");
    expect_broken(
        edited(bad,
               [](Statement& s) { s.storage->alignment = 64, s.storage->rotation.slot_count = 0; }),
        "rotates 0 slots");
}

TEST(Verify, TypesAndLanesAgree) {
    auto f = constant_float(ScalarType::F32, 1);
    auto lanes = ramp(i32(0), i32(1), 4);
    auto evaluate = [](ExprPtr e) { return lower::evaluate({}, std::move(e)); };
    expect_broken(evaluate(binary(Op::Add, lanes, i32(1))), "operands of + have different lanes");
    expect_broken(evaluate(select(binary(Op::Less, lanes, lanes), f, f)),
                  "a select's arm has another type or lanes");
    expect_broken(evaluate(binary(Op::Add, constant_bool(true), constant_bool(true))), "+ of bool");
    expect_broken(store({}, "out", {i32(0), ramp(i32(0), i32(1), 4)}, broadcast(f, 8)),
                  "a store of 8 lanes at 4");
    expect_broken(store({}, "out", {i32(0), lanes}, broadcast(f, 4), constant_bool(true)),
                  "other lanes than the value");
    expect_broken(if_then({}, binary(Op::Less, lanes, lanes), fine_store()),
                  "an if's condition is not a bool scalar");
    expect_broken(for_loop({}, "i", constant_int(ScalarType::U8, 0),
                           constant_int(ScalarType::U8, 4), ForKind::Serial, fine_store()),
                  "loop i runs over u8");
    expect_broken(edited(for_loop({}, "i", i32(0), i32(4), ForKind::Serial, fine_store()),
                         [](Statement& s) { s.loop->level = "block.x"; }),
                  "its level do not agree");
    expect_broken(let_statement({}, "t", lanes, evaluate(variable("t"))),
                  "the variable t is used with another type");
}

TEST(Verify, LaunchesUseKnownBuffers) {
    auto p = with_body(fine_store());
    p.launches[0].arguments.push_back("B");
    expect_broken(p, "launch p uses the unknown buffer B");
    p.launches[0].arguments = {"A"};
    expect_broken(p, "a store to the unknown buffer out");
    p.arguments[0].extents = {Extent::symbol("N", 4)};
    expect_broken(p, "the unknown symbol N");
}

TEST(Verify, MessagesNameTheNode) {
    auto s = store({"C", 0, "@compute"}, "out", {i32(0), i32(0)}, i32(1));
    expect_broken(s, "(at C/@compute)");
}

} // namespace
} // namespace loopscope::lower
