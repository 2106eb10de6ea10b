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
#include "compiler/lower/gpu/box_request.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/producers.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>

namespace loopscope::lower {

namespace {

class Bulk {
public:
    Bulk(const Program& program, NameSource& names) : names_(names) {
        for (const auto& argument : program.arguments)
            arrays_.global[argument.buffer] = {argument.type, argument.extents, 0};
        for (const auto& buffer : program.buffers)
            arrays_.global[buffer.buffer] = {buffer.type, buffer.extents, 0};
    }

    StatementPtr run(const StatementPtr& body) {
        std::map<std::string, std::vector<StatementPtr>> nests; // by token
        find(body, nests);
        for (const auto& [token, found] : nests)
            if (std::all_of(found.begin(), found.end(),
                            [&](const auto& nest) { return box_request(nest, arrays_).ok(); })) {
                tokens_[token] = names_.unused(token + ".arrivals");
                if (slots_.count(token))
                    releases_[token] = names_.unused(token + ".releases");
            }
        if (tokens_.empty())
            return body;
        auto out = replaced(body);
        for (const auto& [token, arrivals] : tokens_) {
            const bool handed = releases_.count(token) > 0;
            const auto mbarriers = Extent((handed ? slots_ : groups_).at(token));
            out = allocate({}, arrivals, ScalarType::U64, {mbarriers}, device::shared_memory(),
                           std::move(out));
            if (handed)
                out = allocate({}, releases_.at(token), ScalarType::U64, {mbarriers},
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
                const auto& stage = innermost_copy(nest)->origin.stage;
                const bool known = std::any_of(out.begin(), out.end(), [&](const auto& other) {
                    return other.stage == stage;
                });
                if (!slots_.count(token) || known)
                    continue;
                if (const auto request = box_request(nest, arrays_); !request)
                    out.push_back({stage, request.errors().front().message});
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
            arrays_.shared[s->storage->buffer] = {s->storage->type, s->storage->extents,
                                                  s->storage->swizzle};
        if (writes(*s))
            arrays_.written.insert(s->access->buffer);
        for (const auto& operand : s->operands)
            if (writes_operand(*s, operand.buffer))
                arrays_.written.insert(operand.buffer);
        if (s->kind == StatementKind::Acquire && s->step->producers)
            slots_[s->step->token] = s->step->slot_count;
        // Groups under way, the one that is begun, the one that arrives.
        if (s->kind == StatementKind::Wait)
            groups_[s->step->token] =
                std::max<std::int64_t>(groups_[s->step->token], s->step->pending + 2);
        if (const auto copy = innermost_copy(s)) {
            nests[copy->step->token].push_back(s);
            return;
        }
        for (const auto& child : s->children)
            find(child, nests);
    }

    StatementPtr replaced(const StatementPtr& s) const {
        if (const auto copy = innermost_copy(s))
            if (auto token = tokens_.find(copy->step->token); token != tokens_.end())
                return bulk_copies_of(*box_request(s, arrays_), token->second);
        const auto token = s->step ? s->step->token : std::string();
        const bool counted = s->kind == StatementKind::Commit || s->kind == StatementKind::Wait;
        if (auto found = tokens_.find(token); counted && found != tokens_.end())
            return edited(s, [&](Statement& copy) { copy.operands = {{found->second, {}}}; });
        const bool frees = s->kind == StatementKind::Acquire || s->kind == StatementKind::Release;
        if (auto found = releases_.find(token); frees && found != releases_.end())
            return edited(s, [&](Statement& copy) {
                copy.operands = {{found->second, {}}};
                copy.step->slot_count = 1;
            });
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(replaced(child));
        return with_children(s, std::move(children));
    }

    NameSource& names_;
    CopiedArrays arrays_;
    std::map<std::string, std::int64_t> groups_; // by token
    std::map<std::string, std::int64_t> slots_;  // by token that producer warpgroups load
    std::map<std::string, std::string> tokens_;  // that bulk copies fill: their mbarriers
    // of those in slots_: the mbarriers that count readers that are done
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
