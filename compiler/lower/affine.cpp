#include "compiler/lower/affine.h"

#include <cstdlib>

namespace loopscope::lower {

namespace {

constexpr __int128 kMaxCoefficient = __int128{1} << 62;
constexpr const char* kLanePrefix = "$lane"; // no source can name it

bool fits(__int128 value) { return value > -kMaxCoefficient && value < kMaxCoefficient; }

} // namespace

std::int64_t Affine::coefficient(const ExprPtr& atom) const {
    for (const auto& term : terms)
        if (term.atom->hash == atom->hash && equal(term.atom, atom))
            return term.coefficient;
    return 0;
}

bool Affine::add_constant(std::int64_t value) {
    __int128 sum = __int128{constant} + value;
    if (!fits(sum))
        return false;
    constant = static_cast<std::int64_t>(sum);
    return true;
}

bool Affine::add_term(const ExprPtr& atom, std::int64_t coefficient) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
        if (terms[i].atom->hash != atom->hash || !equal(terms[i].atom, atom))
            continue;
        __int128 sum = __int128{terms[i].coefficient} + coefficient;
        if (!fits(sum))
            return false;
        terms[i].coefficient = static_cast<std::int64_t>(sum);
        if (sum == 0)
            terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
        return true;
    }
    if (coefficient != 0)
        terms.push_back({atom, coefficient});
    return true;
}

bool Affine::add(const Affine& other, std::int64_t factor) {
    if (!fits(__int128{other.constant} * factor) || !add_constant(other.constant * factor))
        return false;
    for (const auto& term : other.terms)
        if (!fits(__int128{term.coefficient} * factor) ||
            !add_term(term.atom, term.coefficient * factor))
            return false;
    return true;
}

std::optional<Affine> difference(const Affine& a, const Affine& b) {
    auto result = a;
    if (!result.add(b, -1))
        return std::nullopt;
    return result;
}

ExprPtr lane_atom(int lanes) {
    return variable(kLanePrefix + std::to_string(lanes), ScalarType::I64);
}

int lanes_of_lane_atom(const std::string& name) {
    const std::string prefix = kLanePrefix;
    return name.compare(0, prefix.size(), prefix) == 0 ? std::atoi(name.c_str() + prefix.size())
                                                       : 0;
}

} // namespace loopscope::lower
