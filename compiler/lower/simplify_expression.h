#pragma once
// Simplification of one expression at a place of a program. The result is equal to the bit, for all
// values that the variables can have there: integers by ring arithmetic modulo 2^bits where
// wrapping is possible, by exact arithmetic where ranges exclude it; floats only by identities that
// hold for every value.

#include "compiler/lower/known_facts.h"

#include <string>
#include <unordered_map>

namespace loopscope::lower {

class ExpressionSimplifier {
public:
    explicit ExpressionSimplifier(KnownFacts& scope) : scope_(scope) {}

    // Names to be replaced by simplified expressions (constants, other variables) wherever they
    // occur.
    std::unordered_map<std::string, ExprPtr> replacements;

    ExprPtr run(const ExprPtr& e);

private:
    struct Linear;
    ExprPtr simplify(const ExprPtr& e);
    ExprPtr compute(const ExprPtr& e);
    std::vector<ExprPtr> simplified_args(const ExprPtr& e);

    // Sums and products of integers.
    ExprPtr linear(const ExprPtr& e);
    void collect(const ExprPtr& e, std::uint64_t factor, bool simplified, Linear& out);
    void look_through_lets(Linear& sum);
    void rejoin_quotients(Linear& sum, ScalarType type);
    void collect_product(const ExprPtr& e, std::uint64_t factor, bool simplified, Linear& out);
    ExprPtr product(const Linear& a, const Linear& b, ScalarType type, int lanes);
    ExprPtr rebuilt(const Linear& sum, ScalarType type, int lanes);
    ExprPtr rebuilt_terms(const std::vector<std::pair<ExprPtr, std::uint64_t>>& terms,
                          std::uint64_t constant, ScalarType type, int lanes);
    ExprPtr from_affine(const Affine& a, ScalarType type, int lanes);

    // One node whose arguments are simplified.
    ExprPtr node(const ExprPtr& e);
    ExprPtr uniform(const ExprPtr& e);
    ExprPtr unary_node(const ExprPtr& e);
    ExprPtr binary_node(const ExprPtr& e);
    ExprPtr logical(const ExprPtr& e);
    ExprPtr min_max(const ExprPtr& e);
    ExprPtr divide_modulo(const ExprPtr& e);
    ExprPtr divide_by_parts(const ExprPtr& e, std::int64_t divisor);
    ExprPtr float_identity(const ExprPtr& e);
    ExprPtr select_node(const ExprPtr& e);
    ExprPtr cast_node(const ExprPtr& e);
    ExprPtr let(const ExprPtr& e);
    ExprPtr load(const ExprPtr& e);
    ExprPtr masked_load_node(const ExprPtr& e);

    KnownFacts& scope_;
    // Keeps the key alive, so that no address is met again for another expression.
    std::unordered_map<const Expr*, std::pair<ExprPtr, ExprPtr>> memo_;
};

// The scalar that every lane of `e` has, where it is written as a broadcast (or is a scalar
// itself); null otherwise.
ExprPtr uniform_value(const ExprPtr& e);
// `e` with the given lanes: scalars are broadcast.
ExprPtr with_lanes(const ExprPtr& e, int lanes);
// May a let of this value be replaced by it everywhere? Constants and variables; ramps, so that
// loads and stores show which elements follow each other.
bool is_replaceable(const ExprPtr& value);
// A constant of every lane, as constant_value.
bool uniform_constant(const ExprPtr& e, std::int64_t& out);

} // namespace loopscope::lower
