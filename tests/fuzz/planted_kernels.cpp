// Faults of what kernels compute and where: fragments of tensor instructions, the memory of threads
// and of blocks, lanes of vectors, guards.

#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "tests/fuzz/plant_tools.h"
#include "tests/fuzz/planted_bugs.h"

#include <algorithm>
#include <set>

namespace loopscope::fuzz {

namespace {

using namespace lower;

// ---- tensor instructions ------------------------------------------------------------------------

bool is_product(const Statement& s) {
    return s.kind == StatementKind::Intrinsic &&
           (s.instruction.starts_with("mma_") || s.instruction.starts_with("wmma_m"));
}

bool is_matrix_load(const Statement& s) {
    return s.kind == StatementKind::Intrinsic && s.instruction.starts_with("ldmatrix_");
}

// The matrices of a product change places.
bool swapped_factors(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        return is_product(*s)
                   ? edited(s, [](Statement& t) { std::swap(t.operands[1], t.operands[2]); })
                   : s;
    });
}

bool same_operand(const Operand& a, const Operand& b) {
    return a.buffer == b.buffer && loopscope::equal(a.indices[0], b.indices[0]);
}

// The fragments of one operand of two products change places.
bool swapped_fragments(Program& p, std::size_t operand) {
    std::vector<Operand> both;
    const auto takes = [&](const Statement& s) {
        // which registers these are, other places do not know
        if (!is_product(s) || !is_constant(s.operands[operand].indices[0]))
            return false;
        const auto& o = s.operands[operand];
        return both.empty() ||
               (both.size() == 1 && o.buffer == both[0].buffer && !same_operand(o, both[0]));
    };
    for (const auto& launch : p.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            if (takes(s))
                both.push_back(s.operands[operand]);
            return true;
        });
    if (both.size() < 2)
        return false;
    return change_statements(p, [&](const StatementPtr& s) {
        if (!is_product(*s))
            return s;
        const bool first = same_operand(s->operands[operand], both[0]),
                   second = same_operand(s->operands[operand], both[1]);
        return first || second
                   ? edited(s, [&](Statement& t) { t.operands[operand] = both[first ? 1 : 0]; })
                   : s;
    });
}

bool swapped_left(Program& p, const ScheduleTree&) { return swapped_fragments(p, 1); }
bool swapped_right(Program& p, const ScheduleTree&) { return swapped_fragments(p, 2); }

// It adds to another tile's sums.
bool other_sums(Program& p, const ScheduleTree&) { return swapped_fragments(p, 3); }

// Rows are taken for columns.
bool transposed_load(Program& p, const ScheduleTree&) {
    std::set<std::string> halves;
    for (const auto& launch : p.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            if (s.kind == StatementKind::Allocate && bits(s.storage->type) == 16)
                halves.insert(s.storage->buffer);
            return true;
        });
    return change_statements(p, [&](const StatementPtr& s) {
        if (loads_matrix(*s))
            return edited(s, [](Statement& t) {
                const bool rows = t.instruction.find("_row_") != std::string::npos;
                t.instruction.replace(t.instruction.find(rows ? "_row_" : "_col_"), 5,
                                      rows ? "_col_" : "_row_");
            });
        if (!is_matrix_load(*s) || !halves.count(s->operands[0].buffer))
            return s;
        return edited(s, [](Statement& t) {
            const std::string turned = "_trans";
            if (const auto at = t.instruction.find(turned); at != std::string::npos)
                t.instruction.erase(at, turned.size());
            else
                t.instruction.insert(t.instruction.rfind("_b16"), turned);
        });
    });
}

// The variable of thread.x, by which lanes know what they hold.
std::string lane_of(const Launch& launch) {
    const auto shape = launch_shape(launch);
    return shape && shape->block[0].extent % lower::kWarp == 0 ? shape->block[0].variable : "";
}

// A lane's statement as another lane would do it.
bool as_other_lane(
    Program& p, int apart, const Wanted& wanted,
    const std::function<void(Statement&, const std::function<ExprPtr(const ExprPtr&)>&)>& edit) {
    bool changed = false;
    for (auto& launch : p.launches) {
        const auto lane = lane_of(launch);
        if (lane.empty())
            continue;
        auto other = [&](const ExprPtr& e) {
            return loopscope::substitute(e, [&](const std::string& name) -> ExprPtr {
                return name == lane ? binary(Op::BitXor, variable(lane),
                                             constant_int(ScalarType::I32, apart))
                                    : nullptr;
            });
        };
        launch.body = lower::rewrite(launch.body, [&](const StatementPtr& s) {
            if (!wanted(*s))
                return s;
            auto next = edited(s, [&](Statement& t) { edit(t, other); });
            changed = changed || !equal(next, s);
            return next;
        });
    }
    return changed;
}

