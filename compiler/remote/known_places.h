#pragma once
// The places that a person has added, in one file of settings that can be read and written by hand:
//   {"places": [{"place": "ssh:gpu1"}, {"place": "slurm:gpu,ssh:login"}]}
// and what their machines said of their GPUs, kept in the cache folder, so that estimates are for
// those GPUs before anybody has spoken to them.

#include "compiler/remote/place.h"

#include <nlohmann/json.hpp>

#include <vector>

namespace loopscope::remote {

std::string places_file(); // remotes.json of config_folder(); empty: there is none

// In their order; none where there is no file. Errors: a file that is not like that, with its
// place.
Result<std::vector<Place>> known_places();
// Adds it, or does nothing where it is there already. Errors: those of known_places and
// write_whole.
Status add_place(const Place& place);
Status remove_place(const Place& place);

// `gpus`: as RemoteClient answers. Errors: those of keep_file.
Status keep_gpus(const Place& place, const nlohmann::json& gpus);
// With kept ceilings; an empty list: nothing is kept, or what is kept is no list of GPUs.
nlohmann::json kept_gpus(const Place& place);

} // namespace loopscope::remote
