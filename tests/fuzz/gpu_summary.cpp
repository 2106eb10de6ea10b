#include "tests/fuzz/gpu_summary.h"

#include "tests/fuzz/run_summary.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace loopscope::fuzz {

namespace {

const char* outcome_text(const Verdict& verdict) {
    if (verdict.bad())
        return "bad";
    switch (verdict.outcome) {
    case Outcome::NotRunnable: return "not runnable";
    case Outcome::NotExpressible: return "not expressible";
    case Outcome::TooLarge: return "too large";
    default: return verdict.in_bits || verdict.within_bound ? "agree" : "not judged otherwise";
    }
}

// The words of a message that are no names.
std::string kind_of_launch(const std::string& message) {
    std::istringstream in(message);
    std::string out;
    for (std::string word; in >> word;) {
        const bool plain = std::all_of(word.begin(), word.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || c == ',' || c == ':' || c == '\'';
        });
        if (plain && (word.size() > 2 || word == "is" || word == "of" || word == "no"))
            out += (out.empty() ? "" : " ") + word;
    }
    return out;
}

// What schedules have, by a word of the script.
const std::vector<std::pair<const char*, const char*>>& features() {
    static const std::vector<std::pair<const char*, const char*>> all = {
        {"a pipeline", ".pipeline("},
        {"shared memory", "shared)"},
        {"persistent blocks", ".persistent("},
        {"virtual threads", "vthread"},
        {"cache_write", "cache_write"},
        {"vectors", ".vectorize("},
        {"a tensor instruction", ".tensorize("},
        {"whole matrices", "wmma_"},
        {"sums in fragments", ".cache_write(fragment)"},
        {"an epilogue in fragments", ".scope(fragment)"},
        {"operands in fragments", ", fragment)"},
        {"padded rows", ".pad_storage("},
        {"a shifted tail", ", shift)"},
        {"several warps", ", warp"},
        {"a pipeline in fragments", "_part.pipeline("},
    };
    return all;
}

template <typename F> void each_count(const GpuSummary& s, F f) {
    f("pairs", s.pairs);
    f("bad", s.bad);
    f("agree", s.agree);
    f("tensor", s.tensor);
    f("tensor_agree", s.tensor_agree);
    f("persistent_agree", s.persistent_agree);
}

} // namespace

void GpuSummary::add(const Pair& pair, const Verdict& verdict) {
    const auto has = [&](const char* word) {
        return pair.schedule.find(word) != std::string::npos;
    };
    const std::string outcome = outcome_text(verdict);
    const bool agrees = outcome == "agree", tensors = has(".tensorize(");
    ++pairs;
    bad += verdict.bad();
    agree += agrees;
    tensor += tensors;
    tensor_agree += agrees && tensors;
    persistent_agree += agrees && has(".persistent(");
    ++outcomes_[outcome];
    if (agrees)
        for (const auto& [what, word] : features())
            if (has(word))
                ++agreeing_[what];
    if (verdict.outcome == Outcome::NotRunnable)
        ++refused_[kind_of_launch(verdict.message)];
}

std::string GpuSummary::text() const {
    std::ostringstream out;
    out << "pairs " << pairs << ", with tensor instructions " << tensor << ", of which agree "
        << tensor_agree << "\n";
    for (const auto& [what, count] : outcomes_)
        out << what << ": " << count << "\n";
    out << "of those that agree have\n";
    for (const auto& [what, count] : agreeing_)
        out << "  " << what << ": " << count << "\n";
    std::vector<std::pair<int, std::string>> reasons;
    for (const auto& [why, count] : refused_)
        reasons.emplace_back(count, why);
    std::sort(reasons.rbegin(), reasons.rend());
    out << "not runnable, by the first reason:\n";
    for (const auto& [count, why] : reasons)
        out << "  " << count << "  " << why << "\n";
    return out.str();
}

std::string GpuSummary::figures() const {
    std::ostringstream out;
    each_count(*this, [&](const char* name, int count) { out << name << " " << count << "\n"; });
    const auto seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    out << "seconds " << seconds << "\npeak_kilobytes " << peak_kilobytes() << "\n";
    for (const auto& [what, count] : outcomes_)
        out << "outcome " << count << " " << what << "\n";
    for (const auto& [what, count] : agreeing_)
        out << "agreeing " << count << " " << what << "\n";
    for (const auto& [why, count] : refused_)
        out << "refused " << count << " " << why << "\n";
    return out.str();
}

} // namespace loopscope::fuzz
