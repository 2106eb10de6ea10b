#include "compiler/codegen/nvptx/device_form.h"

#include "compiler/codegen/emit/form_checker.h"
#include "compiler/codegen/nvptx/device_rules.h"
#include "compiler/lower/gpu/instructions.h"
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
        : FormChecker(program, "PTX"),
          architecture_(architecture),
          device_(program, [this](const std::string& message, const std::string& remedy) {
              report(message, remedy);
          }) {}

private:
    void launch(const lower::Launch& launch) override {
        inside_ = false;
        auto shape = device_.shape(launch, "PTX runs on \"device\" only");
        if (!shape)
            return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            device_.limit(shape->grid[axis].level, shape->blocks_along()[axis], kMaxBlocks[axis]);
            device_.limit(shape->block[axis].level, shape->block[axis].extent, kMaxThreads[axis]);
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
                report((product || ends || begins ? child->instruction : "a statement") +
                           " stands " + (begun ? "in" : "outside of") +
                           " a group of a warpgroup's products",
                       "run group_products");
            else if (begins || ends)
                begun = begins ? child.get() : nullptr;
            if (begun && product && !is_among(child->operands[0], begun->operands))
                report(child->instruction + " adds to sums that its group does not begin with", "");
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
        inside_ = inside_ || s.kind != StatementKind::For || s.loop->kind != lower::ForKind::Bound;
    }

    void bulk_copy(const Statement& s) {
        if (!architecture_.has_bulk_tensor_copies())
            report(architecture_.name + " has no bulk copies", "sm_90 has");
        device_.bulk_copy(s);
    }

    void loop(const Statement& s) {
        const bool dimension = s.loop->kind == lower::ForKind::Bound && !inside_;
        if (!dimension && s.loop->kind != lower::ForKind::Serial)
            report("loop " + s.variable + " is not serial", "run all passes first");
    }

    void allocation(const Statement& s) {
        device_.allocation(s, "memory inside of a launch has constant extents");
        if (lower::allocates_own(s) && lower::bytes_of(s) > kLocalBytes)
            report("buffer " + s.storage->buffer + " of " + std::to_string(lower::bytes_of(s)) +
                       " bytes a thread",
                   "a thread has " + std::to_string(kLocalBytes));
    }

    void intrinsic(const Statement& s) {
        const auto* known = device_.instruction(s, architecture_.number, architecture_.name);
        if (!known)
            return;
        matrices(s, *known);
        device_.operands(s, *known);
        if (known->one_type)
            one_type(s);
    }

    void matrices(const Statement& s, const DeviceIntrinsic& known) {
        const auto forms = known.forms_of(s.operands.size());
        for (std::size_t i = 0; i < forms.size(); ++i) {
            const auto& operand = s.operands[i];
            const bool wanted = forms[i]->where == OperandForm::Where::Matrix;
            if (device_.place(operand.buffer) && wanted != operand.matrix.has_value())
                report(s.instruction + (wanted ? " takes its " : " takes no matrix ") +
                           forms[i]->what + (wanted ? " as a matrix" : "") + ": " + operand.buffer,
                       "");
        }
    }

    void one_type(const Statement& s) {
        const auto& first = s.operands.front().buffer;
        const auto* wanted = device_.place(first);
        for (const auto& operand : s.operands)
            if (const auto* other = device_.place(operand.buffer);
                wanted && other && other->type != wanted->type)
                report(s.instruction + " takes operands of one type, and " + operand.buffer +
                           " is " + name(other->type),
                       std::string(name(wanted->type)) + ", as " + first + " is");
    }

    const Architecture& architecture_;
    DeviceRules device_;
    bool inside_ = false; // of the launch's dimensions
};

} // namespace

Diagnostics check_device_form(const lower::Program& program, const Architecture& architecture) {
    return DeviceChecker(program, architecture).run();
}

} // namespace loopscope::codegen
