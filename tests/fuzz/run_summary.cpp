#include "tests/fuzz/run_summary.h"

#include <sys/resource.h>

#include <algorithm>
#include <sstream>

namespace loopscope::fuzz {

long peak_kilobytes() {
    rusage self{}, children{};
    getrusage(RUSAGE_SELF, &self);
    getrusage(RUSAGE_CHILDREN, &children);
    return std::max(self.ru_maxrss, children.ru_maxrss);
}

void RunSummary::add(const Verdict& verdict, bool was_interpreted) {
    ++pairs;
    bad += verdict.bad();
    interpreted += was_interpreted;
    too_large += verdict.outcome == Outcome::TooLarge;
    bounded += verdict.within_bound;
    not_held += verdict.not_held;
    both += (verdict.within_bound || verdict.not_held) && verdict.in_bits;
    neither += verdict.not_held && !verdict.in_bits;
}

std::string RunSummary::text() const {
    std::ostringstream out;
    out << "pairs " << pairs << " from seed " << first
        << ", pipelines that broke a rule of the language " << rejected << ", too large to judge "
        << too_large << ", interpreted too " << interpreted << ", reassociating "
        << bounded + not_held << ", of those compared in bits on whole numbers " << both
        << ", held to a bound on reals " << bounded << ", not judged at all " << neither
        << ", as exported C too " << exported << (exports ? "" : " (off)") << "\n"
        << coverage_table(coverage) << "directives per schedule:";
    for (auto [length, count] : lengths)
        out << " " << length << ":" << count;
    out << "\nof the language:";
    for (const auto& [feature, count] : features)
        out << "  " << feature << " " << count;
    out << "\n";
    return out.str();
}

std::string RunSummary::figures() const {
    std::ostringstream out;
    const auto seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    out << "pairs " << pairs << "\nbad " << bad << "\ntoo_large " << too_large << "\nunjudged "
        << neither << "\ninterpreted " << interpreted << "\nexported " << exported
        << "\nreassociating " << bounded + not_held << "\nseconds " << seconds
        << "\npeak_kilobytes " << peak_kilobytes() << "\n";
    for (const auto& [cell, count] : coverage.kinds)
        out << "cell " << cell.first << " " << cell.second << " " << count << "\n";
    for (const auto& [pair, count] : coverage.beside)
        out << "beside " << pair.first << " " << pair.second << " " << count << "\n";
    for (const auto& [pair, count] : coverage.stacked)
        out << "stacked " << pair.first << " " << pair.second << " " << count << "\n";
    return out.str();
}

} // namespace loopscope::fuzz
