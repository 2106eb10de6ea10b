#include "compiler/codegen/nvptx/device_form.h"

#include "compiler/codegen/emit/form_checker.h"
#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

using lower::Statement;
using lower::StatementKind;

constexpr std::int64_t kLocalBytes = 512 << 10; // of a thread
constexpr std::int64_t kBlockThreads = 1024;
constexpr std::int64_t kClusterBlocks = 8; // that every GPU which has clusters takes
constexpr std::int64_t kMaxBlocks[] = {(std::int64_t{1} << 31) - 1, 65535, 65535}; // x, y, z
constexpr std::int64_t kMaxThreads[] = {1024, 1024, 64};

class DeviceChecker final : public FormChecker {
public:
    DeviceChecker(const lower::Program& program, const Architecture& architecture)
        : FormChecker(program, "PTX"), architecture_(architecture) {
        for (const auto& argument : program.arguments)
            scopes_[argument.buffer] = {device::global_memory(), argument.type};
        for (const auto& buffer : program.buffers)
            scopes_[buffer.buffer] = {device::global_memory(), buffer.type};
    }

private:
    void launch(const lower::Launch& launch) override {
        inside_ = false;
        if (!lower::on_device(launch)) {
            report("launch " + launch.name + " is placed on \"" + launch.place + "\"",
                   "PTX runs on \"device\" only");
            return;
        }
        auto shape = lower::launch_shape(launch);
        if (!shape) {
            report("launch " + launch.name + " has no dimensions at its head", "run bind_levels");
            return;
        }
        for (std::size_t axis = 0; axis < 3; ++axis) {
            limit("block", axis, shape->blocks_along()[axis], kMaxBlocks[axis]);
            limit("thread", axis, shape->block[axis].extent, kMaxThreads[axis]);
        }
        if (shape->cluster_blocks() > 1 && !architecture_.has_clusters())
            report("launch " + launch.name + " has clusters of blocks, and " + architecture_.name +
                       " has none",
                   "sm_90 has");
        if (shape->cluster_blocks() > kClusterBlocks)
            report("launch " + launch.name + " has clusters of " +
                       std::to_string(shape->cluster_blocks()) + " blocks",
                   "at most " + std::to_string(kClusterBlocks));
        if (shape->threads() > kBlockThreads)
            report("launch " + launch.name + " has blocks of " + std::to_string(shape->threads()) +
                       " threads",
                   "at most " + std::to_string(kBlockThreads));
    }

    void limit(const std::string& unit, std::size_t axis, std::int64_t extent, std::int64_t most) {
        if (extent > most)
            report(unit + "." + "xyz"[axis] + " has an extent of " + std::to_string(extent),
                   "at most " + std::to_string(most));
    }

    // A warpgroup's products stand in groups, with nothing between: what a group adds up is in no
    // memory meanwhile.
    void groups(const Statement& s) {
        const Statement* begun = nullptr;
        for (const auto& child : s.children) {
            const bool begins = lower::begins_products(*child);
            const bool leaves = lower::leaves_products(*child);
            const bool ends = leaves || lower::ends_products(*child);
            const bool product = lower::is_product_of_group(*child);
            // An end that stands alone awaits what a loop has left under way: check_products.
            if (begun ? begins || !(product || ends) : product || leaves)
                report((product || ends || begins ? child->name : "a statement") + " stands " +
                           (begun ? "in" : "outside of") + " a group of a warpgroup's products",
                       "run group_products");
            else if (begins || ends)
                begun = begins ? child.get() : nullptr;
            if (begun && product && !is_among(child->operands[0], begun->operands))
                report(child->name + " adds to sums that its group does not begin with", "");
        }
        if (begun)
            report("a group of a warpgroup's products has no end", "");
    }
    static bool is_among(const lower::Operand& operand, const std::vector<lower::Operand>& list) {
        return std::any_of(list.begin(), list.end(),
                           [&](const auto& known) { return lower::same_place(known, operand); });
    }

    void target_rules(const Statement& s) override {
        groups(s);
        switch (s.kind) {
        case StatementKind::For: loop(s); break;
        case StatementKind::Allocate: allocation(s); break;
        case StatementKind::BulkCopy: bulk_copy(s); break;
        case StatementKind::Barrier:
            if (s.level != "block" && s.level != "warp" && s.level != lower::kClusterLevel)
                report("a barrier of the level " + s.level, "block, warp or cluster");
            break;
        case StatementKind::Intrinsic: intrinsic(s); break;
        default: break;
        }
        inside_ = inside_ || s.kind != StatementKind::For || s.for_kind != lower::ForKind::Bound;
    }

