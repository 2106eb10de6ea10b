#include "core/polyhedral/dependences.h"

#include "core/base/index.h"
#include "core/ir/limits.h"
#include "core/polyhedral/nearest_pair.h"
#include "core/polyhedral/quick.h"

#include <algorithm>
#include <functional>
#include <unordered_map>

namespace loopscope::polyhedral {

namespace {

constexpr std::size_t kMaxRelations = 64; // more than any nest that a person or a tuner makes
constexpr std::size_t kCachedAnswers = 4096;
// isl counts the steps that allocate, and of a search for the least point most do not: no quota
// bounds that. Only where a pair was found within these operations is the nearest one asked for,
// which then takes milliseconds, unless forms are made of many divisions. Few iterations are looked
// at one by one (nearest_pair.h).
constexpr unsigned long kEasy = 20'000;
constexpr std::size_t kFewDivisions = 2;

// The set of pairs of iterations as isl text. Every loop, also one that was split or fused away, is
// a variable: a split and a fusion are both one linear equation and one range, so that no division
// is needed.
class PairText {
public:
    explicit PairText(const DependenceQuery& query)
        : query_(query), free_(free_loops(query)), extents_(loop_extents(query)) {
        for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
            if (!query.accesses.axes[i].free)
                axes_.push_back(static_cast<int>(i));
        for (char side : {'a', 'b'}) {
            domain(side);
            conditions(side);
        }
    }

    const std::vector<int>& axes() const { return axes_; }

    // All pairs, every variable a dimension: the quickest form in which to ask whether there is
    // one.
    std::string pairs(const Access& first, const Access& second, const std::string& order) const {
        return parameters() + "{ [" + variables_ + "] : " + constraints(first, second, order) +
               " }";
    }

    // The same for an example. Tuple: the sum of the distances' magnitudes, so that the least point
    // is the nearest pair, then the distance of each axis, then its value in the first iteration.
    std::string example(const Access& first, const Access& second, const std::string& order) const {
        std::string tuple = "n", sum, magnitudes, all = constraints(first, second, order);
        for (const char* part : {"d", "s"})
            for (int axis : axes_)
                tuple += ", " + std::string(part) + std::to_string(axis);
        for (int axis : axes_) {
            auto i = std::to_string(axis);
            all += " and d" + i + " = b" + i + " - a" + i + " and s" + i + " = a" + i + " + " +
                   std::to_string(query_.accesses.axes[index(axis)].begin) + " and m" + i +
                   " >= d" + i + " and m" + i + " >= -d" + i;
            magnitudes += ", m" + i;
            sum += (sum.empty() ? "m" : " + m") + i;
        }
        return parameters() + "{ [" + tuple + "] : exists (" + variables_ + magnitudes + " : " +
               all + " and n = " + sum + ") }";
    }

    std::string of(const PairOrder& order) const {
        std::string text;
        for (std::size_t p = 0; p <= order.position; ++p) {
            auto i = std::to_string(query_.nest[p]);
            text += (p == 0 ? "" : " and ") + ("a" + i) +
                    (p < order.position ? " = "
                     : order.greater    ? " > "
                                        : " != ") +
                    "b" + i;
        }
        return text;
    }

private:
    void variable(const std::string& name) {
        variables_ += (variables_.empty() ? "" : ", ") + name;
    }
    void constrain(const std::string& text) { constraints_ += text + " and "; }

    void domain(char side) {
        auto name = [&](int loop) { return side + std::to_string(loop); };
        for (int loop = 0; loop < query_.loop_count; ++loop) {
            if (free_[index(loop)])
                continue;
            variable(name(loop));
            constrain("0 <= " + name(loop) + " < " + std::to_string(extents_[index(loop)]));
        }
        for (const auto& r : query_.relations) {
            if (free_[index(r.parent)])
                continue;
            auto factor = r.fuse ? extents_[index(r.inner)] : r.factor;
            constrain(name(r.parent) + " = " + std::to_string(factor) + "*" + name(r.outer) +
                      " + " + name(r.inner));
        }
        for (std::size_t q = 0; q < query_.accesses.divisions.size(); ++q) {
            const auto& division = query_.accesses.divisions[q];
            auto quotient = side + ("q" + std::to_string(q));
            auto divisor = std::to_string(division.divisor);
            auto numerator = form(division.numerator, side);
            variable(quotient);
            constrain(divisor + "*" + quotient + " <= " + numerator + " and " + numerator + " < " +
                      divisor + "*" + quotient + " + " + divisor);
        }
    }

    void conditions(char side) {
        for (const auto& condition : query_.accesses.conditions)
            constrain(form(condition, side) + " >= 0");
    }

