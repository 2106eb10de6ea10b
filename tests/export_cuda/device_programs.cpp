#include "tests/export_cuda/device_programs.h"

#include "tests/simt/simt_support.h"

namespace loopscope::test {

namespace {

// Every block by its cluster's place and its own.
constexpr const char* kClusters = R"(
program clusters
input A: f32[2, 4, 3, 2, 16]
output out: f32[2, 4, 3, 2, 16]
launch p on device (A, out) {
    bound block.y for by in 0..2 {
        bound block.x for bx in 0..4 {
            bound cluster.y for cy in 0..3 {
                bound cluster.x for cx in 0..2 {
                    bound thread.x for t in 0..16 {
                        out[by, bx, cy, cx, t] = A[by, bx, cy, cx, t] + f32(((by*4 + bx)*3 + cy)*2 + cx)
                    }
                }
            }
        }
    }
}
)";

// Copies of 1 to 16 bytes, aligned and not, of lanes that are neighbours and that are not; zeros
// and nothing where masks do not hold.
constexpr const char* kCopies = R"(
program copies
input A: f32[68]
input B: f32[68]
input H: f16[68]
input D: f64[68]
input U: u8[68]
output a: f32[64]
output b: f32[64]
output c: f32[64]
output h: f16[64]
output d: f64[64]
output u: u8[64]
launch p on device (A, B, H, D, U, a, b, c, h, d, u) {
    bound thread.x for t in 0..16 {
        allocate s: f32[64] in shared
        allocate m: f32[64] in shared
        allocate n: f32[64] in shared
        allocate hs: f16[64] in shared
        allocate ds: f64[64] in shared
        allocate us: u8[64] in shared
        m[broadcast(t*4, 4) + ramp(0, 1, 4)] = broadcast(-1.0, 4)
        n[t + 48] = 5.0
        n[t + 32] = 5.0
        n[t + 16] = 5.0
        n[t] = 5.0
        barrier block
        copy k s[broadcast(t*4, 4) + ramp(0, 1, 4)] = A[broadcast(t*4, 4) + ramp(0, 1, 4)]
        copy k m[broadcast(t*4, 4) + ramp(0, 1, 4) where broadcast(t < 9, 4)] = B[broadcast(t*4, 4) + ramp(1, 1, 4)]
        copy k n[broadcast(t, 4) + ramp(0, 16, 4)] = A[broadcast(t*4, 4) + ramp(0, 1, 4) where broadcast(t*4, 4) + ramp(0, 1, 4) < broadcast(50, 4)]
        copy k hs[broadcast(t*4, 4) + ramp(0, 1, 4)] = H[broadcast(t*4, 4) + ramp(0, 1, 4)]
        copy k ds[broadcast(t*4, 4) + ramp(0, 1, 4)] = D[broadcast(t*4, 4) + ramp(2, 1, 4) where broadcast(t > 3, 4)]
        copy k us[broadcast(t*4, 4) + ramp(0, 1, 4)] = U[broadcast(t*4, 4) + ramp(1, 1, 4)]
        commit k
        wait k 0
        barrier block
        a[broadcast(t*4, 4) + ramp(0, 1, 4)] = s[broadcast(60 - t*4, 4) + ramp(0, 1, 4)]
        b[broadcast(t*4, 4) + ramp(0, 1, 4)] = m[broadcast(63 - t*4, 4) + ramp(0, -1, 4)]
        c[broadcast(t*4, 4) + ramp(0, 1, 4)] = n[broadcast(60 - t*4, 4) + ramp(0, 1, 4)] + broadcast(1.0, 4)
        h[broadcast(t*4, 4) + ramp(0, 1, 4)] = hs[broadcast(60 - t*4, 4) + ramp(0, 1, 4)]
        d[broadcast(t*4, 4) + ramp(0, 1, 4)] = ds[broadcast(60 - t*4, 4) + ramp(0, 1, 4)]
        u[broadcast(t*4, 4) + ramp(0, 1, 4)] = us[broadcast(60 - t*4, 4) + ramp(0, 1, 4)]
    }
}
)";

