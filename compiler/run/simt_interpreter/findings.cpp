#include "compiler/run/simt_interpreter/findings.h"

#include <bit>

namespace loopscope {

namespace simt_interpreter {

std::string done_by(Deed deed, std::uint32_t thread) {
    auto who = "thread " + std::to_string(thread);
    switch (deed) {
    case Deed::Reads: return "read by " + who;
    case Deed::Writes: return "written by " + who;
    case Deed::Updates: return "updated by " + who;
    case Deed::Copies: return "filled by a copy of " + who;
    }
    return who;
}

const char* verb(Deed deed) {
    switch (deed) {
    case Deed::Reads: return "reads";
    case Deed::Writes: return "writes";
    case Deed::Updates: return "updates";
    case Deed::Copies: return "copies to";
    }
    return "";
}

std::array<std::int64_t, 3> block_coordinates(const lower::LaunchShape& shape,
                                              std::uint32_t block) {
    const auto grid = shape.blocks_along();
    const std::int64_t rest = block / grid[0];
    return {block % grid[0], rest % grid[1], rest / grid[1]};
}

std::string block_text(const lower::LaunchShape& shape, std::uint32_t block) {
    std::size_t dimensions = 0;
    for (std::size_t d = 0; d < 3; ++d)
        if (!shape.grid[d].variable.empty() || !shape.cluster[d].variable.empty())
            dimensions = d + 1;
    if (dimensions < 2)
        return "block " + std::to_string(block);
    const auto coordinates = block_coordinates(shape, block);
    std::string text;
    for (std::size_t d = 0; d < dimensions; ++d)
        text += (d ? ", " : "") + std::to_string(coordinates[d]);
    return "block (" + text + ")";
}

std::string threads_text(std::uint32_t first, std::uint32_t mask) {
    if (mask == 0)
        return "no thread";
    auto lowest = static_cast<std::uint32_t>(std::countr_zero(mask));
    auto count = static_cast<std::uint32_t>(std::popcount(mask));
    if (count == 1)
        return "thread " + std::to_string(first + lowest);
    auto run = static_cast<std::uint32_t>(std::countr_one(mask >> lowest));
    if (run == count && count > 2)
        return "threads " + std::to_string(first + lowest) + " to " +
               std::to_string(first + lowest + count - 1);
    std::string text = "threads ";
    for (std::uint32_t bit = lowest, listed = 0; listed < count; ++bit)
        if (mask >> bit & 1) {
            ++listed;
            text += std::to_string(first + bit);
            text += listed == count ? "" : listed + 1 == count ? " and " : ", ";
        }
    return text;
}

} // namespace simt_interpreter

const char* name(SimtFinding::Kind kind) {
    switch (kind) {
    case SimtFinding::Kind::Race: return "race";
    case SimtFinding::Kind::ReadBeforeArrival: return "access before arrival";
    case SimtFinding::Kind::Divergence: return "divergence";
    case SimtFinding::Kind::Deadlock: return "deadlock";
    case SimtFinding::Kind::OutOfBounds: return "out of bounds";
    case SimtFinding::Kind::UninitializedRead: return "uninitialised read";
    }
    return "";
}

std::string format(const std::vector<SimtFinding>& findings) {
    std::string out;
    for (const auto& f : findings) {
        auto origin = f.origin.text(), other = f.other.text();
        if (!other.empty() && other != origin)
            origin += (origin.empty() ? "with " : " with ") + other;
        out += std::string(name(f.kind)) + ": " + (origin.empty() ? "" : origin + " ") + f.message +
               " (" + std::to_string(f.count) + (f.count == 1 ? " time)\n" : " times)\n");
    }
    return out;
}

} // namespace loopscope
