// Loads whose lanes lie at constant places within a small window, such as 2*x, x/2 or x/2 - 1 +
// 2*(x%2) of neighbouring x: a few dense vectors, and a constant permutation of them, where a
// gather would fetch element by element. And clamped indices, which are such windows in each of
// their parts.

#include "compiler/codegen/emit/wide_index.h"
#include "compiler/codegen/host/host_emitter.h"
#include "compiler/lower/fold.h"

#include <algorithm>

namespace loopscope::codegen {

using llvm::Value;

namespace {

constexpr std::int64_t kMaxFactor = 1 << 20; // of offsets up to kFarthest, without overflow
constexpr std::int64_t kMaxPieces = 4;       // beyond it a gather reads less memory
constexpr int kMaxReaders = 4;               // of an element, whose masks are joined

std::int64_t power_of_two_within(std::int64_t n) {
    return static_cast<std::int64_t>(llvm::bit_floor(static_cast<std::uint64_t>(n)));
}

} // namespace

// The index as base + a constant for each lane, or none. As in `strided`, sums and products do not
// wrap on lanes that touch memory; dividends are held to their ranges.
std::optional<HostEmitter::Window> HostEmitter::window(const ExprPtr& e, int count) {
    if (!is_integer(e->type))
        return std::nullopt;
    if (auto form = strided(e)) {
        if (!is_within(form->stride, kFarthest))
            return std::nullopt;
        Window result{form->base, {}};
        for (int lane = 0; lane < count; ++lane)
            result.offsets.push_back(form->stride * lane);
        return result;
    }
    if (bits(e->type) < 32)
        return std::nullopt;
    if (e->kind == ExprKind::Cast)
        return bits(e->args[0]->type) >= 32 ? window(e->args[0], count) : std::nullopt;
    if (e->kind != ExprKind::Binary)
        return std::nullopt;
    auto left = window(e->args[0], count), right = window(e->args[1], count);
    if (!left || !right)
        return std::nullopt;
    auto result = window_binary(*e, *left, *right);
    for (std::size_t lane = 0; result && lane < result->offsets.size(); ++lane)
        if (!is_within(result->offsets[lane], kFarthest))
            return std::nullopt;
    return result;
}

std::optional<HostEmitter::Window> HostEmitter::window_binary(const Expr& e, const Window& left,
                                                              const Window& right) {
    auto lanewise = [&](const Linear& base, auto operation) {
        Window result{base, {}};
        for (std::size_t lane = 0; lane < left.offsets.size(); ++lane)
            result.offsets.push_back(operation(left.offsets[lane], right.offsets[lane]));
        return result;
    };
    auto as_number = [](const Window& window) -> std::optional<std::int64_t> {
        bool uniform = std::all_of(window.offsets.begin(), window.offsets.end(),
                                   [](std::int64_t offset) { return offset == 0; });
        return uniform && window.base.is_constant() && is_within(window.base.constant, kMaxFactor)
                   ? std::optional(window.base.constant)
                   : std::nullopt;
    };
    auto factor = as_number(left), number = as_number(right);
    switch (e.op) {
    case Op::Add: return lanewise(left.base.plus(right.base), std::plus());
    case Op::Subtract: return lanewise(left.base.plus(right.base, -1), std::minus());
    case Op::Multiply:
        if (number)
            return lanewise(left.base.times(*number), [&](auto a, auto) { return a * *number; });
        if (factor)
            return lanewise(right.base.times(*factor), [&](auto, auto b) { return *factor * b; });
        return std::nullopt;
    case Op::Min:
    case Op::Max: { // of two that lie a constant apart
        auto apart = left.base.plus(right.base, -1);
        if (!apart.is_constant() || !is_within(apart.constant, kFarthest) || !range(e.args[0]) ||
            !range(e.args[1]))
            return std::nullopt;
        return lanewise(right.base, [&](auto a, auto b) {
            a += apart.constant;
            return e.op == Op::Min ? std::min(a, b) : std::max(a, b);
        });
    }
    case Op::Divide:
    case Op::Modulo:
        return number && *number > 0 && range(e.args[0]) ? window_division(e.op, left, *number)
                                                         : std::nullopt;
    default: return std::nullopt;
    }
}

// (divisor*base + a)/divisor = base + a/divisor, and what is left over is that of a.
std::optional<HostEmitter::Window> HostEmitter::window_division(Op op, const Window& dividend,
                                                                std::int64_t divisor) {
    Linear quotient;
    for (auto term : dividend.base.terms) {
        if (term.factor % divisor != 0)
            return std::nullopt;
        term.factor /= divisor;
        quotient.terms.push_back(term);
    }
    if (!is_within(dividend.base.constant, kFarthest))
        return std::nullopt;
    Window result{op == Op::Divide ? quotient : Linear{}, {}};
    for (auto offset : dividend.offsets) {
        auto at = dividend.base.constant + offset;
        result.offsets.push_back(op == Op::Divide ? lower::floor_divide(at, divisor)
                                                  : lower::floor_modulo(at, divisor));
    }
    return result;
}

HostEmitter::Window HostEmitter::Window::plus(const Window& other) const {
    Window sum{base.plus(other.base), offsets};
    for (std::size_t lane = 0; lane < offsets.size(); ++lane)
        sum.offsets[lane] += other.offsets[lane];
    return sum;
}

// How the window is read: from its least place on, in dense vectors of one length, the last one
// moved inwards, so that nothing beyond the window is touched. None: it takes too many of them, and
// a gather is faster.
std::optional<HostEmitter::Pieces> HostEmitter::pieces_of(const Buffer& buffer, const Window& at,
                                                          bool masked) const {
    auto [least, greatest] = std::minmax_element(at.offsets.begin(), at.offsets.end());
    auto count = static_cast<std::int64_t>(at.offsets.size()), span = *greatest - *least + 1;
    // Under a mask all are as long as the result, so that masks are permuted among as many lanes:
    // elements beyond the window are off.
    Pieces pieces{*least, masked || span >= count ? count : power_of_two_within(span), {}, {}};
    if (span > kMaxPieces * pieces.length)
        return std::nullopt;
    for (std::int64_t begin = 0; begin < span; begin += pieces.length)
        pieces.begins.push_back(std::max<std::int64_t>(std::min(begin, span - pieces.length), 0));
    for (auto offset : at.offsets)
        ++pieces.readers[offset - *least];
    if (masked && (!hardware_.narrow_masks && bytes(buffer.type) < 4))
        return std::nullopt;
    for (const auto& [place, readers] : pieces.readers)
        if (masked && span > 1 && readers > kMaxReaders)
            return std::nullopt;
    return pieces;
}

// Which elements of a piece some lane reads that is on.
Value* HostEmitter::piece_mask(const Window& at, const Pieces& pieces, std::size_t piece,
                               Value* mask) {
    const int none = static_cast<int>(at.offsets.size()); // of the zeros behind the lanes
    std::vector<std::vector<int>> lanes(static_cast<std::size_t>(pieces.length));
    for (std::size_t lane = 0; lane < at.offsets.size(); ++lane) {
        auto place = at.offsets[lane] - pieces.least;
        if (static_cast<std::size_t>(place / pieces.length) == piece)
            lanes[static_cast<std::size_t>(place - pieces.begins[piece])].push_back(
                static_cast<int>(lane));
    }
    Value *result = nullptr, *zeros = llvm::Constant::getNullValue(mask->getType());
    for (std::size_t round = 0; round < static_cast<std::size_t>(kMaxReaders); ++round) {
        llvm::SmallVector<int, 64> order;
        bool any = false;
        for (const auto& readers : lanes) {
            order.push_back(round < readers.size() ? readers[round] : none);
            any = any || round < readers.size();
        }
        if (result && !any)
            break;
        auto* part = b_.CreateShuffleVector(mask, zeros, order);
        result = result ? b_.CreateOr(result, part) : part;
    }
    return result;
}

// Without a mask, all that lies between the least and the greatest place is inside the buffer, as
// these are. Null: read it in another way.
Value* HostEmitter::load_window(const Buffer& buffer, const Window& at, Value* mask) {
    auto pieces = pieces_of(buffer, at, mask != nullptr);
    if (!pieces)
        return nullptr;
    const int count = static_cast<int>(at.offsets.size()),
              length = static_cast<int>(pieces->length);
    auto first_place = at.base.plus(Linear::of(pieces->least));
    if (pieces->readers.size() == 1)
        return load_uniform(buffer, first_place, mask, count);
    std::vector<Value*> parts;
    for (std::size_t piece = 0; piece < pieces->begins.size(); ++piece)
        parts.push_back(load_dense(buffer, first_place.plus(Linear::of(pieces->begins[piece])),
                                   mask ? piece_mask(at, *pieces, piece, mask) : nullptr, length));
    if (parts.size() == 1)
        parts.push_back(llvm::PoisonValue::get(parts[0]->getType()));
    // Two by one shuffle; what further ones (then as long as the result) contribute, by one each.
    Value* result = parts[0];
    for (std::size_t part = 1; part < parts.size(); ++part) {
        llvm::SmallVector<int, 64> order;
        for (int lane = 0; lane < count; ++lane) {
            auto place = at.offsets[static_cast<std::size_t>(lane)] - pieces->least;
            auto from = static_cast<std::size_t>(place / length);
            auto element =
                from < pieces->begins.size() ? static_cast<int>(place - pieces->begins[from]) : 0;
            order.push_back(from == part  ? length + element
                            : from > part ? llvm::PoisonMaskElem
                            : part == 1   ? element
                                          : lane);
        }
        result = b_.CreateShuffleVector(result, parts[part], order);
    }
    // an element that is on for one lane alone
    bool shared = static_cast<int>(pieces->readers.size()) < count;
    return mask && shared
               ? b_.CreateSelect(mask, result, llvm::Constant::getNullValue(result->getType()))
               : result;
}

// ---- Clamped indices ----------------------------------------------------------------------------

// The less or the greater of two windows, at the borders of an image: each is read where it is
// chosen, under a mask, and the results are selected between. The clamp may stand below sums with
// windows: `shift`, so far.
bool HostEmitter::is_clamped(const Buffer& buffer, const ExprPtr& at, const Window& shift) {
    const int count = static_cast<int>(shift.offsets.size());
    if (at->kind != ExprKind::Binary || !is_integer(at->type) || bits(at->type) < 32)
        return false;
    if (at->op == Op::Add || at->op == Op::Subtract) {
        auto [clamp, rest] = clamp_of_sum(*at, count);
        return clamp && is_clamped(buffer, clamp, shift.plus(*rest));
    }
    if (at->op != Op::Min && at->op != Op::Max)
        return false;
    for (const auto& arm : at->args) {
        if (!range(arm)) // windows are exact: what is compared has to be, too
            return false;
        auto form = window(arm, count);
        if (form ? !pieces_of(buffer, form->plus(shift), true) : !is_clamped(buffer, arm, shift))
            return false;
    }
    return true;
}

// A sum as what may be a clamp, and a window.
std::pair<ExprPtr, std::optional<HostEmitter::Window>> HostEmitter::clamp_of_sum(const Expr& sum,
                                                                                 int count) {
    if (auto right = window(sum.args[1], count)) {
        if (sum.op == Op::Subtract) {
            right->base = right->base.times(-1);
            for (auto& offset : right->offsets)
                offset = -offset;
        }
        return {sum.args[0], right};
    }
    if (auto left = window(sum.args[0], count); left && sum.op == Op::Add)
        return {sum.args[1], left};
    return {nullptr, std::nullopt};
}

Value* HostEmitter::load_clamped(const Buffer& buffer, const ExprPtr& at, const Window& shift,
                                 Value* mask) {
    const int count = static_cast<int>(shift.offsets.size());
    if (at->op == Op::Add || at->op == Op::Subtract) {
        auto [clamp, rest] = clamp_of_sum(*at, count);
        return load_clamped(buffer, clamp, shift.plus(*rest), mask);
    }
    Value* first = binary_operation(b_, at->op == Op::Min ? Op::Less : Op::Greater, at->type,
                                    lanes(at->args[0], count), lanes(at->args[1], count));
    Value* second = b_.CreateNot(first);
    auto where = [&](Value* chosen) { return mask ? b_.CreateAnd(mask, chosen) : chosen; };
    auto arm = [&](const ExprPtr& e, Value* chosen) {
        auto form = window(e, count);
        return form ? load_window(buffer, form->plus(shift), where(chosen))
                    : load_clamped(buffer, e, shift, where(chosen));
    };
    Value* a = arm(at->args[0], first);
    Value* b = arm(at->args[1], second);
    return b_.CreateSelect(first, a, b);
}

} // namespace loopscope::codegen
