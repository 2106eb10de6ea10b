#pragma once
// How an output of a schedule that reassociates or approximates is judged on random reals.
//
// An output that depends on no such definition must have the reference's bits. Each element of the
// others must lie between the two ends of its enclosure (enclosure/pipeline.h), which the reference
// computes with it; integers and bools too, so that what no rounding can change keeps its value.
// Zeros of both signs are equal. Where an end is a NaN, or the ends are all that the type has,
// nothing is known of the element: the root of a sum that may be below 0, the place of an argmax.
// It is counted, and not judged. An element that may be infinitely far from the reference, as where
// some order overflows, is counted with them, though what is known of it, an end, still holds.
//
// A comparison is conclusive where at least half of the elements have bounds, and these exclude
// something: not if one value in place of all would pass, unless they tell that value to a
// hundredth of the greatest.

#include "compiler/run/judgement.h"
#include "compiler/worker/enclosure/pipeline.h"

#include <map>
#include <optional>

namespace loopscope::worker {

class Tolerance {
public:
    // `given`: the caller's own bound on |out - ref|, in place of the enclosures.
    Tolerance(const Pipeline& pipeline, const Marks& marks, std::optional<double> given);

    // What the reference must evaluate.
    const EnclosedPipeline& enclosed() const { return enclosed_; }
    // The judgement on an output's array ("S", or "S.1" of a tuple); nullopt: it is held to its
    // bits. `evaluated`: by the reference.
    std::optional<Judgement> judge(const std::string& array, const Buffer& actual,
                                   const std::map<std::string, Buffer>& evaluated) const;

    // The arrays of what the reference evaluates that hold the ends of what each element may be,
    // the least first; nothing: it is held to its bits, or to a tolerance.
    std::optional<std::pair<std::string, std::string>> ends(const std::string& array) const;
    std::optional<std::pair<const Buffer*, const Buffer*>>
    bounds(const std::string& array, const std::map<std::string, Buffer>& evaluated) const;

    // How the bounds are made: "n u sum|terms| in any order (n = 64, u = 2^-24 of f32)".
    std::string text() const;

private:
    // of outputs that are not held to their bits
    std::map<std::string, std::pair<std::string, std::string>> arrays_;
    EnclosedPipeline enclosed_;
    double terms_ = 0; // of the sum or product with the greatest n u; 0: none
    ScalarType type_ = ScalarType::F32;
    bool approximates_ = false;
    std::optional<double> given_;
};

} // namespace loopscope::worker
