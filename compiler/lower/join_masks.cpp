// join_masks: masks of neighbouring stores are made before the first of them, so that the stores
// stand side by side.
//
//     let m = ramp(0, 1, 8) < …  {                     let m = ramp(0, 1, 8) < …
//         out[ramp(0, 2, 8) where m] = a               let n = ramp(1, 1, 8) < …
//     }                                      →         out[ramp(0, 2, 8) where m] = a
//     let n = ramp(1, 1, 8) < …                        out[ramp(1, 2, 8) where n] = b
//     out[ramp(1, 2, 8) where n] = b
//
// Code generation then sees what they fill together. Only masks that load nothing move, and only
// past stores.
//
// Expects: a program without vectorised loops. Guarantees: the same stores in the same order.
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

bool is_mask(const Statement& s) {
    return s.kind == StatementKind::Let && s.value->lanes > 1 && is_bool(s.value->type) &&
           !contains_load(s.value);
}

// Masks around something that begins with a store.
bool begins_with_store(const StatementPtr& s) {
    if (s->kind == StatementKind::Block || is_mask(*s))
        return !s->children.empty() && begins_with_store(s->children[0]);
    return s->kind == StatementKind::Store;
}

StatementPtr with_joined_masks(const StatementPtr& block_of) {
    // Last statement first. Names are unique: the scope of a let may reach to the end of the block.
    std::vector<StatementPtr> waiting(block_of->children.rbegin(), block_of->children.rend());
    struct Part {
        std::vector<StatementPtr> masks, statements;
    };
    std::vector<Part> parts(1);
    while (!waiting.empty()) {
        auto s = waiting.back();
        waiting.pop_back();
        bool stores = begins_with_store(s);
        if (!stores) {
            parts.push_back({{}, {s}});
            parts.emplace_back();
        } else if (s->kind == StatementKind::Store) {
            parts.back().statements.push_back(s);
        } else {
            if (s->kind == StatementKind::Let)
                parts.back().masks.push_back(s);
            const auto& inside = s->children;
            waiting.insert(waiting.end(), inside.rbegin(), inside.rend());
        }
    }
    StatementPtr rest = empty_block();
    for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
        part->statements.push_back(rest);
        rest = block(std::move(part->statements), block_of->origin);
        for (auto mask = part->masks.rbegin(); mask != part->masks.rend(); ++mask)
            rest = with_children(*mask, {rest});
    }
    return rest;
}

} // namespace

Program join_masks(const Program& program, const TargetInfo&) {
    return map_bodies(program, [](const StatementPtr& body) {
        return rewrite(body, [](const StatementPtr& s) {
            return s->kind == StatementKind::Block ? with_joined_masks(s) : s;
        });
    });
}

} // namespace loopscope::lower
