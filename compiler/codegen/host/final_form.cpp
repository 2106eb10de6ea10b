#include "compiler/codegen/host/final_form.h"

#include "compiler/codegen/emit/form_checker.h"

namespace loopscope::codegen {

namespace {

class HostChecker final : public FormChecker {
public:
    explicit HostChecker(const lower::Program& program) : FormChecker(program, "host code") {}

private:
    void launch(const lower::Launch& launch) override {
        if (launch.place != "host")
            report("launch " + launch.name + " is placed on \"" + launch.place + "\"",
                   "host code runs on \"host\" only");
    }

    void target_rules(const lower::Statement& s) override {
        if (s.kind == lower::StatementKind::For && s.loop->kind != lower::ForKind::Serial &&
            s.loop->kind != lower::ForKind::Parallel)
            report("loop " + s.variable + " is neither serial nor parallel",
                   "run all passes first");
    }
};

} // namespace

Diagnostics check_final_form(const lower::Program& program) { return HostChecker(program).run(); }

} // namespace loopscope::codegen
