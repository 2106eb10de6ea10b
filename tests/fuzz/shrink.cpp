#include "tests/fuzz/shrink.h"

#include "tests/fuzz/simpler_text.h"

#include <algorithm>
#include <chrono>

namespace loopscope::fuzz {

namespace {

class Shrinker {
public:
    Shrinker(Pair pair, const Judge& judge, const ShrinkLimits& limits)
        : pair_(std::move(pair)),
          judge_(judge),
          attempts_(limits.attempts),
          end_(std::chrono::steady_clock::now() +
               std::chrono::milliseconds(static_cast<int>(limits.seconds * 1000))),
          verdict_(judge(pair_)) {}

    Pair run() {
        if (!verdict_.bad())
            return pair_;
        for (bool progress = true; progress && !spent();) {
            progress = fewer_lines(&Pair::schedule);
            progress |= fewer_lines(&Pair::pipeline);
            progress |= other_texts(&Pair::pipeline, without_a_stage);
            progress |= other_texts(&Pair::pipeline, other_outputs);
            progress |= simpler_lines(&Pair::pipeline);
            progress |= simpler_lines(&Pair::schedule);
            progress |= other_texts(&Pair::pipeline, simpler_types);
        }
        return pair_;
    }

private:
    bool spent() const { return attempts_ <= 0 || std::chrono::steady_clock::now() > end_; }

    bool accept(const Pair& candidate) {
        if (spent())
            return false;
        --attempts_;
        if (!judge_(candidate).same_kind(verdict_))
            return false;
        pair_ = candidate;
        return true;
    }

    bool accept(std::string Pair::* text, std::string other) {
        Pair candidate = pair_;
        candidate.*text = std::move(other);
        return accept(candidate);
    }

    // Chunks of lines, the last first, each half as long as the one before; the header stays.
    bool fewer_lines(std::string Pair::* text) {
        bool progress = false;
        auto lines = lines_of(pair_.*text);
        for (auto size = std::max<std::size_t>(lines.size() / 2, 1); size > 0; size /= 2)
            for (std::size_t end = lines.size(); end > size;) {
                auto fewer = lines;
                fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(end - size),
                            fewer.begin() + static_cast<std::ptrdiff_t>(end));
                if (accept(text, joined(fewer))) {
                    lines = fewer;
                    progress = true;
                }
                end = std::min(end - 1, lines.size());
                if (size > 1) // chunks side by side
                    end = end > size - 1 ? end - (size - 1) : 0;
            }
        return progress;
    }

    bool simpler_lines(std::string Pair::* text) {
        bool progress = false;
        auto lines = lines_of(pair_.*text);
        for (std::size_t i = lines.size(); i-- > 1;)
            for (bool again = true; again && !spent();) {
                again = false;
                for (const auto& simpler : simpler_line(lines[i])) {
                    auto other = lines;
                    other[i] = simpler;
                    if (!accept(text, joined(other)))
                        continue;
                    lines = std::move(other);
                    progress = again = true;
                    break;
                }
            }
        return progress;
    }

    bool other_texts(std::string Pair::* text,
                     std::vector<std::string> (*others)(const std::string&)) {
        bool progress = false;
        for (bool again = true; again && !spent();) {
            again = false;
            for (auto& other : others(pair_.*text))
                if (accept(text, std::move(other))) {
                    progress = again = true;
                    break;
                }
        }
        return progress;
    }

    Pair pair_;
    const Judge& judge_;
    int attempts_;
    std::chrono::steady_clock::time_point end_;
    Verdict verdict_;
};

} // namespace

Pair shrink(Pair pair, const Judge& judge, const ShrinkLimits& limits) {
    return Shrinker(std::move(pair), judge, limits).run();
}

} // namespace loopscope::fuzz
