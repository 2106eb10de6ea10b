// bulk_copies: what the threads of a block copy together for a pipeline becomes one request to the
// tensor memory accelerator (TMA), the copy engine of targets that have one for boxes of arrays
// (sm_90: bulk tensor copies, whose arrival an mbarrier in shared memory counts).
//
//     bound threads for As.i in 0..128 {
//         bound threads for As.k in 0..32 {
//             copy As.copies As[ko.ahead % 3, As.i, As.k] = A[i0 + As.i, ko.ahead*32 + As.k]
//         }
//     }
//     commit As.copies
//
//     ->
//
//     bulk copy As.copies As[ko.ahead % 3, 0, 0] = A[i0, ko.ahead*32] of [128, 32]
//         by As.copies.arrivals
//     commit As.copies by As.copies.arrivals
//
// Rows of a swizzled stage that are longer than its pattern are several requests, one for each
// panel (swizzling.h). All copies of a token become requests, or none does: what an mbarrier counts
// is no group of the threads' own copies. Copies stay what they are where the box does not lie
// densely in shared memory, its rows are no multiple of 16 bytes, an element has a condition of its
// own, or the TMA's limits are exceeded. Zeros outside of the array are no such condition: the TMA
// fills them in. It is given the place of the box as it is, without the clamps that bring each
// index back into the array (zero_borders.h).
//
// Expects a program after skip_pipelines. Guarantees nothing more.
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/producers.h"
#include "compiler/lower/gpu/zero_borders.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"
#include "core/schedule/gpu/swizzling.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace loopscope::lower {

namespace {

// The limit of the tensor memory accelerator (TMA): CUDA's driver API, cuTensorMapEncodeTiled.
constexpr std::size_t kMaxDimensions = 5;
constexpr std::int64_t kMaxAlong = 256; // elements of a box
constexpr std::int64_t kUnit = 16;      // bytes: rows of the array and of the box
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 32;

// base + sum of coefficient * loop, over loops whose beginning is 0.
struct Linear {
    ExprPtr base;
    std::map<std::string, std::int64_t> coefficients; // none is 0
};
using Coefficients = std::map<std::string, std::int64_t>;

constexpr const char* kNotDense =
    "it does not lie in shared memory as it does in the array, one element behind the other";

using Loops = std::map<std::string, std::int64_t>; // their extents

void add(Linear& to, const Linear& from, std::int64_t factor) {
    for (const auto& [loop, coefficient] : from.coefficients)
        if ((to.coefficients[loop] += coefficient * factor) == 0)
            to.coefficients.erase(loop);
}

bool is_zero(const ExprPtr& e) {
    std::int64_t value = 0;
    return constant_value(e, value) && value == 0;
}

std::optional<Linear> linear(const ExprPtr& e, const Loops& loops) {
    if (std::none_of(loops.begin(), loops.end(),
                     [&](const auto& loop) { return uses_variable(e, loop.first); }))
        return Linear{e, {}};
    if (e->kind == ExprKind::Variable)
        return Linear{constant_int(e->type, 0), {{e->name, 1}}};
    if (e->kind == ExprKind::Cast && is_integer(e->type) &&
        bytes(e->type) >= bytes(e->args[0]->type)) {
        auto inner = linear(e->args[0], loops);
        if (inner)
            inner->base = cast(e->type, inner->base);
        return inner;
    }
    if (e->kind != ExprKind::Binary)
        return std::nullopt;
    auto a = linear(e->args[0], loops), b = linear(e->args[1], loops);
    std::int64_t factor = e->op == Op::Subtract ? -1 : 1;
    if (!a || !b)
        return std::nullopt;
    if (e->op == Op::Multiply && !constant_value(e->args[1], factor))
        return std::nullopt;
    if (e->op == Op::Multiply) {
        Linear out{is_zero(a->base) ? a->base : binary(Op::Multiply, a->base, e->args[1]), {}};
        add(out, *a, factor);
        return out;
    }
    if (e->op != Op::Add && e->op != Op::Subtract)
        return std::nullopt;
    if (is_zero(a->base) && e->op == Op::Add)
        a->base = b->base;
    else if (!is_zero(b->base))
        a->base = binary(e->op, a->base, b->base);
    add(*a, *b, factor);
    return a;
}

// How many elements the loops of a form run over, one after the other: their coefficients are 1,
// the extent of that loop, and so on. Nothing: they leave some out, or meet some twice.
std::optional<std::int64_t> covered(const Linear& form, const Loops& loops) {
    std::vector<std::pair<std::int64_t, std::int64_t>> digits; // coefficient, extent
    for (const auto& [loop, coefficient] : form.coefficients)
        digits.emplace_back(coefficient, loops.at(loop));
    std::sort(digits.begin(), digits.end());
    std::int64_t count = 1;
    for (const auto& [coefficient, extent] : digits) {
        if (coefficient != count)
            return std::nullopt;
        count *= extent;
    }
    return count;
}

struct Array {
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
    int swizzle = 0; // of shared memory
};

bool constant_extents(const Array& array) {
    return std::all_of(array.extents.begin(), array.extents.end(),
                       [](const Extent& e) { return e.is_constant(); });
}

class Bulk {
public:
    Bulk(const Program& program, NameSource& names) : names_(names) {
        for (const auto& argument : program.arguments)
            global_[argument.buffer] = {argument.type, argument.extents, 0};
        for (const auto& buffer : program.buffers)
            global_[buffer.buffer] = {buffer.type, buffer.extents, 0};
    }

