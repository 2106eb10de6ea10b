#include "compiler/run/pipeline_inputs.h"

namespace loopscope {

Result<Buffers> random_inputs(const Pipeline& pipeline,
                              const std::function<RandomInput(const Stage&)>& choose) {
    Buffers inputs;
    for (const auto& stage : pipeline.stages) {
        if (!stage.is_input)
            continue;
        const auto [seed, mode] = choose(stage);
        auto buffer = random_buffer(stage.types.front(), hints(stage.extents), seed, mode);
        if (!buffer)
            return buffer.errors();
        inputs.emplace(stage.name, std::move(*buffer));
    }
    return inputs;
}

std::map<std::string, std::uint64_t> input_seeds(const Pipeline& pipeline, std::uint64_t seed) {
    std::map<std::string, std::uint64_t> seeds;
    for (const auto& stage : pipeline.stages)
        if (stage.is_input)
            seeds[stage.name] = seed = combine(seed, hash_of(stage.name));
    return seeds;
}

Result<Buffers> random_inputs(const Pipeline& pipeline, std::uint64_t seed, RandomMode mode) {
    const auto seeds = input_seeds(pipeline, seed);
    return random_inputs(
        pipeline, [&](const Stage& stage) { return RandomInput{seeds.at(stage.name), mode}; });
}

} // namespace loopscope
