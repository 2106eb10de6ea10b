#include "views/geometry/shapes.h"

#include <algorithm>

namespace loopscope::views {

Rectangle united(const Rectangle& a, const Rectangle& b) {
    if (a.width <= 0 && a.height <= 0)
        return b;
    if (b.width <= 0 && b.height <= 0)
        return a;
    const double x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    return {x, y, std::max(a.right(), b.right()) - x, std::max(a.bottom(), b.bottom()) - y};
}

} // namespace loopscope::views
