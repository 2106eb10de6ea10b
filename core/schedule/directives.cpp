#include "core/schedule/directive.h"

#include <algorithm>
#include <cctype>

namespace loopscope {

#define DIRECTIVE(verb, ...) std::unique_ptr<Directive> make_##verb();
#include "core/schedule/directives.def"
#undef DIRECTIVE

const std::vector<DirectiveKind>& directive_kinds() {
    static const std::vector<DirectiveKind> kinds = {
#define DIRECTIVE(verb, ...) {#verb, make_##verb, DirectiveSection::__VA_ARGS__},
#include "core/schedule/directives.def"
#undef DIRECTIVE
    };
    return kinds;
}

std::string DirectiveKind::title() const {
    std::string title = words ? words : verb;
    std::replace(title.begin(), title.end(), '_', ' ');
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
}

const DirectiveKind* find_directive_kind(const std::string& verb) {
    for (const auto& kind : directive_kinds())
        if (verb == kind.verb)
            return &kind;
    return nullptr;
}

std::unique_ptr<Directive> create_directive(const std::string& verb) {
    const auto* kind = find_directive_kind(verb);
    return kind ? kind->create() : nullptr;
}

} // namespace loopscope
