#include "tests/programs/photograph.h"

#include "compiler/run/png.h"
#include "tests/programs/program_fixture.h"
#include "tests/support/support.h"

#include <stdexcept>

namespace loopscope::test {

Photograph photograph(int step) {
    auto png = read_png(source_path("resources/images/rocket.png"));
    if (!png)
        throw std::runtime_error(format(png.errors()));
    auto whole = values<std::uint8_t>(*png);
    const int height = static_cast<int>(png->extents[1]), width = static_cast<int>(png->extents[2]);
    Photograph out{height / step, width / step, {}};
    for (int c = 0; c < 3; ++c)
        for (int y = 0; y < out.h; ++y)
            for (int x = 0; x < out.w; ++x)
                out.pixels.push_back(
                    whole[static_cast<std::size_t>((c * height + step * y) * width + step * x)]);
    return out;
}

} // namespace loopscope::test
