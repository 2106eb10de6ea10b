// Exit statuses other than 0, each by the real program, with what it says.
#include "tests/cli/run_cli.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace loopscope {
namespace {

using test::pipeline;
using test::run_cli;
using test::schedule;
using testing::HasSubstr;

const char* const kSum = "pipeline total\nparam N = 64\ninput a[i, k]: f32[8, N]\n"
                         "stage s[i] = sum[k in 0..N](a[i, k] * 0.1)\noutput s: [8]\n";

// The sum in another order: every eighth term first.
const char* const kReordered = "schedule for total\ns.split(k, ko, ki, 8)\ns.reorder(i, ki, ko)\n";

void expect_bad_input(const std::vector<std::string>& arguments, const std::string& message) {
    auto outcome = run_cli(arguments);
    EXPECT_EQ(outcome.status, 2) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr(message));
    EXPECT_EQ(outcome.out, "") << "diagnostics go to standard error";
}

// A sum in another order: right by the rule, wrong when no difference at all is tolerated.
TEST(Status, OneIsAWrongResult) {
    auto program = test::write_file("total.loop", kSum);
    auto script = test::write_file("total.sched", kReordered);
    auto by_rule = run_cli({"check", program, "-s", script, "--json"});
    EXPECT_EQ(by_rule.status, 0) << by_rule.out << by_rule.err;
    auto answer = nlohmann::json::parse(by_rule.out);
    EXPECT_EQ(answer.at("reassociates"), true);
    EXPECT_THAT(
        answer.at("method").get<std::string>(),
        HasSubstr("within n u sum|terms| in any order (n = 64, u = 2^-24 of f32), at most "));
    auto strict = run_cli({"check", program, "-s", script, "--tolerance", "0"});
    EXPECT_EQ(strict.status, 1) << strict.out << strict.err;
    EXPECT_THAT(strict.out, testing::StartsWith("WRONG"));
    EXPECT_THAT(strict.out, HasSubstr("first difference: s["));
}

// Fractions in bf16: whole numbers are not exact, and the bounds on reals are as great as the
// values.
TEST(Status, SaysWhereACheckCouldNotTell) {
    auto program = test::write_file(
        "loose.loop", "pipeline loose\ninput a[i, k]: bf16[8, 512]\n"
                      "stage s[i] = sum[k in 0..512](a[i, k] * 0.3)\noutput s: [8]\n");
    auto script = test::write_file("loose.sched", "schedule for loose\ns.vectorize(k, 8)\n");
    auto outcome = run_cli({"check", program, "-s", script});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, testing::StartsWith("right, as far as it could be told: "));
    EXPECT_THAT(outcome.out, HasSubstr("that bound excludes nothing for s"));
}

TEST(Status, OneForMeasureWhoseCheckFails) {
    // The rule holds here, so measuring with a check ends well.
    auto program = test::write_file("total.loop", kSum);
    auto script = test::write_file("total.sched", kReordered);
    auto outcome = run_cli({"measure", program, "-s", script, "--check", "--budget", "0.2"});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("result right"));
}

TEST(Status, WholeNumbersAreComparedInBitsWhereSumsAreExact) {
    auto program =
        test::write_file("whole.loop", "pipeline whole\nparam N = 64\ninput a[i, k]: f32[8, N]\n"
                                       "stage s[i] = sum[k in 0..N](a[i, k])\noutput s: [8]\n");
    auto script = test::write_file(
        "whole.sched", "schedule for whole\ns.split(k, ko, ki, 8)\ns.reorder(i, ki, ko)\n");
    auto outcome = run_cli({"check", program, "-s", script});
    EXPECT_EQ(outcome.status, 0) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("sums exact in any order: bits equal"));
    auto tenth = run_cli({"check", test::write_file("total.loop", kSum), "-s",
                          test::write_file("total.sched", kReordered)});
    EXPECT_THAT(tenth.out, HasSubstr("do not make its sums exact"));
}

