// Sums of integers: canonical order (outer variables first, the constant last), like terms joined,
// ramps and broadcasts gathered. All in ring arithmetic modulo 2^bits, so no assumption on ranges
// is needed.
#include "compiler/lower/quotients.h"
#include "compiler/lower/simplify_expression.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <limits>

namespace loopscope::lower {

using Terms = std::vector<std::pair<ExprPtr, std::uint64_t>>;

namespace {

void add_term(Terms& terms, const ExprPtr& atom, std::uint64_t factor) {
    for (auto& [known, coefficient] : terms)
        if (known->hash == atom->hash && equal(known, atom)) {
            coefficient += factor;
            return;
        }
    terms.emplace_back(atom, factor);
}

// The coefficient as a signed number of the type's width: 255 is -1 in u8.
std::int64_t signed_coefficient(std::uint64_t value, ScalarType type) {
    int shift = 64 - bits(type);
    return static_cast<std::int64_t>(value << shift) >> shift;
}

ExprPtr scaled(const ExprPtr& e, std::int64_t factor, int lanes) {
    if (factor == 1)
        return e;
    return binary(Op::Multiply, e, with_lanes(constant_int(e->type, factor), lanes));
}

} // namespace

// uniform + stride * lane + vectors; scalars have the first part only.
struct ExpressionSimplifier::Linear {
    Terms uniform, stride, vectors;
    std::uint64_t constant = 0, stride_constant = 0;

    bool is_constant() const {
        return uniform.empty() && stride.empty() && vectors.empty() && stride_constant == 0;
    }
    std::size_t size() const {
        std::size_t count = (constant != 0) + (stride_constant != 0);
        for (const auto* terms : {&uniform, &stride, &vectors})
            for (const auto& term : *terms)
                count += term.second != 0;
        return count;
    }
    void add(const Linear& other, std::uint64_t factor) {
        for (auto [mine, theirs] :
             {std::pair(&uniform, &other.uniform), std::pair(&stride, &other.stride),
              std::pair(&vectors, &other.vectors)})
            for (const auto& [atom, coefficient] : *theirs)
                add_term(*mine, atom, coefficient * factor);
        constant += other.constant * factor;
        stride_constant += other.stride_constant * factor;
    }
};

ExprPtr ExpressionSimplifier::linear(const ExprPtr& e) {
    Linear sum;
    collect(e, 1, false, sum);
    look_through_lets(sum);
    rejoin_quotients(sum, e->type);
    auto result = rebuilt(sum, e->type, e->lanes);
    return equal(result, e) ? e : result;
}

// A let is replaced by its value where terms cancel: a place relative to a region's minimum, (y*8 +
// i) - P.y.min.
void ExpressionSimplifier::look_through_lets(Linear& sum) {
    for (bool again = true; again;) {
        again = false;
        for (std::size_t i = 0; i < sum.uniform.size() && !again; ++i) {
            auto [atom, factor] = sum.uniform[i];
            auto value = atom->kind == ExprKind::Variable ? scope_.let_value(atom->name) : nullptr;
            if (factor == 0 || !value || value->lanes != 1 || contains_load(value))
                continue;
            auto expanded = sum;
            expanded.uniform.erase(expanded.uniform.begin() + static_cast<std::ptrdiff_t>(i));
            collect(value, factor, true, expanded);
            again = expanded.size() < sum.size();
            if (again)
                sum = std::move(expanded);
        }
    }
}

// x/c*c + x%c is x: the index of an element of fused axes is that of the loop over both.
void ExpressionSimplifier::rejoin_quotients(Linear& sum, ScalarType type) {
    // The first pair of which the one is taken as often as the other times its divisor; removed
    // from the list.
    auto take_pair = [&](Terms& terms) -> std::pair<ExprPtr, std::uint64_t> {
        for (std::size_t r = 0; r < terms.size(); ++r) {
            auto remainder = as_remainder(scope_, terms[r].first);
            auto factor = signed_coefficient(terms[r].second, type);
            for (std::size_t q = 0; remainder && factor != 0 && q < terms.size(); ++q) {
                auto wanted = terms[r].second * static_cast<std::uint64_t>(remainder->divisor);
                if (signed_coefficient(terms[q].second - wanted, type) != 0)
                    continue;
                auto whole = rejoined(scope_, terms[q].first, terms[r].first);
                if (!whole)
                    continue;
                auto result = std::pair(whole, terms[r].second);
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::max(q, r)));
                terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(std::min(q, r)));
                return result;
            }
        }
        return {nullptr, 0};
    };
    for (auto* terms : {&sum.uniform, &sum.vectors})
        while (terms->size() > 1) {
            auto [whole, factor] = take_pair(*terms);
            if (!whole)
                break;
            auto simple = whole->kind == ExprKind::Binary && whole->op == Op::Divide
                              ? divide_modulo(whole)
                              : whole;
            collect(simple->type == type ? simple : node(cast(type, simple)), factor, true, sum);
        }
}