    StatementPtr run(const StatementPtr& body) {
        std::map<std::string, std::vector<StatementPtr>> nests; // by token
        find(body, nests);
        for (const auto& [token, found] : nests)
            if (std::all_of(found.begin(), found.end(),
                            [&](const auto& nest) { return bulk(nest, "") != nullptr; })) {
                tokens_[token] = names_.unused(token + ".arrivals");
                if (rooms_.count(token))
                    releases_[token] = names_.unused(token + ".releases");
            }
        if (tokens_.empty())
            return body;
        auto out = replaced(body);
        for (const auto& [token, arrivals] : tokens_) {
            const bool handed = releases_.count(token) > 0;
            const auto objects = Extent((handed ? rooms_ : groups_).at(token));
            out = allocate({}, arrivals, ScalarType::U64, {objects}, device::shared_memory(),
                           std::move(out));
            if (handed)
                out = allocate({}, releases_.at(token), ScalarType::U64, {objects},
                               device::shared_memory(), std::move(out));
        }
        return out;
    }

    // Refusals for tokens that producer warpgroups are to load.
    std::vector<NoBulkCopy> refusals(const StatementPtr& body) {
        std::map<std::string, std::vector<StatementPtr>> nests; // by token
        find(body, nests);
        std::vector<NoBulkCopy> out;
        find_stores(body, out);
        for (const auto& [token, found] : nests)
            for (const auto& nest : found) {
                const auto& stage = innermost(nest)->origin.stage;
                const bool known = std::any_of(out.begin(), out.end(), [&](const auto& other) {
                    return other.stage == stage;
                });
                if (rooms_.count(token) && !known && !bulk(nest, ""))
                    out.push_back({stage, why_});
            }
        return out;
    }

private:
    // Finds stores of computed values between the requests for a token's copies: the TMA cannot
    // make them.
    static void find_stores(const StatementPtr& s, std::vector<NoBulkCopy>& out) {
        bool asked = false;
        for (const auto& child : s->children) {
            if (child->kind == StatementKind::Acquire || child->kind == StatementKind::Commit)
                asked = child->kind == StatementKind::Acquire && child->step->producers > 0;
            if (!asked)
                find_stores(child, out);
            else
                visit_statements(child, [&](const Statement& inside) {
                    const auto& stage = inside.origin.stage;
                    const bool known = std::any_of(out.begin(), out.end(), [&](const auto& other) {
                        return other.stage == stage;
                    });
                    if (inside.kind == StatementKind::Store && !known)
                        out.push_back({stage, "elements of " + stage +
                                                  " are computed: outside of an array the TMA "
                                                  "fills in zeros alone"});
                    return true;
                });
        }
    }

    // The outermost loops around nothing but copies of one token.
    void find(const StatementPtr& s, std::map<std::string, std::vector<StatementPtr>>& nests) {
        if (allocates_shared(*s))
            shared_[s->storage->buffer] = {s->storage->type, s->storage->extents,
                                           s->storage->swizzle};
        if (writes(*s))
            written_.insert(s->access->buffer);
        for (const auto& operand : s->operands)
            if (writes_operand(*s, operand.buffer))
                written_.insert(operand.buffer);
        if (s->kind == StatementKind::Acquire && s->step->producers)
            rooms_[s->step->token] = s->step->slot_count;
        if (s->kind ==
            StatementKind::Wait) // groups under way, the one that is begun, the one that arrives
            groups_[s->step->token] =
                std::max<std::int64_t>(groups_[s->step->token], s->step->pending + 2);
        if (const auto copy = innermost(s)) {
            nests[copy->step->token].push_back(s);
            return;
        }
        for (const auto& child : s->children)
            find(child, nests);
    }

