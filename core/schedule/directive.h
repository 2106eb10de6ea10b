#pragma once
// Directives: one struct, one file, one test file each. A directive's fields are listed once, in
// fields(), and feed the parser, the printer, the inspector's form and the undo text.
// directives.def lists all of them, a line each.

#include "core/base/result.h"
#include "core/schedule/directive_fields.h"
#include "core/schedule/state.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace loopscope {

namespace device {
struct Device;
}

// A vectorised loop has at most this many lanes; an unroll factor makes at most this many copies.
constexpr std::int64_t kMaxLanes = 1024;

struct IntrinsicTable; // intrinsics.h

struct ApplyContext {
    const device::Device* device = nullptr; // for `native`; null: 256-bit vectors
    // The intrinsics that tensorize knows (core/language/intrinsics.h); null: none.
    const IntrinsicTable* intrinsics = nullptr;
};

class Directive {
public:
    virtual ~Directive() = default;
    virtual const char* verb() const = 0;    // "split"
    virtual const char* summary() const = 0; // one sentence for menus and tooltips
    // The directive's fields in the order in which a script writes them; none by default.
    virtual Fields fields() { return {}; }
    // The same fields, to be read and not assigned.
    Fields read_fields() const { return const_cast<Directive*>(this)->fields(); }
    // Checks and rewrites the state. On failure `state` is unspecified: callers pass a copy and
    // drop it. The diagnostics say the reason and what would be legal; the caller adds the place in
    // the script.
    virtual Status apply(ScheduleState& state, const ApplyContext& context) const = 0;
    // What it does to this schedule, as a sentence for undo and history: "split C.k by 32".
    virtual std::string describe() const = 0;
    virtual std::unique_ptr<Directive> clone() const = 0;
    // Is it about the whole stage (inline, compute_root, compute_at), so that
    // `H.update(0).compute_at` is refused?
    virtual bool per_stage() const { return false; }

    DefinitionRef receiver; // stage may be a pattern
    SourceRange where;      // of the whole line; file may be null
    // Where the parts stand in the text: "receiver", a field, or an element of a list field
    // ("loops[1]"). Empty when no text was read.
    std::map<std::string, SourceRange> places;

    std::string text() const; // the canonical line: "C.split(k, ko, ki, 32)"

    // A refusal at one field of the text, where there is a text.
    Diagnostic refuse(const std::string& field, std::string message, std::string remedy = {}) const;
    // The diagnostics, those without a place at that of a field.
    Diagnostics at(const std::string& field, Diagnostics diagnostics) const;
};

// A directive of the type `Self`, which is copied as that.
template <typename Self, typename Base = Directive> struct DirectiveOf : Base {
    std::unique_ptr<Directive> clone() const final {
        return std::make_unique<Self>(static_cast<const Self&>(*this));
    }
};

using DirectivePtr = std::shared_ptr<const Directive>;

// What directives are about.
enum class DirectiveSection : std::uint8_t { Loop, Place, Memory, Arithmetic, Target };

struct DirectiveKind {
    const char* verb;
    std::unique_ptr<Directive> (*create)();
    DirectiveSection section = DirectiveSection::Loop;
    const char* words = nullptr;
    std::string title() const; // `words`, or the verb as words: "Pad storage"
};
const std::vector<DirectiveKind>& directive_kinds();
const DirectiveKind* find_directive_kind(const std::string& verb); // null: unknown
// A new directive of the verb; null: unknown.
std::unique_ptr<Directive> create_directive(const std::string& verb);

// A script: an ordered list of directives. Immutable.
struct Schedule {
    std::string pipeline; // `schedule for NAME`
    std::string target;   // may be empty
    std::vector<DirectivePtr> directives;
    SourceFilePtr source; // null when built by a program

    std::string text() const; // canonical script, without comments; parses to an equal schedule
};

// Loops of the receiver that a directive names or, where it is asked, makes, in the order of its
// fields.
std::vector<std::string> loops_named_by(const Directive& directive, bool made_ones = false);
// Stages and inputs that it names: its receiver's, its arguments, and the stage that it makes.
std::set<std::string> stages_named_by(const Directive& directive);

// The stages that a pattern matches, in order (`*` any letters, `{a..b}` a half-open range of
// numbers); a plain name matches itself. Empty: nothing matches.
std::vector<std::string> match_stages(const ScheduleState& state, const std::string& pattern);

bool is_pattern(const std::string& stage); // else it is a plain name
// Is the name one that the pattern means?
bool matches_pattern(const std::string& pattern, const std::string& name);

struct Applied {
    ScheduleState state;
    Diagnostics diagnostics; // empty when all directives applied
    int applied = 0;         // directives applied, from the front; stops at the first refusal
};
// Applies a script from the default schedule on. A refused directive names line, column, reason and
// what would be legal, and nothing of it is applied.
Applied apply(const PipelinePtr& pipeline, const Schedule& schedule, const ApplyContext& context);
// Applies one line to a state: for every match of its receiver, in order, or for none. On a refusal
// the state stands.
Status apply_line(ScheduleState& state, const Directive& directive, const ApplyContext& context);

} // namespace loopscope
