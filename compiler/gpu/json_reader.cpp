#include "compiler/gpu/json_reader.h"

#include "core/base/json_text.h"
#include "core/base/number_text.h"

namespace loopscope::gpu {

using nlohmann::json;

namespace {
const json kNothing = json::object();
const json kNoElements = json::array();
} // namespace

JsonReader::JsonReader(const json& object, std::string path)
    : object_(object.is_object() ? object : kNothing), path_(std::move(path)) {
    if (!object.is_object())
        errors_.push_back(error("`" + path_ + "` must be an object"));
}

void JsonReader::fail(const char* key, const std::string& must) {
    if (errors_.empty())
        errors_.push_back(error("`" + path(key) + "` must be " + must));
}

bool JsonReader::has(const char* key) const { return object_.contains(key); }

const json* JsonReader::find(const char* key) {
    auto found = object_.find(key);
    if (found != object_.end())
        return &*found;
    if (errors_.empty())
        errors_.push_back(error("`" + path(key) + "` is missing"));
    return nullptr;
}

std::string JsonReader::text(const char* key, std::size_t most) {
    const auto* value = find(key);
    if (!value)
        return {};
    if (value->is_string() && value->get_ref<const std::string&>().size() <= most)
        return value->get<std::string>();
    fail(key, "a text of at most " + std::to_string(most) + " bytes");
    return {};
}

std::string JsonReader::text_or(const char* key, const std::string& otherwise, std::size_t most) {
    return has(key) ? text(key, most) : otherwise;
}

std::int64_t JsonReader::whole(const char* key, std::int64_t least, std::int64_t greatest) {
    const auto* value = find(key);
    if (!value)
        return least;
    if (auto n = whole_number(*value); n && *n >= least && *n <= greatest)
        return *n;
    fail(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(greatest));
    return least;
}

double JsonReader::number(const char* key, double least, double greatest) {
    const auto* value = find(key);
    if (!value)
        return least;
    if (value->is_number())
        if (auto n = value->get<double>(); n >= least && n <= greatest)
            return n;
    fail(key, "a number from " + general_text(least, 6) + " to " + general_text(greatest, 6));
    return least;
}

bool JsonReader::boolean(const char* key) {
    const auto* value = find(key);
    if (value && !value->is_boolean())
        fail(key, "true or false");
    return value && value->is_boolean() && value->get<bool>();
}

const json& JsonReader::array(const char* key, std::size_t most_elements) {
    const auto* value = find(key);
    if (!value)
        return kNoElements;
    if (value->is_array() && value->size() <= most_elements)
        return *value;
    fail(key, "a list of at most " + std::to_string(most_elements) + " elements");
    return kNoElements;
}

const json& JsonReader::object(const char* key) {
    const auto* value = find(key);
    if (value && value->is_object())
        return *value;
    if (value)
        fail(key, "an object");
    return kNothing;
}

std::vector<std::int64_t> JsonReader::wholes(const char* key, std::size_t most_elements,
                                             std::int64_t least, std::int64_t greatest) {
    std::vector<std::int64_t> list;
    for (const auto& element : array(key, most_elements)) {
        const auto n = whole_number(element);
        if (!n || *n < least || *n > greatest) {
            fail(key, "a list of whole numbers from " + std::to_string(least) + " to " +
                          std::to_string(greatest));
            return {};
        }
        list.push_back(*n);
    }
    return list;
}

std::map<std::string, std::int64_t> JsonReader::wholes_by_name(const char* key) {
    std::map<std::string, std::int64_t> values;
    for (const auto& [name, value] : object(key).items()) {
        const auto n = whole_number(value);
        if (!n) {
            fail(key, "an object of whole numbers that 64 bits hold");
            return {};
        }
        values[name] = *n;
    }
    return values;
}

std::vector<std::string> JsonReader::texts(const char* key, std::size_t most_elements) {
    std::vector<std::string> list;
    for (const auto& element : array(key, most_elements)) {
        if (!element.is_string()) {
            fail(key, "a list of texts");
            return {};
        }
        list.push_back(element.get<std::string>());
    }
    return list;
}

} // namespace loopscope::gpu