// Vectors that are computed with; masks for all lanes and for each; lanes that another lane reads.
constexpr const char* kVectors = R"(
program vectors
input A: f32[64]
input B: bool[64]
output a: f32[64]
output b: bool[64]
output c: f32[64]
output d: f32[64]
launch p on device (A, B, a, b, c, d) {
    bound thread.x for t in 0..8 {
        allocate r: f32[8] in register
        a[broadcast(t*8, 8) + ramp(0, 1, 8)] = A[broadcast(t*8, 8) + ramp(0, 1, 8)]*broadcast(2.0, 8) + A[broadcast(56 - t*8, 8) + ramp(0, 1, 8)]
        b[broadcast(t*8, 8) + ramp(0, 1, 8)] = B[broadcast(t*8, 8) + ramp(0, 1, 8)]
        c[broadcast(t*8, 8) + ramp(0, 1, 8)] = broadcast(0.5, 8)
        c[broadcast(t*8, 8) + ramp(0, 1, 8) where broadcast(t < 5, 8)] = A[broadcast(t*8, 8) + ramp(0, 1, 8) where broadcast(t > 2, 8)]
        r[ramp(0, 1, 8)] = A[broadcast(t*8, 8) + ramp(0, 1, 8)]
        r[ramp(0, 1, 8)] = r[ramp(7, -1, 8)]
        d[broadcast(t*8, 8) + ramp(0, 1, 8)] = r[ramp(0, 1, 8)]
        d[broadcast(t*8, 8) + ramp(0, 1, 8) where broadcast(t*8, 8) + ramp(0, 1, 8) < broadcast(29, 8)] = broadcast(3.0, 8)
    }
}
)";

// Allocations of one block that lie at one place, of two types.
constexpr const char* kRooms = R"(
program rooms
input A: f32[64]
output out: f32[64]
output whole: i32[64]
launch p on device (A, out, whole) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..32 {
            allocate first: f32[32] in shared at 0 {
                first[t] = A[b*32 + t]
                barrier block
                out[b*32 + t] = first[31 - t]
            }
            barrier block
            allocate second: i32[32] in shared at 0 {
                second[31 - t] = t
                barrier block
                whole[b*32 + t] = second[t]
            }
        }
    }
}
)";

// An unrolled loop whose barriers stand under a condition that is the same for the whole block.
constexpr const char* kGuarded = R"(
program guarded
input A: i32[7, 4]
output out: i32[7, 4]
launch p on device (A, out) {
    bound block.x for b in 0..2 {
        bound thread.x for t in 0..4 {
            allocate s: i32[4] in shared
            unrolled for g in 0..4 {
                if b*4 + g < 7 {
                    s[t] = A[b*4 + g, t]
                    barrier block
                    out[b*4 + g, t] = s[3 - t]
                    barrier block
                }
            }
        }
    }
}
)";

constexpr const char* kExchange = R"(
program exchange
input A: i32[3, 64]
buffer T: i32[3, 64]
buffer S: i32[3]
output out: i32[3, 64]
launch first on device (A, T, S, out) {
    bound block.x for b in 0..3 {
        bound thread.x for t in 0..64 {
            T[b, t] = A[b, t]*2
            barrier block
            out[b, t] = T[b, 63 - t]
            if t == 5 {
                S[b] = T[b, 6]
            }
        }
    }
}
launch second on device (S, out) {
    bound thread.x for u in 0..3 {
        out[u, 0] = out[u, 0] + S[u]
    }
}
)";

// `width` times 2 threads. Of a warp that is a part of one no lane is asked for an element of those
// that are not there.
std::string shuffles(int width, const std::vector<std::string>& names) {
    const auto threads = std::to_string(2 * width), all = std::to_string(names.size());
    auto arrays = [&](const std::string& role, const std::string& dimension) {
        std::string text;
        for (const std::string type : {"f32", "i64", "f16"})
            text += role + "_" + type + ": " + type + "[" + dimension + threads + "]\n";
        return text;
    };
    std::string text = "program shuffles\n" + arrays("input A", "") +
                       arrays("output o", all + ", ") +
                       "launch p on device (A_f32, A_i64, A_f16, o_f32, o_i64, o_f16) {\n"
                       "bound thread.y for y in 0..2 {\nbound thread.x for x in 0.." +
                       std::to_string(width) + " {\nlet t = y*" + std::to_string(width) +
                       " + x\nallocate v: f32[1] in register\nallocate w: i64[1] in register\n"
                       "allocate u: f16[2] in register\n";
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto n = std::to_string(i), step = "intrinsic " + names[i];
        text += "v[0] = A_f32[t]\nw[0] = A_i64[t]\nu[1] = A_f16[t]\n" + step + " v[0], v[0]\n" +
                step + " w[0], w[0]\n" + step + " u[0], u[1]\nbarrier warp\no_f32[" + n +
                ", t] = v[0]\no_i64[" + n + ", t] = w[0]\no_f16[" + n + ", t] = u[0]\n";
    }
    return text + "}\n}\n}\n";
}

