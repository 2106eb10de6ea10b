#include "compiler/run/window.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace loopscope {

namespace {

void check_inside(const Buffer& whole, const std::vector<std::int64_t>& offsets,
                  const std::vector<std::int64_t>& extents) {
    bool inside = offsets.size() == whole.extents.size() && extents.size() == offsets.size();
    for (std::size_t d = 0; inside && d < offsets.size(); ++d)
        inside = offsets[d] >= 0 && extents[d] >= 0 && offsets[d] + extents[d] <= whole.extents[d];
    if (!inside)
        throw std::logic_error("a window " + shape_text(extents) + " at " + shape_text(offsets) +
                               " of an array " + shape_text(whole.extents));
}

} // namespace

// Row by row.
Result<Buffer> window_of(const Buffer& whole, const std::vector<std::int64_t>& offsets,
                         const std::vector<std::int64_t>& extents) {
    check_inside(whole, offsets, extents);
    auto window = make_buffer(whole.type, extents);
    if (!window)
        return window;
    const std::size_t rank = extents.size();
    if (rank == 0 || window->data.empty()) {
        std::copy_n(whole.data.begin(), window->data.size(), window->data.begin());
        return window;
    }
    const auto element = static_cast<std::size_t>(bytes(whole.type));
    const std::size_t row = static_cast<std::size_t>(extents.back()) * element;
    std::vector<std::int64_t> index(rank, 0);
    for (std::size_t done = 0; done < window->data.size(); done += row) {
        std::int64_t position = 0;
        for (std::size_t d = 0; d < rank; ++d)
            position = position * whole.extents[d] + index[d] + offsets[d];
        std::memcpy(window->data.data() + done,
                    whole.data.data() + static_cast<std::size_t>(position) * element, row);
        for (std::size_t d = rank - 1; d-- > 0;) {
            if (++index[d] < extents[d])
                break;
            index[d] = 0;
        }
    }
    return window;
}

} // namespace loopscope
