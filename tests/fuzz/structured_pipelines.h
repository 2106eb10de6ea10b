#pragma once
// Random pipelines of the shapes that real ones have, which the wild grammar (pipeline_generator.h)
// meets seldom: chains of four to eight stencils, pyramids, separable blurs, siblings, scans and
// histograms that others look things up in, matrix products, convolutions, normalised rows. Types,
// radii, boundaries and extents are random.

#include <cstdint>
#include <string>
#include <vector>

namespace loopscope::fuzz {

// The shape stands in the pipeline's name: "fuzz_pyramid_123".
std::string structured_pipeline(std::uint64_t seed);
const std::vector<std::string>& pipeline_shapes();

} // namespace loopscope::fuzz