std::set<std::string> operands_of_products(const Program& p, std::size_t first, std::size_t last) {
    std::set<std::string> out;
    for (const auto& launch : p.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            for (auto o = first; is_product(s) && o <= last; ++o)
                out.insert(s.operands[o].buffer);
            return true;
        });
    return out;
}

// Rows of two of the matrices that a load takes are exchanged.
bool swapped_rows(Program& p, const ScheduleTree&) {
    return as_other_lane(p, 8, is_matrix_load, [](Statement& t, const auto& other) {
        t.operands[1].indices[0] = other(t.operands[1].indices[0]);
    });
}

// Two lanes hold each other's elements of a factor.
bool swapped_lanes(Program& p, const ScheduleTree&) {
    const auto factors = operands_of_products(p, 1, 2);
    return as_other_lane(
        p, 1,
        [&](const Statement& s) {
            return s.kind == StatementKind::Store && factors.count(s.access->buffer);
        },
        [](Statement& t, const auto& other) { t.value = other(t.value); });
}

// … store each other's sums.
bool swapped_results(Program& p, const ScheduleTree&) {
    const auto sums = operands_of_products(p, 0, 0);
    return as_other_lane(
        p, 4,
        [&](const Statement& s) {
            bool reads = false;
            if (s.kind == StatementKind::Store)
                visit(s.value, [&](const Expr& e) {
                    reads = reads || (e.kind == ExprKind::Load && sums.count(e.name));
                    return !reads;
                });
            return reads;
        },
        [](Statement& t, const auto& other) {
            t.access->indices[0] = other(t.access->indices[0]);
        });
}

// Sums start from what is in the registers.
bool no_zeros(Program& p, const ScheduleTree&) {
    const auto sums = operands_of_products(p, 0, 0);
    return change_statements(p, [&](const StatementPtr& s) {
        return s->kind == StatementKind::Store && sums.count(s->access->buffer) &&
                       (is_constant(s->value) ||
                        (s->value->kind == ExprKind::Broadcast && is_constant(s->value->args[0])))
                   ? block({})
                   : s;
    });
}

// A product is left out.
bool no_product(Program& p, const ScheduleTree&) {
    return change_one(p, Which::Last, is_product, [](const StatementPtr&) { return block({}); });
}

// ---- memory -------------------------------------------------------------------------------------

bool in_other_scope(Program& p, bool shared, const device::MemoryScope& scope) {
    std::set<std::string> of_instructions;
    for (const auto& launch : p.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            for (const auto& operand : s.operands)
                of_instructions.insert(operand.buffer);
            return true;
        });
    return change_statements(p, [&](const StatementPtr& s) {
        if (s->kind != StatementKind::Allocate || of_instructions.count(s->storage->buffer) ||
            lower::allocates_shared(*s) != shared)
            return s;
        return edited(s, [&](Statement& t) {
            t.storage->scope = scope;
            t.storage->offset = -1;
        });
    });
}

// What the block shares each thread has for itself.
bool not_shared(Program& p, const ScheduleTree&) {
    bool copied = false; // into memory of threads no copy is asynchronous: that is no program
    for (const auto& launch : p.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            copied = copied || s.kind == StatementKind::Copy;
            return true;
        });
    return !copied && in_other_scope(p, true, {"local"});
}

// What each thread has for itself the block shares.
bool wrongly_shared(Program& p, const ScheduleTree&) {
    return in_other_scope(p, false, device::shared_memory());
}

// Two arrays that are in use at once lie at one place.
bool one_room(Program& p, const ScheduleTree&) {
    bool changed = false;
    for (auto& launch : p.launches)
        launch.body = lower::rewrite(launch.body, [&](const StatementPtr& s) {
            if (changed || !lower::allocates_shared(*s) || s->storage->offset < 0)
                return s;
            std::string inner;
            visit_statements(s->children[0], [&](const Statement& t) {
                if (lower::allocates_shared(t) && t.storage->offset >= 0 &&
                    t.storage->offset != s->storage->offset && inner.empty())
                    inner = t.storage->buffer;
                return inner.empty();
            });
            if (inner.empty())
                return s;
            changed = true;
            return lower::rewrite(s, [&](const StatementPtr& t) {
                return t->kind == StatementKind::Allocate && t->storage->buffer == inner
                           ? edited(t,
                                    [&](Statement& copy) {
                                        copy.storage->offset = s->storage->offset;
                                    })
                           : t;
            });
        });
    return changed;
}

// ---- vectors and guards -------------------------------------------------------------------------

ExprPtr first_half(int lanes) {
    return binary(Op::Less,
                  ramp(constant_int(ScalarType::I32, 0), constant_int(ScalarType::I32, 1), lanes),
                  broadcast(constant_int(ScalarType::I32, lanes / 2), lanes));
}

