#include "core/schedule/directives/pad_storage.h"

#include "core/schedule/storage.h"

#include <algorithm>

namespace loopscope {

const char* PadStorage::summary() const {
    return "Adds elements along an index in memory, so that rows begin at other addresses.";
}

Status PadStorage::apply(ScheduleState& state, const ApplyContext&) const {
    if (auto own = owns_storage(state, receiver); !own)
        return at("receiver", own.errors());
    auto position = find_dimension(state, receiver.stage, dimension);
    if (!position)
        return at("dimension", position.errors());
    if (elements < 0 || elements > kMaxStoragePadding)
        return refuse("elements", "a padding of " + std::to_string(elements) + " is out of range",
                      "from 0 to " + std::to_string(kMaxStoragePadding) + " elements");
    auto& padding = state.edit(receiver.stage).storage_padding;
    padding.resize(state.declared(receiver.stage).variables.size(), 0);
    padding[static_cast<std::size_t>(*position)] = elements;
    if (std::all_of(padding.begin(), padding.end(), [](auto n) { return n == 0; }))
        padding.clear();
    return success();
}

std::string PadStorage::describe() const {
    return "pad " + receiver.stage + "'s memory along " + dimension + " by " +
           std::to_string(elements);
}

std::unique_ptr<Directive> make_pad_storage() { return std::make_unique<PadStorage>(); }

} // namespace loopscope
