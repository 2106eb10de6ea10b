#include "tests/support/random_run.h"

#include "tests/support/quick_run.h"
#include "tests/support/support.h"

#include <cstdlib>
#include <iomanip>
#include <iostream>

namespace loopscope::test {

std::uint64_t RandomRun::first_seed() { return setting("LOOPSCOPE_FUZZ_SEED", 1); }

RandomRun::RandomRun(std::string cases, const char* variable, Limits limits)
    : cases_(std::move(cases)), limits_(limits), first_(first_seed()) {
    if (std::getenv(variable))
        wanted_ = setting(variable, 0);
    if (quick_run())
        limits_.seconds /= 6;
    // At once: of a process that ends early, this is what repeats it.
    std::cout << cases_ << " from seed " << first_ << std::endl;
}

RandomRun::~RandomRun() {
    const auto seconds = elapsed();
    const auto flags = std::cout.flags();
    const auto precision = std::cout.precision();
    std::cout << std::fixed << std::setprecision(1) << count_ << " " << cases_ << " in " << seconds
              << " s, " << (seconds > 0 ? static_cast<double>(count_) / seconds : 0)
              << " a second, from seed " << first_ << "; again: LOOPSCOPE_FUZZ_SEED=" << first_
              << std::endl;
    std::cout.flags(flags);
    std::cout.precision(precision);
}

bool RandomRun::more() const {
    if (wanted_)
        return count_ < *wanted_;
    return count_ < limits_.least || elapsed() < limits_.seconds;
}

double RandomRun::elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
}

} // namespace loopscope::test
