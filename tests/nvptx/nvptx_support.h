#pragma once
// Loop programs as text, compiled to PTX, and looked at: which instructions are there, which must
// not be, and whether NVIDIA's assembler takes it, where there is one.

#include "compiler/codegen/nvptx/assembler.h"
#include "compiler/codegen/nvptx/ptx_program.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/program_parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

namespace loopscope::test {

inline const std::vector<std::string> kArchitectures{"sm_75", "sm_80", "sm_90"};

inline lower::Program parsed(const std::string& text) {
    auto program = lower::parse_program(text);
    if (!program) {
        ADD_FAILURE() << format(program.errors());
        return {};
    }
    auto errors = lower::verify(*program);
    EXPECT_TRUE(errors.empty()) << format(errors) << text;
    return *program;
}

inline int count_of(const std::string& text, const std::string& what) {
    int found = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
        ++found;
    return found;
}

// No instruction that rounds otherwise than the language says.
inline void expect_exact(const std::string& ptx) {
    EXPECT_EQ(count_of(ptx, ".ftz"), 0);
    EXPECT_EQ(count_of(ptx, ".approx"), 0);
    EXPECT_EQ(count_of(ptx, "div.full"), 0);
}

inline codegen::PtxProgram compiled(const std::string& text,
                                    const std::string& architecture = "sm_80") {
    codegen::PtxOptions options;
    options.architecture = architecture;
    auto ptx = codegen::compile_ptx(parsed(text), options);
    if (!ptx) {
        ADD_FAILURE() << format(ptx.errors()) << text;
        return {};
    }
    expect_exact(ptx->ptx.text);
    EXPECT_EQ(static_cast<int>(ptx->ptx.lines.size()), count_of(ptx->ptx.text, "\n"));
    return std::move(*ptx);
}

inline std::string ptx_of(const std::string& text, const std::string& architecture = "sm_80") {
    return compiled(text, architecture).ptx.text;
}

// The messages of what does not compile.
inline std::string refusal_of(const std::string& text, const std::string& architecture = "sm_80") {
    auto program = lower::parse_program(text);
    if (!program)
        return "not parsed: " + format(program.errors());
    codegen::PtxOptions options;
    options.architecture = architecture;
    auto ptx = codegen::compile_ptx(*program, options);
    return ptx ? "accepted" : format(ptx.errors());
}

enum class Spills { None, Allowed };

// ptxas takes it. Without a toolkit nothing is looked at, and the first test says so.
inline void expect_assembles(const codegen::PtxProgram& program, const std::string& architecture,
                             Spills spills = Spills::None) {
    auto assembly = codegen::assemble(program.ptx.text, architecture);
    if (!assembly && assembly.errors()[0].code == "no-toolkit") {
        static const bool said =
            (std::cout << "not assembled: " << format(assembly.errors()), true);
        (void)said;
        return;
    }
    ASSERT_TRUE(assembly) << format(assembly.errors()) << program.ptx.text;
    ASSERT_EQ(assembly->kernels.size(), program.kernels.size());
    if (spills == Spills::Allowed)
        return;
    for (const auto& kernel : assembly->kernels)
        EXPECT_EQ(kernel.spill_stores + kernel.spill_loads, 0) << kernel.name;
}

// Compiles and assembles for each architecture.
inline void expect_runs_everywhere(const std::string& text, Spills spills = Spills::None) {
    for (const auto& architecture : kArchitectures) {
        SCOPED_TRACE(architecture);
        expect_assembles(compiled(text, architecture), architecture, spills);
    }
}

inline NodeId id(const std::string& text) {
    NodeId result;
    EXPECT_TRUE(NodeId::parse(text, result));
    return result;
}

// Lines of the text that contain `word`, with where they come from.
inline std::vector<std::string> origins_of(const codegen::OriginText& text,
                                           const std::string& word) {
    std::vector<std::string> origins;
    std::istringstream in(text.text);
    std::size_t n = 0;
    for (std::string line; std::getline(in, line); ++n)
        if (line.find(word) != std::string::npos)
            origins.push_back(text.lines.at(n).text());
    return origins;
}

} // namespace loopscope::test
