#include "core/ir/extent.h"

namespace loopscope {

Extent Extent::symbol(const std::string& name, std::int64_t hint) {
    Extent e;
    e.terms_[name] = 1;
    e.hint_ = hint;
    return e;
}

std::int64_t Extent::value(const std::map<std::string, std::int64_t>& symbols) const {
    std::int64_t sum = constant_;
    for (const auto& [symbol, coefficient] : terms_)
        sum += coefficient * symbols.at(symbol);
    return sum;
}

Extent Extent::operator+(const Extent& other) const {
    Extent sum = *this;
    sum.constant_ += other.constant_;
    sum.hint_ += other.hint_;
    for (const auto& [symbol, coefficient] : other.terms_)
        if ((sum.terms_[symbol] += coefficient) == 0)
            sum.terms_.erase(symbol);
    return sum;
}

Extent Extent::operator-(const Extent& other) const { return *this + other * -1; }

Extent Extent::operator*(std::int64_t factor) const {
    if (factor == 0)
        return Extent(0);
    Extent product = *this;
    product.constant_ *= factor;
    product.hint_ *= factor;
    for (auto& term : product.terms_)
        term.second *= factor;
    return product;
}

std::string Extent::text() const {
    std::string out;
    for (const auto& [symbol, coefficient] : terms_) {
        if (!out.empty())
            out += coefficient < 0 ? " - " : " + ";
        else if (coefficient < 0)
            out += "-";
        auto magnitude = coefficient < 0 ? -coefficient : coefficient;
        out += magnitude == 1 ? symbol : std::to_string(magnitude) + "*" + symbol;
    }
    if (out.empty())
        return std::to_string(constant_);
    if (constant_ != 0)
        out +=
            constant_ < 0 ? " - " + std::to_string(-constant_) : " + " + std::to_string(constant_);
    return out;
}

Hash Extent::hash() const {
    Hash h = combine(kHashSeed, static_cast<std::uint64_t>(constant_));
    for (const auto& [symbol, coefficient] : terms_)
        h = combine(hash_of(symbol, h), static_cast<std::uint64_t>(coefficient));
    return h;
}

std::vector<std::int64_t> hints(const std::vector<Extent>& extents) {
    std::vector<std::int64_t> list;
    for (const auto& extent : extents)
        list.push_back(extent.hint());
    return list;
}

} // namespace loopscope
