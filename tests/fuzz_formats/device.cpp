// Any bytes as a device file: what is read is what its description as JSON reads back.
#include "core/device/device.h"
#include "tests/fuzz_formats/format.h"

#include <nlohmann/json.hpp>

namespace loopscope::fuzz {
namespace {

void judge_device(std::string_view bytes) {
    const auto file = std::make_shared<SourceFile>("fuzz.json", std::string(bytes));
    const auto device = device::read_device(file);
    if (!device)
        return judge_refusal(device.errors());
    const auto json = device::to_json(*device);
    const auto again = device::from_json(json, "fuzz.json");
    if (!again)
        throw Wrong("its description is refused\n" + json.dump(1) + format(again.errors()));
    if (device::to_json(*again) != json)
        throw Wrong("its description reads back as another\n" + json.dump(1));
}

std::string read_device_text(std::string_view bytes) {
    const auto file = std::make_shared<SourceFile>("fuzz.json", std::string(bytes));
    const auto device = device::read_device(file);
    return device ? device::to_json(*device).dump(1) : format(device.errors());
}

const AddFormat kDevice("device", judge_device, read_device_text);

} // namespace
} // namespace loopscope::fuzz
