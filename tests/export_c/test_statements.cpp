// Statements by hand: masks, lanes that read what other lanes write, atomic steps, symbols, names
// that C cannot take.
#include "tests/export_c/export_support.h"

#include "compiler/codegen/c/c_source.h"
#include "compiler/lower/passes.h"
#include "compiler/run/random_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstring>

using namespace loopscope;
using namespace loopscope::test;

namespace test_statements {
ExprPtr lanes_from(const ExprPtr& first, int lanes, std::int64_t stride = 1) {
    return ramp(first, constant_index(stride), lanes);
}

lower::Argument argument(const std::string& name, ScalarType type, std::int64_t size, bool output) {
    return {name, output ? lower::Role::Output : lower::Role::Input,
            type, {Extent(size)},
            {0},  {Extent(size)}};
}

lower::Program program(const std::string& name, std::vector<lower::Argument> arguments,
                       lower::StatementPtr body) {
    lower::Program p;
    p.name = name;
    p.arguments = std::move(arguments);
    p.flat = true;
    lower::Launch launch;
    launch.name = name;
    launch.body = std::move(body);
    for (const auto& a : p.arguments)
        launch.arguments.push_back(a.buffer);
    p.launches = {launch};
    return p;
}

Buffer random(ScalarType type, std::int64_t size, std::uint64_t seed = 3) {
    return random_buffer(type, {size}, seed, RandomMode::SmallWhole).value();
}

void expect_as_compiled(const lower::Program& p, const Buffers& inputs) {
    auto source = codegen::c_source(p);
    ASSERT_TRUE(source.ok()) << format(source.errors());
    auto expected = run_jit(lower::unroll(p, {}), inputs);
    auto objects = shared_objects(source->text + call_wrapper(p, source->function));
    for (std::size_t c = 0; c < objects.size(); ++c)
        expect_equal(run_object(objects[c], source->function, p, inputs), expected,
                     p.name + " by " + compilers()[c].label);
}

TEST(Statements, LanesReadBeforeAnyWrites) {
    auto type = ScalarType::I32;
    auto at = lanes_from(constant_index(0), 16), reversed = lanes_from(constant_index(15), 16, -1);
    auto body = lower::block({lower::store({}, "out", {at}, load("a", type, {at})),
                              lower::store({}, "out", {at}, load("out", type, {reversed})),
                              lower::store({}, "out", {at}, load("out", type, {reversed}),
                                           binary(Op::Greater, load("out", type, {at}),
                                                  broadcast(constant_index(0), 16)))});
    expect_as_compiled(program("reversal",
                               {argument("a", type, 16, false), argument("out", type, 16, true)},
                               body),
                       {{"a", random(type, 16)}});
}

TEST(Statements, LanesOnOnePlaceWriteInOrder) {
    auto type = ScalarType::I32;
    auto at = lanes_from(constant_index(0), 8);
    auto place = binary(Op::Divide, at, broadcast(constant_index(3), 8));
    auto body = lower::store({}, "out", {place}, load("a", type, {at}));
    expect_as_compiled(program("collisions",
                               {argument("a", type, 8, false), argument("out", type, 3, true)},
                               body),
                       {{"a", random(type, 8)}});
}

TEST(Statements, MasksLetsAndBranches) {
    auto type = ScalarType::F32;
    auto i = variable("i");
    auto at = lanes_from(binary(Op::Multiply, i, constant_index(8)), 8);
    auto mask = binary(Op::Less, at, broadcast(constant_index(21), 8));
    auto name = vector_variable("tail.mask", ScalarType::Bool, 8);
    auto value = masked_load("a", type, {at}, name);
    auto square = vector_variable("square", type, 8);
    auto body = lower::let_statement(
        {}, "tail.mask", mask,
        lower::let_statement(
            {}, "square", binary(Op::Multiply, value, value),
            lower::if_then({}, binary(Op::Less, i, constant_index(2)),
                           lower::store({}, "out", {at}, binary(Op::Add, square, value), name),
                           lower::store({}, "out", {at}, unary(Op::Negate, square), name))));
    body = lower::for_loop({}, "i", constant_index(0), constant_index(3), lower::ForKind::Parallel,
                           body);
    expect_as_compiled(
        program("masks", {argument("a", type, 21, false), argument("out", type, 21, true)}, body),
        {{"a", random(type, 21)}});
}

// What merge_lanes makes: chains of conditions with loads, calls and negations, of which nothing is
// skipped; arms of selects that load; several stores; masks that stay.
TEST(Statements, LoopsOfElements) {
    auto type = ScalarType::F32;
    constexpr int kLanes = 8, kElements = 40;
    auto v = variable("v");
    auto at = lanes_from(binary(Op::Multiply, v, constant_index(kLanes)), kLanes);
    auto a = load("a", type, {at}), b = load("b", type, {at});
    auto spread = [&](double x) { return broadcast(constant_float(type, x), kLanes); };
    auto small = binary(Op::Less, binary(Op::Min, a, b), spread(2));
    auto odd = binary(Op::NotEqual, load("n", ScalarType::Bool, {at}),
                      binary(Op::Less, b, binary(Op::Max, a, spread(0))));
    auto either = binary(Op::LogicalOr, binary(Op::LogicalAnd, small, unary(Op::LogicalNot, odd)),
                         binary(Op::LogicalAnd, binary(Op::LessEqual, odd, small),
                                binary(Op::Greater, call("exp", {a}), spread(1))));
    auto all = binary(Op::LogicalAnd, binary(Op::LogicalAnd, either, small),
                      binary(Op::LogicalAnd, small, binary(Op::Less, a, spread(3))));
    auto mask = vector_variable("on", ScalarType::Bool, kLanes);
    auto chosen = select(either, binary(Op::Divide, a, b), select(odd, b, spread(-1)));
    auto body = lower::let_statement(
        {}, "on", binary(Op::Less, b, spread(3)),
        lower::block({lower::store({}, "out", {at}, chosen), lower::store({}, "yes", {at}, all),
                      lower::store({}, "some", {at},
                                   binary(Op::Add, load("out", type, {at}),
                                          masked_load("a", type, {at}, mask)),
                                   mask)}));
    auto zero = lower::for_loop({}, "z", constant_index(0), constant_index(kElements),
                                lower::ForKind::Serial,
                                lower::store({}, "some", {variable("z")}, constant_float(type, 7)));
    auto loop = lower::for_loop({}, "v", constant_index(0), constant_index(kElements / kLanes),
                                lower::ForKind::Serial, body);
    auto p = program("elements",
                     {argument("a", type, kElements, false), argument("b", type, kElements, false),
                      argument("n", ScalarType::Bool, kElements, false),
                      argument("out", type, kElements, true),
                      argument("yes", ScalarType::Bool, kElements, true),
                      argument("some", type, kElements, true)},
                     lower::block({zero, loop}));
    Buffers inputs{{"a", random(type, kElements)},
                   {"b", random(type, kElements, 5)},
                   {"n", random(ScalarType::Bool, kElements)}};
    auto source = codegen::c_source(lower::simplify(lower::merge_lanes(p, {}), {}));
    ASSERT_TRUE(source.ok()) << format(source.errors());
    auto function = source->text.substr(source->text.find("void elements("));
    EXPECT_THAT(function, testing::HasSubstr("SIMD\n    for (int32_t v = 0; v < 40; v++) {"));
    EXPECT_THAT(function, testing::Not(testing::HasSubstr("&&")));
    auto expected = run_jit(p, inputs);
    auto objects = shared_objects(source->text + call_wrapper(p, source->function));
    for (std::size_t c = 0; c < objects.size(); ++c)
        expect_equal(run_object(objects[c], source->function, p, inputs), expected,
                     "elements by " + compilers()[c].label);
    expect_as_compiled(p, inputs); // lane by lane
}

TEST(Statements, StorageSmallAndLargeInSerialAndUnrolledLoops) {
    auto type = ScalarType::F64;
    auto i = variable("i"), j = variable("j"), k = variable("k");
    std::vector<lower::StatementPtr> parts;
    for (std::int64_t size : {40, 40000}) {
        auto buffer = "t" + std::to_string(size);
        auto fill =
            lower::for_loop({}, "j" + std::to_string(size), constant_index(0), constant_index(40),
                            lower::ForKind::Unrolled,
                            lower::store({}, buffer, {variable("j" + std::to_string(size))},
                                         load("a", type, {variable("j" + std::to_string(size))})));
        auto use = lower::for_loop(
            {}, "k" + std::to_string(size), constant_index(0), constant_index(40),
            lower::ForKind::Serial,
            lower::store({}, "out", {variable("k" + std::to_string(size))},
                         binary(Op::Add, load("out", type, {variable("k" + std::to_string(size))}),
                                load(buffer, type,
                                     {binary(Op::Subtract, constant_index(39),
                                             variable("k" + std::to_string(size)))}))));
        parts.push_back(
            lower::allocate({}, buffer, type, {Extent(size)}, {"host"}, lower::block({fill, use})));
    }
    auto zero =
        lower::for_loop({}, "z", constant_index(0), constant_index(40), lower::ForKind::Serial,
                        lower::store({}, "out", {variable("z")}, constant_float(type, 0.5)));
    parts.insert(parts.begin(), zero);
    expect_as_compiled(program("storage",
                               {argument("a", type, 40, false), argument("out", type, 40, true)},
                               lower::block(parts)),
                       {{"a", random(type, 40)}});
}

TEST(Statements, AtomicStepsOfEveryType) {
    std::vector<lower::Argument> arguments;
    std::vector<lower::StatementPtr> steps;
    Buffers inputs;
    constexpr int kSteps = 960, kLanes = 8;
    auto add = [&](ScalarType type, Op op, int lanes) {
        auto n = std::to_string(steps.size());
        auto i = variable("i" + n);
        auto at = lanes > 1 ? lanes_from(binary(Op::Multiply, i, constant_index(lanes)), lanes) : i;
        auto spread = [&](std::int64_t x) {
            return lanes > 1 ? broadcast(constant_index(x), lanes) : constant_index(x);
        };
        auto value = load("a" + n, type, {at});
        auto mask = binary(Op::NotEqual, binary(Op::Modulo, at, spread(5)), spread(0));
        arguments.push_back(argument("a" + n, type, kSteps, false));
        arguments.push_back(argument("out" + n, type, 4, true));
        // Whole numbers, few and small: any order gives the same result, also in bf16.
        auto values = random(type, kSteps, steps.size() + 1);
        if (op == Op::Multiply || bits(type) == 16)
            std::memset(values.data.data(), 0, values.data.size());
        inputs["a" + n] = std::move(values);
        auto first = is_float(type) ? constant_float(type, 3) : constant_int(type, 1);
        steps.push_back(lower::block(
            {lower::for_loop({}, "z" + n, constant_index(0), constant_index(4),
                             lower::ForKind::Serial,
                             lower::store({}, "out" + n, {variable("z" + n)}, first)),
             lower::for_loop({}, "i" + n, constant_index(0), constant_index(kSteps / lanes),
                             lower::ForKind::Parallel,
                             lower::atomic({}, "out" + n, {binary(Op::Modulo, at, spread(4))}, op,
                                           value, mask))}));
    };
    for (auto type :
         {ScalarType::I8, ScalarType::I32, ScalarType::U16, ScalarType::I64, ScalarType::U64,
          ScalarType::F16, ScalarType::BF16, ScalarType::F32, ScalarType::F64})
        for (auto op : {Op::Add, Op::Multiply, Op::Min, Op::Max})
            add(type, op, op == Op::Add ? kLanes : 1);
    add(ScalarType::Bool, Op::LogicalAnd, 1);
    add(ScalarType::Bool, Op::LogicalOr, kLanes);
    expect_as_compiled(program("atomics", arguments, lower::block(steps)), inputs);
}

// The comment on top says what holds of this program.
TEST(HeadComment, PromisesTheSameBitsOnlyWhereOrderIsFixed) {
    auto comment = [](ScalarType type, Op op) {
        auto value = is_float(type) ? constant_float(type, 1) : constant_int(type, 1);
        auto body =
            lower::for_loop({}, "i", constant_index(0), constant_index(8), lower::ForKind::Parallel,
                            lower::atomic({}, "out", {constant_index(0)}, op, value));
        auto source = codegen::c_source(program("p", {argument("out", type, 1, true)}, body));
        EXPECT_TRUE(source.ok());
        return source->text;
    };
    using testing::HasSubstr;
    EXPECT_THAT(comment(ScalarType::F32, Op::Add),
                HasSubstr("from run to run the results may differ"));
    EXPECT_THAT(comment(ScalarType::F64, Op::Multiply), HasSubstr("may differ by roundings"));
    for (auto op : {Op::Max, Op::Min})
        EXPECT_THAT(comment(ScalarType::F32, op),
                    HasSubstr("with any number of threads, except that"));
    EXPECT_THAT(comment(ScalarType::I32, Op::Add),
                HasSubstr("with any number of threads, except that"));
}

TEST(Names, ThatCCannotTake) {
    // Stages, loops and lets named like keywords, macros, functions of the library, helpers of the
    // file, and each other.
    const std::vector<std::string> names{"int",      "main",      "double",   "omp_get_thread_num",
                                         "a.b",      "a_b",       "NAN",      "signbit",
                                         "uint8_t",  "INT32_MAX", "memcpy",   "min_i32",
                                         "SIMD",     "lane",      "t",        "exp_f32",
                                         "I",        "linux",     "restrict", "atomic_int",
                                         "strtok",   "_Bool_",    "errno",    "INFINITY",
                                         "y1",       "allocate",  "EOF",      "std_x",
                                         "bits_f32", "held"};
    auto type = ScalarType::F32;
    std::vector<lower::Argument> arguments{argument("x", type, 8, false)};
    std::vector<lower::StatementPtr> body;
    for (const auto& name : names) {
        arguments.push_back(argument(name, type, 8, true));
        auto at = lanes_from(constant_index(0), 8);
        auto value = load("x", type, {at});
        body.push_back(lower::let_statement(
            {}, name + ".let", call("exp", {value}),
            lower::store({}, name, {at},
                         binary(Op::Min, vector_variable(name + ".let", type, 8),
                                reinterpret(type, reinterpret(ScalarType::U32, value))))));
        body.push_back(lower::for_loop({}, name + ".", constant_index(0), constant_index(8),
                                       lower::ForKind::Serial,
                                       lower::store({}, name, {variable(name + ".")},
                                                    load(name, type, {variable(name + ".")}))));
    }
    for (auto function :
         {"int", "main", "printf", "write", "omp_x", "matrix-product", "1st", "_x", "lane"}) {
        auto p = program(function, arguments, lower::block(body));
        auto source = codegen::c_source(p);
        ASSERT_TRUE(source.ok()) << format(source.errors());
        EXPECT_NE(source->function, "main");
        // one that no linker accepts, and one that replaces a function of the library
        if (std::string(function) != "int" && std::string(function) != "write")
            continue;
        Buffers inputs{{"x", random(type, 8)}};
        auto expected = run_jit(p, inputs);
        auto objects = shared_objects(source->text + call_wrapper(p, source->function));
        for (std::size_t c = 0; c < objects.size(); ++c)
            expect_equal(run_object(objects[c], source->function, p, inputs), expected,
                         std::string(function) + " by " + compilers()[c].label);
    }
}

TEST(Errors, NameWhatIsNotForC) {
    auto at = constant_index(0);
    auto store = lower::store({}, "out", {at}, load("a", ScalarType::F32, {at}));
    auto p = program(
        "bound",
        {argument("a", ScalarType::F32, 1, false), argument("out", ScalarType::F32, 1, true)},
        lower::for_loop({}, "i", constant_index(0), constant_index(1), lower::ForKind::Vectorized,
                        store));
    auto source = codegen::c_source(p);
    ASSERT_FALSE(source.ok());
    EXPECT_NE(format(source.errors()).find("loop i is still vectorised"), std::string::npos);
    p.launches[0].place = "device";
    EXPECT_FALSE(codegen::c_source(p).ok());
}

// What a compiler with these flags says of a small program; empty: nothing.
std::string said_by(const std::string& command) {
    auto at = constant_index(0);
    auto p = program(
        "plain",
        {argument("a", ScalarType::F32, 1, false), argument("out", ScalarType::F32, 1, true)},
        lower::store({}, "out", {at}, load("a", ScalarType::F32, {at})));
    auto file = scratch() / "guarded.c";
    FILE* out = fopen(file.c_str(), "w");
    fputs(codegen::c_source(p)->text.c_str(), out);
    fclose(out);
    std::string said;
    const int status = run_command(command + " -c -o /dev/null " + file.string(), said);
    return status == 0 ? "" : said;
}

TEST(Guards, RefuseFastMath) {
    EXPECT_NE(said_by("gcc -std=c11 -ffast-math").find("-ffast-math changes results"),
              std::string::npos);
}

// Floats that are computed in more bits than they have are refused; extensions that leave them
// alone are not.
TEST(Guards, AskHowFloatsAreComputed) {
    for (const char* standard : {"c11", "gnu11"}) {
        const auto gcc = std::string("gcc -std=") + standard;
        EXPECT_EQ(said_by(gcc), "");
#if defined(__x86_64__)
        EXPECT_EQ(said_by(gcc + " -mavx512fp16"), "");
        EXPECT_NE(said_by(gcc + " -mfpmath=387").find("float operations must round to float"),
                  std::string::npos);
#endif
    }
}

TEST(Comments, HoldAnyScheduleText) {
    auto at = constant_index(0);
    auto p = program(
        "plain",
        {argument("a", ScalarType::F32, 1, false), argument("out", ScalarType::F32, 1, true)},
        lower::store({}, "out", {at}, load("a", ScalarType::F32, {at})));
    codegen::COptions options;
    options.sizes = {{"H", 64}};
    options.schedule = "schedule for plain # */ int x; /* \\\n# ends with \\\n# ?\?/\n#\r\n# "
                       "\xe2\x80\xae turned \x01\n";
    auto source = codegen::c_source(p, options);
    ASSERT_TRUE(source.ok());
    EXPECT_NE(source->text.find("Sizes: H = 64."), std::string::npos);
    EXPECT_NE(source->text.find("ends with"), std::string::npos);
    shared_objects(source->text);
}

// Hints for memory: streaming stores where the compiler has them, prefetches; the same bits with
// all compilers.
TEST(Hints, StreamAndPrefetch) {
    const char* pipeline = "pipeline hints\ninput a[y, x]: f32[24, 100]\n"
                           "stage out[y, x]: f32 = a[y, x] * 2.0 + a[23 - y, x]\n"
                           "output out: [24, 100]\n";
    for (const char* lines :
         {"out.parallel(y)\nout.vectorize(x, 8)\nout.non_temporal()\nout.prefetch(a, y, 2)\n",
          "out.non_temporal()\nout.prefetch(a, x, 16)\n",
          "out.unroll(x, 4)\nout.non_temporal()\n"}) {
        auto tree = tree_of(pipeline, std::string("schedule for hints\n") + lines);
        ASSERT_TRUE(tree);
        auto p = lowered_for_c(*tree);
        auto source = codegen::c_source(p);
        ASSERT_TRUE(source.ok()) << format(source.errors());
        EXPECT_NE(source->text.find("    STREAM(out["), std::string::npos) << source->text;
        EXPECT_NE(source->text.find("#define STREAM(place, value) __builtin_nontemporal_store"),
                  std::string::npos);
        EXPECT_NE(source->text.find("__builtin_nontemporal_store, as clang does;"),
                  std::string::npos);
        bool prefetches = std::string(lines).find("prefetch") != std::string::npos;
        EXPECT_EQ(source->text.find("PREFETCH(a[") != std::string::npos, prefetches);
        auto inputs = random_inputs_of(*tree->pipeline, 7);
        auto expected = run_jit(lowered_for_jit(*tree), inputs);
        auto objects = shared_objects(source->text + call_wrapper(p, source->function));
        for (std::size_t c = 0; c < objects.size(); ++c)
            expect_equal(run_object(objects[c], source->function, p, inputs), expected,
                         std::string(lines) + " by " + compilers()[c].label);
    }
}

// Threads that read what others stored do so behind a fence: at the end of each task, before a
// parallel loop, and at the function's end.
TEST(Hints, FencesStandWhereThreadsMeet) {
    auto tree = tree_of("pipeline two\ninput a[i]: f32[64]\nstage b[i] = a[i] + 1.0\n"
                        "stage out[i]: f32 = b[63 - i]\noutput out: [64]\n",
                        "schedule for two\nb.non_temporal()\nout.parallel(i)\n");
    auto text = codegen::c_source(lowered_for_c(*tree))->text;
    auto parallel = text.find("    PARALLEL_FOR\n");
    ASSERT_NE(parallel, std::string::npos) << text;
    EXPECT_EQ(text.rfind("    STREAM_FENCE;\n", parallel) + 18, parallel) << text;
    EXPECT_NE(text.find("    STREAM_FENCE;\n}"), std::string::npos) << text;
    auto plain = codegen::c_source(lowered_for_c(
        *tree_of("pipeline one\ninput a[i]: f32[64]\nstage out[i] = a[i]\noutput out: [64]\n",
                 "schedule for one\n")));
    EXPECT_EQ(plain->text.find("STREAM"), std::string::npos);
}

} // namespace test_statements
