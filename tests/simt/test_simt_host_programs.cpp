// Programs of the host, run as a launch of one thread: after each pass they give what the
// interpreter of loop programs gives, and cost the same.
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "tests/run/loop_program_generator.h"
#include "tests/simt/simt_support.h"
#include "tests/support/support.h"

namespace loopscope {
namespace {

using namespace test;

std::map<std::string, Buffer> inputs_of(const lower::Program& program, unsigned seed) {
    std::map<std::string, Buffer> inputs;
    for (const auto& a : program.arguments) {
        if (a.role != lower::Role::Input)
            continue;
        std::vector<std::int64_t> extents;
        for (const auto& e : a.extents)
            extents.push_back(e.constant());
        inputs[a.buffer] =
            random(a.type, extents, seed,
                   a.type == T::F32 ? RandomMode::SmallWhole : RandomMode::TinyWhole);
    }
    return inputs;
}

// Empty: none.
std::string difference(const lower::Program& program, const std::map<std::string, Buffer>& inputs) {
    auto expected = run_loop_program(program, inputs);
    auto on_device = program;
    for (auto& launch : on_device.launches)
        launch.place = "device";
    auto actual = run_simt_program(on_device, inputs);
    if (!expected || !actual)
        return format(expected ? actual.errors() : expected.errors());
    if (!expected->findings.empty() || !actual->findings.empty())
        return format(expected->findings) + format(actual->findings);
    for (const auto& [name, buffer] : expected->outputs)
        if (actual->outputs.at(name).data != buffer.data)
            return name + " differs";
    return actual->launches.at(0).total.flops == expected->total.flops ? "" : "flops differ";
}

TEST(SimtHostPrograms, GiveWhatTheLoopInterpreterGives) {
    const auto programs = setting("LOOPSCOPE_PROGRAMS", 60), first = setting("LOOPSCOPE_SEED", 1);
    for (auto seed = first; seed < first + programs; ++seed) {
        auto text = LoopProgramGenerator(static_cast<unsigned>(seed)).program();
        auto program = parsed(text);
        auto inputs = inputs_of(program, static_cast<unsigned>(seed));
        auto wrong = difference(program, inputs);
        ASSERT_EQ(wrong, "") << "seed " << seed << "\n" << text;
        for (const auto& pass : lower::cpu_passes()) {
            program = pass.run(program, lower::TargetInfo{});
            wrong = difference(program, inputs);
            ASSERT_EQ(wrong, "") << "seed " << seed << " after " << pass.name << "\n"
                                 << to_text(program);
        }
    }
}

} // namespace
} // namespace loopscope