    static bool is_plain(const Statement& s) {
        std::int64_t begin = 0, extent = 0;
        return s.kind == StatementKind::For && constant_value(s.loop->begin, begin) && begin == 0 &&
               constant_value(s.loop->extent, extent);
    }

    // The copy in a chain of loops that say how a box is walked through.
    static StatementPtr innermost(StatementPtr at) {
        for (; is_plain(*at); at = at->children[0])
            if (at->loop->kind == ForKind::Serial || at->loop->kind == ForKind::Parallel)
                break; // iterations in order: the loop of a prologue
        return at->kind == StatementKind::Copy ? at : nullptr;
    }

    // Null: it cannot be one. A loop of one iteration walks through nothing.
    StatementPtr bulk(const StatementPtr& nest, const std::string& arrivals) const {
        Loops loops; // of several iterations
        std::map<std::string, ExprPtr> once;
        for (const auto* at = nest.get(); at->kind == StatementKind::For;
             at = at->children[0].get()) {
            std::int64_t extent = 0;
            constant_value(at->loop->extent, extent);
            if (extent == 1)
                once[at->variable] = at->loop->begin;
            else
                loops[at->variable] = extent;
        }
        const auto inside = substitute(innermost(nest), [&](const std::string& name) -> ExprPtr {
            const auto begin = once.find(name);
            return begin == once.end() ? nullptr : begin->second;
        });
        const auto& copy = *inside;
        auto from = global_.find(copy.value->name);
        auto to = shared_.find(copy.access->buffer);
        if (copy.access->mask)
            return none("elements of it have a condition of their own");
        if (from == global_.end() || to == shared_.end())
            return none("it is no copy from global into shared memory");
        // Barriers do not order what threads write and what the TMA reads (PTX ISA, "Async Proxy").
        if (written_.count(copy.value->name))
            return none(copy.value->name +
                        ", which it is a copy of, is computed by the same launch");
        if (!fits(from->second) || !constant_extents(to->second))
            return none("of " + copy.value->name +
                        " the extents are no constants, the dimensions more than 5, or the rows no "
                        "multiple of 16 bytes");

        auto indices = copy.value->args;
        const bool zeros = copy.value->kind == ExprKind::MaskedLoad;
        if (zeros) {
            const auto outside = indices_with_zero_border(*copy.value, from->second.extents);
            if (!outside)
                return none("elements of it have a condition of their own");
            indices = *outside;
        }
        std::set<std::string> left;
        for (const auto& loop : loops)
            left.insert(loop.first);
        Operand source{copy.value->name, {}}, target{copy.access->buffer, {}};
        std::vector<std::int64_t> box, room; // along dimensions of more than one element
        std::vector<std::map<std::string, std::int64_t>> walked, filled;
        std::vector<Extent> extents;
        for (const auto& index : indices) {
            auto form = linear(index, loops);
            auto count = form ? covered(*form, loops) : std::nullopt;
            if (count && *count > kMaxAlong)
                return none("it has " + std::to_string(*count) +
                            " elements along one dimension of " + copy.value->name +
                            ", and a box at most " + std::to_string(kMaxAlong));
            for (const auto& [loop, coefficient] : count ? form->coefficients : Coefficients())
                if (left.erase(loop) == 0)
                    count.reset(); // along a diagonal
            if (!count)
                return none("it is no box of " + copy.value->name +
                            ", as of what a boundary other than zeros folds back into it");
            source.indices.push_back(form->base);
            extents.emplace_back(*count);
            if (*count > 1) {
                box.push_back(*count);
                walked.push_back(form->coefficients);
            }
        }
        const auto& dimensions = to->second.extents;
        for (std::size_t d = 0; d < dimensions.size(); ++d) {
            auto form = linear(copy.access->indices[d], loops);
            auto count = form ? covered(*form, loops) : std::nullopt;
            if (!count)
                return none(kNotDense);
            target.indices.push_back(*count > 1 ? constant_int(form->base->type, 0) : form->base);
            const bool whole = is_zero(form->base) && *count == dimensions[d].constant();
            if (*count > 1 && !whole)
                return none(kNotDense);
            if (*count > 1) {
                room.push_back(*count);
                filled.push_back(form->coefficients);
            } else if (!room.empty() && dimensions[d].constant() != 1) {
                return none(kNotDense); // it stands between rows of the box
            }
        }
        // One behind the other in both, by the same loops; each loop takes part.
        if (!left.empty() || box != room || walked != filled || box.empty())
            return none(kNotDense);
        const auto row = extents.back().constant() * bytes(to->second.type);
        std::int64_t size = bytes(to->second.type);
        for (auto along : box)
            size *= along;
        if (row % kUnit != 0 || size % kSharedAlignment != 0)
            return none("it has rows of " + std::to_string(row) + " bytes and " +
                        std::to_string(size) + " in all, which are no multiples of 16 and of 128");
        const auto swizzle = to->second.swizzle;
        if (swizzle == 0)
            return bulk_copy(copy.origin, copy.step->token,
                             {std::move(target), std::move(source), {arrivals, {}}},
                             {std::move(extents), 0, zeros});
        // The TMA permutes rows of exactly the pattern's length, by the address alone: a request
        // for each panel.
        const auto panels = row / swizzle;
        if (row % swizzle != 0 || size / panels % swizzling(swizzle, 1)->alignment() != 0)
            return none("its rows are no multiple of its pattern's " + std::to_string(swizzle) +
                        " bytes");
        const auto along = swizzle / bytes(to->second.type);
        extents.back() = Extent(along);
        std::vector<StatementPtr> out;
        for (std::int64_t p = 0; p < panels; ++p) {
            auto part = source, place = target;
            part.indices.back() = plus(part.indices.back(), p * along);
            place.indices.back() = plus(place.indices.back(), p * along);
            out.push_back(bulk_copy(copy.origin, copy.step->token,
                                    {std::move(place), std::move(part), {arrivals, {}}},
                                    {extents, swizzle, zeros}));
        }
        return block(std::move(out));
    }

