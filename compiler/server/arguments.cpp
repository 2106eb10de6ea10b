#include "compiler/server/arguments.h"

#include "core/base/json_text.h"

#include <cmath>

namespace loopscope::worker {

using nlohmann::json;

namespace {

constexpr int kTypeError = 302;       // the library's number of it
constexpr std::size_t kMaxShown = 40; // characters of what a message shows

[[noreturn]] void refuse(const std::string& name, const std::string& must, const json& value) {
    const auto shown = value.dump(-1, ' ', true, json::error_handler_t::replace);
    throw json::type_error::create(
        kTypeError, name + " must be " + must + ", and is " + shown.substr(0, kMaxShown), &value);
}

} // namespace

int whole_of(const json& arguments, const char* key, int least, int most) {
    const auto& value = arguments.at(key);
    const auto whole = whole_number(value);
    if (!whole || *whole < least || *whole > most)
        refuse(key, "a whole number from " + std::to_string(least) + " to " + std::to_string(most),
               value);
    return static_cast<int>(*whole);
}

int whole_or(const json& arguments, const char* key, int otherwise, int least, int most) {
    return arguments.contains(key) ? whole_of(arguments, key, least, most) : otherwise;
}

double seconds_or(const json& arguments, const char* key, double otherwise) {
    const auto found = arguments.find(key);
    if (found == arguments.end())
        return otherwise;
    if (!found->is_number() || !(found->get<double>() > 0) || !std::isfinite(found->get<double>()))
        refuse(key, "a positive number", *found);
    return found->get<double>();
}

std::optional<double> tolerance_of(const json& arguments) {
    const auto found = arguments.find("tolerance");
    if (found == arguments.end())
        return std::nullopt;
    if (!found->is_number() || !(found->get<double>() >= 0))
        refuse("tolerance", "0 or a positive number", *found);
    return found->get<double>();
}

std::uint64_t seed_of(const json& arguments) {
    const auto found = arguments.find("seed");
    if (found == arguments.end())
        return 1;
    if (!found->is_number_integer() || (!found->is_number_unsigned() && *found < 0))
        refuse("seed", "a whole number of 64 bits", *found);
    return found->get<std::uint64_t>();
}

std::map<std::string, std::int64_t> params_of(const json& arguments) {
    std::map<std::string, std::int64_t> params;
    const auto given = arguments.find("params");
    if (given == arguments.end())
        return params;
    if (!given->is_object())
        refuse("params", "an object", *given);
    for (const auto& [name, value] : given->items()) {
        const auto whole = whole_number(value);
        if (!whole)
            refuse("param " + name, "a whole number that 64 bits hold", value);
        params[name] = *whole;
    }
    return params;
}

} // namespace loopscope::worker
