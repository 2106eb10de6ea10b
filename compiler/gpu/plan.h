#pragma once
// A plan: what is to run on a GPU, free of loop programs and compilers. It holds PTX, the arrays,
// and the launches in order. The worker makes one of a lowered program
// (compiler/worker/gpu_plan.h); a bundle holds one for each job.

#include "compiler/run/buffer.h"

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::gpu {

enum class PlanRole : std::uint8_t { Input, Output, Scratch };

struct PlanBuffer {
    std::string name;
    PlanRole role = PlanRole::Input;
    ScalarType type = ScalarType::F32;
    std::vector<std::int64_t> extents; // of the whole, row-major
    // The caller gets of an output the window of `window` elements that begins at index -mins.
    std::vector<std::int64_t> mins, window;
    // Where scratch memory lies in the allocation that all of it shares, in bytes; below 0: a place
    // of its own.
    std::int64_t offset = -1;

    std::int64_t bytes() const; // of the whole
};

// The tensor map of an array that a kernel reads by bulk copies: it tells the tensor memory
// accelerator (TMA) which boxes of the array to bring.
struct PlanTensorMap {
    std::string buffer;
    std::vector<std::int64_t> box; // along the array's dimensions
    int swizzle = 0; // bytes of a row that change places in shared memory: 32, 64, 128
};

struct PlanKernel {
    std::string name;   // of the .entry
    std::string launch; // of the tree's: "H.update(0)"; empty: of a bundle that does not say
    std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
    std::int64_t shared_bytes = 0;  // of a block
    std::int64_t dynamic_bytes = 0; // of these, what the launch asks for
    std::vector<std::string> arguments;
    std::vector<PlanTensorMap> tensor_maps; // parameters behind the arguments

    std::int64_t threads() const { return block[0] * block[1] * block[2]; }
    std::string text() const; // "matmul<<<(32, 32, 1), (256, 1, 1), 98304>>>"
};

struct Plan {
    std::string name;
    std::string architecture; // of the PTX: "sm_90a"
    std::string ptx;
    std::vector<PlanBuffer> buffers;
    std::vector<PlanKernel> kernels; // launched in order

    const PlanBuffer* find(const std::string& buffer) const; // null: there is none
    std::int64_t scratch_bytes() const; // of the allocation that planned scratch memory shares
};

// "sm_90a" has 90. Nothing: it is no architecture.
std::optional<int> capability_of(const std::string& architecture);

// The plan as JSON, without the PTX, which is a text by itself.
nlohmann::json to_json(const Plan& plan);
// Reads it strictly: a missing or misformed key, a name that is no buffer's, sizes beyond what any
// GPU has are errors that name the key by its path below `path`.
Result<Plan> plan_from_json(const nlohmann::json& json, const std::string& path);

} // namespace loopscope::gpu
