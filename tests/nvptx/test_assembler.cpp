// What NVIDIA's tools say, where they are, and what is said where they are not. A shell script
// stands in for a tool that behaves badly.
#include "tests/nvptx/nvptx_support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace loopscope::test {
namespace {

const char* const kPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry first(.param .u64 first_param_0)
{
	.shared .align 4 .b8 tile[1024];
	ret;
}
.visible .entry second()
{
	ret;
}
)";

// An environment variable that gets its old value back.
class Environment {
public:
    Environment(const char* name, const std::string& value) : name_(name) {
        if (const char* old = std::getenv(name))
            old_ = old, had_ = true;
        ::setenv(name, value.c_str(), 1);
    }
    ~Environment() { had_ ? ::setenv(name_, old_.c_str(), 1) : ::unsetenv(name_); }

private:
    const char* name_;
    std::string old_;
    bool had_ = false;
};

// A toolkit of scripts.
class FakeToolkit {
public:
    FakeToolkit()
        : path_(std::filesystem::temp_directory_path() /
                ("loopscope-toolkit-" +
                 std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
                 ::testing::UnitTest::GetInstance()->current_test_info()->name())),
          home_("CUDA_HOME", path_.string()) {
        std::filesystem::create_directories(path_ / "bin");
    }
    ~FakeToolkit() { std::filesystem::remove_all(path_); }
    void add(const std::string& tool, const std::string& script) {
        const auto file = path_ / "bin" / tool;
        std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    }
    std::string tool(const std::string& name) const { return (path_ / "bin" / name).string(); }

private:
    std::filesystem::path path_;
    Environment home_;
};

TEST(Assembler, TellsWhatKernelsUse) {
    if (codegen::find_cuda_tool("ptxas").empty())
        GTEST_SKIP() << "there is no ptxas here";
    std::string cubin;
    auto assembly = codegen::assemble(kPtx, "sm_80", &cubin);
    ASSERT_TRUE(assembly) << format(assembly.errors());
    EXPECT_EQ(cubin.substr(0, 4), "\x7f"
                                  "ELF");
    ASSERT_EQ(assembly->kernels.size(), 2u);
    for (const auto& kernel : assembly->kernels) {
        EXPECT_TRUE(kernel.name == "first" || kernel.name == "second") << kernel.name;
        EXPECT_GT(kernel.registers, 0);
        EXPECT_EQ(kernel.stack_bytes, 0);
    }
}

TEST(Assembler, PassesOnWhatIsWrongWithTheCode) {
    if (codegen::find_cuda_tool("ptxas").empty())
        GTEST_SKIP() << "there is no ptxas here";
    std::string wrong = kPtx;
    wrong.replace(wrong.find("ret;"), 4, "nonsense;");
    auto assembly = codegen::assemble(wrong, "sm_80");
    ASSERT_FALSE(assembly);
    EXPECT_EQ(assembly.errors()[0].code, "refused-by-tool");
    EXPECT_NE(format(assembly.errors()).find("nonsense"), std::string::npos)
        << format(assembly.errors());
}

TEST(Assembler, Disassembles) {
    if (codegen::find_cuda_tool("ptxas").empty() || codegen::find_cuda_tool("nvdisasm").empty())
        GTEST_SKIP() << "there is no nvdisasm here";
    std::string cubin;
    ASSERT_TRUE(codegen::assemble(kPtx, "sm_80", &cubin));
    auto text = codegen::disassemble(cubin);
    ASSERT_TRUE(text) << format(text.errors());
    EXPECT_NE(text->find("EXIT"), std::string::npos) << *text;
    EXPECT_NE(text->find("first"), std::string::npos) << *text;
}

TEST(Assembler, LooksInCudaHomeFirst) {
    FakeToolkit toolkit;
    toolkit.add("ptxas", "exit 0");
    EXPECT_EQ(codegen::find_cuda_tool("ptxas"), toolkit.tool("ptxas"));
    EXPECT_EQ(codegen::find_cuda_tool("no-such-tool"), "");
}

TEST(Assembler, ReadsTheReport) {
    FakeToolkit toolkit;
    toolkit.add("ptxas", R"(cat <<'END'
ptxas info    : 0 bytes gmem
ptxas warning : Value of threads per SM for entry k is out of range.
ptxas info    : Compiling entry function 'k' for 'sm_80'
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Function properties for k
    96 bytes stack frame, 100 bytes spill stores, 104 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 49152 bytes smem, 376 bytes cmem[0]
END
touch "$5")");
    auto assembly = codegen::assemble(kPtx, "sm_80");
    ASSERT_TRUE(assembly) << format(assembly.errors());
    ASSERT_EQ(assembly->kernels.size(), 1u);
    const auto& kernel = assembly->kernels[0];
    EXPECT_EQ(kernel.name, "k");
    EXPECT_EQ(kernel.registers, 255);
    EXPECT_EQ(kernel.stack_bytes, 96);
    EXPECT_EQ(kernel.spill_stores, 100);
    EXPECT_EQ(kernel.spill_loads, 104);
    EXPECT_EQ(kernel.shared_bytes, 49152);
    EXPECT_EQ(count_of(assembly->warnings, "out of range"), 1);
}

TEST(Assembler, EndsAToolThatTakesTooLong) {
    FakeToolkit toolkit;
    toolkit.add("ptxas", "sleep 100");
    auto assembly = codegen::assemble(kPtx, "sm_80", nullptr, 0.05);
    ASSERT_FALSE(assembly);
    EXPECT_EQ(assembly.errors()[0].code, "time-limit");
}

TEST(Assembler, AToolThatDiesIsAnError) {
    FakeToolkit toolkit;
    toolkit.add("ptxas", "kill -SEGV $$");
    auto assembly = codegen::assemble(kPtx, "sm_80");
    ASSERT_FALSE(assembly);
    EXPECT_NE(format(assembly.errors()).find("status 139"), std::string::npos)
        << format(assembly.errors());
}

TEST(Assembler, WithoutAToolkitSaysSo) {
    FakeToolkit empty;
    Environment path("PATH", "");
    if (!codegen::find_cuda_tool("nvdisasm").empty())
        GTEST_SKIP() << "there is a toolkit in /usr/local/cuda";
    auto text = codegen::disassemble("");
    ASSERT_FALSE(text);
    EXPECT_EQ(text.errors()[0].code, "no-toolkit");
}

} // namespace
} // namespace loopscope::test
