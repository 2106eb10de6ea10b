#pragma once
// How far from the reference the outputs of a schedule may be that reassociates or approximates, on random reals.
//
// An output that depends on no such definition must have the reference's bits. Of the others, the greatest |out - ref|
// that is allowed is
//     4 n u max|ref|      of languages.md: over the reassociated float sums and products that the output depends on, the
//                         greatest n u; n: terms that one result combines, an update's own element included; u: unit
//                         roundoff of the sum's type. max|ref|: the greatest finite magnitude in the output
//   + 4 v max|ref|        where what follows rounds to a narrower type, of unit roundoff v > u (an f32 sum stored as f16
//                         may fall on either side of a tie); or where only approximations took part
//   + 4 a                 a: the greatest change of this output that the approximations' declared errors make in the
//                         reference (approximation.h), and with them the bounds of the sums and products that it
//                         follows from (sum_error.h), each 4 n u max|ref| of its own n, u and values. An output that
//                         is the sum itself keeps the plain rule
// An array of integers gets 1 more, as a cast of floats may fall on either side of a whole number. One that follows from
// a comparison of such floats, or of what a definition approximates itself (a bool, an argmax), is not compared, and none,
// of floats neither, that follows from an index or a condition by which terms go elsewhere (a histogram of them): no bound
// can hold there (decisions.h).
//
// An infinity counts as the value from which a type rounds to it, so that it may stand where the other sum just did not
// overflow; infinities of different signs, and a NaN against a number, are beyond every bound but an infinite one: where
// those errors make a NaN of a number, a is infinite.

#include "compiler/run/buffer.h"
#include "compiler/worker/decisions.h"
#include "compiler/worker/marks.h"

#include <map>
#include <optional>

namespace loopscope::worker {

class Tolerance {
public:
    // `given`: the caller's own bound on |out - ref|, in place of the sum above.
    Tolerance(const Pipeline& pipeline, const Marks& marks, std::optional<double> given);

    // Does an output that is held to the bound follow from a reassociated definition, rather than being it?
    bool follows() const;
    // What the errors of approximations and sums make of one output; the greatest over several calls.
    void add_change(const std::string& output, const Buffer& reference, const Buffer& moved);

    // Of an output's array ("S", or "S.1" of a tuple).
    enum class Rule { Bits, Bound, NotCompared };
    Rule rule(const std::string& array) const;
    double allowed(const std::string& array, const Buffer& reference) const;

    // The terms that `allowed` adds, each the greatest of all outputs: "4 n u max|ref| (n = 64, u = 2^-24 of f32)".
    std::string text() const;

private:
    struct Sum {
        double terms = 0; // 0: none
        ScalarType type = ScalarType::F32;
        double error() const;
    };
    // What an output inherits of the stages that it depends on.
    struct Influence {
        bool any = false;     // of a reassociated or approximated definition
        bool follows = false; // computes with what a reassociated one left
        Decides decided = Decides::Nothing;
        Sum sum;             // the worst one
        double rounding = 0; // greatest unit roundoff of what follows
    };
    struct Bound {
        Rule rule = Rule::Bits;
        bool follows = false;
        Sum sum;
        double rounding = 0; // v of 4 v max|ref|; 0 where the sum covers it
        double whole = 0;    // of integers
    };
    static Bound bound_of(const Influence& influence, ScalarType type);
    void examine(const Stage& stage, const Marks& marks);
    void inherit(Influence& own, const Definition& definition, bool approximated) const;

    std::map<std::string, Influence> influences_; // by stage
    std::map<std::string, Bound> outputs_;        // by array
    std::map<std::string, double> changes_;       // by array
    bool approximates_ = false;
    std::optional<double> given_;
};

// n u of one definition: of its greatest result, what another order may change.
double reordering_error(const Stage& stage, const Definition& definition);

// How an array compares under a bound.
struct Excess {
    std::int64_t elements = 0; // beyond it
    std::int64_t first = -1;   // the first of them; -1: none
};
// Both must have one type and one shape.
Excess beyond(const Buffer& actual, const Buffer& reference, double allowed);
// Would zeros in place of the whole array pass as well, though it has others?
bool excludes_nothing(double allowed, const Buffer& reference);

} // namespace loopscope::worker
