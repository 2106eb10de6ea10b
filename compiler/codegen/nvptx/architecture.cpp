#include "compiler/codegen/nvptx/architecture.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

namespace loopscope::codegen {

namespace {

// Those that LLVM 19 knows, by age.
const Architecture kKnown[] = {{"sm_70", 70, 63}, {"sm_72", 72, 63}, {"sm_75", 75, 65},
                               {"sm_80", 80, 70}, {"sm_86", 86, 71}, {"sm_87", 87, 74},
                               {"sm_89", 89, 78}, {"sm_90", 90, 80}};
constexpr int kUnknownToLlvm = 88; // though older than its newest
// A GPU to come may have a greater number than today's 121, and not much greater.
constexpr long kLastConceivable = 199;
// Its PTX runs on this architecture alone.
const Architecture kHopperAlone{"sm_90a", 90, 80};

} // namespace

Result<Architecture> architecture_of(const std::string& name) {
    if (name == kHopperAlone.name)
        return kHopperAlone;
    const bool prefixed = name.rfind("sm_", 0) == 0;
    char* end = nullptr;
    const long number = prefixed ? std::strtol(name.c_str() + 3, &end, 10) : 0;
    const bool suffixed = end && (*end == 'a' || *end == 'f') && end[1] == 0;
    const bool known = number == kUnknownToLlvm ||
                       std::any_of(std::begin(kKnown), std::end(kKnown),
                                   [&](const auto& one) { return one.number == number; });
    const bool newer = number > std::rbegin(kKnown)->number && number <= kLastConceivable;
    const bool older = number > 0 && number < kKnown[0].number;
    if (!prefixed || end == name.c_str() + 3 || (*end != 0 && !suffixed) ||
        !(known || newer || older))
        return error("\"" + name + "\" is no architecture of NVIDIA's", "sm_75, sm_80, sm_90");
    if (older)
        return error("code for " + name + " cannot be generated", "sm_70 is the oldest");
    const Architecture* newest = nullptr;
    for (const auto& known : kKnown)
        if (known.number <= number)
            newest = &known;
    return *newest;
}

} // namespace loopscope::codegen
