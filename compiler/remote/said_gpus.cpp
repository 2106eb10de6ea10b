#include "compiler/remote/said_gpus.h"

#include "compiler/gpu/device.h"
#include "compiler/measure/gpu_devices.h"
#include "compiler/protocol/worker_client.h"
#include "core/base/json_text.h"
#include "core/base/printable.h"

#include <algorithm>
#include <cctype>

namespace loopscope::remote {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxGpus = 64; // of a machine, in reason

json known_rates(const json& said) {
    auto rates = json::object();
    for (const auto& [type, rate] : said.items())
        if (type.size() <= 8 && std::all_of(type.begin(), type.end(),
                                            [](unsigned char c) { return std::isalnum(c) != 0; }))
            rates[type] = rate;
    return rates;
}

// Of what may have any other member.
json known_ceilings(const json& said) {
    json ceilings{
        {"tensor_instruction", printable_text(text_or(said, "tensor_instruction", ""), 80)}};
    for (const auto* rates : {"flops_per_second", "tensor_flops_per_second"})
        ceilings[rates] = known_rates(said.at(rates));
    for (const auto* rate : {"copy_bytes_per_second", "l2_copy_bytes_per_second"})
        ceilings[rate] = said.at(rate);
    return ceilings;
}

} // namespace

Result<json> said_gpus(const Place& machine, const json& answer) {
    auto place = machine;
    place.gpu = 0;
    auto list = json::array();
    if (list_or_none(answer, "gpus").size() > kMaxGpus)
        return coded_error(measure::kCodeProtocol,
                           place.machine() + ": more GPUs than any machine has");
    for (const auto& said : list_or_none(answer, "gpus")) {
        auto gpu = gpu::gpu_from_json(said, place.machine() + ": gpus[" +
                                                std::to_string(list.size()) + "]");
        if (!gpu)
            return coded_error(measure::kCodeProtocol, gpu.errors().front().message);
        auto one = gpu::to_json(*gpu);
        if (said.contains("ceilings") && measure::are_ceilings(said["ceilings"]))
            one["ceilings"] = known_ceilings(said["ceilings"]);
        one["place"] = place.machine();
        one["target"] = place.text();
        ++place.gpu;
        list.push_back(std::move(one));
    }
    return list;
}

} // namespace loopscope::remote
