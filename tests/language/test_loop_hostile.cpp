// Hostile files: an error, in bounded memory and processor time. Each case runs in a child process
// whose limits the kernel enforces, so that a case that breaks them cannot take the tests along.
#include "core/base/sanitized.h"
#include "tests/language/loop_support.h"
#include "tests/support/support.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <functional>

namespace loopscope::test {
namespace {

constexpr rlim_t kMegabytes = 500;

#if defined(LOOPSCOPE_SANITIZED)
constexpr bool kLimitMemory = false;          // their shadow memory needs the address space
constexpr rlim_t kProcessorSeconds = 10 * 15; // the thread sanitizer slows some fifteen times
#elif defined(LOOPSCOPE_COVERAGE)
constexpr bool kLimitMemory = true;
constexpr rlim_t kProcessorSeconds = 10 * 10; // each branch counts itself
#else
constexpr bool kLimitMemory = true;
constexpr rlim_t kProcessorSeconds = 10; // the product promises 2; slow machines get room
#endif

// "" when the text was refused with `expected` in the messages; else what went wrong.
std::string refused(const std::function<std::string()>& make_text, const std::string& expected) {
    int channel[2];
    if (pipe(channel) != 0)
        return "no pipe";
    auto child = fork();
    if (child == 0) {
        close(channel[0]);
        rlimit processor{kProcessorSeconds, kProcessorSeconds};
        setrlimit(RLIMIT_CPU, &processor);
        auto text = make_text();
        rlimit memory{kMegabytes << 20, kMegabytes << 20};
        if (kLimitMemory)
            setrlimit(RLIMIT_DATA, &memory);
        auto result = load_pipeline(source(text));
        auto message = result ? std::string("it loads") : format(result.errors(), 3);
        bool fine = !result && message.find(expected) != std::string::npos;
        if (!fine &&
            write(channel[1], message.data(), std::min<std::size_t>(message.size(), 2'000)) < 0)
            _exit(2);
        _exit(fine ? 0 : 1);
    }
    close(channel[1]);
    std::string out;
    char buffer[2'048];
    for (ssize_t n = 0; (n = read(channel[0], buffer, sizeof buffer)) > 0;)
        out.append(buffer, static_cast<std::size_t>(n));
    close(channel[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        return "ended by signal " + std::to_string(WTERMSIG(status));
    return WEXITSTATUS(status) == 0 ? "" : "refused otherwise: " + out;
}

std::string repeat(const std::string& text, int count) {
    std::string out;
    out.reserve(text.size() * static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i)
        out += text;
    return out;
}

const std::string kHead = "pipeline p\ninput a[i]: f32[8] boundary zero\n";
const std::string kTail = "\noutput s: [8]\n";

std::string stage(const std::string& expression) {
    return kHead + "stage s[i] = " + expression + kTail;
}

TEST(LoopHostile, BytesThatAreNoText) {
    EXPECT_EQ(refused([] { return std::string(3'000'000, '\xF4'); }, "is not valid UTF-8"), "");
    EXPECT_EQ(
        refused([] { return std::string(15'000'000, '\0'); }, "unexpected control character 0"),
        "");
    EXPECT_EQ(refused([] { return repeat("@ \n", 5'000'000); }, "unexpected character '@'"), "");
    EXPECT_EQ(refused([] { return std::string(15'000'000, '#'); }, "expected 'pipeline NAME'"), "");
    EXPECT_EQ(
        refused([] { return repeat("a ", 7'000'000); }, "the file has more than 1000000 tokens"),
        "");
}

TEST(LoopHostile, DeepNesting) {
    const std::string deep = "nested more than 256 levels deep";
    const int n = 100'000;
    EXPECT_EQ(refused([&] { return stage(repeat("(", n) + "a[i]" + repeat(")", n)); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("(", n)); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("a[", n) + "i" + repeat("]", n)); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("-", n) + "a[i]"); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("not ", n) + "true"); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("a[i]**", n) + "2"); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("let t = 1 in ", n) + "t"); }, deep), "");
    EXPECT_EQ(refused([&] { return stage(repeat("abs(", n) + "a[i]" + repeat(")", n)); }, deep),
              "");
    EXPECT_EQ(refused([&] { return kHead + repeat("if true {\n", n); }, deep), "");
    EXPECT_EQ(refused([&] { return kHead + repeat("for i in 0..1 { ", n); }, deep), "");
    EXPECT_EQ(
        refused([&] { return kHead + "if true { } " + repeat("else if true { } ", n); }, deep), "");
    EXPECT_EQ(refused([&] { return stage("g" + repeat("{g", n)); }, deep), "");
    EXPECT_EQ(refused([&] { return stage("a[i]" + repeat(" + a[i]", n)); },
                      "more than 2000 operators one inside the other"),
              "");
}

TEST(LoopHostile, TooManyIterations) {
    const std::string many = "more than 1,000,000 statements";
    EXPECT_EQ(refused([] { return kHead + "for l in 0..1000000000000 { stage s{l}[i] = a[i] }\n"; },
                      many),
              "");
    EXPECT_EQ(refused([] { return kHead + "for l in 0..1000000000000 { }\n"; }, many), "");
    EXPECT_EQ(
        refused([] { return kHead + "for l in -9223372036854775807..9223372036854775807 { }\n"; },
                many),
        "");
    EXPECT_EQ(refused(
                  [] {
                      return kHead +
                             "for l in 0..1000 { for m in 0..1000 { for n in 0..1000 { } } }\n";
                  },
                  many),
              "");
    const std::string nodes = "expands to more than 2,000,000 expression nodes";
    EXPECT_EQ(refused(
                  [] {
                      return kHead +
                             "for l in 0..3000 { for m in 0..l+1 { stage t{l}_{m}[i] = a[i] } }\n";
                  },
                  nodes),
              "");
    EXPECT_EQ(refused([] { return kHead + "for l in 0..900000 { stage t{l}[i] = nowhere }\n"; },
                      "unknown name 'nowhere'"),
              "");
    EXPECT_EQ(refused([] { return stage("sum[k in 0..1000000000000](a[k])"); },
                      "leaves the range of i32"),
              "");
}

TEST(LoopHostile, DefsThatGrowExponentially) {
#if defined(LOOPSCOPE_THREAD_SANITIZER)
    GTEST_SKIP() << "single-threaded, and the thread sanitizer keeps a deep stack for each of its "
                    "many allocations: above 12 GB in all";
#endif
    auto chain = [](const std::string& first,
                    const std::function<std::string(const std::string&)>& next, int count,
                    const std::string& use) {
        std::string out = kHead + "def h0" + first + "\n";
        for (int i = 1; i < count; ++i)
            out += "def h" + std::to_string(i) + next("h" + std::to_string(i - 1)) + "\n";
        return out + "stage s[i] = h" + std::to_string(count - 1) + use + kTail;
    };
    EXPECT_EQ(refused(
                  [&] {
                      return chain(
                          "(x) = x + x", [](auto f) { return "(x) = " + f + "(" + f + "(x))"; }, 60,
                          "(a[i])");
                  },
                  "deep after expansion"),
              "");
    EXPECT_EQ(refused(
                  [&] {
                      return chain(
                          "(x) = x*x", [](auto f) { return "(x) = " + f + "(x)*" + f + "(x)"; }, 60,
                          "(a[i])");
                  },
                  "expands to more than"),
              "");
    EXPECT_EQ(refused(
                  [&] {
                      return chain(
                          "() = 1", [](auto f) { return "() = " + f + "() + " + f + "()"; }, 100,
                          "()");
                  },
                  "expression nodes"),
              "");
    EXPECT_EQ(refused(
                  [&] {
                      return chain(
                          "(x) = x", [](auto f) { return "(x) = " + f + "(x)"; }, 50'000, "(a[i])");
                  },
                  "deep after expansion"),
              "");
    EXPECT_EQ(refused(
                  [&] {
                      return chain(
                          "(g)[i] = g[i]",
                          [](auto f) { return "(g)[i] = " + f + "(g)[i] + " + f + "(g)[i+1]"; }, 60,
                          "(a)[i]");
                  },
                  "expression nodes"),
              "");
    EXPECT_EQ(refused(
                  [&] {
                      return kHead + "def sq(x) = x*x\nstage s[i] = " + repeat("sq(", 200) +
                             "a[i]" + repeat(")", 200) + kTail;
                  },
                  "the expression expands to more than 1,000,000 nodes"),
              "");
}

TEST(LoopHostile, HugeNumbers) {
    EXPECT_EQ(refused([] { return kHead + "const C = 1e999999999\n"; }, "the exponent is beyond"),
              "");
    EXPECT_EQ(refused([] { return kHead + "const C = 2**(2**40)\n"; }, "does not fit 64 bits"), "");
    EXPECT_EQ(refused([] { return kHead + "const C = 1.5**(2**40)\n"; }, "more than 4,096 bits"),
              "");
    EXPECT_EQ(
        refused([] { return kHead + "const C = 1.5**1.5**1.5\n"; }, "must be a whole constant"),
        "");
    EXPECT_EQ(
        refused([] { return kHead + "const C = 1 << 1000000000000\n"; }, "does not fit 64 bits"),
        "");
    EXPECT_EQ(refused([] { return kHead + "const C = " + std::string(10'000'000, '9') + "\n"; },
                      "at most 1000 digits"),
              "");
    EXPECT_EQ(refused(
                  [] {
                      std::string out = kHead + "const C = 1." + std::string(300, '3') + "\n";
                      for (int i = 0; i < 100'000; ++i)
                          out += "const D" + std::to_string(i) + " = C*C/3.7\n";
                      return out;
                  },
                  "expression nodes"),
              "");
    EXPECT_EQ(refused(
                  [] {
                      return std::string(
                          "pipeline p\ninput a: f64[2000000000, 2000000000, 2000000000]\n");
                  },
                  "2^62 bytes"),
              "");
    EXPECT_EQ(refused([] { return stage("a[i]**1000000000000"); }, "an exponent above 1024"), "");
}

TEST(LoopHostile, LongLists) {
    std::string numbers = "x0";
    for (int i = 1; i < 100'000; ++i)
        numbers += ", x" + std::to_string(i);
    EXPECT_EQ(
        refused([&] { return kHead + "def f(" + numbers + ") = 1\n"; }, "more than 256 parameters"),
        "");
    EXPECT_EQ(refused([&] { return kHead + "stage s[" + numbers + "] = 1\n"; },
                      "more than 32 dimensions"),
              "");
    EXPECT_EQ(refused([&] { return kHead + "stage " + std::string(1'000'000, 'x') + "[i] = 1\n"; },
                      "at most 255 letters"),
              "");
    EXPECT_EQ(
        refused([&] { return kHead + "stage x" + repeat("{1}", 100'000) + "[i] = y\n"; }, "error"),
        "");
    EXPECT_EQ(refused([&] { return kHead + repeat("stage s[i] = 1\n", 150'000); },
                      "'s' is already defined"),
              "");
    EXPECT_EQ(refused([&] { return kHead + repeat("}\n", 500'000); }, "'}' closes nothing"), "");
    EXPECT_EQ(refused(
                  [&] {
                      std::string out = kHead;
                      for (int i = 0; i < 100'000; ++i)
                          out += "stage s" + std::to_string(i) + "[i] = nowhere" +
                                 std::to_string(i) + "\n";
                      return out;
                  },
                  "unknown name 'nowhere0'"),
              "");
}

TEST(LoopHostile, FilesAreReadWithALimit) {
    auto folder = scratch_folder();
    std::ofstream(folder + "/large.loop") << std::string(17'000'000, ' ');
    EXPECT_EQ(format(load_pipeline_file(folder + "/large.loop").errors()),
              "error: '" + folder +
                  "/large.loop' is larger than 16 MiB; no pipeline or schedule is that long\n");
    EXPECT_EQ(format(load_pipeline_file(folder + "/none.loop").errors()),
              "error: cannot open '" + folder + "/none.loop': No such file or directory\n");
    EXPECT_EQ(format(load_pipeline_file(folder).errors()),
              "error: '" + folder + "' is a folder; name a file\n");
    EXPECT_NE(format(load_pipeline_file("/dev/zero").errors()).find("is larger than 16 MiB"),
              std::string::npos);
}

// Each component has the lets that it uses: their number is that of lets times components, not a
// power of it.
TEST(LoopHostile, ManyLetsAroundATuple) {
    std::string lets, components;
    for (int k = 0; k < 200; ++k) {
        auto before = k == 0 ? std::string("a[i]") : "t" + std::to_string(k - 1);
        lets += "let t" + std::to_string(k) + " = " + before + "*" + before + " in ";
    }
    for (int c = 0; c < 16; ++c)
        components += (c ? ", t" : "t") + std::to_string(199 - c);
    auto p = loaded(around("stage s[i] = " + lets + "(" + components + ")"));
    EXPECT_EQ(p->find("s")->types.size(), 16u);
}

TEST(LoopHostile, HugeAndDeepTuples) {
    std::string many;
    for (int i = 0; i < 100'000; ++i)
        many += "1, ";
    EXPECT_NE(
        errors(around("stage s[i] = (" + many + "2)")).find("more than 16 components in a tuple"),
        std::string::npos);
    std::string open(300, '('), closed(300, ')');
    EXPECT_NE(errors(around("stage s[i] = " + open + "1, 2" + closed)).find("nested more than 256"),
              std::string::npos);
}

} // namespace
} // namespace loopscope::test
