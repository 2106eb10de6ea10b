#pragma once
// The forms in which a program is put out: one table (output_forms.def) that the command line, the
// worker and the window read.

#include "core/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

struct OutputForm {
    enum class Machine : std::uint8_t { Any, Processor, Gpu };
    enum class Language : std::uint8_t { Loops, Llvm, C, Ptx }; // how it is coloured

    const char* name;               // of `emit --as`
    const char* title;              // for people
    const char* ending;             // of a file that holds it
    Machine machine = Machine::Any; // whose code it is
    // The colouring of its tab in the Source panel; none: it has no tab, and is exported alone.
    std::optional<Language> tab = {};
    // The target that it is lowered for; null: the target that is asked for, else a processor.
    const char* target = nullptr;
    bool takes_target = false;       // --target chooses whose loops are shown
    bool takes_architecture = false; // --arch chooses one of NVIDIA's GPUs
    // What a main of it does, "runs and times it"; null: it can have none.
    const char* main_does = nullptr;
    const char* needs = nullptr; // what else must be at hand to make it
    const char* summary = "";    // a sentence
};

const std::vector<OutputForm>& output_forms();
// Null: there is none of that name.
const OutputForm* find_output_form(const std::string& name);

// "after:PASS": the loops behind a pass, which is no line of the table, for passes have a list of
// their own.
inline constexpr const char* kAfterPass = "after:";
bool is_after_pass(const std::string& form);

// Checks that there is such a form, "after:PASS" included, and that it takes what is asked of it.
// `architecture` may be empty.
Status check_output_form(const std::string& name, bool with_main, const std::string& architecture);

// The names of the forms for which `has` is true, "c, cuda and opencl"; null: of all.
std::string names_of_forms(bool (*has)(const OutputForm&) = nullptr);
inline bool has_main(const OutputForm& form) { return form.main_does != nullptr; }
inline bool has_target(const OutputForm& form) { return form.takes_target; }
inline bool has_architecture(const OutputForm& form) { return form.takes_architecture; }

} // namespace loopscope
