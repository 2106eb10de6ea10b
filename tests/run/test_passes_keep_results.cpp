// Every pass keeps every bit: random loop programs, run by the interpreter after each pass of the
// list.
#include "loop_program_generator.h"

#include "compiler/lower/pass.h"
#include "compiler/lower/program_parser.h"
#include "compiler/lower/statements.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"

#include "core/ir/half.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace loopscope {
namespace {

// LOOPSCOPE_PROGRAMS=N runs N programs, LOOPSCOPE_SEED=S begins at seed S.
unsigned from_environment(const char* name, unsigned otherwise) {
    return static_cast<unsigned>(test::setting(name, otherwise));
}

std::map<std::string, Buffer> whole_numbers(const lower::Program& program, unsigned seed) {
    std::mt19937 random(seed);
    std::map<std::string, Buffer> inputs;
    for (const auto& a : program.arguments) {
        if (a.role != lower::Role::Input)
            continue;
        std::vector<std::int64_t> extents;
        for (const auto& e : a.extents)
            extents.push_back(e.constant());
        auto buffer = make_buffer(a.type, extents).value();
        for (std::int64_t i = 0; i < buffer.count(); ++i) {
            int value = std::uniform_int_distribution<int>(-8, 8)(random);
            if (a.type == ScalarType::F32)
                buffer.as<float>()[i] = static_cast<float>(value);
            else if (a.type == ScalarType::F16)
                buffer.as<std::uint16_t>()[i] = f16_bits(std::int64_t{value});
            else if (a.type == ScalarType::BF16)
                buffer.as<std::uint16_t>()[i] = bf16_bits(std::int64_t{value % 4});
            else
                buffer.as<std::int32_t>()[i] = value;
        }
        inputs.emplace(a.buffer, std::move(buffer));
    }
    return inputs;
}

// What went wrong with one program; empty: nothing.
std::string difference(const std::string& text, unsigned seed) {
    auto parsed = lower::parse_program(text);
    if (!parsed)
        return format(parsed.errors());
    if (auto errors = lower::verify(*parsed); !errors.empty())
        return format(errors);
    auto inputs = whole_numbers(*parsed, seed);
    auto expected = run_loop_program(*parsed, inputs);
    if (!expected)
        return format(expected.errors());
    if (!expected->findings.empty())
        return "the program itself: " + format(expected->findings);
    // Every second one with stores that stream: those to what the program had still do, and no
    // others.
    auto program = *parsed;
    std::set<std::string> own;
    const bool streaming = seed % 2 == 1;
    for (auto& launch : program.launches) {
        launch.body = lower::as_streaming(launch.body, streaming);
        lower::visit_statements(launch.body, [&](const lower::Statement& s) {
            if (s.storage)
                own.insert(s.storage->buffer);
            if (s.access)
                own.insert(s.access->buffer);
            return true;
        });
    }
    for (const auto& pass : lower::cpu_passes()) {
        program = pass.run(program, lower::TargetInfo{});
        auto where = std::string("after ") + pass.name + ": ";
        auto context = [&] { return "\n" + to_text(program); };
        if (auto errors = lower::verify(program); !errors.empty())
            return where + format(errors) + context();
        auto again = lower::parse_program(to_text_with_origins(program));
        if (!again || !lower::equal(*again, program))
            return where + "the text does not read back" + context();
        for (const auto& launch : program.launches)
            lower::visit_statements(launch.body, [&](const lower::Statement& s) {
                if (s.kind != lower::StatementKind::Store)
                    return true;
                auto base = s.access->buffer;
                while (!own.count(base) && base.find('_') != std::string::npos)
                    base.resize(base.rfind('_')); // copies have numbers
                EXPECT_EQ(s.access->streaming, streaming && own.count(base) > 0)
                    << where << s.access->buffer << context();
                return true;
            });
        auto actual = run_loop_program(program, inputs);
        if (!actual)
            return where + format(actual.errors());
        if (!actual->findings.empty())
            return where + format(actual->findings) + context();
        for (const auto& [name, buffer] : expected->outputs)
            if (actual->outputs.at(name).data != buffer.data)
                return where + name + " differs" + context();
    }
    return {};
}

TEST(PassesKeepResults, OnRandomPrograms) {
    int vectors = 0, registers = 0, tails = 0;
    const unsigned programs = from_environment("LOOPSCOPE_PROGRAMS", 200),
                   first = from_environment("LOOPSCOPE_SEED", 1);
    for (unsigned seed = first; seed < first + programs; ++seed) {
        auto text = test::LoopProgramGenerator(seed).program();
        auto wrong = difference(text, seed);
        ASSERT_TRUE(wrong.empty()) << "seed " << seed << "\n" << text << "\n" << wrong;
        auto lowered = lower::run_passes(*lower::parse_program(text), {});
        auto result = to_text(*lowered);
        vectors += result.find("ramp(") != std::string::npos;
        registers += result.find(".register_") != std::string::npos;
        tails += result.find("_1 in ") != std::string::npos;
    }
    // The programs must reach the passes.
    EXPECT_GT(vectors, static_cast<int>(programs) / 3);
    EXPECT_GT(registers, static_cast<int>(programs) / 20);
    EXPECT_GT(tails, static_cast<int>(programs) / 20);
}

} // namespace
} // namespace loopscope