// An access of a vector is half as wide.
bool narrow_store(Program& p, const ScheduleTree&) {
    return change_one(
        p, Which::First, [](const Statement& s) { return writes(s) && s.value->lanes > 1; },
        [](const StatementPtr& s) {
            return edited(s, [&](Statement& t) {
                const auto half = first_half(t.value->lanes);
                t.access->mask =
                    t.access->mask ? binary(Op::LogicalAnd, t.access->mask, half) : half;
            });
        });
}

bool narrow_load(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) -> ExprPtr {
        if (e->kind != ExprKind::Load || e->lanes < 2)
            return e;
        return masked_load(e->name, e->type, e->args, first_half(e->lanes));
    });
}

// … or twice, as if more lay behind.
bool wide_load(Program& p, const ScheduleTree&) {
    return change_values(p, [](const ExprPtr& e) -> ExprPtr {
        std::int64_t stride = 0;
        if (e->kind != ExprKind::Load || e->lanes < 2 || e->args[0]->kind != ExprKind::Ramp ||
            !constant_value(e->args[0]->args[1], stride) || stride != 1)
            return e;
        const auto& first = e->args[0]->args[0];
        return with_args(e, {ramp(first, constant_int(first->type, 2), e->lanes)});
    });
}

bool is_guard(const Statement& s) { return s.kind == StatementKind::If && s.children.size() == 1; }

bool no_first_guard(Program& p, const ScheduleTree&) {
    return change_one(p, Which::First, is_guard,
                      [](const StatementPtr& s) { return s->children[0]; });
}

bool no_last_guard(Program& p, const ScheduleTree&) {
    return change_one(p, Which::Last, is_guard,
                      [](const StatementPtr& s) { return s->children[0]; });
}

// A copy loads what is not there, where zeros should come.
bool no_load_mask(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        if (!writes(*s) || s->value->kind != ExprKind::MaskedLoad)
            return s;
        return edited(s, [](Statement& t) {
            t.value = load(t.value->name, t.value->type, {t.value->args[0]});
        });
    });
}

bool no_store_mask(Program& p, const ScheduleTree&) {
    return change_statements(p, [](const StatementPtr& s) {
        return s->kind == StatementKind::Store && s->access->mask
                   ? edited(s, [](Statement& t) { t.access->mask = nullptr; })
                   : s;
    });
}

bool short_device_loop(Program& p, const ScheduleTree&) {
    return change_one(
        p, Which::First,
        [](const Statement& s) {
            std::int64_t n = 0;
            return s.kind == StatementKind::For && s.loop->kind == ForKind::Serial &&
                   constant_value(s.loop->extent, n) && n > 1;
        },
        [](const StatementPtr& s) {
            return edited(s, [](Statement& t) { t.loop->extent = minus_one(t.loop->extent); });
        });
}

// Blocks take one iteration less in turn.
bool short_turns(Program& p, const ScheduleTree&) {
    return change_one(
        p, Which::First,
        [](const Statement& s) { return s.kind == StatementKind::For && s.loop->turns_of > 0; },
        [](const StatementPtr& s) {
            return edited(s, [](Statement& t) { t.loop->extent = minus_one(t.loop->extent); });
        });
}

} // namespace

std::vector<PlantedBug> planted_kernel_faults() {
    return {
        {"the factors of a product exchanged", {}, swapped_factors},
        {"two fragments of left factors exchanged", {}, swapped_left},
        {"two fragments of right factors exchanged", {}, swapped_right},
        {"a product adds to another tile", {}, other_sums},
        {"matrices loaded by columns for rows", {}, transposed_load},
        {"rows of two matrices exchanged", {}, swapped_rows},
        {"two lanes' elements of a factor exchanged", {}, swapped_lanes},
        {"two lanes' sums exchanged", {}, swapped_results},
        {"sums do not start from zero", {}, no_zeros},
        {"a product left out", {}, no_product},
        {"shared memory each thread's own", {}, not_shared},
        {"a thread's own memory shared", {}, wrongly_shared},
        {"two arrays in use at one place", {}, one_room},
        {"a vector stored by half", {}, narrow_store},
        {"a vector loaded by half", {}, narrow_load},
        {"a vector loaded as if it were wider", {}, wide_load},
        {"the first guard dropped", {}, no_first_guard},
        {"the last guard dropped", {}, no_last_guard},
        {"copies load beyond the borders", {}, no_load_mask},
        {"masks of stores dropped", {}, no_store_mask},
        {"a loop one iteration short", {}, short_device_loop},
        {"blocks that stay leave out an iteration", {}, short_turns},
    };
}

} // namespace loopscope::fuzz
