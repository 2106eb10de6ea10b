#include "core/language/schedule_arguments.h"

#include "core/base/foreign_words.h"
#include "core/language/limits.h"
#include "core/language/words.h"

#include <algorithm>
#include <charconv>

namespace loopscope {

namespace {

class ArgumentReader {
public:
    ArgumentReader(Directive& directive, const ArgumentList& list)
        : directive_(directive), list_(list) {}

    std::optional<Diagnostic> run() {
        for (const auto& [name, kind] : directive_.fields())
            std::visit([&, name = name](const auto& of) { read(name, of); }, kind);
        if (!problem_ && next_ < list_.arguments.size())
            fail(range(list_.arguments[next_]), "too many arguments",
                 "write " + signature(directive_));
        if (!problem_ && !list_.made.empty() && !makes_stage_)
            fail(list_.made_range, std::string(directive_.verb()) + " makes no stage",
                 "remove '" + list_.made + " ='");
        return problem_;
    }

private:
    using Argument = std::vector<Token>;

    // Names, by what they name.
    template <typename Kind> void read(const char* field, const Kind& of) {
        if constexpr (std::is_same_v<decltype(of.value), std::string&>)
            read_name(field, Kind::kWhat, of.value);
        else
            read_names(field, Kind::kWhat, of.value);
    }

    void read(const char* field, const field::NewLoop& of) {
        if (read_name(field, of.kWhat, of.value))
            check_new(field, of.value);
    }

    void read(const char* field, const field::Count& of) {
        const auto* argument = take(field, "a number");
        if (argument &&
            (argument->size() != 1 || !whole(argument->front(), of.value) || of.value < 0))
            fail(range(*argument), "'" + text(*argument) + "' is no whole number from 0",
                 "write " + signature(directive_));
    }

    void read(const char* field, const field::Factor& of) { read_factor(field, of.value); }

    void read(const char* field, const field::OptionalFactor& of) {
        if (!problem_ && next_ < list_.arguments.size())
            read_factor(field, of.value.emplace());
    }

    void read(const char* field, const field::Tail& of) {
        if (problem_ || next_ >= list_.arguments.size())
            return;
        std::string name;
        if (!read_tail(field, name))
            return;
        for (auto each : {Tail::Guard, Tail::Shift, Tail::Pad})
            if (name == loopscope::name(each)) {
                of.value = each;
                return;
            }
        fail(directive_.places[field], "there is no tail " + name,
             remedy_or(ForeignPlace::Tail, name, "the tail is guard (the default), shift or pad"));
    }

    void read(const char* field, const field::Scope& of) {
        const auto* argument = next_ < list_.arguments.size() ? &list_.arguments[next_] : nullptr;
        if (argument && argument->size() > 1)
            if (auto remedy = foreign_remedy(ForeignPlace::Scope, whole_text(*argument));
                !remedy.empty())
                return fail(range(*argument), "there is no scope " + whole_text(*argument),
                            std::move(remedy));
        read_name(field, of.kWhat, of.value);
    }

    void read(const char* field, const field::Definition& of) { read_definition(field, of.value); }

    void read(const char* field, const field::Level& of) {
        const auto* argument = take(field, "a level");
        if (!argument)
            return;
        of.value = whole_text(*argument);
        bool dotted = argument->size() == 3 && (*argument)[1].text == ".";
        if (argument->size() != 1 && !dotted)
            fail(range(*argument), "'" + text(*argument) + "' is no level of a target",
                 "levels are names such as block.x, thread.y and warp");
    }

    void read(const char* field, const field::Readers& of) {
        while (!problem_ && next_ < list_.arguments.size()) {
            of.value.emplace_back();
            read_definition(element(field, of.value.size() - 1), of.value.back());
        }
    }

    void read(const char* field, const field::Result& of) {
        makes_stage_ = true;
        if (list_.made.empty())
            return fail(directive_.places["receiver"],
                        std::string(directive_.verb()) + " makes a stage, which needs a name",
                        "write " + signature(directive_));
        of.value = list_.made;
        directive_.places[field] = list_.made_range;
        check_new(field, of.value);
    }

    static std::string element(const char* field, std::size_t i) {
        return std::string(field) + "[" + std::to_string(i) + "]";
    }

    SourceRange range(const Argument& argument) const {
        return {list_.file, argument.front().begin, argument.back().end};
    }

    // The argument without white space.
    static std::string whole_text(const Argument& argument) {
        std::string out;
        for (const auto& token : argument)
            out += token.text;
        return out;
    }

    // For messages: as written if it is short and on one line.
    std::string text(const Argument& argument) const {
        auto where = range(argument);
        auto out = list_.file->text().substr(where.begin, where.end - where.begin);
        if (out.find_first_of("\n#") != std::string::npos)
            out = whole_text(argument);
        return out.size() > 64 ? out.substr(0, 64) + "…" : out;
    }

    void fail(SourceRange where, std::string message, std::string remedy,
              std::string code = "syntax") {
        if (!problem_)
            problem_ = Diagnostic{Severity::Error, std::move(message), std::move(where),
                                  std::move(remedy), std::move(code)};
    }

