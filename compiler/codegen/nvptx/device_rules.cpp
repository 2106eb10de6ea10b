#include "compiler/codegen/nvptx/device_rules.h"

#include "core/base/result.h"

#include <algorithm>

namespace loopscope::codegen {

using lower::Statement;

DeviceRules::DeviceRules(const lower::Program& program, Report report)
    : report_(std::move(report)) {
    for (const auto& argument : program.arguments)
        places_[argument.buffer] = {device::global_memory(), argument.type};
    for (const auto& buffer : program.buffers)
        places_[buffer.buffer] = {device::global_memory(), buffer.type};
}

std::optional<lower::LaunchShape> DeviceRules::shape(const lower::Launch& launch,
                                                     const char* where_it_runs) const {
    if (!lower::on_device(launch)) {
        report_("launch " + launch.name + " is placed on \"" + launch.place + "\"", where_it_runs);
        return std::nullopt;
    }
    auto shape = lower::launch_shape(launch);
    if (!shape)
        report_("launch " + launch.name + " has no dimensions at its head", "run bind_levels");
    return shape;
}

void DeviceRules::limit(const std::string& what, std::int64_t extent, std::int64_t most) const {
    if (most > 0 && extent > most)
        report_(what + " has an extent of " + std::to_string(extent),
                "at most " + std::to_string(most));
}

void DeviceRules::allocation(const Statement& s, const char* why) {
    places_[s.storage->buffer] = {s.storage->scope, s.storage->type};
    constant_extents(s.storage->buffer, s.storage->extents, why);
}

void DeviceRules::constant_extents(const std::string& buffer, const std::vector<Extent>& extents,
                                   const char* why) const {
    for (const auto& extent : extents)
        if (!extent.is_constant()) {
            report_("buffer " + buffer + " has an extent of " + extent.text(), why);
            return;
        }
}

void DeviceRules::bulk_copy(const Statement& s) const {
    const auto* to = place(s.operands[0].buffer);
    if (to && to->scope.shared_by != device::Unit::Block)
        report_("the bulk copy to " + s.operands[0].buffer + " in " + to->scope.name,
                "it fills shared memory");
    const auto* from = place(s.operands[1].buffer);
    if (from && from->scope.shared_by != device::Unit::Grid)
        report_("the bulk copy of " + s.operands[1].buffer + " in " + from->scope.name,
                "it reads global memory");
}

const DeviceIntrinsic* DeviceRules::instruction(const Statement& s, int architecture,
                                                const std::string& architecture_name) const {
    const auto* known = find_intrinsic(s.instruction);
    if (!known) {
        report_("unknown instruction " + s.instruction,
                nearest_name(s.instruction, intrinsic_names()));
        return nullptr;
    }
    if (const auto other = known->who_has_it(architecture, architecture_name); !other.empty())
        report_(architecture_name + " has no " + s.instruction, other);
    if (known->forms_of(s.operands.size()).size() == s.operands.size())
        return known;
    report_(s.instruction + " takes " + std::to_string(known->operands.size()) + " operands, not " +
                std::to_string(s.operands.size()),
            "");
    return nullptr;
}

void DeviceRules::operands(const Statement& s, const DeviceIntrinsic& known) const {
    const auto forms = known.forms_of(s.operands.size());
    for (std::size_t i = 0; i < forms.size(); ++i)
        operand(s, s.operands[i], *forms[i]);
}

void DeviceRules::operand(const Statement& s, const lower::Operand& operand,
                          const OperandForm& form) const {
    const auto* found = place(operand.buffer);
    if (!found)
        return;
    const auto& [scope, type] = *found;
    const bool memory = form.where == OperandForm::Where::Memory;
    const bool shared = !memory && form.where != OperandForm::Where::Registers;
    const bool own = scope.shared_by > device::Unit::Block;
    if (memory ? own : shared ? scope.shared_by != device::Unit::Block : !own)
        report_(s.instruction + " takes its " + form.what + " from " + operand.buffer + " in " +
                    scope.name,
                memory   ? "it takes shared or global memory"
                : shared ? "it reads shared memory"
                         : "it works on registers");
    if (!form.types.empty() &&
        std::find(form.types.begin(), form.types.end(), type) == form.types.end())
        report_(s.instruction + " takes its " + form.what + " as " + name(form.types.front()) +
                    ", and " + operand.buffer + " is " + name(type),
                "");
}

const DeviceRules::Place* DeviceRules::place(const std::string& buffer) const {
    auto found = places_.find(buffer);
    return found == places_.end() ? nullptr : &found->second;
}

} // namespace loopscope::codegen