    // An affine form in the variables of one iteration; an axis is its begin plus the loop that
    // counts it.
    std::string form(const Affine& affine, char side) const {
        const auto& axes = query_.accesses.axes;
        std::int64_t constant = affine.constant;
        std::string text;
        for (const auto& [variable, coefficient] : affine.terms) {
            auto factor = std::to_string(coefficient) + "*";
            if (index(variable) >= axes.size())
                text += factor + side + "q" + std::to_string(index(variable) - axes.size()) + " + ";
            else if (axes[index(variable)].free)
                text += factor + "p" + std::to_string(variable) + " + ";
            else {
                text += factor + side + std::to_string(variable) + " + ";
                constant += coefficient * axes[index(variable)].begin;
            }
        }
        return "(" + text + std::to_string(constant) + ")";
    }

    std::string constraints(const Access& first, const Access& second,
                            const std::string& order) const {
        return constraints_ + meet(first, second) + " and (" + order + ") and (" + earlier() + ")";
    }

    std::string meet(const Access& first, const Access& second) const {
        std::string text = "0 = 0";
        for (std::size_t d = 0; d < first.indices.size() && d < second.indices.size(); ++d)
            if (first.indices[d] && second.indices[d])
                text +=
                    " and " + form(*first.indices[d], 'a') + " = " + form(*second.indices[d], 'b');
        return text;
    }

    // a before b in the definition's own order.
    std::string earlier() const {
        std::string text;
        for (std::size_t k = 0; k < axes_.size(); ++k) {
            text += k == 0 ? "(" : " or (";
            for (std::size_t i = 0; i <= k; ++i) {
                auto n = std::to_string(axes_[i]);
                text += (i == 0 ? "a" : " and a") + n + (i < k ? " = b" : " < b") + n;
            }
            text += ")";
        }
        return text;
    }

    std::string parameters() const {
        std::string text;
        for (std::size_t i = 0; i < query_.accesses.axes.size(); ++i)
            if (query_.accesses.axes[i].free)
                text += (text.empty() ? "[p" : ", p") + std::to_string(i);
        return text.empty() ? "" : text + "] -> ";
    }

