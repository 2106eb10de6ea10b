// run: files in, files out, params from shapes.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include "compiler/run/array_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope {
namespace {

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

} // namespace
} // namespace loopscope
