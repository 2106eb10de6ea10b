#include "core/device/json_reader.h"

#include "core/base/printable.h"

#include <bit>

namespace loopscope::device {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxValue = 40; // characters of a value that an error shows

// As the file has it, if that is short.
std::string value_text(const json& value) {
    if (value.is_structured()) // of any depth, which dump() recurses to
        return value.is_array() ? "an array" : "an object";
    auto text = value.dump();
    auto beginning = printable_text(text, kMaxValue);
    return beginning.size() < text.size() ? beginning + " …" : beginning;
}

bool is_whole_within(const json& value, WholeRange range) {
    // Unsigned numbers are those from 0 on, and may be beyond 2^63.
    bool fits = value.is_number_unsigned()
                    ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(range.most)
                    : value.is_number_integer() && value.get<std::int64_t>() <= range.most;
    return fits && value.get<std::int64_t>() >= range.least;
}

// No dots and brackets, which paths are made of, and nothing that a terminal acts on.
bool is_name(const std::string& text) {
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string::npos;
}

template <typename Number> std::string range_text(Range<Number> range) {
    return "from " + json(range.least).dump() + " to " + json(range.most).dump();
}

} // namespace

std::string path_text(const std::vector<std::string>& path) {
    std::string text;
    for (const auto& step : path) {
        bool index = !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
        text += index ? "[" + step + "]" : (text.empty() ? "" : ".") + step;
    }
    return text.empty() ? "the file" : text;
}

JsonObject::JsonObject(const json& value, std::vector<std::string> path,
                       std::vector<JsonProblem>& problems)
    : json_(&value), path_(std::move(path)), problems_(&problems) {
    if (!json_->is_object())
        problems_->push_back({path_, path_text(path_) + " must be an object", "{ … }"});
}

std::vector<std::string> JsonObject::path_of(const std::string& key) const {
    auto path = path_;
    path.push_back(key);
    return path;
}

void JsonObject::problem(const std::string& key, std::string message, std::string remedy) {
    problem_at({key}, std::move(message), std::move(remedy));
}

void JsonObject::problem_at(std::vector<std::string> steps, std::string message,
                            std::string remedy) {
    auto path = path_;
    path.insert(path.end(), steps.begin(), steps.end());
    message = path_text(path) + " " + message;
    problems_->push_back({std::move(path), std::move(message), std::move(remedy)});
}

const json* JsonObject::find(const char* key, bool required) {
    known_.push_back(key);
    if (!json_->is_object())
        return nullptr;
    auto found = json_->find(key);
    if (found != json_->end())
        return &*found;
    if (required)
        problem(key, "is missing");
    return nullptr;
}

bool JsonObject::has(const char* key) { return json_->is_object() && json_->contains(key); }

std::string JsonObject::text(const char* key, bool required) {
    auto value = find(key, required);
    if (!value)
        return {};
    auto text =
        value->is_string() ? printable_text(value->get_ref<const std::string&>()) : std::string();
    if (!value->is_string() || (required && text.find_first_not_of(' ') == std::string::npos)) {
        problem(key, required ? "must be a text that is not empty" : "must be a text");
        return {};
    }
    return text;
}

// Null: there is none, or it is wrong, which is noted.
const json* JsonObject::whole_number(const char* key, WholeRange range, bool required,
                                     const char* kind) {
    auto value = find(key, required);
    if (!value)
        return nullptr;
    if (is_whole_within(*value, range))
        return value;
    problem(key, std::string("must be ") + kind + " " + range_text(range) + ", and is " +
                     value_text(*value));
    return nullptr;
}

std::int64_t JsonObject::whole(const char* key, WholeRange range, bool required,
                               std::int64_t otherwise) {
    auto value = whole_number(key, range, required, "a whole number");
    return value ? value->get<std::int64_t>() : otherwise;
}

int JsonObject::whole(const char* key, Range<int> range, bool required, int otherwise) {
    return static_cast<int>(whole(key, WholeRange{range.least, range.most}, required, otherwise));
}

int JsonObject::power_of_two(const char* key, Range<int> range, bool required, int otherwise) {
    const char* kind = "a power of two";
    auto value = whole_number(key, {range.least, range.most}, required, kind);
    if (!value || std::has_single_bit(value->get<unsigned>()))
        return value ? value->get<int>() : otherwise;
    problem(key, std::string("must be ") + kind + " " + range_text(range) + ", and is " +
                     value_text(*value));
    return otherwise;
}

double JsonObject::number(const char* key, FigureRange range) {
    auto value = find(key, true);
    if (!value)
        return range.least;
    // Written so that a NaN would not pass.
    double number = value->is_number() ? value->get<double>() : 0;
    if (!(number >= range.least && number <= range.most)) {
        problem(key, "must be a number " + range_text(range) + ", and is " + value_text(*value),
                "leave out what is not known");
        return range.least;
    }
    return number;
}

