// What the judge says.
#include "compiler/run/simt_interpreter/judge.h"

#include <tuple>

namespace loopscope::simt_interpreter {

using Kind = SimtFinding::Kind;

// Writers are named first. The finding's origin is the statement that reads; of two that write, the
// one that stands later in the text.
void Judge::race(std::pair<Spot, Party> one, std::pair<Spot, Party> other) {
    auto rank = [&](const std::pair<Spot, Party>& x) {
        const auto& p = x.second;
        return std::tuple(site(p.site).deed == Deed::Reads, p.site, p.block, p.thread);
    };
    const bool in_order = rank(one) < rank(other);
    const auto& [first_spot, first] = in_order ? one : other;
    const auto& [second_spot, second] = in_order ? other : one;
    auto message = [&, &first_spot = first_spot, &first = first, &second_spot = second_spot,
                    &second = second] {
        auto text = first_spot.text() + " is " + done_by(site(first.site).deed, first.thread);
        if (first.block != second.block)
            text += " of " + block_text(code_->shape, first.block);
        text += " and ";
        if (&first_spot.store != &second_spot.store)
            text += second_spot.text() + ", at the same place, is ";
        text += done_by(site(second.site).deed, second.thread) + " of " +
                block_text(code_->shape, second.block);
        return text + (first.block == second.block ? " with no barrier between them"
                                                   : ", and nothing orders blocks");
    };
    findings_.report(Kind::Race, site(second.site).origin, site(first.site).origin,
                     &second_spot.store.name, message);
}

void Judge::report_early(const Spot& copied, const Party& copy, const Spot& accessed,
                         const Party& access) {
    auto message = [&] {
        auto target =
            &copied.store == &accessed.store ? "it" : copied.text() + ", at the same place,";
        return accessed.text() + " is " + done_by(site(access.site).deed, access.thread) + " of " +
               block_text(code_->shape, access.block) + " while a copy of thread " +
               std::to_string(copy.thread) + " to " + target + " is under way";
    };
    findings_.report(Kind::ReadBeforeArrival, site(access.site).origin, site(copy.site).origin,
                     &accessed.store.name, message);
}

void Judge::report_uninitialized(const Store& s, std::int64_t element, const Act& act) {
    findings_.report(Kind::UninitializedRead, site(act.site).origin, nullptr, &s.name, [&] {
        auto text = "thread " + std::to_string(act.thread) + " of " + block_of(act) + " reads " +
                    place_text(s, element) + ", which nothing has written";
        if (!s.aliases.empty())
            text += " since its place was another's";
        else if (!s.overwritten_by.empty())
            text += " since " + s.overwritten_by + " took its place";
        return text;
    });
}

void Judge::report_outside(const Store& s, const std::string& indices, const Act& act) {
    findings_.report(Kind::OutOfBounds, site(act.site).origin, nullptr, &s.name, [&] {
        return "thread " + std::to_string(act.thread) + " of " + block_of(act) + " " +
               verb(site(act.site).deed) + " " + s.name + "[" + indices + "], whose extents are " +
               shape_text(s.extents);
    });
}

void Judge::report_operand(SimtFinding::Kind kind, const Store& s, std::int64_t element,
                           const Act& act, const std::string& what) {
    findings_.report(kind, site(act.site).origin, nullptr, &s.name, [&] {
        return place_text(s, element) + " of thread " + std::to_string(act.thread) + " of " +
               block_of(act) + " " + what;
    });
}

} // namespace loopscope::simt_interpreter