void ExpressionSimplifier::collect(const ExprPtr& e, std::uint64_t factor, bool simplified,
                                   Linear& out) {
    bool sum = e->kind == ExprKind::Binary && (e->op == Op::Add || e->op == Op::Subtract);
    if (sum) {
        collect(e->args[0], factor, simplified, out);
        collect(e->args[1], e->op == Op::Add ? factor : 0 - factor, simplified, out);
    } else if (e->kind == ExprKind::Unary && e->op == Op::Negate) {
        collect(e->args[0], 0 - factor, simplified, out);
    } else if (e->kind == ExprKind::Binary && e->op == Op::Multiply) {
        collect_product(e, factor, simplified, out);
    } else if (!simplified) {
        collect(simplify(e), factor, true, out);
    } else if (e->kind == ExprKind::Constant) {
        out.constant += e->bits * factor;
    } else if (e->kind == ExprKind::Broadcast) {
        collect(e->args[0], factor, true, out);
    } else if (e->kind == ExprKind::Ramp) {
        collect(e->args[0], factor, true, out);
        Linear stride;
        collect(e->args[1], factor, true, stride);
        for (const auto& [atom, coefficient] : stride.uniform)
            add_term(out.stride, atom, coefficient);
        out.stride_constant += stride.constant;
    } else {
        add_term(e->lanes > 1 ? out.vectors : out.uniform, e, factor);
    }
}

void ExpressionSimplifier::collect_product(const ExprPtr& e, std::uint64_t factor, bool simplified,
                                           Linear& out) {
    Linear a, b;
    collect(e->args[0], 1, simplified, a);
    collect(e->args[1], 1, simplified, b);
    if (a.is_constant())
        std::swap(a, b);
    if (!b.is_constant()) {
        // The product is a new node of simplified parts: an atom, or a ramp.
        auto whole = product(a, b, e->type, e->lanes);
        bool atom = whole->kind == ExprKind::Binary;
        if (atom)
            add_term(whole->lanes > 1 ? out.vectors : out.uniform, whole, factor);
        else
            collect(whole, factor, true, out);
        return;
    }
    // Sums of loaded values keep their common factor: distributing it would multiply more often.
    bool values = false;
    for (const auto* terms : {&a.uniform, &a.stride, &a.vectors})
        for (const auto& [atom, coefficient] : *terms)
            values = values || contains_load(atom);
    if (values && a.size() > 1 && b.constant != 1 && b.constant != 0) {
        auto inner = rebuilt(a, e->type, e->lanes);
        auto whole = binary(
            Op::Multiply, inner,
            with_lanes(constant_int(e->type, static_cast<std::int64_t>(b.constant)), e->lanes));
        add_term(e->lanes > 1 ? out.vectors : out.uniform, whole, factor);
        return;
    }
    out.add(a, factor * b.constant);
}

