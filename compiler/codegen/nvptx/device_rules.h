#pragma once
// What PTX and source of kernels ask of launches, of memory and of instructions alike, for the
// checks of both forms.

#include "compiler/codegen/nvptx/intrinsic_table.h"
#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/program.h"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace loopscope::codegen {

class DeviceRules {
public:
    using Report = std::function<void(const std::string& message, const std::string& remedy)>;
    DeviceRules(const lower::Program& program, Report report);

    // Nothing: it has none, which is reported, as it is where the launch is not the device's.
    std::optional<lower::LaunchShape> shape(const lower::Launch& launch,
                                            const char* where_it_runs) const;
    // `most`: 0: any number.
    void limit(const std::string& what, std::int64_t extent, std::int64_t most) const;

    // `why`: of memory of this kind.
    void allocation(const lower::Statement& s, const char* why);
    void constant_extents(const std::string& buffer, const std::vector<Extent>& extents,
                          const char* why) const;
    void bulk_copy(const lower::Statement& s) const;

    // Null: the architecture has none that takes so many operands, which is reported.
    const DeviceIntrinsic* instruction(const lower::Statement& s, int architecture,
                                       const std::string& architecture_name) const;
    // Where the instruction's operands are, and of what type.
    void operands(const lower::Statement& s, const DeviceIntrinsic& known) const;

    struct Place {
        device::MemoryScope scope;
        ScalarType type = ScalarType::F32;
    };
    const Place* place(const std::string& buffer) const; // null: unknown, as others report

private:
    void operand(const lower::Statement& s, const lower::Operand& operand,
                 const OperandForm& form) const;

    Report report_;
    std::map<std::string, Place> places_;
};

} // namespace loopscope::codegen
