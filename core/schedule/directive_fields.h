#pragma once
// The fields of a directive as a list: each has a type that says what it is, and a place where its
// value stands. A directive gives its own (Directive::fields), in the order in which a script
// writes them. The parser, the printer, menus, the inspector, exporters and tests go over that
// list.

#include "core/schedule/state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace loopscope {

// `S`, `S.update(0)`, or a pattern such as `st*` and `g{1..5}` (receivers only).
struct DefinitionRef {
    std::string stage;
    int definition = 0;
    bool operator==(const DefinitionRef&) const = default;
    std::string text() const;
};

// A factor as written: 8, native, 4*native. `native` is the lanes of the target's vectors for the
// stage's type.
struct Factor {
    std::int64_t value = 1; // the multiple, when native
    bool native = false;
    bool operator==(const Factor&) const = default;
    std::string text() const;
};

// What a field can be. `kWhat` names one of its values in a message.
namespace field {

template <typename Value> struct Of {
    Value& value;
};

// An existing loop of the receiver; one or more of them; a name of a loop that the directive makes.
struct Loop : Of<std::string> {
    static constexpr const char* kWhat = "a loop";
};
struct Loops : Of<std::vector<std::string>> {
    static constexpr const char* kWhat = "a loop";
};
struct NewLoop : Of<std::string> {
    static constexpr const char* kWhat = "a name for a loop";
};
struct Factor : Of<loopscope::Factor> {};
struct OptionalFactor : Of<std::optional<loopscope::Factor>> {};
// May be left out; `guard` is the default, and not printed.
struct Tail : Of<loopscope::Tail> {};
// Another definition, at whose loop something is to be; a loop of that one.
struct Definition : Of<DefinitionRef> {};
struct LoopOf : Of<std::string> {
    const DefinitionRef& of;
    static constexpr const char* kWhat = "a loop";
};
// A stage or input that the receiver reads.
struct Source : Of<std::string> {
    static constexpr const char* kWhat = "a stage or input";
};
struct Scope : Of<std::string> {
    static constexpr const char* kWhat = "a scope";
};
// Open names of the target: "block.x", "mma_m16n8k16_f16".
struct Level : Of<std::string> {};
struct Intrinsic : Of<std::string> {
    static constexpr const char* kWhat = "an intrinsic";
};
// Zero or more further definitions.
struct Readers : Of<std::vector<DefinitionRef>> {};
// An index name of the receiver's stage; one or more of them.
struct Dimension : Of<std::string> {
    static constexpr const char* kWhat = "an index name";
};
struct Dimensions : Of<std::vector<std::string>> {
    static constexpr const char* kWhat = "an index name";
};
struct Count : Of<std::int64_t> {}; // a whole number from 0
struct Result : Of<std::string> {}; // `B = …`: the stage that it makes

} // namespace field

using FieldKind =
    std::variant<field::Loop, field::Loops, field::NewLoop, field::Factor, field::OptionalFactor,
                 field::Tail, field::Definition, field::LoopOf, field::Source, field::Scope,
                 field::Level, field::Intrinsic, field::Readers, field::Dimension,
                 field::Dimensions, field::Count, field::Result>;

struct Field {
    const char* name;
    FieldKind kind;
};
using Fields = std::vector<Field>;

// Calls the first of some functions that takes the kind: `visit_field(f, on<field::Loop>(…), …)`.
template <typename... Functions> struct Overloaded : Functions... {
    using Functions::operator()...;
};
template <typename... Functions> void visit_fields(const Fields& fields, Functions... functions) {
    const Overloaded<Functions...> all{std::move(functions)...};
    for (const auto& [name, kind] : fields)
        std::visit([&](const auto& of) { all(name, of); }, kind);
}

} // namespace loopscope