bool JsonObject::flag(const char* key) {
    auto value = find(key, false);
    if (value && !value->is_boolean())
        problem(key, "must be true or false");
    return value && value->is_boolean() && value->get<bool>();
}

std::vector<std::string> JsonObject::texts(const char* key) {
    auto value = find(key, false);
    std::vector<std::string> list;
    if (!value)
        return list;
    bool good = value->is_array();
    for (std::size_t i = 0; good && i < value->size(); ++i) {
        good = (*value)[i].is_string();
        if (good)
            list.push_back(printable_text((*value)[i].get_ref<const std::string&>()));
    }
    if (!good)
        problem(key, "must be an array of texts");
    return list;
}

std::optional<Figure> JsonObject::figure(const char* key, FigureRange range) {
    auto value = find(key, false);
    if (!value)
        return std::nullopt;
    JsonObject object(*value, path_of(key), *problems_);
    Figure figure;
    figure.value = object.number("value", range);
    figure.source = object.text("source", true);
    object.finish();
    return figure;
}

std::map<ScalarType, Figure> JsonObject::figures_by_type(const char* key, FigureRange range) {
    std::map<ScalarType, Figure> figures;
    auto value = find(key, false);
    if (!value)
        return figures;
    JsonObject object(*value, path_of(key), *problems_);
    if (!value->is_object())
        return figures;
    for (const auto& [name, ignored] : value->items()) {
        ScalarType type;
        if (!parse_scalar_type(name, type)) {
            object.problem(name, "is not the name of a type",
                           "types are bool i8 … u64 f16 bf16 f32 f64");
            continue;
        }
        if (auto figure = object.figure(name.c_str(), range))
            figures[type] = *figure;
    }
    return figures;
}

std::map<std::string, Figure> JsonObject::figures_by_name(const char* key, FigureRange range) {
    std::map<std::string, Figure> figures;
    auto value = find(key, false);
    if (!value)
        return figures;
    JsonObject object(*value, path_of(key), *problems_);
    if (!value->is_object())
        return figures;
    for (const auto& [name, ignored] : value->items()) {
        if (!is_name(name))
            object.problem(name, "is no name", "a name has letters, digits and _");
        else if (auto figure = object.figure(name.c_str(), range))
            figures[name] = *figure;
    }
    return figures;
}

std::vector<std::int64_t> JsonObject::wholes(const char* key, WholeRange range,
                                             Range<std::size_t> count, bool required) {
    auto value = find(key, required);
    std::vector<std::int64_t> list;
    if (!value)
        return list;
    bool good = value->is_array() && value->size() >= count.least && value->size() <= count.most;
    for (std::size_t i = 0; good && i < value->size(); ++i) {
        good = is_whole_within((*value)[i], range);
        if (good)
            list.push_back((*value)[i].get<std::int64_t>());
    }
    if (good)
        return list;
    problem(key, "must be an array of " +
                     (count.least == count.most
                          ? std::to_string(count.least)
                          : std::to_string(count.least) + " to " + std::to_string(count.most)) +
                     " whole numbers " + range_text(range));
    return {};
}

std::optional<JsonObject> JsonObject::object(const char* key, bool required) {
    auto value = find(key, required);
    if (!value)
        return std::nullopt;
    return JsonObject(*value, path_of(key), *problems_);
}

std::vector<JsonObject> JsonObject::objects(const char* key, std::size_t most) {
    std::vector<JsonObject> list;
    auto value = find(key, false);
    if (value && !value->is_array())
        problem(key, "must be an array of objects");
    else if (value && value->size() > most)
        problem(key, "has " + std::to_string(value->size()) + " elements, and may have " +
                         std::to_string(most));
    for (std::size_t i = 0; value && value->is_array() && i < std::min(value->size(), most); ++i) {
        auto path = path_of(key);
        path.push_back(std::to_string(i));
        list.emplace_back((*value)[i], std::move(path), *problems_);
    }
    return list;
}

void JsonObject::not_here(const char* key, const std::string& message, const std::string& remedy) {
    if (find(key, false))
        problem(key, message, remedy);
}

void JsonObject::finish() {
    if (!json_->is_object())
        return;
    for (const auto& [key, ignored] : json_->items()) {
        bool known = false;
        for (const auto& name : known_)
            known = known || name == key;
        if (known)
            continue;
        auto near = nearest_name(key, known_);
        problem(key, "is not a key of a device file",
                near.empty() ? "" : "did you mean \"" + near + "\"?");
    }
}

} // namespace loopscope::device