TEST(Status, TwoIsBadInput) {
    expect_bad_input({"show", "/nowhere/p.loop"}, "/nowhere/p.loop");
    expect_bad_input(
        {"show",
         test::write_file("p.loop", "pipeline p\nstage out[x] = nme[x]\noutput out: [4]\n")},
        ":2:16: error:");
    expect_bad_input({"show", pipeline("blur"), "--param", "Q=3"}, "Q");
    expect_bad_input({"show", pipeline("blur"), "--param", "H=three"}, "is not NAME=INTEGER");
    expect_bad_input({"show", pipeline("blur"), "--param", "H=3", "--param", "H=4"},
                     "H is given twice");
    expect_bad_input({"tree", pipeline("blur"), "-s", schedule("matmul")}, "matmul");
    expect_bad_input({"tree", pipeline("blur"), "-s",
                      test::write_file("b.sched", "schedule for blur\nout.splt(y, a, b, 8)\n")},
                     ":2:");
    expect_bad_input({"check", pipeline("blur"), "-s",
                      test::write_file("b.sched", "schedule for blur\nout.split(q, a, b, 8)\n")},
                     ":2:");
    expect_bad_input({"format", test::write_file("p.txt", "x")},
                     "neither a .loop nor a .sched file");
    expect_bad_input({"estimate", pipeline("blur"), "--device", "i7-6700", "--model", "bottlneck"},
                     "did you mean `bottleneck`?");
    expect_bad_input({"emit", pipeline("blur"), "--as", "nonsense"}, "no form `nonsense`");
    expect_bad_input({"emit", pipeline("blur"), "--as", "loops", "--arch", "sm_90"}, "--arch");
    expect_bad_input({}, "subcommand");
    expect_bad_input({"shw", pipeline("blur")}, "there is no verb `shw`; did you mean `show`?");
    expect_bad_input({"foo"}, "there is no verb `foo`; the verbs are show, tree, check, ");
    expect_bad_input({"show"}, "pipeline");
    expect_bad_input({"show", pipeline("blur"), "--json", "--dot"}, "--dot");
    expect_bad_input({"check", pipeline("blur"), "--threads", "0"}, "--threads");
}

TEST(Status, WhatIsNotInThisVersionSaysSoByName) {
    expect_bad_input({"tune", pipeline("blur"), "--device", "host"},
                     "`tune` is not in this version");
    expect_bad_input({"tree", pipeline("blur"), "-s", "auto"}, "`-s auto` is not in this version");
    expect_bad_input({"check", pipeline("blur"), "-s", "auto"}, "`-s auto` is not in this version");
}

TEST(Status, ThreeIsAMissingTargetOrDevice) {
    for (std::string verb : {"check", "measure", "run"})
        for (std::string target : {"sycl", "quantum"}) {
            auto outcome = run_cli({verb, pipeline("blur"), "--target", target});
            EXPECT_EQ(outcome.status, 3) << verb << " " << target << outcome.err;
            EXPECT_THAT(outcome.err, HasSubstr("target `" + target + "`"));
        }
    auto gpu = run_cli({"check", pipeline("blur"), "--target", "cuda"}, "",
                       "export LOOPSCOPE_CUDA_LIBRARY=/nowhere");
    EXPECT_EQ(gpu.status, 3) << gpu.err;
    EXPECT_THAT(gpu.err, HasSubstr("there is no NVIDIA driver"));
    auto device = run_cli({"estimate", pipeline("blur"), "--device", "i7-670"});
    EXPECT_EQ(device.status, 3);
    EXPECT_THAT(device.err, HasSubstr("did you mean `i7-6700`?"));
}

TEST(Status, FourIsALimit) {
    auto late = run_cli({"measure", pipeline("matmul"), "--budget", "100", "--timeout", "0.5"});
    EXPECT_EQ(late.status, 4) << late.out << late.err;
    EXPECT_THAT(late.err, HasSubstr("did not finish within 0.5 s"));
    auto large =
        run_cli({"measure", pipeline("copy"), "--param", "H=2000000", "--param", "W=1000000"});
    EXPECT_EQ(large.status, 4) << large.out << large.err;
    EXPECT_THAT(large.err, HasSubstr("error: "));
}

TEST(Status, FourIsOutputThatCannotBeWritten) {
    std::vector<std::vector<std::string>> lines{
        {"--help"}, {"show", pipeline("blur")}, {"tree", pipeline("blur"), "--json"}, {"devices"}};
    for (const auto& line : lines) {
        auto outcome = run_cli(line, "/dev/full");
        EXPECT_EQ(outcome.status, 4) << line.front();
        EXPECT_EQ(outcome.err, "error: cannot write standard output: No space left on device\n");
    }
    std::vector<std::string> check{"check",   pipeline("blur"), "--param", "H=16",
                                   "--param", "W=16",           "--json"};
    EXPECT_EQ(run_cli(check, "/dev/full").status, 4);
}

