#include "tests/gui/gpu_meaning.h"

#include "compiler/lower/build.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/pass.h"
#include "tests/support/must.h"

#include <fstream>

namespace loopscope::app::test {

using loopscope::test::must;

const char* const kBlurTile = "schedule for blur\nout.gpu_tile(y, x, yo, xo, yi, xi, 8, 32)\n"
                              "blur_x.compute_at(out, xo)\n";
const std::map<std::string, std::int64_t> kSmallBlur{{"H", 40}, {"W", 70}};

void write_meaning(const session::Session& session, const std::string& folder) {
    lower::LowerOptions options;
    options.target.vector_bits = session.device()->vector_bits;
    options.target.bulk_tensor_copies = session.device()->gpu->has("bulk_tensor_copy");
    auto program =
        must(lower::run_passes(must(lower::build_for_device(*session.tree(), *session.device())),
                               lower::device_passes(), options));
    std::ofstream(folder + "/" + program.name + ".program") << lower::to_text_with_origins(program);
}

} // namespace loopscope::app::test
