#include "views/geometry/bank_grid.h"

#include "core/schedule/gpu/swizzling.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace loopscope::views {

std::int64_t BankedBuffer::bytes() const {
    if (extents.empty())
        return element_bytes;
    // Up to the end of the last row's padding: what one more index along the outermost dimension
    // would skip.
    return extents.front() * pitch.front() * element_bytes;
}

namespace {

std::optional<Swizzling> pattern_of(const BankedBuffer& buffer) {
    const auto rank = buffer.extents.size();
    if (rank < 2)
        return std::nullopt;
    const auto row = buffer.pitch[rank - 2] * buffer.element_bytes;
    return row > 0 ? swizzling(row, buffer.bytes() / row) : std::nullopt;
}

} // namespace

bool has_pattern(const BankedBuffer& buffer) { return pattern_of(buffer).has_value(); }

std::int64_t swizzled_place(const BankedBuffer& buffer, std::int64_t byte) {
    const auto pattern = buffer.swizzled ? pattern_of(buffer) : std::nullopt;
    return pattern ? pattern->place(byte) : byte;
}

std::int64_t swizzled_origin(const BankedBuffer& buffer, std::int64_t place) {
    const auto pattern = buffer.swizzled ? pattern_of(buffer) : std::nullopt;
    return pattern ? pattern->origin(place) : place;
}

std::int64_t padding(const BankedBuffer& buffer) {
    const auto rank = buffer.extents.size();
    return rank < 2 ? 0 : buffer.pitch[rank - 2] - buffer.extents[rank - 1];
}

BankedBuffer padded(const BankedBuffer& buffer, std::int64_t elements) {
    BankedBuffer out = buffer;
    const auto rank = buffer.extents.size();
    if (rank < 2)
        return out;
    const auto before = out.pitch[rank - 2], now = out.extents[rank - 1] + elements;
    // Dimensions further out are as many rows apart as they were.
    for (std::size_t d = 0; d + 1 < rank; ++d)
        out.pitch[d] = out.pitch[d] / before * now;
    return out;
}

WordUse word_use(const BankedBuffer& buffer, std::int64_t word, const BankShape& shape) {
    WordUse use;
    const auto byte = swizzled_origin(buffer, word * shape.word_bytes); // words are within chunks
    const auto first = byte / buffer.element_bytes;
    const auto last = (byte + shape.word_bytes - 1) / buffer.element_bytes;
    const auto rank = buffer.extents.size();
    const auto row_pitch = rank < 2
                               ? std::max<std::int64_t>(1, buffer.bytes() / buffer.element_bytes)
                               : std::max<std::int64_t>(1, buffer.pitch[rank - 2]);
    const auto row_length = rank == 0 ? 1 : buffer.extents[rank - 1];
    use.row = first / row_pitch;
    for (auto element = first; element <= last; ++element)
        use.data = use.data || element % row_pitch < row_length;
    use.data = use.data && word * shape.word_bytes < buffer.bytes();
    return use;
}

BankAccess bank_access(const BankedBuffer& buffer, const WarpLanes& warp, const BankShape& shape) {
    BankAccess out;
    std::vector<std::map<std::int64_t, bool>> of_bank(static_cast<std::size_t>(shape.banks));
    const auto words = std::max<std::int64_t>(1, warp.width / shape.word_bytes);
    const auto turn = std::max<std::int64_t>(1, shape.banks / words);
    const auto lanes = static_cast<std::int64_t>(warp.of_lanes.size());
    for (std::int64_t begin = 0; begin < lanes; begin += turn) {
        std::map<std::int64_t, std::vector<int>> asked; // lanes by word
        for (auto lane = begin; lane < std::min(lanes, begin + turn); ++lane) {
            const auto& indices = warp.of_lanes[static_cast<std::size_t>(lane)];
            if (indices.empty())
                continue;
            ++out.lanes;
            std::int64_t at = 0;
            for (std::size_t d = 0; d < std::min(indices.size(), buffer.pitch.size()); ++d)
                at += indices[d] * buffer.pitch[d];
            const auto first = swizzled_place(buffer, at * buffer.element_bytes) / shape.word_bytes;
            for (std::int64_t w = 0; w < words; ++w)
                asked[first + w].push_back(static_cast<int>(lane));
        }
        if (asked.empty())
            continue;
        std::vector<int> taken(static_cast<std::size_t>(shape.banks), 0);
        int most = 0;
        for (auto& [word, by] : asked) {
            const auto bank = static_cast<std::size_t>(word % shape.banks);
            out.hits.push_back(
                {word, static_cast<int>(bank), out.passes + taken[bank], std::move(by)});
            of_bank[bank][word] = true;
            most = std::max(most, ++taken[bank]);
        }
        out.passes += most;
        ++out.least;
    }
    std::stable_sort(out.hits.begin(), out.hits.end(), [](const WordHit& a, const WordHit& b) {
        return a.pass != b.pass ? a.pass < b.pass : a.bank < b.bank;
    });
    for (const auto& bank : of_bank)
        out.words_of_bank.push_back(static_cast<int>(bank.size()));
    return out;
}

int passes_with(const BankedBuffer& buffer, const WarpLanes& warp, const BankShape& shape) {
    WarpLanes narrow = warp;
    const auto aligned = [&] {
        for (std::size_t d = 0; d + 1 < buffer.pitch.size(); ++d)
            if (buffer.pitch[d] * buffer.element_bytes % narrow.width != 0)
                return false;
        return true;
    };
    while (narrow.width > buffer.element_bytes && !aligned())
        narrow.width /= 2;
    const auto step = std::max<std::int64_t>(1, narrow.width / buffer.element_bytes);
    int passes = 0;
    for (std::int64_t piece = 0; piece < warp.width / narrow.width; ++piece) {
        auto moved = narrow;
        for (auto& indices : moved.of_lanes)
            if (!indices.empty())
                indices.back() += piece * step;
        passes += bank_access(buffer, moved, shape).passes;
    }
    return passes;
}

Rectangle BankGrid::cell(std::int64_t word) const {
    const auto row = word / banks, column = word % banks;
    return {left + static_cast<double>(column) * cell_width,
            top + static_cast<double>(row) * cell_height, cell_width, cell_height};
}

Rectangle BankGrid::header(int bank) const {
    return {left + bank * cell_width, 0, cell_width, top};
}

std::int64_t BankGrid::word_at(Point p) const {
    if (p.x < left || p.y < top || cell_width <= 0)
        return -1;
    const auto column = static_cast<std::int64_t>((p.x - left) / cell_width),
               row = static_cast<std::int64_t>((p.y - top) / cell_height);
    return column < banks && row < rows ? row * banks + column : -1;
}

BankGrid bank_grid(const BankedBuffer& buffer, const BankShape& shape, double width, double left,
                   double top, double cell_height, std::int64_t most) {
    BankGrid grid;
    grid.left = left;
    grid.top = top;
    grid.banks = shape.banks;
    grid.cell_height = cell_height;
    grid.cell_width = std::max(4.0, std::floor((width - left) / shape.banks * 4) / 4);
    const auto line = std::int64_t{shape.banks} * shape.word_bytes;
    grid.rows = std::clamp<std::int64_t>((buffer.bytes() + line - 1) / line, 1, most);
    return grid;
}

} // namespace loopscope::views