// A limit on the size of files, as a disk without room: no fault of the input.
TEST(Status, FourIsADiskThatIsFull) {
    const auto out = test::scratch_folder() + "/blur.c";
    auto outcome = run_cli({"emit", pipeline("blur"), "--as", "c", "-o", out}, "", "ulimit -f 1");
    EXPECT_EQ(outcome.status, 4) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("File too large; make room there, or name another place"));
    EXPECT_FALSE(std::filesystem::exists(out));
    EXPECT_EQ(run_cli({"emit", pipeline("blur"), "--as", "c", "-o", "/dev/full"}).status, 4);
    outcome = run_cli({"bundle", test::scratch_folder() + "/b", "--job",
                       "one=" + pipeline("copy") + ",H=64,W=64", "--with-agent"},
                      "", "ulimit -f 1");
    EXPECT_EQ(outcome.status, 4) << outcome.err;
}

TEST(Status, FourIsAnEstimateThatTakesTooLong) {
    auto outcome = run_cli({"estimate", pipeline("harris"), "-s", schedule("harris"), "--device",
                            "i7-6700", "--timeout", "0.000001"});
    EXPECT_EQ(outcome.status, 4) << outcome.out << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("`estimate` did not finish within 1e-06 s"));
    EXPECT_EQ(outcome.out, "");
}

TEST(Status, TwoIsANumberThatIsNone) {
    auto blur = pipeline("blur");
    for (std::string text : {"nan", "inf", "0", "-1", "", "five"}) {
        expect_bad_input({"check", blur, "--timeout", text}, "must be a positive number\n");
        expect_bad_input({"measure", blur, "--budget", text}, "must be a positive number\n");
    }
    for (std::string text : {"nan", "inf", "-1", ""})
        expect_bad_input({"check", blur, "--tolerance", text}, "must be 0 or a positive number\n");
    for (std::string text : {"", "-1", "18446744073709551616", "1.5", "one"})
        expect_bad_input({"check", blur, "--seed", text}, "must be a whole number from 0 to ");
    EXPECT_EQ(run_cli({"check", blur, "--param", "H=16", "--param", "W=16", "--seed",
                       "18446744073709551615"})
                  .status,
              0);
}

TEST(Status, TwoIsAScriptThatIsNotUtf8) {
    auto script = test::write_file("b.sched", "schedule for blur\n# caf\xe9\nout.parallel(y)\n");
    for (std::string verb : {"tree", "check", "emit", "lint", "estimate", "measure"}) {
        auto outcome = run_cli({verb, pipeline("blur"), "-s", script});
        EXPECT_EQ(outcome.status, 2) << verb;
        EXPECT_THAT(outcome.err, HasSubstr(":2:6: error: byte 0xe9 is not valid UTF-8")) << verb;
        EXPECT_THAT(outcome.err, testing::Not(HasSubstr("\xe9"))) << verb;
    }
}

TEST(Status, ThreeIsATargetLineThatNamesNoDevice) {
    auto unknown = test::write_file("c.sched", "schedule for blur\ntarget zork\n");
    for (std::string verb : {"tree", "check", "emit", "lint", "estimate", "measure", "run"}) {
        auto outcome = run_cli({verb, pipeline("blur"), "-s", unknown});
        EXPECT_EQ(outcome.status, 3) << verb << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(":2:8: error: no device is called `zork`")) << verb;
    }
    for (const auto& [name, meant] :
         {std::pair{"A100", "did you mean `a100-pcie-40gb` or `a100-sxm-40gb`?"},
          {"h100", "did you mean `h100-sxm`?"},
          {"RTX3090", "did you mean `rtx3090`?"},
          {"h20", "did you mean `h200`?"},
          {"zork", "known are: host, a100-pcie-40gb, "}}) {
        auto outcome = run_cli(
            {"lint", pipeline("blur"), "-s",
             test::write_file("e.sched", "schedule for blur\ntarget " + std::string(name) + "\n")});
        EXPECT_THAT(outcome.err, HasSubstr(meant));
    }
    EXPECT_EQ(run_cli({"check", pipeline("blur"), "-s",
                       test::write_file("d.sched", "schedule for blur\ntarget host\n"), "--param",
                       "H=16", "--param", "W=16"})
                  .status,
              0);
}

