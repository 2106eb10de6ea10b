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
//                         reference (approximation.h)
// An array of integers gets 1 more, as a cast of floats may fall on either side of a whole number. One that follows from
// a comparison of such floats (a bool, an argmax, a histogram of them) is not compared: no bound can hold there.
//
// An infinity counts as the value from which a type rounds to it, so that it may stand where the other sum just did not
// overflow; infinities of different signs, and a NaN against a number, are beyond every bound.

#include "compiler/run/buffer.h"
#include "compiler/worker/marks.h"

#include <map>
#include <optional>

namespace loopscope::worker {

class Tolerance {
public:
    // `given`: the caller's own bound on |out - ref|, in place of the sum above.
    Tolerance(const Pipeline& pipeline, const Marks& marks, std::optional<double> given);

    // What approximations make of one output; the greatest over several calls.
    void add_change(const std::string& output, const Buffer& reference, const Buffer& moved);

    // Of an output's array ("S", or "S.1" of a tuple).
    enum class Rule { Bits, Bound, NotCompared };
    Rule rule(const std::string& array) const;
    double allowed(const std::string& array, const Buffer& reference) const;

    std::string text() const; // "4 n u max|ref| (n = 64, u = 2^-24 of f32)"

private:
    struct Sum {
        double terms = 0; // 0: none
        ScalarType type = ScalarType::F32;
        double error() const;
    };
    // What an output inherits of the stages that it depends on.
    struct Influence {
        bool any = false;     // of a reassociated or approximated definition
        bool decided = false; // through a comparison
        Sum sum;              // the worst one
        double rounding = 0;  // greatest unit roundoff of what follows
    };
    void examine(const Stage& stage, const Marks& marks);
    void inherit(Influence& own, const Definition& definition) const;
    const Influence& of(const std::string& array) const;

    std::map<std::string, Influence> influences_; // by stage
    std::map<std::string, Influence> outputs_;    // by array
    std::map<std::string, double> changes_;       // by array
    Sum worst_;
    bool approximates_ = false;
    std::optional<double> given_;
};

// How an array compares under a bound.
struct Excess {
    std::int64_t elements = 0; // beyond it
    std::int64_t first = -1;   // the first of them; -1: none
};
// Both must have one type and one shape.
Excess beyond(const Buffer& actual, const Buffer& reference, double allowed);

} // namespace loopscope::worker
