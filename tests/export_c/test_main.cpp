// The main of an exported program: .npy files in and out, and clear errors for what does not fit.
#include "tests/export_c/export_support.h"

#include "compiler/run/numpy.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace loopscope;
using namespace loopscope::test;

namespace {

// Outputs with a window and without, of several types and ranks.
constexpr const char* kPipeline = R"(pipeline shapes
input a[i, j]: f32[5, 7]
input n[i]: u8[9]
input flag: bool[3]
input half[i]: f16[4]
stage wide[i, j]: f32 = a[clamp(i, 0, 4), clamp(j, 0, 6)]*2.0
stage three[i, j]: f32 = wide[i, j-1] + wide[i, j+1] + wide[i+1, j]
stage total[i]: i64 = sum[k in 0..9](i64(n[k]))
stage not_flag[i]: bool = not flag[i]
stage same[i]: f16 = half[i]
output wide: [5, 7]
output three: [5, 7]
output total: [1]
output not_flag: [3]
output same: [4]
)";

class Main : public ::testing::Test {
protected:
    void SetUp() override {
        tree = tree_of(kPipeline, "");
        program = lowered_for_c(*tree);
        codegen::COptions options;
        options.with_main = true;
        auto source = codegen::c_source(program, options);
        ASSERT_TRUE(source.ok()) << format(source.errors());
        auto file = path("shapes.c");
        std::ofstream(file) << source->text;
        std::string said;
        ASSERT_EQ(
            run_command("gcc -std=c11 -Wall -Wextra -Werror -O1 -fsanitize=address,undefined -o " +
                            path("shapes") + " " + file + " -lm",
                        said),
            0)
            << said;
        inputs = random_inputs_of(*tree->pipeline, 4);
        for (const auto& [name, buffer] : inputs)
            ASSERT_TRUE(write_numpy(path(name + ".npy"), buffer).ok());
    }

    static std::string path(const std::string& name) { return (scratch() / name).string(); }

    std::string arguments(const std::string& changed = {}, const std::string& file = {}) const {
        std::string text;
        for (const auto& a : program.arguments)
            text += " " + a.buffer + "=" +
                    (a.buffer == changed
                         ? file
                         : path((a.role == lower::Role::Output ? "out_" : "") + a.buffer + ".npy"));
        return text;
    }

    void expect_error(const std::string& arguments, const std::string& words,
                      int status = 1) const {
        std::string said;
        EXPECT_EQ(run_command(path("shapes") + arguments, said), status) << said;
        EXPECT_NE(said.find(words), std::string::npos) << "wanted: " << words << "\ngot: " << said;
    }

    ScheduleTreePtr tree;
    lower::Program program;
    Buffers inputs;
};

TEST_F(Main, ReadsAndWritesFiles) {
    std::string said;
    ASSERT_EQ(run_command(path("shapes") + arguments(), said), 0) << said;
    auto expected = run_jit(lowered_for_jit(*tree), inputs);
    Buffers actual;
    for (const auto& [name, buffer] : expected) {
        auto read = read_numpy(path("out_" + name + ".npy"));
        ASSERT_TRUE(read.ok()) << format(read.errors());
        EXPECT_EQ(read->type, buffer.type);
        actual[name] = std::move(*read);
    }
    expect_equal(actual, expected, "through files");
}

// The dictionary as numpy.save writes it, to the letter: some readers compare it as a text.
TEST_F(Main, WritesTheHeaderThatNumpyWrites) {
    std::string said;
    ASSERT_EQ(run_command(path("shapes") + arguments(), said), 0) << said;
    auto dictionary = [&](const std::string& name) {
        std::ifstream in(path("out_" + name + ".npy"), std::ios::binary);
        std::string bytes((std::istreambuf_iterator<char>(in)), {});
        return bytes.substr(10, bytes.find('}') - 9);
    };
    EXPECT_EQ(dictionary("wide"), "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 7), }");
    EXPECT_EQ(dictionary("same"), "{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }");
}

TEST_F(Main, SaysWhatDoesNotFit) {
    expect_error("", "there is no file for a", 2);
    expect_error(arguments() + " a=" + path("a.npy"), "given twice", 2);
    expect_error(" b=" + path("a.npy"), "no NAME=FILE of an array", 2);
    expect_error(arguments("a", path("missing.npy")), "cannot be read");
    expect_error(arguments("a", path("shapes.c")), "is no .npy file");
    expect_error(arguments("a", path("n.npy")), "the type is '|u1', but a takes '<f4'");
    expect_error(arguments("n", path("flag.npy")), "the type is '|b1', but n takes '|u1'");
    auto write = [&](const std::string& name, const Buffer& buffer) {
        EXPECT_TRUE(write_numpy(path(name), buffer).ok());
        return path(name);
    };
    for (std::vector<std::int64_t> shape : {std::vector<std::int64_t>{7, 5}, {35}, {5, 7, 1}, {}})
        expect_error(
            arguments("a", write("shape.npy", make_buffer(ScalarType::F32, shape).value())),
            "the shape is not that of a, which is (5, 7)");
    std::ifstream in(path("a.npy"), std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(in)), {});
    auto damaged = [&](const std::string& name, const std::string& content) {
        std::ofstream(path(name), std::ios::binary) << content;
        return path(name);
    };
    expect_error(arguments("a", damaged("short.npy", bytes.substr(0, bytes.size() - 1))),
                 "is cut short");
    expect_error(arguments("a", damaged("header.npy", bytes.substr(0, 20))), "is cut short");
    expect_error(arguments("a", damaged("long.npy", bytes + "x")),
                 "holds more than its header says");
    auto fortran = bytes;
    fortran.replace(fortran.find("False"), 5, "True ");
    expect_error(arguments("a", damaged("fortran.npy", fortran)), "Fortran's order");
    auto big = bytes;
    big.replace(big.find("<f4"), 3, ">f4");
    expect_error(arguments("a", damaged("big.npy", big)), "the type is '>f4'");
    for (std::size_t cut = 10; cut < 70;
         ++cut) { // damaged headers of all kinds end in an error, never a crash
        auto text = bytes;
        text[cut] = '(';
        std::string said;
        int status = run_command(path("shapes") + arguments("a", damaged("odd.npy", text)), said);
        EXPECT_TRUE(status == 0 || (status == 1 && said.find("error: ") == 0))
            << cut << ": " << said;
    }
    expect_error(arguments("three", "/nonexistent/folder/three.npy"), "cannot be written");
}

} // namespace