// Every type and operation, in shared and in global memory, and on what is the thread's own.
std::string atomics(bool wide) {
    const std::vector<std::string> types =
        wide ? std::vector<std::string>{"i64", "u64", "f64"}
             : std::vector<std::string>{"i8",  "i16", "i32",  "u8", "u16",
                                        "u32", "f16", "bf16", "f32"};
    std::string head = std::string("program atomics") + (wide ? "_wide" : "") + "\n", arguments,
                body;
    auto array = [&](const std::string& role, const std::string& name, const std::string& type,
                     const std::string& count) {
        head += role + " " + name + ": " + type + "[" + count + "]\n";
        arguments += (arguments.empty() ? "" : ", ") + name;
    };
    auto steps = [&](const std::string& type, const std::vector<std::string>& operations) {
        array("input", "A_" + type, type, "64");
        for (std::size_t i = 0; i < operations.size(); ++i) {
            const auto place = type + "_" + std::to_string(i), out = "out_" + place;
            array("output", out, type, "4");
            const auto sign = operations[i];
            const auto value = "A_" + type + "[t]";
            body += "allocate s_" + place + ": " + type + "[3] in shared\nallocate r_" + place +
                    ": " + type + "[1] in register\nr_" + place + "[0] = " + value + "\natomic r_" +
                    place + "[0] " + sign + "= " + value + "\nif t < 3 {\ns_" + place + "[t] = A_" +
                    type + "[0]\n}\nbarrier block\natomic s_" + place + "[t % 3] " + sign + "= " +
                    value + "\nbarrier block\nif t < 4 {\n" + out + "[t] = s_" + place +
                    "[t % 3]\n}\nbarrier block\natomic " + out + "[t % 4] " + sign + "= r_" +
                    place + "[0]\n";
        }
    };
    for (const auto& type : types)
        steps(type, {"+", "max", "min"});
    if (!wide)
        steps("bool", {"and", "or"});
    return head + "launch p on device (" + arguments + ") {\nbound thread.x for t in 0..64 {\n" +
           body + "}\n}\n";
}

} // namespace

const std::vector<DeviceProgram>& device_programs() {
    static const std::vector<DeviceProgram> programs{
        {"copies", kCopies},
        {"vectors", kVectors},
        {"rooms", kRooms},
        {"guarded", kGuarded},
        {"exchange", kExchange},
        {"clusters", kClusters, true, true},
        {"atomics", atomics(false)},
        {"atomics_wide", atomics(true)},
        {"shuffles",
         shuffles(32, {"shuffle_down_3", "shuffle_up_2", "shuffle_xor_5", "shuffle_index_9"}),
         false},
        {"shuffles_of_parts", shuffles(40, {"shuffle_up_2", "shuffle_xor_5", "shuffle_index_9"}),
         false},
    };
    return programs;
}

Buffers whole_inputs(const lower::Program& program) {
    Buffers inputs;
    for (const auto& a : program.arguments) {
        if (a.role != lower::Role::Input)
            continue;
        inputs[a.buffer] =
            random_buffer(a.type, hints(a.extents), 7 + inputs.size(), RandomMode::SmallWhole)
                .value();
    }
    return inputs;
}

Buffers interpreted(const lower::Program& program, const Buffers& inputs) {
    auto result = run_simt_program(program, inputs);
    if (!result) {
        ADD_FAILURE() << format(result.errors());
        return {};
    }
    EXPECT_TRUE(result->findings.empty()) << format(result->findings);
    return result->outputs;
}

} // namespace loopscope::test
