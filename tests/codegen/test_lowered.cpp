// Loop programs through all passes and LLVM: what the vectors of tiles and triangles become, and
// that their bits are those of the program as it was written.
#include "compiler/codegen/host/host_info.h"
#include "compiler/lower/pass.h"
#include "compiler/lower/program_parser.h"
#include "compiler/run/loop_interpreter/loop_interpreter.h"
#include "tests/codegen/host_support.h"
#include "tests/support/program_text.h"

#include <algorithm>
#include <map>

namespace loopscope::test {
namespace test_lowered {

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

const int kLanes = codegen::host_info().vector_bits / 32; // of f32 in a register

// The program with numbers for the names in capitals.
lower::Program parsed(std::string text, const std::map<std::string, int>& numbers) {
    for (const auto& [name, number] : numbers)
        for (auto at = text.find(name); at != std::string::npos; at = text.find(name, at))
            text.replace(at, name.size(), std::to_string(number));
    auto program = lower::parse_program(text);
    EXPECT_TRUE(program.ok()) << format(program.errors()) << text;
    return *program;
}

// Compiles the program as all passes leave it, and runs it beside the interpreter of what was
// written.
std::unique_ptr<codegen::HostProgram> checked(const lower::Program& written) {
    lower::LowerOptions options;
    options.target.vector_bits = codegen::host_info().vector_bits;
    options.verify_each = true;
    auto lowered = lower::run_passes(written, options);
    EXPECT_TRUE(lowered.ok()) << format(lowered.errors());
    auto host = compiled(*lowered, true);
    std::map<std::string, Buffer> buffers;
    std::vector<void*> arguments;
    for (const auto& a : written.arguments) {
        std::vector<std::int64_t> extents;
        for (const auto& e : a.extents)
            extents.push_back(e.constant());
        auto buffer = *make_buffer(a.type, extents);
        for (std::int64_t i = 0; a.role == lower::Role::Input && i < buffer.count(); ++i) {
            auto value = i * 7919 % 251;
            if (a.type == ScalarType::F32)
                buffer.as<float>()[i] = static_cast<float>(value - 125) / 64.0f;
            else
                buffer.as<std::uint8_t>()[i] = static_cast<std::uint8_t>(value);
        }
        buffers[a.buffer] = std::move(buffer);
    }
    for (const auto& a : written.arguments)
        arguments.push_back(buffers.at(a.buffer).data.data());
    auto expected = run_loop_program(written, buffers);
    EXPECT_TRUE(expected.ok() && expected->findings.empty());
    auto status = host->run(arguments, 1);
    EXPECT_TRUE(status.ok());
    for (const auto& [name, buffer] : expected->outputs)
        EXPECT_TRUE(buffer.data == buffers.at(name).data) << name << " differs";
    return host;
}

// From a loop's first block to where it is left.
std::string loop_of(const std::string& ir, const std::string& name) {
    auto begin = ir.find("\n" + name + ":");
    auto end = ir.find("\n" + name + ".after", begin);
    EXPECT_NE(begin, std::string::npos) << name << "\n" << ir;
    return ir.substr(begin, end == std::string::npos ? end : end - begin);
}

// A register tile of 4 rows by 3 registers: LLVM alone keeps vectors of such lengths lane by lane
// between iterations.
TEST(Lowered, TilesOfThreeRegistersStayInRegisters) {
    auto host = checked(
        parsed(on_host("input A: f32[8, 40]\ninput B: f32[40, COLUMNS]\noutput C: f32[8, COLUMNS]",
                       R"(    for io in 0..2 {
        for jo in 0..2 {
            unrolled for ii0 in 0..4 {
                vectorised for ji0 in 0..WIDE {
                    C[io*4 + ii0, jo*WIDE + ji0] = 0.0
                }
            }
            for k in 0..40 {
                unrolled for ii in 0..4 {
                    vectorised for ji in 0..WIDE {
                        C[io*4 + ii, jo*WIDE + ji] = fma(A[io*4 + ii, k], B[k, jo*WIDE + ji], C[io*4 + ii, jo*WIDE + ji])
                    }
                }
            }
        }
    }
)"),
               {{"COLUMNS", 6 * kLanes}, {"WIDE", 3 * kLanes}}));
    auto loop = loop_of(host->ir_optimized().text, "k");
    EXPECT_EQ(count(loop, "@llvm.fma.v" + std::to_string(2 * kLanes) + "f32"), 4u) << loop;
    EXPECT_EQ(count(loop, "@llvm.fma.v" + std::to_string(kLanes) + "f32"), 4u) << loop;
    EXPECT_EQ(count(loop, "<" + std::to_string(3 * kLanes) + " x"), 0u) << loop;
    EXPECT_EQ(count(loop, "store"), 0u) << loop;
#if defined(__x86_64__)
    const auto& code = host->assembly().text;
    EXPECT_EQ(count(code, "132ss") + count(code, "213ss") + count(code, "231ss"), 0u) << code;
#endif
}

// Rows begin at the diagonal: the long loop asks nothing and stores nothing.
TEST(Lowered, ARegisterTileOfATriangleAsksAtItsEdgeAlone) {
    auto host = checked(
        parsed(on_host("input A: f32[32, 32]\ninput B: f32[32, LANES]\noutput C: f32[32, LANES]",
                       R"(    for io in 0..8 {
        unrolled for ii0 in 0..4 {
            vectorised for j0 in 0..LANES {
                C[io*4 + ii0, j0] = 0.0
            }
        }
        for k in 0..32 {
            unrolled for ii in 0..4 {
                vectorised for j in 0..LANES {
                    if k > io*4 + ii {
                        C[io*4 + ii, j] = fma(A[io*4 + ii, k], B[k, j], C[io*4 + ii, j])
                    }
                }
            }
        }
    }
)"),
               {{"LANES", kLanes}}));
    auto loop = loop_of(host->ir_optimized().text, "k");
    EXPECT_EQ(count(loop, "@llvm.fma.v"), 4u) << loop;
    EXPECT_EQ(count(loop, "icmp"), 1u) << loop; // of the counter
    EXPECT_EQ(count(loop, "store"), 0u) << loop;
    EXPECT_EQ(count(loop_of(host->ir_optimized().text, "k_1"), "store"), 0u);
}

