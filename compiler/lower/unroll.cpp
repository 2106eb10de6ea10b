// unroll: unrolled loops of constant extent become copies of their body.
//
//     unrolled for ii in 4..6 {              let t = 4*2
//         let t = ii*2                       out[4] = t
//         out[ii] = t                  →     let t_1 = 5*2
//     }                                      out[5] = t_1
//
// Expects: any program. Guarantees: no unrolled loop is left; names are unique again. A loop whose
// extent is not constant, or whose copies would have more than kMaxSize statements and
// expressions, becomes a serial one.
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

constexpr std::size_t kMaxSize = 1'000'000;

StatementPtr unrolled(const StatementPtr& s, NameSource& names) {
    std::int64_t extent = 0;
    const auto& body = s->children[0];
    bool fits = constant_value(s->loop->extent, extent) &&
                (extent <= 0 || size_of(body) <= kMaxSize / static_cast<std::size_t>(extent));
    if (!fits)
        return edited(s, [](Statement& copy) { copy.loop->kind = ForKind::Serial; });
    std::vector<StatementPtr> copies;
    for (std::int64_t i = 0; i < extent; ++i) {
        std::int64_t begin = 0;
        bool constant = constant_value(s->loop->begin, begin);
        auto at = constant ? constant_int(s->loop->begin->type, begin + i)
                  : i == 0 ? s->loop->begin
                           : binary(Op::Add, s->loop->begin, constant_int(s->loop->begin->type, i));
        auto one = substitute(i == 0 ? body : names.copy(body), [&](const std::string& name) {
            return name == s->variable ? at : nullptr;
        });
        copies.push_back(one);
    }
    return block(std::move(copies), s->origin);
}

bool has_products(const StatementPtr& s) {
    return any_statement(s, [&](const Statement& x) { return is_product_of_group(x); });
}

template <typename Chosen> Program unroll_where(const Program& program, Chosen chosen) {
    NameSource names(program);
    return map_bodies(program, [&](const StatementPtr& body) {
        return rewrite(body, [&](const StatementPtr& s) {
            bool is_unrolled = s->kind == StatementKind::For && s->loop->kind == ForKind::Unrolled;
            return is_unrolled && chosen(s) ? unrolled(s, names) : s;
        });
    });
}

} // namespace

Program unroll(const Program& program, const TargetInfo&) {
    return unroll_where(program, [](const StatementPtr&) { return true; });
}

// Those alone whose products of a warpgroup are then one group: source of kernels keeps the others.
Program unroll_products(const Program& program, const TargetInfo&) {
    return unroll_where(program, has_products);
}

} // namespace loopscope::lower
