#pragma once
// The window on a GPU schedule: a matrix product in shared memory and registers, with a pipeline.

#include "tests/gui/gui_support.h"

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::app::test {

class GpuWindow : public WindowTest {
protected:
    MainWindow& open_gpu(std::map<std::string, std::int64_t> params = {}, int width = 1440,
                         int height = 900);
};

} // namespace loopscope::app::test