// Tiles across the diagonal: masks, and the accumulators stay in registers all the same.
TEST(Lowered, MaskedTilesAccumulateInRegisters) {
    auto host = checked(
        parsed(on_host("input A: f32[SIZE, 20]\ninput B: f32[20, SIZE]\noutput C: f32[SIZE, SIZE]",
                       R"(    for i0 in 0..SIZE {
        for j0 in 0..SIZE {
            C[i0, j0] = 1.0
        }
    }
    for jo in 0..4 {
        for io in 0..TILES {
            for k in 0..20 {
                unrolled for ii in 0..4 {
                    vectorised for ji in 0..LANES {
                        if jo*LANES + ji <= io*4 + ii {
                            C[io*4 + ii, jo*LANES + ji] = fma(A[io*4 + ii, k], B[k, jo*LANES + ji], C[io*4 + ii, jo*LANES + ji])
                        }
                    }
                }
            }
        }
    }
)"),
               {{"SIZE", 4 * kLanes}, {"LANES", kLanes}, {"TILES", kLanes}}));
    const auto& ir = host->ir_optimized().text;
    auto whole = loop_of(ir, "k"), masked = loop_of(ir, "k_1");
    EXPECT_EQ(count(whole, "mask"), 0u) << whole;
    EXPECT_EQ(count(whole, "store"), 0u) << whole;
    EXPECT_EQ(count(masked, "store"), 0u) << masked;
    EXPECT_GE(count(masked, "@llvm.fma.v"), 4u) << masked;
}

// Neighbours that an image's odd width cuts off: dense stores in the tail, too.
TEST(Lowered, MaskedTailsOfInterleavedStoresAreDense) {
    auto host = checked(
        parsed(on_host("input a: f32[WIDTH]\noutput out: f32[WIDTH]", R"(    for xo in 0..3 {
        unrolled for xi in 0..2 {
            vectorised for xv in 0..LANES {
                if xo*PAIRS + xv*2 + xi < WIDTH {
                    out[xo*PAIRS + xv*2 + xi] = a[xo*LANES + xv] + f32(xi)
                }
            }
        }
    }
)"),
               {{"WIDTH", 5 * kLanes + 3}, {"LANES", kLanes}, {"PAIRS", 2 * kLanes}}));
    EXPECT_EQ(count(host->ir_as_built().text, "scatter"), 0u) << host->ir_as_built().text;
}

// Indices from data, of a number of lanes that fills no registers: 32 bits are enough for each of
// them.
TEST(Lowered, GathersOfOddVectorsHaveShortIndices) {
    auto host =
        checked(parsed(on_host("input u: u8[WIDE]\ninput table: f32[256]\noutput out: f32[WIDE]",
                               R"(    vectorised for x in 0..WIDE {
        out[x] = table[i32(u[x])]
    }
)"),
                       {{"WIDE", kLanes + kLanes / 2}}));
    EXPECT_EQ(count(host->assembly().text, "vgatherq"), 0u) << host->assembly().text;
}

} // namespace test_lowered
} // namespace loopscope::test
