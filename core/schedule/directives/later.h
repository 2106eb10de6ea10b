#pragma once
// Verbs of the schedule language that this version knows by name only. Such a line parses and prints, so that a script
// from another version can be read and formatted; applying it is refused by its name.

#include "core/schedule/directive.h"

namespace loopscope {

struct Later final : Directive {
    explicit Later(std::string verb) : verb_(std::move(verb)) {}
    std::string made; // `R = S.rfactor(k)`; may be empty
    std::vector<std::string> arguments;

    const char* verb() const override { return verb_.c_str(); }
    const char* summary() const override;
    void visit_fields(FieldVisitor& visitor) override;
    Status apply(ScheduleState& state, const ApplyContext& context) const override;
    std::string describe() const override;
    std::unique_ptr<Directive> clone() const override { return std::make_unique<Later>(*this); }

private:
    std::string verb_;
};

} // namespace loopscope
