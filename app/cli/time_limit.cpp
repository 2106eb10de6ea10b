#include "app/cli/time_limit.h"

#include "app/cli/command.h"
#include "core/base/number_text.h"

#include <algorithm>
#include <chrono>

#include <unistd.h>

namespace loopscope::cli {

namespace {
constexpr double kMost = 1e8; // seconds: a clock's range ends somewhere
}

TimeLimit::TimeLimit(std::string doing, double seconds)
    : watch_([this, doing = std::move(doing), seconds](const std::stop_token& stop) {
          std::unique_lock lock(mutex_);
          const std::chrono::duration<double> time(std::min(seconds, kMost));
          ended_.wait_for(lock, stop, time, [] { return false; });
          if (stop.stop_requested())
              return;
          const auto message = "error: `" + doing + "` did not finish within " +
                               general_text(seconds, 6) +
                               " s; allow more time (--timeout), or make the problem smaller\n";
          (void)!::write(STDERR_FILENO, message.data(), message.size());
          ::_exit(kLimitReached);
      }) {}

} // namespace loopscope::cli