    StatementPtr none(std::string why) const {
        why_ = std::move(why);
        return nullptr;
    }

    static ExprPtr plus(const ExprPtr& index, std::int64_t more) {
        std::int64_t value = 0;
        if (constant_value(index, value))
            return constant_int(index->type, value + more);
        return more == 0 ? index : binary(Op::Add, index, constant_int(index->type, more));
    }

    static bool fits(const Array& array) {
        if (!constant_extents(array) || array.extents.empty() ||
            array.extents.size() > kMaxDimensions)
            return false;
        const auto row = array.extents.back().constant() * bytes(array.type);
        return (array.extents.size() == 1 || row % kUnit == 0) &&
               std::all_of(array.extents.begin(), array.extents.end(), [](const Extent& e) {
                   return e.constant() > 0 && e.constant() <= kMaxExtent;
               });
    }

    StatementPtr replaced(const StatementPtr& s) const {
        if (const auto copy = innermost(s))
            if (auto token = tokens_.find(copy->step->token); token != tokens_.end())
                return bulk(s, token->second);
        const auto token_of = [&] { return s->step ? s->step->token : std::string(); };
        const bool counted = s->kind == StatementKind::Commit || s->kind == StatementKind::Wait;
        if (auto token = tokens_.find(token_of()); counted && token != tokens_.end())
            return edited(s, [&](Statement& copy) { copy.operands = {{token->second, {}}}; });
        const bool frees = s->kind == StatementKind::Acquire || s->kind == StatementKind::Release;
        if (auto token = releases_.find(token_of()); frees && token != releases_.end())
            return edited(s, [&](Statement& copy) {
                copy.operands = {{token->second, {}}};
                copy.step->slot_count = 1;
            });
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(replaced(child));
        return with_children(s, std::move(children));
    }

    NameSource& names_;
    mutable std::string why_;       // bulk() gave nothing
    std::set<std::string> written_; // by threads, besides what they copy
    std::map<std::string, Array> global_, shared_;
    std::map<std::string, std::int64_t> groups_; // by token
    std::map<std::string, std::int64_t> rooms_;  // slots, by token that producer warpgroups load
    std::map<std::string, std::string> tokens_;  // that bulk copies fill: their mbarriers
    // of those in rooms_: the mbarriers that count readers that are done
    std::map<std::string, std::string> releases_;
};

} // namespace

std::vector<NoBulkCopy> no_bulk_copies(const Program& program) {
    NameSource names(program);
    std::vector<NoBulkCopy> out;
    for (const auto& launch : program.launches)
        if (on_device(launch))
            for (auto& refusal : Bulk(program, names).refusals(launch_shape(launch)->body))
                out.push_back(std::move(refusal));
    return out;
}

Program bulk_copies(const Program& program, const TargetInfo& target) {
    if (!target.bulk_tensor_copies)
        return program;
    NameSource names(program);
    auto out = program;
    for (auto& launch : out.launches)
        if (on_device(launch))
            launch.body = map_inside(launch, [&](const LaunchShape& shape) {
                return Bulk(program, names).run(shape.body);
            });
    return out;
}

} // namespace loopscope::lower
