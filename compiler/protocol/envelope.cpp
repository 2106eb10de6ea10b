// The members of messages that both sides read without looking at their types again.
#include "compiler/protocol/protocol.h"
#include "core/base/json_text.h"

#include <climits>

namespace loopscope::measure {

using nlohmann::json;

namespace {

bool is_int(const json& value) {
    const auto n = whole_number(value);
    return n && *n >= INT_MIN && *n <= INT_MAX;
}

bool is_text(const json& value) { return value.is_string(); }

struct Member {
    const char* name;
    bool (*fits)(const json& value);
    const char* must;
};

// Those that a message lacks are as the reader's defaults say.
const Member kMembers[] = {
    {"type", is_text, "a text"},
    {"id", is_int, "a whole number of 32 bits"},
    {"protocol", is_int, "a whole number of 32 bits"},
    {"verb", is_text, "a text"},
    {"arguments", [](const json& value) { return value.is_object(); }, "an object"},
    {"ends", [](const json& value) { return value.is_boolean(); }, "true or false"},
    {"stage", is_text, "a text"},
    {"text", is_text, "a text"},
    {"fraction", [](const json& value) { return value.is_number(); }, "a number"},
};

} // namespace

std::string wrong_envelope(const json& message) {
    if (!message.is_object())
        return "a message must be an object";
    for (const auto& member : kMembers)
        if (auto found = message.find(member.name); found != message.end() && !member.fits(*found))
            return std::string("`") + member.name + "` of a message must be " + member.must;
    return {};
}

} // namespace loopscope::measure
