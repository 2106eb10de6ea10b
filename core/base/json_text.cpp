#include "core/base/json_text.h"

#include "core/base/printable.h"
#include "core/base/text_file.h"

#include <algorithm>

namespace loopscope {

using nlohmann::json;

namespace {

constexpr int kNumberOverflow = 406;  // nlohmann's number of that exception
constexpr std::size_t kMaxToken = 40; // characters of a number that a message shows

// Only looks for an error. The parser tells its handler the place of every one; the exceptions that
// it throws otherwise have a place for some only.
class FaultFinder : public nlohmann::json_sax<json> {
public:
    FaultFinder(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

    std::optional<JsonFault> find() {
        json::sax_parse(text_.begin(), text_.end(), this);
        return fault_;
    }

    bool null() override { return count(); }
    bool boolean(bool) override { return count(); }
    bool number_integer(number_integer_t) override { return count(); }
    bool number_unsigned(number_unsigned_t) override { return count(); }
    bool number_float(number_float_t, const string_t&) override { return count(); }
    bool string(string_t&) override { return count(); }
    bool binary(binary_t&) override { return count(); }
    bool key(string_t&) override { return count(); }
    bool start_object(std::size_t) override { return enter(); }
    bool start_array(std::size_t) override { return enter(); }
    bool end_object() override { return leave(); }
    bool end_array() override { return leave(); }

    // `read`: how many bytes were read when the last one of `token` showed that something is wrong.
    bool parse_error(std::size_t read, const std::string& token,
                     const json::exception& failure) override {
        const auto size = text_.size();
        if (failure.id == kNumberOverflow) {
            const auto begin = read - std::min(read, token.size());
            fault_ = JsonFault{begin, std::min(read, size),
                               "the number " + printable_text(token, kMaxToken) + " is too large",
                               "leave out what is not known"};
        } else {
            const auto place = std::min(read > 0 ? read - 1 : 0, size);
            fault_ = JsonFault{place, place, "not a JSON text", {}};
        }
        return false;
    }

private:
    bool count() {
        if (++values_ <= limits_.values)
            return true;
        return beyond("more than " + std::to_string(limits_.values) + " values");
    }
    bool enter() {
        if (++depth_ <= limits_.depth)
            return count();
        return beyond("more than " + std::to_string(limits_.depth) +
                      " lists and objects in one another");
    }
    bool leave() {
        --depth_;
        return true;
    }
    // The parser does not say where it is: the whole text is meant.
    bool beyond(const std::string& what) {
        fault_ = JsonFault{0, 0, what, {}};
        return false;
    }

    std::string_view text_;
    JsonLimits limits_;
    std::size_t depth_ = 0, values_ = 0;
    std::optional<JsonFault> fault_;
};

} // namespace

std::optional<JsonFault> json_fault(std::string_view text, const JsonLimits& limits) {
    return FaultFinder(text, limits).find();
}

std::optional<JsonFault> read_json(std::string_view text, json& value, const JsonLimits& limits) {
    auto fault = json_fault(text, limits);
    if (!fault)
        value = json::parse(text);
    return fault;
}

Result<json> read_json(const SourceFilePtr& text, const std::string& remedy,
                       const JsonLimits& limits) {
    json value;
    if (auto fault = read_json(text->text(), value, limits))
        return error(fault->message, fault->remedy.empty() ? remedy : fault->remedy,
                     {text, fault->begin, fault->end});
    return value;
}

Result<json> read_json_file(const std::string& path, std::size_t most, const std::string& remedy,
                            const JsonLimits& limits) {
    auto text = read_text_file(path, {most, remedy, FileKind::Regular});
    return text ? read_json(*text, remedy, limits) : text.errors();
}

json json_or_null(std::string_view text, const JsonLimits& limits) {
    json value;
    return read_json(text, value, limits) ? json() : value;
}

std::optional<std::int64_t> whole_number(const json& value) {
    if (!value.is_number_integer() ||
        (value.is_number_unsigned() &&
         value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)))
        return std::nullopt;
    return value.get<std::int64_t>();
}

namespace {

const json* member(const json& object, const char* key) {
    const auto found = object.find(key); // its end where it is no object
    return found == object.end() ? nullptr : &*found;
}

} // namespace

std::string words_of(const nlohmann::json::exception& reason) {
    const std::string_view text = reason.what();
    return std::string(text.substr(text.starts_with('[') ? text.find("] ") + 2 : 0));
}

std::string text_or(const json& object, const char* key, const std::string& otherwise) {
    const auto* value = member(object, key);
    return value && value->is_string() ? value->get<std::string>() : otherwise;
}

const json& list_or_none(const json& object, const char* key) {
    static const json none = json::array();
    const auto* value = member(object, key);
    return value && value->is_array() ? *value : none;
}

} // namespace loopscope