    const DependenceQuery& query_;
    std::vector<bool> free_;
    std::vector<std::int64_t> extents_;
    std::vector<int> axes_;
    std::string variables_, constraints_;
};

struct Pair {
    int first, second;
};

// Pairs of accesses of which one writes; those whose meeting can be told for certain come first.
std::vector<Pair> pairs_of(const Accesses& accesses, bool writes) {
    std::vector<Pair> pairs;
    auto n = static_cast<int>(accesses.list.size());
    for (bool certain : {true, false})
        for (int a = 0; a < n; ++a)
            for (int b = 0; b < n; ++b) {
                const auto& first = accesses.list[index(a)];
                const auto& second = accesses.list[index(b)];
                bool counts =
                    (first.write != second.write) || (first.write && second.write && writes);
                if (counts && (first.affine() && second.affine()) == certain)
                    pairs.push_back({a, b});
            }
    return pairs;
}

// Nothing can meet: no iteration, or one only.
bool trivial(const DependenceQuery& query) {
    std::int64_t product = 1;
    for (const auto& axis : query.accesses.axes)
        if (!axis.free)
            product = std::min<std::int64_t>(
                2, product * std::max<std::int64_t>(0, axis.end - axis.begin));
    return product < 2;
}

bool too_large(const DependenceQuery& query) {
    auto extents = loop_extents(query);
    return query.relations.size() > kMaxRelations ||
           std::any_of(extents.begin(), extents.end(),
                       [](std::int64_t e) { return e > kMaxExtent; });
}

Dependence example_of(const PairText& text, const Pair& pair, bool certain,
                      const std::optional<std::vector<std::int64_t>>& point) {
    Dependence out;
    out.first = pair.first;
    out.second = pair.second;
    out.axes = text.axes();
    out.certain = certain;
    auto n = static_cast<std::ptrdiff_t>(out.axes.size());
    if (point) {
        out.distance.assign(point->begin() + 1, point->begin() + 1 + n);
        out.from.assign(point->begin() + 1 + n, point->end());
    }
    return out;
}

// Asks isl about each pair that quick arithmetic leaves open.
Answer decide(const DependenceQuery& query, const std::vector<Pair>& pairs,
              const std::vector<PairOrder>& orders, unsigned long quota) {
    PairText text(query);
    bool proven = true;
    for (const auto& pair : pairs) {
        const auto& first = query.accesses.list[index(pair.first)];
        const auto& second = query.accesses.list[index(pair.second)];
        for (const auto& order : orders) {
            const auto pairs_text = text.pairs(first, second, text.of(order));
            auto answer = is_empty(pairs_text, std::min(quota, kEasy));
            const bool easy = answer != Emptiness::Unknown;
            if (!easy && quota > kEasy)
                answer = is_empty(pairs_text, quota);
            if (answer == Emptiness::NotEmpty) {
                bool certain = first.affine() && second.affine();
                std::optional<std::vector<std::int64_t>> nearest;
                if (certain && has_few_pairs(query, first, second))
                    nearest = nearest_pair(query, first, second, order);
                else if (certain && easy && query.accesses.divisions.size() <= kFewDivisions)
                    nearest = least_point(text.example(first, second, text.of(order)), quota);
                return {Answer::Verdict::Yes, example_of(text, pair, certain, nearest), false};
            }
            proven = proven && answer == Emptiness::Empty;
        }
    }
    return {proven ? Answer::Verdict::No : Answer::Verdict::NotProven, std::nullopt, false};
}

std::string key_of(const Affine& a) {
    std::string text = std::to_string(a.constant);
    for (const auto& [v, c] : a.terms)
        text += "+" + std::to_string(c) + "v" + std::to_string(v);
    return text;
}

// All that an answer depends on.
std::string key_of(const DependenceQuery& query) {
    std::string text;
    for (const auto& axis : query.accesses.axes)
        text +=
            axis.free ? "f," : std::to_string(axis.begin) + ":" + std::to_string(axis.end) + ",";
    for (const auto& division : query.accesses.divisions)
        text += "/" + key_of(division.numerator) + "/" + std::to_string(division.divisor);
    for (const auto& condition : query.accesses.conditions)
        text += "?" + key_of(condition);
    for (const auto& access : query.accesses.list) {
        text += access.write ? "w" : "r";
        for (const auto& form : access.indices)
            text += "[" + (form ? key_of(*form) : "*") + "]";
    }
    for (const auto& r : query.relations)
        text += (r.fuse ? "F" : "S") + std::to_string(r.parent) + "," + std::to_string(r.outer) +
                "," + std::to_string(r.inner) + "," + std::to_string(r.factor);
    for (int loop : query.nest)
        text += ">" + std::to_string(loop);
    return text;
}

// Answers are kept per query, so that a nest is examined anew only where a directive changed it.
Answer cached(const std::string& key, const std::function<Answer()>& compute) {
    thread_local std::unordered_map<std::string, Answer> answers;
    if (auto found = answers.find(key); found != answers.end())
        return found->second;
    auto answer = compute();
    if (answers.size() >= kCachedAnswers)
        answers.clear();
    answers.emplace(key, answer);
    return answer;
}

} // namespace

std::vector<std::int64_t> loop_extents(const DependenceQuery& query) {
    std::vector<std::int64_t> extents(index(query.loop_count), 0);
    for (std::size_t i = 0; i < query.accesses.axes.size(); ++i)
        if (const auto& axis = query.accesses.axes[i]; !axis.free)
            extents[i] = std::max<std::int64_t>(0, axis.end - axis.begin);
    for (const auto& r : query.relations) {
        auto& outer = extents[index(r.outer)];
        auto& inner = extents[index(r.inner)];
        auto& parent = extents[index(r.parent)];
        if (r.fuse) {
            parent = inner > 0 && outer > (kMaxExtent + 1) / inner ? kMaxExtent + 1 : outer * inner;
        } else {
            outer = parent / r.factor + (parent % r.factor != 0 ? 1 : 0);
            inner = parent > 0 ? r.factor : 0;
        }
    }
    return extents;
}

Answer carries(const DependenceQuery& query, std::size_t position, Effort effort,
               unsigned long quota) {
    auto pairs = pairs_of(query.accesses, true);
    if (trivial(query))
        return {Answer::Verdict::No, std::nullopt, true};
    if (effort == Effort::QuickFirst) {
        std::vector<int> agreed(query.nest.begin(),
                                query.nest.begin() + static_cast<std::ptrdiff_t>(position));
        std::erase_if(pairs, [&](const Pair& pair) {
            return quick_agrees(query, query.accesses.list[index(pair.first)],
                                query.accesses.list[index(pair.second)], agreed,
                                query.nest[position]);
        });
        if (pairs.empty())
            return {Answer::Verdict::No, std::nullopt, true};
    }
    if (too_large(query))
        return {};
    auto key = "c" + std::to_string(position) + "/" + std::to_string(quota) + "/" +
               std::to_string(static_cast<int>(effort)) + key_of(query);
    return cached(key, [&] { return decide(query, pairs, {{position, false}}, quota); });
}

Answer exchanges(const DependenceQuery& query, bool writes, Effort effort, unsigned long quota) {
    auto pairs = pairs_of(query.accesses, writes);
    if (trivial(query))
        return {Answer::Verdict::No, std::nullopt, true};
    if (effort == Effort::QuickFirst) {
        std::erase_if(pairs, [&](const Pair& pair) {
            return quick_same(query, query.accesses.list[index(pair.first)],
                              query.accesses.list[index(pair.second)]);
        });
        if (pairs.empty())
            return {Answer::Verdict::No, std::nullopt, true};
    }
    if (too_large(query))
        return {};
    auto key = std::string(writes ? "w" : "r") + "/" + std::to_string(quota) + "/" +
               std::to_string(static_cast<int>(effort)) + key_of(query);
    return cached(key, [&] {
        std::vector<PairOrder> orders;
        for (std::size_t p = 0; p < query.nest.size(); ++p)
            orders.push_back({p, true});
        return decide(query, pairs, orders, quota);
    });
}

} // namespace loopscope::polyhedral