TEST(Status, ThreeIsADeviceThatIsOnlyDescribed) {
    auto script = test::write_file("d.sched", "schedule for blur\ntarget i7-6700\n");
    for (std::string verb : {"check", "measure", "run"}) {
        auto by_option = run_cli({verb, pipeline("blur"), "--target", "i7-6700"});
        EXPECT_EQ(by_option.status, 3) << verb << by_option.err;
        EXPECT_THAT(by_option.err, HasSubstr("`i7-6700` is a described device, for which only "
                                             "estimates are possible"));
        auto by_script = run_cli({verb, pipeline("blur"), "-s", script});
        EXPECT_EQ(by_script.status, 3) << verb << by_script.err;
        EXPECT_THAT(by_script.err, HasSubstr(":2:8: error: `i7-6700` is a described device"));
        EXPECT_THAT(by_script.err, HasSubstr("estimate --device i7-6700"));
    }
    auto estimate = run_cli({"estimate", pipeline("blur"), "-s", script});
    EXPECT_EQ(estimate.status, 0) << estimate.err;
    EXPECT_EQ(run_cli({"tree", pipeline("blur"), "-s", script}).status, 0);
    EXPECT_EQ(run_cli({"emit", pipeline("blur"), "-s", script}).status, 0);
}

// i7-6700's description with one value changed, in a file of its own.
std::string device_with(const char* pointer, const nlohmann::json& value) {
    auto device =
        nlohmann::json::parse(test::read_file(test::source_path("resources/devices/i7-6700.json")));
    device[nlohmann::json::json_pointer(pointer)] = value;
    return test::write_file("d.json", device.dump(2));
}

TEST(Status, TwoIsAFileThatDescribesNoDevice) {
    auto bad = [](const std::string& file, const std::string& message) {
        for (std::string verb : {"estimate", "tree"})
            expect_bad_input({verb, pipeline("blur"), "--device", file}, message);
    };
    auto folder = std::filesystem::path(test::write_file("x", "")).parent_path().string();
    bad(folder, "error: '" + folder + "' is a folder; name a file");
    bad(test::write_file("d.json", "{\"x\": 1e999}"),
        "d.json:1:7: error: the number 1e999 is too large; leave out what is not known");
    bad(test::write_file("d.json", "{\"x\": "), "error: not a JSON text");
    bad(folder + "/none.json", "error: cannot open '" + folder + "/none.json': No such file");
    bad(device_with("/vector_bits", (std::int64_t(1) << 32) + 256),
        "error: vector_bits must be a power of two from 64 to 2048, and is 4294967552");
    bad(device_with("/memory_bytes_per_second/value", 1e-308),
        "memory_bytes_per_second.value must be a number from 1000.0 to 1e+18, and is 1e-308");
    bad(device_with("/name", "host"), "name is \"host\", which stands for this machine");
}

TEST(Status, ADevicesNameGivesATerminalNothingToActOn) {
    auto device = device_with("/name", "red\x1b[31m");
    auto estimate = run_cli({"estimate", pipeline("blur"), "--device", device, "--threads", "99"});
    EXPECT_EQ(estimate.status, 0) << estimate.err;
    EXPECT_THAT(estimate.out, HasSubstr("on red [31m (described"));
    EXPECT_THAT(estimate.err, HasSubstr("note: red [31m runs 8 threads"));
    EXPECT_THAT(estimate.out + estimate.err, testing::Not(HasSubstr("\x1b")));
}

TEST(Status, TwoIsAFileOfTheOtherKind) {
    auto commented = test::write_file("c.sched", "\xef\xbb\xbf# for blur\n\nschedule for blur\n");
    for (std::string verb : {"show", "tree", "check", "emit", "lint", "estimate", "measure", "run"})
        for (auto file : {schedule("blur"), commented})
            expect_bad_input({verb, file}, file +
                                               " is a schedule, and this place takes a pipeline; "
                                               "give the .loop file first");
    for (std::string verb : {"tree", "check", "emit", "lint", "estimate", "measure", "run"})
        expect_bad_input({verb, pipeline("blur"), "-s", pipeline("matmul")},
                         pipeline("matmul") + " is a pipeline, and -s takes a schedule; give a "
                                              ".sched file");
}

TEST(Status, SilenceOnStandardErrorWhenAllIsWell) {
    EXPECT_EQ(run_cli({"tree", pipeline("blur"), "-s", schedule("blur")}).err, "");
    EXPECT_EQ(run_cli({"check", pipeline("blur"), "--param", "H=16", "--param", "W=16"}).err, "");
}

} // namespace
} // namespace loopscope
