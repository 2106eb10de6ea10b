#pragma once
// What makes each form of output (core/base/output_forms.def): `emit_ID`, in a file emit_*.cpp.

#include "compiler/server/verb.h"
#include "compiler/worker/program.h"

#include <nlohmann/json_fwd.hpp>

namespace loopscope::worker {

struct EmitRequest {
    const LoadedProgram& loaded; // for the form's target
    const nlohmann::json& arguments;
    const std::string& form; // its name, or "after:PASS", which emit_loops makes
    const Context& context;
};

// Keys of the answer: compiler/measure/requests.h.
using Emitter = Result<nlohmann::json> (*)(const EmitRequest& request);
#define FORM(id, ...) Result<nlohmann::json> emit_##id(const EmitRequest& request);
#include "core/base/output_forms.def"
#undef FORM

// The form is one of the table.
Emitter emitter_of(const std::string& form);

// The PASS of "after:PASS"; nothing for forms of the table.
std::string pass_of(const std::string& form);
// Errors: the list for that kind of target has no such pass.
Status check_pass(const std::string& pass, bool on_device);

// The identity that each line comes from, or null.
nlohmann::json lines_json(const std::vector<NodeId>& lines);
// "as", "text" and "lines".
nlohmann::json emitted(const EmitRequest& request, const std::string& text,
                       const std::vector<NodeId>& lines);
// Tells of vectorised loops that run element by element all the same, where making the form did not
// come as far as to find them.
Result<nlohmann::json> with_scalar_loops(Result<nlohmann::json> made, const LoadedProgram& loaded);

} // namespace loopscope::worker
