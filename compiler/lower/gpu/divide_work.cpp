// divide_work: cooperative work. Loops of kThreadsLevel are divided among all threads of the block,
// whatever their shape: the points of such loops that stand directly in each other are numbered,
// the last loop fastest, and thread t of T takes the points t, T + t, 2*T + t, …
//
//     bound threads for As.i in 0..128 {            unrolled for As.part in 0..2 {
//         bound threads for As.k in 0..4 {              let As.point = As.part*256 + thread_x
//             As[As.i, As.k] = A[…]              ->     As[As.point/4, As.point%4] = A[…]
//         }                                         }
//     }
//
// So threads that follow each other have neighbouring points, and the loads of a warp are
// coalesced.
//
// Expects launches after bind_levels. Guarantees that no loop of kThreadsLevel is left.
#include "compiler/lower/build.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/names.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

constexpr std::int64_t kMaxUnrolled = 8; // parts: more stay a loop

bool is_divided(const Statement& s) {
    return s.kind == StatementKind::For && s.loop->kind == ForKind::Bound &&
           s.loop->level == kThreadsLevel;
}

class Division {
public:
    Division(const LaunchShape& shape, NameSource& names)
        : names_(names), threads_(shape.threads()) {
        std::int64_t stride = 1;
        for (const auto& dimension : shape.block) {
            if (dimension.extent < 2)
                continue;
            auto term = binary(Op::Multiply, variable(dimension.variable), constant_index(stride));
            if (stride == 1)
                term = variable(dimension.variable);
            thread_ = thread_ ? binary(Op::Add, thread_, term) : term;
            stride *= dimension.extent;
        }
    }

    StatementPtr statement(const StatementPtr& s) {
        if (is_divided(*s))
            return divided(s);
        std::vector<StatementPtr> children;
        for (const auto& child : s->children)
            children.push_back(statement(child));
        return with_children(s, std::move(children));
    }

private:
    StatementPtr divided(const StatementPtr& s) {
        std::vector<const Statement*> loops;
        std::int64_t points = 1;
        StatementPtr body = s;
        for (; is_divided(*body); body = body->children[0]) {
            std::int64_t extent = 0;
            constant_value(body->loop->extent, extent);
            points *= extent;
            loops.push_back(body.get());
        }
        body = statement(body);
        if (!thread_) {
            for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop)
                body = for_loop((*loop)->origin, (*loop)->variable, (*loop)->loop->begin,
                                (*loop)->loop->extent, ForKind::Serial, std::move(body));
            return body;
        }
        const auto parts = (points + threads_ - 1) / threads_;
        const auto part = names_.unused(s->variable + ".part"),
                   point = names_.unused(s->variable + ".point");
        if (points % threads_ != 0)
            body = if_then(s->origin, binary(Op::Less, variable(point), constant_index(points)),
                           std::move(body));
        body = with_coordinates(loops, variable(point), std::move(body));
        auto value =
            parts == 1
                ? thread_
                : binary(Op::Add, binary(Op::Multiply, variable(part), constant_index(threads_)),
                         thread_);
        body = let_statement(s->origin, point, value, std::move(body));
        if (parts == 1)
            return body;
        return for_loop(s->origin, part, constant_index(0), constant_index(parts),
                        parts <= kMaxUnrolled ? ForKind::Unrolled : ForKind::Serial,
                        std::move(body));
    }

    // The loops' variables are digits of the point's number.
    static StatementPtr with_coordinates(const std::vector<const Statement*>& loops,
                                         const ExprPtr& point, StatementPtr body) {
        std::map<std::string, ExprPtr> values;
        std::int64_t stride = 1;
        for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
            std::int64_t extent = 0;
            constant_value((*loop)->loop->extent, extent);
            auto digit = stride == 1 ? point : binary(Op::Divide, point, constant_index(stride));
            if (loop + 1 != loops.rend())
                digit = binary(Op::Modulo, digit, constant_index(extent));
            std::int64_t begin = 0;
            if (!constant_value((*loop)->loop->begin, begin) || begin != 0)
                digit = binary(Op::Add, (*loop)->loop->begin, digit);
            values[(*loop)->variable] = digit;
            stride *= extent;
        }
        return substitute(body, [&](const std::string& name) -> ExprPtr {
            auto value = values.find(name);
            return value == values.end() ? nullptr : value->second;
        });
    }

    NameSource& names_;
    std::int64_t threads_;
    ExprPtr thread_; // its number in the block; null: there is one alone
};

} // namespace

Program divide_work(const Program& program, const TargetInfo&) {
    NameSource names(program);
    auto out = program;
    for (auto& launch : out.launches) {
        if (!on_device(launch))
            continue;
        launch.body = map_inside(launch, [&](const LaunchShape& shape) {
            return Division(shape, names).statement(shape.body);
        });
    }
    return out;
}

} // namespace loopscope::lower
