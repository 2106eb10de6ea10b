#pragma once
// A locale whose decimal sign is a comma, made for the test: which of them a machine has is chance.

namespace loopscope::test {

// As long as it lives, numbers are those of Germany, where `made` says so; without the sources of
// locales (the package `locales`) there is none, and a test is to be skipped.
class CommaLocale {
public:
    CommaLocale();
    ~CommaLocale();
    CommaLocale(const CommaLocale&) = delete;
    bool made() const { return made_; }

private:
    bool made_ = false;
};

} // namespace loopscope::test
