#include "compiler/codegen/kernel_source/kernel_form.h"

#include "compiler/codegen/nvptx/device_rules.h"
#include "compiler/lower/gpu/instructions.h"

#include <utility>

namespace loopscope::codegen {

namespace {

using lower::Statement;
using lower::StatementKind;

constexpr const char* kWhyConstant =
    "memory of the device that no caller gives has constant extents";

class KernelChecker final : public SourceChecker {
public:
    KernelChecker(const lower::Program& program, const KernelRules& rules)
        : SourceChecker(program, rules.language),
          rules_(rules),
          device_(program, [this](const std::string& message, const std::string& remedy) {
              report(message, remedy);
          }) {}

private:
    void launch(const lower::Launch& launch) override {
        if (&launch == &program_.launches.front())
            for (const auto& buffer : program_.buffers)
                device_.constant_extents(buffer.buffer, buffer.extents, kWhyConstant);
        auto shape = device_.shape(launch, "kernels are for a device; choose a GPU target");
        if (!shape)
            return;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            device_.limit(shape->grid[axis].level, shape->blocks_along()[axis],
                          rules_.most_blocks[axis]);
            device_.limit(shape->block[axis].level, shape->block[axis].extent,
                          rules_.most_threads[axis]);
        }
        device_.limit("a block of " + launch.name, shape->threads(), rules_.most_threads_of_block);
    }

    void rules(const Statement& s) override {
        switch (s.kind) {
        case StatementKind::For:
            if (s.loop->kind == lower::ForKind::Parallel)
                report("loop " + s.variable + " is parallel", "bind it to threads");
            break;
        case StatementKind::Allocate: device_.allocation(s, kWhyConstant); break;
        case StatementKind::Barrier:
            if (s.level != "block" && !(s.level == "warp" && rules_.has_warps))
                report("it has no barrier of the level " + s.level,
                       rules_.has_warps ? "block or warp" : "block");
            break;
        case StatementKind::Intrinsic: intrinsic(s); break;
        case StatementKind::BulkCopy: bulk_copy(s); break;
        case StatementKind::Threads:
            if (!rules_.has_tma)
                report("statements of some of a block's threads",
                       "lower it for a target without a tensor memory accelerator (TMA)");
            break;
        default: break;
        }
    }

    void bulk_copy(const Statement& s) {
        if (rules_.has_tma)
            device_.bulk_copy(s);
        else
            report("the bulk copy to " + s.operands[0].buffer,
                   "lower it for a target without a tensor memory accelerator (TMA)" +
                       std::string(rules_.architecture > 0 ? ", or export it for sm_90" : ""));
    }

    void intrinsic(const Statement& s) {
        // Steps around instructions that the schedule names.
        const bool around =
            lower::begins_products(s) || lower::leaves_products(s) || lower::ends_products(s);
        if (!rules_.has_warps && around)
            return;
        if (!rules_.has_warps) {
            if (!std::exchange(told_, true)) // of one of them: the reason is that of all
                report("it has no instruction " + s.instruction,
                       "shuffles and instructions of tensor cores are CUDA's");
            return;
        }
        if (const auto* known =
                device_.instruction(s, rules_.architecture, rules_.architecture_name))
            device_.operands(s, *known);
    }

    const KernelRules& rules_;
    DeviceRules device_;
    bool told_ = false; // that there are no instructions
};

} // namespace

Diagnostics check_kernels(const lower::Program& program, const KernelRules& rules) {
    return KernelChecker(program, rules).run();
}

} // namespace loopscope::codegen
