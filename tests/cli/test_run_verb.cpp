// run: files in, files out, params from shapes.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include "compiler/run/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace loopscope {
namespace test_run_verb {

using nlohmann::json;
using test::pipeline;
using test::run_cli;
using test::schedule;
using testing::HasSubstr;

std::string write_array_file(const std::string& name, Buffer buffer) {
    auto path = test::scratch_folder() + "/" + name;
    auto done = write_array(path, buffer);
    EXPECT_TRUE(done) << (done ? "" : format(done.errors()));
    return path;
}

Buffer floats(std::vector<std::int64_t> extents, float (*value)(std::int64_t)) {
    auto buffer = make_buffer(ScalarType::F32, std::move(extents)).value();
    for (std::int64_t i = 0; i < buffer.count(); ++i)
        buffer.as<float>()[i] = value(i);
    return buffer;
}

TEST(Run, MultipliesMatricesOfTheirOwnSizes) {
    auto a = floats({3, 5}, [](std::int64_t i) { return float(i); });
    auto b = floats({5, 4}, [](std::int64_t i) { return float(i % 7) - 3; });
    auto out = test::scratch_folder() + "/c.npy";
    auto outcome = run_cli({"run", pipeline("matmul"), "-s", schedule("matmul"), "--input",
                            "A=" + write_array_file("a.npy", a), "--input",
                            "B=" + write_array_file("b.npy", b), "--output", "C=" + out, "--json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(json::parse(outcome.out).at("params"), (json{{"M", 3}, {"N", 4}, {"K", 5}}));
    auto c = read_array(out).value();
    ASSERT_EQ(c.extents, (std::vector<std::int64_t>{3, 4}));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 4; ++j) {
            float sum = 0; // whole numbers: exact in any order
            for (int k = 0; k < 5; ++k)
                sum += a.as<float>()[i * 5 + k] * b.as<float>()[k * 4 + j];
            EXPECT_EQ(c.as<float>()[i * 4 + j], sum) << i << ", " << j;
        }
}

TEST(Run, APhotographByItsOwnSize) {
    auto out = test::scratch_folder() + "/corners.png";
    auto outcome = run_cli({"run", pipeline("harris"), "-s", schedule("harris"), "--input",
                            "img=" + test::source_path("resources/images/rocket.png"), "--output",
                            "corners=" + out});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("H = 427"));
    auto picture = read_array(out).value();
    EXPECT_EQ(picture.type, ScalarType::U8);
    EXPECT_EQ(picture.extents, (std::vector<std::int64_t>{427, 640}));
}

// A refusal of `run` that says what is needed.
void refused(const std::vector<std::string>& arguments, const std::vector<std::string>& parts) {
    auto all = arguments;
    all.insert(all.begin(), "run");
    auto outcome = run_cli(all);
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    for (const auto& part : parts)
        EXPECT_THAT(outcome.err, HasSubstr(part));
}

TEST(Run, PartsOfATupleAreOutputsOfTheirOwn) {
    auto program =
        test::write_file("p.loop", "pipeline p\nparam N = 4\ninput a[i, k]: f32[N, 6]\n"
                                   "stage C[i] = argmax[k in 0..6](a[i, k])\noutput C: [N]\n");
    auto a =
        write_array_file("a.npy", floats({3, 6}, [](std::int64_t i) { return float(i * 5 % 7); }));
    auto folder = test::scratch_folder();
    auto outcome =
        run_cli({"run", program, "--input", "a=" + a, "--output", "C.0=" + folder + "/value.npy",
                 "--output", "C.1=" + folder + "/at.npy"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("C.1"));
    auto value = read_array(folder + "/value.npy").value(),
         at = read_array(folder + "/at.npy").value();
    ASSERT_EQ(value.type, ScalarType::F32);
    ASSERT_EQ(at.type, ScalarType::I32);
    for (int i = 0; i < 3; ++i) {
        int best = 0;
        auto term = [&](int k) { return float((i * 6 + k) * 5 % 7); };
        for (int k = 1; k < 6; ++k)
            best = term(k) > term(best) ? k : best;
        EXPECT_EQ(at.as<std::int32_t>()[i], best);
        EXPECT_EQ(value.as<float>()[i], term(best));
    }
    auto one =
        run_cli({"run", program, "--input", "a=" + a, "--output", "C.1=" + folder + "/b.npy"});
    EXPECT_EQ(one.status, 0) << "one part alone: " << one.err;
    refused({program, "--input", "a=" + a, "--output", "C=c.npy"},
            {"the output `C` is a tuple", "--output C.0=FILE.npy"});
    refused({program, "--input", "a=" + a, "--output", "C.2=c.npy"}, {"no output `C.2`"});
}

TEST(Run, OutputsGoToFilesOfTheirOwn) {
    auto program = test::write_file("p.loop", "pipeline p\ninput a[i]: f32[4]\nstage s[i] = a[i]\n"
                                              "stage t[i] = a[i]\noutput s: [4]\noutput t: [4]\n");
    auto a = write_array_file("a.npy", floats({4}, [](std::int64_t i) { return float(i); }));
    auto folder = test::scratch_folder();
    refused({program, "--input", "a=" + a, "--output", "s=" + folder + "/o.npy", "--output",
             "t=" + folder + "/./o.npy"},
            {"the outputs `s` and `t` go to one file", "give each a file of its own"});
    EXPECT_FALSE(std::filesystem::exists(folder + "/o.npy"));
    refused({program, "--input", "a=" + a, "--output", "s.0=" + folder + "/o.npy"},
            {"the output `s` is no tuple; --output s=FILE.npy"});
    auto square =
        write_array_file("b.npy", floats({2, 2}, [](std::int64_t i) { return float(i); }));
    refused({program, "--input", "a=" + square, "--output", "s=" + folder + "/o.npy"},
            {"give an array of 1 dimension\n"});
}

// As the user has named them, although the worker gets absolute paths.
TEST(Run, NamesFilesAsGiven) {
    auto program = test::write_file("p.loop", "pipeline p\ninput a[i]: f32[4]\nstage s[i] = a[i]\n"
                                              "output s: [4]\n");
    auto outcome = run_cli({"run", program, "--input", "a=not/there.npy", "--output", "s=o.npy"});
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("'not/there.npy'"));
}

// The channels of a PNG come first; a program that has them last takes the image otherwise than its
// author thinks.
TEST(Run, SaysHowAColourImageWasRead) {
    auto image = make_buffer(ScalarType::U8, {3, 5, 7}).value();
    auto png = write_array_file("p.png", std::move(image));
    auto folder = test::scratch_folder();
    auto any = test::write_file("p.loop", "pipeline p\nparam H = 2\nparam W = 2\nparam Q = 2\n"
                                          "input a[y, x, c]: u8[H, W, Q]\n"
                                          "stage s[y, x] = a[y, x, 0]\noutput s: [H, W]\n");
    auto outcome =
        run_cli({"run", any, "--input", "a=" + png, "--output", "s=" + folder + "/o.npy"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("was read as a[channel, row, column]: "));
    auto last = test::write_file("q.loop", "pipeline p\nparam H = 2\nparam W = 2\n"
                                           "input a[y, x, c]: u8[H, W, 3]\n"
                                           "stage s[y, x] = a[y, x, 0]\noutput s: [H, W]\n");
    refused({last, "--input", "a=" + png, "--output", "s=" + folder + "/o.npy"},
            {"a PNG of several channels is read as [channel, row, column]"});
}

TEST(Run, SixteenBitFloats) {
    auto program = test::write_file(
        "h.loop",
        "pipeline h\nparam N = 4\ninput a[x]: f16[N]\ninput b[x]: bf16[N]\n"
        "stage c[x] = a[x] + a[x]\nstage d[x] = b[x] * b[x]\noutput c: [N]\noutput d: [N]\n");
    auto a = make_buffer(ScalarType::F16, {3}).value(),
         b = make_buffer(ScalarType::BF16, {3}).value();
    const std::uint16_t halves[] = {0x3c00, 0x4200, 0x0001}; // 1, 3, the least denormal
    const std::uint16_t brains[] = {0x3f80, 0x4040, 0xbf00}; // 1, 3, -0.5
    std::copy_n(halves, 3, a.as<std::uint16_t>());
    std::copy_n(brains, 3, b.as<std::uint16_t>());
    auto folder = test::scratch_folder();
    auto b_file = write_array_file("b.npy", b);
    EXPECT_EQ(read_array(b_file)->type, ScalarType::U16) << "raw u2";
    auto outcome = run_cli({"run", program, "--input", "a=" + write_array_file("a.npy", a),
                            "--input", "b=" + b_file, "--output", "c=" + folder + "/c.npy",
                            "--output", "d=" + folder + "/d.npy"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    auto c = read_array(folder + "/c.npy").value(), d = read_array(folder + "/d.npy").value();
    ASSERT_EQ(c.type, ScalarType::F16);
    ASSERT_EQ(d.type, ScalarType::U16);
    const std::uint16_t doubled[] = {0x4000, 0x4600, 0x0002}, squared[] = {0x3f80, 0x4110, 0x3e80};
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(c.as<std::uint16_t>()[i], doubled[i]) << i;
        EXPECT_EQ(d.as<std::uint16_t>()[i], squared[i]) << i;
    }
    auto wide = write_array_file("w.npy", floats({3}, [](std::int64_t) { return 1.0f; }));
    refused({program, "--input", "a=" + wide, "--input", "b=" + wide, "--output", "c=c.npy"},
            {"w.npy holds f32, the input `a` is f16",
             "the input `b` is bf16; bf16 is read from an .npy "
             "file of u2"});
    refused({program, "--input", "a=" + wide, "--input",
             "b=" + write_array_file("p.png", make_buffer(ScalarType::U16, {3, 3}).value()),
             "--output", "c=c.npy"},
            {"p.png holds u16, the input `b` is bf16"});
}

TEST(Run, ShapesThatDoNotFitSayWhatWould) {
    auto program = test::write_file(
        "s.loop", "pipeline s\nparam N = 8\nparam K = 4\ninput a[x]: f32[2*N + 1]\n"
                  "input b[y, x]: f32[K, 5]\nstage c[x] = a[x] + b[0, 0]\noutput c: [N]\n");
    auto array = [](std::vector<std::int64_t> extents) {
        return write_array_file("in.npy",
                                floats(std::move(extents), [](std::int64_t) { return 1.0f; }));
    };
    auto a = "a=" + array({17}), b = "b=" + array({4, 5});
    refused({program, "--input", "a=" + array({13}), "--input", b, "--output", "c=c.npy"},
            {"has the shape [13], the input `a` is [17]",
             "set --param N=6, or give an array of the "
             "shape [17]"});
    refused(
        {program, "--input", "a=" + array({12}), "--input", b, "--output", "c=c.npy"},
        {"has the shape [12]", "the pipeline fixes that extent: give an array of the shape [17]"});
    refused({program, "--input", a, "--input", "b=" + array({4, 6}), "--output", "c=c.npy"},
            {"has the shape [4, 6], the input `b` is [4, 5]", "fixes that extent"});
    refused({program, "--input", a, "--input", "b=" + array({3, 5}), "--param", "K=4", "--output",
             "c=c.npy"},
            {"the input `b` is [4, 5]", "set --param K=3"});
    refused({program, "--input", a, "--input", "b=" + array({20}), "--output", "c=c.npy"},
            {"give an array of 2 dimensions"});
}

TEST(Run, AShapeThatMakesTheProgramWrongIsNamed) {
    auto program = test::write_file("t.loop", "pipeline t\nparam N = 8\ninput a[x]: f32[N]\n"
                                              "stage c[x] = a[x]\noutput c: [8]\n");
    auto a = write_array_file("a.npy", floats({5}, [](std::int64_t) { return 1.0f; }));
    refused({program, "--input", "a=" + a, "--output", "c=c.npy"},
            {"the shapes of the arrays give N = 5"});
}

TEST(Run, RefusesWhatDoesNotFit) {
    auto a = write_array_file("a.npy", floats({3, 5}, [](std::int64_t) { return 1.0f; }));
    auto b = write_array_file("b.npy", floats({6, 4}, [](std::int64_t) { return 1.0f; }));
    auto c = "C=" + test::scratch_folder() + "/c.npy";
    auto refused = [&](const std::vector<std::string>& more, const std::string& message) {
        std::vector<std::string> all{"run", pipeline("matmul")};
        all.insert(all.end(), more.begin(), more.end());
        auto outcome = run_cli(all);
        EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(message));
    };
    refused({"--input", "A=" + a, "--input", "B=" + b, "--output", c},
            "the arrays do not agree on K");
    refused({"--input", "A=" + a, "--output", c}, "the input `B` has no file");
    refused({"--input", "A=" + a, "--input", "BB=" + b, "--output", c},
            "the pipeline has no input `BB`");
    refused({"--input", "A=" + a, "--input", "B=" + a, "--output", "D=d.npy"}, "do not agree");
    refused({"--param", "K=5", "--input", "A=" + a, "--input", "B=" + b, "--output", c},
            "has the shape [6, 4]");
    refused({"--input", "A=/nowhere/a.npy", "--input", "B=" + b, "--output", c}, "/nowhere/a.npy");
    refused({"--input", "A", "--output", c}, "is not NAME=FILE");
    auto whole = make_buffer(ScalarType::I32, {3, 5}).value();
    refused({"--input", "A=" + write_array_file("i.npy", whole), "--input",
             "B=" + write_array_file("b.npy", floats({5, 4}, [](std::int64_t) { return 1.0f; })),
             "--output", c},
            "types are never converted");
}

} // namespace test_run_verb
} // namespace loopscope
