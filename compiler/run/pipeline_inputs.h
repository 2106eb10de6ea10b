#pragma once
// Random arrays for a pipeline's inputs. Apart from random_inputs.h, which the agent has: it knows
// no pipelines.

#include "compiler/run/random_inputs.h"
#include "core/ir/pipeline.h"

#include <functional>

namespace loopscope {

// How random_buffer makes an input.
struct RandomInput {
    std::uint64_t seed = 1;
    RandomMode mode = RandomMode::Reals;
};

// Arrays as large as the sizes that the pipeline was loaded with; `choose` is asked of one input
// after another. Errors: those of make_buffer.
Result<Buffers> random_inputs(const Pipeline& pipeline,
                              const std::function<RandomInput(const Stage&)>& choose);

// The seeds that follow from the one of a request, by the inputs' names.
std::map<std::string, std::uint64_t> input_seeds(const Pipeline& pipeline, std::uint64_t seed);
Result<Buffers> random_inputs(const Pipeline& pipeline, std::uint64_t seed, RandomMode mode);

} // namespace loopscope
