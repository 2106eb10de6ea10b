#pragma once
// Directives: one struct, one file, one test file each. A directive's fields are listed once, in visit_fields, and
// feed the parser, the printer, the inspector's form and the undo text. directives.cpp lists all of them, a line each.

#include "core/base/result.h"
#include "core/schedule/state.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

namespace device {
struct Device;
}

// `S`, `S.update(0)`, or a pattern such as `st*` and `g{1..5}` (receivers only).
struct DefinitionRef {
    std::string stage;
    int definition = 0;
    bool operator==(const DefinitionRef&) const = default;
    std::string text() const;
};

// A factor as written: 8, native, 4*native. `native` is the lanes of the target's vectors for the stage's type.
struct Factor {
    std::int64_t value = 1; // the multiple, when native
    bool native = false;
    bool operator==(const Factor&) const = default;
    std::string text() const;
};

// Visits a directive's fields in the order in which a script writes them. References may be read or assigned.
class FieldVisitor {
public:
    virtual ~FieldVisitor() = default;
    virtual void loop(const char* field, std::string& name) = 0; // an existing loop of the receiver
    virtual void new_loop(const char* field,
                          std::string& name) = 0; // a name that the directive makes
    virtual void loops(const char* field,
                       std::vector<std::string>& names) = 0; // one or more existing loops
    virtual void factor(const char* field, Factor& factor) = 0;
    virtual void optional_factor(const char* field, std::optional<Factor>& factor) = 0;
    virtual void tail(const char* field,
                      Tail& tail) = 0; // optional; `guard` is the default, not printed
    virtual void definition(const char* field,
                            DefinitionRef& ref) = 0; // another definition: where to compute
    virtual void loop_of(const char* field, const DefinitionRef& of,
                         std::string& name) = 0; // a loop of that one
    virtual void source(const char* field,
                        std::string& name) = 0; // a stage or input that the receiver reads
    virtual void scope(const char* field, std::string& name) = 0;
    virtual void level(const char* field, std::string& name) {
        (void)field, (void)name;
    } // "block.x"
    virtual void intrinsic(const char* field, std::string& name) {
        level(field, name);
    } // "mma_m16n8k16_f16": an open name of the target, as levels are
    virtual void readers(const char* field,
                         std::vector<DefinitionRef>& refs) = 0; // zero or more further definitions
    // An index name of the receiver's stage; one or more of them; a whole number from 0. Visitors that look for loops
    // and stages alone pass them by.
    virtual void dimension(const char* field, std::string& name) { (void)field, (void)name; }
    virtual void dimensions(const char* field, std::vector<std::string>& names) {
        (void)field, (void)names;
    }
    virtual void count(const char* field, std::int64_t& value) { (void)field, (void)value; }
    virtual void result(const char* field, std::string& name) = 0; // `B = …`: the stage it makes
};

// A vectorised loop has at most this many lanes; an unroll factor makes at most this many copies.
constexpr std::int64_t kGreatestLanes = 1024;

struct IntrinsicTable; // intrinsics.h

struct ApplyContext {
    const device::Device* device = nullptr; // for `native`; null: 256-bit vectors
    // What tensorize knows of (core/language/intrinsics.h); null: no intrinsic.
    const IntrinsicTable* intrinsics = nullptr;
};

class Directive {
public:
    virtual ~Directive() = default;
    virtual const char* verb() const = 0;    // "split"
    virtual const char* summary() const = 0; // one sentence for menus and tooltips
    virtual void visit_fields(FieldVisitor& visitor) = 0;
    // Checks and rewrites. On failure `state` is unspecified: callers pass a copy and drop it. The diagnostics say the
    // reason and what would be legal; the caller adds the place in the script.
    virtual Status apply(ScheduleState& state, const ApplyContext& context) const = 0;
    // What it does to this schedule, as a sentence for undo and history: "split C.k by 32".
    virtual std::string describe() const = 0;
    virtual std::unique_ptr<Directive> clone() const = 0;
    // Per stage (inline, compute_root, compute_at): `H.update(0).compute_at` is refused with that reason.
    virtual bool per_stage() const { return false; }

    DefinitionRef receiver; // stage may be a pattern
    SourceRange where;      // of the whole line; file may be null
    // Where the parts stand in the text: "receiver", a field, or an element of a list field ("loops[1]"). Empty when no
    // text was read.
    std::map<std::string, SourceRange> places;

    std::string text() const; // the canonical line: "C.split(k, ko, ki, 32)"

    // A refusal that points at one field of the text, where there is a text.
    Diagnostic refuse(const std::string& field, std::string message, std::string remedy = {}) const;
    // Gives diagnostics without a place that of a field.
    Diagnostics at(const std::string& field, Diagnostics diagnostics) const;
};

using DirectivePtr = std::shared_ptr<const Directive>;

struct DirectiveKind {
    const char* verb;
    std::unique_ptr<Directive> (*create)();
};
const std::vector<DirectiveKind>& directive_kinds();
// Null: unknown.
std::unique_ptr<Directive> create_directive(const std::string& verb);

// A script: an ordered list of directives. Immutable.
struct Schedule {
    std::string pipeline; // `schedule for NAME`
    std::string target;   // may be empty
    std::vector<DirectivePtr> directives;
    SourceFilePtr source; // null when built by a program

    std::string text() const; // canonical script, without comments; parses to an equal schedule
};

// The stages that a pattern matches, in order (`*` any letters, `{a..b}` a half-open range of numbers); a plain name
// matches itself. Empty: nothing matches.
std::vector<std::string> match_stages(const ScheduleState& state, const std::string& pattern);

struct Applied {
    ScheduleState state;
    Diagnostics diagnostics; // empty when all directives applied
    int applied = 0;         // directives applied, from the front; stops at the first refusal
};
// Applies a script from the default schedule on. A refused directive names line, column, reason and what would be
// legal, and nothing of it is applied.
Applied apply(const PipelinePtr& pipeline, const Schedule& schedule, const ApplyContext& context);
// One line on top of a state: to every match of its receiver, in order, or to none. On a refusal the state stands.
Status apply_line(ScheduleState& state, const Directive& directive, const ApplyContext& context);

} // namespace loopscope