    const Argument* take(const std::string& field, const std::string& what) {
        if (problem_)
            return nullptr;
        if (next_ >= list_.arguments.size()) {
            fail(list_.close, std::string(directive_.verb()) + " needs " + what + " here",
                 "write " + signature(directive_));
            return nullptr;
        }
        const auto& argument = list_.arguments[next_++];
        directive_.places[field] = range(argument);
        return &argument;
    }

    bool read_name(const std::string& field, const std::string& what, std::string& name) {
        const auto* argument = take(field, what);
        if (!argument)
            return false;
        if (argument->size() != 1 || argument->front().kind != TokenKind::Name) {
            fail(range(*argument), "'" + text(*argument) + "' is not " + what,
                 "write " + signature(directive_));
            return false;
        }
        name = argument->front().text;
        if (name.size() <= kMaxName)
            return true;
        fail(range(*argument),
             "a name of " + std::to_string(name.size()) + " characters is too long",
             "at most " + std::to_string(kMaxName));
        return false;
    }

    // Halide's are written TailStrategy::NAME.
    bool read_tail(const char* field, std::string& name) {
        const auto& argument = list_.arguments[next_];
        const bool qualified = argument.size() == 4 && argument[1].is(":") && argument[2].is(":");
        if (!qualified)
            return read_name(field, "a tail", name);
        name = take(field, "a tail")->back().text;
        return true;
    }

    static std::string remedy_or(ForeignPlace place, const std::string& word, std::string other) {
        auto remedy = foreign_remedy(place, word);
        return remedy.empty() ? other : remedy;
    }

    void read_names(const char* field, const std::string& what, std::vector<std::string>& names) {
        do {
            names.emplace_back();
            if (!read_name(element(field, names.size() - 1), what, names.back()))
                return;
        } while (next_ < list_.arguments.size());
    }

    void check_new(const std::string& field, const std::string& name) {
        if (is_reserved(name))
            fail(directive_.places[field], "'" + name + "' is a reserved word", "take another name",
                 "reserved-name");
    }

    void read_factor(const char* field, Factor& factor) {
        const auto* argument = take(field, "a factor");
        if (argument && !parse_factor(*argument, factor))
            fail(range(*argument), "'" + text(*argument) + "' is no factor",
                 "a factor is a whole number from 1, native, or such as 4*native");
    }

    void read_definition(const std::string& field, DefinitionRef& ref) {
        const auto* argument = take(field, "a stage");
        if (!argument)
            return;
        const auto& t = *argument;
        int number = 0;
        bool plain = t.size() == 1 && t[0].kind == TokenKind::Name;
        bool update = t.size() == 6 && t[0].kind == TokenKind::Name && t[1].is(".") &&
                      t[2].is("update") && t[3].is("(") && read_update_number(t[4], number) &&
                      t[5].is(")");
        if (!plain && !update)
            return fail(range(t), "'" + text(t) + "' names no definition",
                        "write S, or S.update(0)");
        ref.stage = t[0].text;
        ref.definition = update ? number + 1 : 0;
    }

    static bool whole(const Token& token, std::int64_t& value) {
        if (token.kind != TokenKind::Number)
            return false;
        auto [end, status] =
            std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
        return status == std::errc() && end == token.text.data() + token.text.size();
    }

    static bool parse_factor(const Argument& t, Factor& factor) {
        bool ok = false;
        if (t.size() == 1 && t[0].is("native")) {
            factor = {1, true};
            ok = true;
        } else if (t.size() == 1) {
            factor.native = false;
            ok = whole(t[0], factor.value);
        } else if (t.size() == 3 && t[1].is("*") && t[2].is("native")) {
            factor.native = true;
            ok = whole(t[0], factor.value);
        }
        return ok && factor.value >= 1;
    }

    Directive& directive_;
    const ArgumentList& list_;
    std::size_t next_ = 0;
    bool makes_stage_ = false;
    std::optional<Diagnostic> problem_;
};

} // namespace

std::optional<Diagnostic> read_arguments(Directive& directive, const ArgumentList& list) {
    return ArgumentReader(directive, list).run();
}

// Names the fields in order: "S.split(loop, outer, inner, factor [, tail])".
std::string signature(const Directive& directive) {
    std::string made, text;
    auto add = [&](const std::string& field) { text += (text.empty() ? "" : ", ") + field; };
    auto add_optional = [&](const std::string& field) {
        text += (text.empty() ? "[" : " [, ") + field + "]";
    };
    visit_fields(
        directive.read_fields(), [&](const char* name, const field::Result&) { made = name; },
        [&](const char* name, const field::OptionalFactor&) { add_optional(name); },
        [&](const char* name, const field::Tail&) { add_optional(name); },
        [&](const char* name, const field::Readers&) { add_optional(std::string(name) + "…"); },
        [&](const char* name, const field::Loops&) { add(std::string(name) + "…"); },
        [&](const char* name, const field::Dimensions&) { add(std::string(name) + "…"); },
        [&](const char* name, const auto&) { add(name); });
    auto line = std::string("S.") + directive.verb() + "(" + text + ")";
    return made.empty() ? line : made + " = " + line;
}

bool read_update_number(const Token& token, int& number) {
    if (token.kind != TokenKind::Number)
        return false;
    auto [end, status] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
    return status == std::errc() && end == token.text.data() + token.text.size() && number >= 0 &&
           number < 1'000'000;
}

} // namespace loopscope