    void bulk_copy(const Statement& s) {
        if (!architecture_.has_bulk_tensor_copies())
            report(architecture_.name + " has no bulk copies", "sm_90 has");
        auto found = scopes_.find(s.operands[0].buffer);
        if (found != scopes_.end() && found->second.scope.shared_by != device::Unit::Block)
            report("the bulk copy to " + s.operands[0].buffer + " in " + found->second.scope.name,
                   "it fills shared memory");
        found = scopes_.find(s.operands[1].buffer);
        if (found != scopes_.end() && found->second.scope.shared_by != device::Unit::Grid)
            report("the bulk copy of " + s.operands[1].buffer + " in " + found->second.scope.name,
                   "it reads global memory");
    }

    void loop(const Statement& s) {
        const bool dimension = s.for_kind == lower::ForKind::Bound && !inside_;
        if (!dimension && s.for_kind != lower::ForKind::Serial)
            report("loop " + s.name + " is not serial", "run all passes first");
    }

    void allocation(const Statement& s) {
        scopes_[s.buffer] = {s.scope, s.type};
        for (const auto& extent : s.extents)
            if (!extent.is_constant()) {
                report("buffer " + s.buffer + " has an extent of " + extent.text(),
                       "memory inside of a launch has constant extents");
                return;
            }
        if (lower::allocates_own(s) && lower::bytes_of(s) > kLocalBytes)
            report("buffer " + s.buffer + " of " + std::to_string(lower::bytes_of(s)) +
                       " bytes a thread",
                   "a thread has " + std::to_string(kLocalBytes));
    }

    void intrinsic(const Statement& s) {
        const auto* known = find_intrinsic(s.name);
        if (!known) {
            report("unknown instruction " + s.name, nearest_name(s.name, intrinsic_names()));
            return;
        }
        if (const auto other = known->who_has_it(architecture_.number, architecture_.name);
            !other.empty())
            report(architecture_.name + " has no " + s.name, other);
        const auto forms = known->forms_of(s.operands.size());
        if (forms.size() != s.operands.size()) {
            report(s.name + " takes " + std::to_string(known->operands.size()) + " operands, not " +
                       std::to_string(s.operands.size()),
                   "");
            return;
        }
        for (std::size_t i = 0; i < forms.size(); ++i)
            operand(s, s.operands[i], *forms[i]);
        if (known->one_type)
            one_type(s);
    }

    void one_type(const Statement& s) {
        const auto first = scopes_.find(s.operands.front().buffer);
        for (const auto& operand : s.operands)
            if (const auto other = scopes_.find(operand.buffer);
                first != scopes_.end() && other != scopes_.end() &&
                other->second.type != first->second.type)
                report(s.name + " takes operands of one type, and " + operand.buffer + " is " +
                           name(other->second.type),
                       std::string(name(first->second.type)) + ", as " + first->first + " is");
    }

    void operand(const Statement& s, const lower::Operand& operand, const OperandForm& form) {
        auto found = scopes_.find(operand.buffer);
        // reported as unknown
        if (found == scopes_.end())
            return;
        const auto& [scope, type] = found->second;
        const bool shared =
            form.where == OperandForm::Where::Shared || form.where == OperandForm::Where::Matrix;
        if ((form.where == OperandForm::Where::Matrix) != operand.matrix.has_value())
            report(s.name + (operand.matrix ? " takes no matrix " : " takes its ") + form.what +
                       (operand.matrix ? "" : " as a matrix") + ": " + operand.buffer,
                   "");
        const bool threads_own = scope.shared_by > device::Unit::Block;
        const bool memory = form.where == OperandForm::Where::Memory;
        if (memory ? threads_own : shared ? scope.shared_by != device::Unit::Block : !threads_own)
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
        ScalarType type;
    };
    const Architecture& architecture_;
    std::map<std::string, Place> scopes_;
    bool inside_ = false; // of the launch's dimensions
};

} // namespace

Diagnostics check_device_form(const lower::Program& program, const Architecture& architecture) {
    return DeviceChecker(program, architecture).run();
}

} // namespace loopscope::codegen
