#include "compiler/codegen/kernel_source/kernel_form.h"

#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "core/base/result.h"

#include <algorithm>
#include <utility>

namespace loopscope::codegen {

namespace {

using lower::Statement;
using lower::StatementKind;

class KernelChecker final : public SourceChecker {
public:
    KernelChecker(const lower::Program& program, const KernelRules& rules)
        : SourceChecker(program, rules.language), rules_(rules) {
        for (const auto& argument : program.arguments)
            places_[argument.buffer] = {device::global_memory(), argument.type};
        for (const auto& buffer : program.buffers)
            places_[buffer.buffer] = {device::global_memory(), buffer.type};
    }

private:
    void launch(const lower::Launch& launch) override {
        if (&launch == &program_.launches.front())
            for (const auto& buffer : program_.buffers)
                constant_extents(buffer.buffer, buffer.extents);
        if (!lower::on_device(launch)) {
            report("launch " + launch.name + " is placed on \"" + launch.place + "\"",
                   "kernels are for a device; choose a GPU target");
            return;
        }
        auto shape = lower::launch_shape(launch);
        if (!shape) {
            report("launch " + launch.name + " has no dimensions at its head", "run bind_levels");
            return;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            limit(shape->grid[axis].level, shape->blocks_along()[axis], rules_.most_blocks[axis]);
            limit(shape->block[axis].level, shape->block[axis].extent, rules_.most_threads[axis]);
        }
        limit("a block of " + launch.name, shape->threads(), rules_.most_threads_of_block);
    }

    void limit(const std::string& what, std::int64_t extent, std::int64_t most) {
        if (most > 0 && extent > most)
            report(what + " has an extent of " + std::to_string(extent),
                   "at most " + std::to_string(most));
    }

    void rules(const Statement& s) override {
        switch (s.kind) {
        case StatementKind::For:
            if (s.for_kind == lower::ForKind::Parallel)
                report("loop " + s.name + " is parallel", "bind it to threads");
            break;
        case StatementKind::Allocate: allocation(s); break;
        case StatementKind::Barrier:
            if (s.level != "block" && !(s.level == "warp" && rules_.has_warps))
                report("it has no barrier of the level " + s.level,
                       rules_.has_warps ? "block or warp" : "block");
            break;
        case StatementKind::Intrinsic: intrinsic(s); break;
        case StatementKind::BulkCopy: bulk_copy(s); break;
        case StatementKind::Threads:
            if (!rules_.has_copy_engine)
                report("statements of some of a block's threads",
                       "lower it for a target without a tensor memory accelerator (TMA)");
            break;
        default: break;
        }
    }

    void bulk_copy(const Statement& s) {
        if (!rules_.has_copy_engine) {
            report("the bulk copy to " + s.operands[0].buffer,
                   "lower it for a target without a tensor memory accelerator (TMA)" +
                       std::string(rules_.architecture > 0 ? ", or export it for sm_90" : ""));
            return;
        }
        auto found = places_.find(s.operands[0].buffer);
        if (found != places_.end() && found->second.scope.shared_by != device::Unit::Block)
            report("the bulk copy to " + s.operands[0].buffer + " in " + found->second.scope.name,
                   "it fills shared memory");
        found = places_.find(s.operands[1].buffer);
        if (found != places_.end() && found->second.scope.shared_by != device::Unit::Grid)
            report("the bulk copy of " + s.operands[1].buffer + " in " + found->second.scope.name,
                   "it reads global memory");
    }

    void allocation(const Statement& s) {
        places_[s.buffer] = {s.scope, s.type};
        constant_extents(s.buffer, s.extents);
    }

    void constant_extents(const std::string& buffer, const std::vector<Extent>& extents) {
        for (const auto& extent : extents)
            if (!extent.is_constant()) {
                report("buffer " + buffer + " has an extent of " + extent.text(),
                       "memory of the device that no caller gives has constant extents");
                return;
            }
    }

    void intrinsic(const Statement& s) {
        // Steps around instructions that the schedule names.
        const bool around =
            lower::begins_products(s) || lower::leaves_products(s) || lower::ends_products(s);
        if (!rules_.has_warps && around)
            return;
        if (!rules_.has_warps) {
            if (!std::exchange(told_, true)) // of one of them: the reason is that of all
                report("it has no instruction " + s.name,
                       "shuffles and instructions of tensor cores are CUDA's");
            return;
        }
        const auto* known = find_intrinsic(s.name);
        if (!known) {
            report("unknown instruction " + s.name, nearest_name(s.name, intrinsic_names()));
            return;
        }
        if (const auto other = known->who_has_it(rules_.architecture, rules_.architecture_name);
            !other.empty())
            report(rules_.architecture_name + " has no " + s.name, other);
        const auto forms = known->forms_of(s.operands.size());
        if (forms.size() != s.operands.size()) {
            report(s.name + " takes " + std::to_string(known->operands.size()) + " operands, not " +
                       std::to_string(s.operands.size()),
                   "");
            return;
        }
        for (std::size_t i = 0; i < forms.size(); ++i)
            operand(s, s.operands[i], *forms[i]);
    }

    void operand(const Statement& s, const lower::Operand& operand, const OperandForm& form) {
        auto found = places_.find(operand.buffer);
        if (found == places_.end())
            return;
        const auto& [scope, type] = found->second;
        const bool memory = form.where == OperandForm::Where::Memory;
        const bool shared = !memory && form.where != OperandForm::Where::Registers;
        const bool own = scope.shared_by > device::Unit::Block;
        if (memory ? own : shared ? scope.shared_by != device::Unit::Block : !own)
            report(s.name + " takes its " + form.what + " from " + operand.buffer + " in " +
                       scope.name,
                   memory   ? "it takes shared or global memory"
                   : shared ? "it reads shared memory"
                            : "it works on registers");
        if (!form.types.empty() &&
            std::find(form.types.begin(), form.types.end(), type) == form.types.end())
            report(s.name + " takes its " + form.what + " as " + name(form.types.front()) +
                       ", and " + operand.buffer + " is " + name(type),
                   "");
    }

    struct Place {
        device::MemoryScope scope;
        ScalarType type = ScalarType::F32;
    };
    const KernelRules& rules_;
    std::map<std::string, Place> places_;
    bool told_ = false; // that there are no instructions
};

} // namespace

Diagnostics check_kernels(const lower::Program& program, const KernelRules& rules) {
    return KernelChecker(program, rules).run();
}

} // namespace loopscope::codegen