// Neither is constant. A ramp times a uniform value is a ramp again.
ExprPtr ExpressionSimplifier::product(const Linear& a, const Linear& b, ScalarType type,
                                      int lanes) {
    auto is_uniform = [](const Linear& x) {
        return x.stride.empty() && x.vectors.empty() && x.stride_constant == 0;
    };
    auto scalar_product = [&](const ExprPtr& x, const ExprPtr& y) {
        bool swap = scope_.depth(x) > scope_.depth(y);
        return binary(Op::Multiply, swap ? y : x, swap ? x : y);
    };
    if (is_uniform(a) && is_uniform(b)) {
        auto whole = scalar_product(rebuilt_terms(a.uniform, a.constant, type, 1),
                                    rebuilt_terms(b.uniform, b.constant, type, 1));
        return with_lanes(whole, lanes);
    }
    const Linear* sloped = is_uniform(a) ? &b : &a;
    const Linear* flat = is_uniform(a) ? &a : &b;
    if (is_uniform(*flat) && sloped->vectors.empty()) {
        auto times = rebuilt_terms(flat->uniform, flat->constant, type, 1);
        auto base = rebuilt_terms(sloped->uniform, sloped->constant, type, 1);
        auto stride = rebuilt_terms(sloped->stride, sloped->stride_constant, type, 1);
        return ramp(linear(binary(Op::Multiply, base, times)),
                    linear(binary(Op::Multiply, stride, times)), lanes);
    }
    return binary(Op::Multiply, rebuilt(a, type, lanes), rebuilt(b, type, lanes));
}

ExprPtr ExpressionSimplifier::rebuilt(const Linear& sum, ScalarType type, int lanes) {
    auto uniform = rebuilt_terms(sum.uniform, sum.constant, type, 1);
    if (lanes == 1)
        return uniform;
    auto stride = rebuilt_terms(sum.stride, sum.stride_constant, type, 1);
    bool sloped = !is_constant(stride) || stride->bits != 0;
    auto even = sloped ? ramp(uniform, stride, lanes) : broadcast(uniform, lanes);
    auto vectors = sum.vectors;
    std::erase_if(vectors, [&](const auto& t) { return signed_coefficient(t.second, type) == 0; });
    if (vectors.empty())
        return even;
    auto total = rebuilt_terms(vectors, 0, type, lanes);
    bool nothing = !sloped && is_constant(uniform) && uniform->bits == 0;
    return nothing ? total : binary(Op::Add, total, even);
}

ExprPtr ExpressionSimplifier::rebuilt_terms(const Terms& terms, std::uint64_t constant,
                                            ScalarType type, int lanes) {
    struct Ordered {
        ExprPtr atom;
        std::int64_t coefficient;
        int depth;
    };
    std::vector<Ordered> ordered;
    for (const auto& [atom, coefficient] : terms)
        if (auto c = signed_coefficient(coefficient, type); c != 0)
            ordered.push_back({atom, c, scope_.depth(atom)});
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& x, const auto& y) { return x.depth < y.depth; });
    // A sum begins with a positive term where it has one.
    auto positive = std::find_if(ordered.begin(), ordered.end(),
                                 [](const auto& t) { return t.coefficient > 0; });
    if (positive != ordered.end())
        std::rotate(ordered.begin(), positive, positive + 1);
    auto last = signed_coefficient(constant, type);
    auto literal = [&](std::int64_t value) { return with_lanes(constant_int(type, value), lanes); };
    ExprPtr sum;
    if (positive == ordered.end() && last > 0)
        sum = literal(std::exchange(last, 0));
    for (const auto& term : ordered) {
        if (!sum)
            sum = scaled(term.atom, term.coefficient, lanes);
        else if (term.coefficient < 0 &&
                 term.coefficient != std::numeric_limits<std::int64_t>::min())
            sum = binary(Op::Subtract, sum, scaled(term.atom, -term.coefficient, lanes));
        else
            sum = binary(Op::Add, sum, scaled(term.atom, term.coefficient, lanes));
    }
    if (!sum)
        return literal(last);
    if (last == 0)
        return sum;
    bool subtract = last < 0 && last != least(is_signed(type) ? type : ScalarType::I64);
    return subtract ? binary(Op::Subtract, sum, literal(-last))
                    : binary(Op::Add, sum, literal(last));
}

ExprPtr ExpressionSimplifier::from_affine(const Affine& a, ScalarType type, int lanes) {
    Linear sum;
    sum.constant = static_cast<std::uint64_t>(a.constant);
    for (const auto& term : a.terms) {
        auto factor = static_cast<std::uint64_t>(term.coefficient);
        if (term.atom->kind == ExprKind::Variable && lanes_of_lane_atom(term.atom->name) > 0)
            sum.stride_constant += factor;
        else
            add_term(term.atom->lanes > 1 ? sum.vectors : sum.uniform,
                     term.atom->type == type ? term.atom : cast(type, term.atom), factor);
    }
    return rebuilt(sum, type, lanes);
}

} // namespace loopscope::lower
