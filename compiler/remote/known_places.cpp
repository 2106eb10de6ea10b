#include "compiler/remote/known_places.h"

#include "compiler/gpu/json_reader.h"
#include "compiler/measure/gpu_devices.h"
#include "compiler/measure/kept_files.h"
#include "compiler/protocol/paths.h"
#include "compiler/remote/said_gpus.h"
#include "core/base/hash.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <filesystem>

namespace loopscope::remote {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxFile = 1 << 20;
constexpr std::size_t kMaxPlaces = 200;
constexpr const char* kForm = "as in {\"places\": [{\"place\": \"ssh:gpu1\"}]}";

bool same(const Place& a, const Place& b) { return a.machine() == b.machine(); }

std::string gpus_file(const Place& place) {
    const auto folder = measure::cache_folder();
    return folder.empty() ? folder
                          : folder + "/place-" + hash_text(hash_of(place.machine())) + ".json";
}

Status write(const std::vector<Place>& places) {
    if (places_file().empty())
        return error("there is no folder for settings", "set HOME or XDG_CONFIG_HOME");
    auto list = json::array();
    for (const auto& place : places)
        list.push_back({{"place", place.machine()}});
    return measure::keep_file(places_file(), {{"places", std::move(list)}});
}

} // namespace

std::string places_file() {
    const auto folder = measure::config_folder();
    return folder.empty() ? folder : folder + "/remotes.json";
}

Result<std::vector<Place>> known_places() {
    std::vector<Place> places;
    std::error_code ignored;
    if (places_file().empty() || !std::filesystem::exists(places_file(), ignored))
        return places;
    const auto file = read_json_file(places_file(), kMaxFile, kForm);
    if (!file)
        return file.errors();
    gpu::JsonReader read(*file, places_file());
    for (const auto& one : read.array("places", kMaxPlaces)) {
        gpu::JsonReader entry(one,
                              places_file() + ": places[" + std::to_string(places.size()) + "]");
        const auto text = entry.text("place");
        if (!entry)
            return entry.errors();
        auto place = read_place(text);
        if (!place)
            return error(places_file() + ": " + place.errors().front().message,
                         place.errors().front().remedy);
        place->gpu = 0;
        places.push_back(std::move(*place));
    }
    if (!read)
        return read.errors();
    return places;
}

Status add_place(const Place& place) {
    auto places = known_places();
    if (!places)
        return places.errors();
    if (std::any_of(places->begin(), places->end(),
                    [&](const Place& known) { return same(known, place); }))
        return success();
    places->push_back(place);
    return write(*places);
}

Status remove_place(const Place& place) {
    auto places = known_places();
    if (!places)
        return places.errors();
    std::erase_if(*places, [&](const Place& known) { return same(known, place); });
    return write(*places);
}

Status keep_gpus(const Place& place, const json& gpus) {
    return measure::keep_file(gpus_file(place), {{"gpus", gpus}});
}

json kept_gpus(const Place& place) {
    // A file that is broken is as good as none: the machine says it again.
    const auto kept = read_json_file(gpus_file(place), kMaxFile, "");
    auto gpus = kept ? said_gpus(place, *kept) : Result<json>(json::array());
    if (!gpus)
        return json::array();
    for (auto& one : *gpus)
        measure::read_kept_ceilings(one);
    return *gpus;
}

} // namespace loopscope::remote
