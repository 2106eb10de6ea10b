#include "core/schedule/stage_list.h"

#include "core/base/work.h"
#include "core/schedule/state.h"

#include <algorithm>

namespace loopscope {

namespace {

bool pads_storage_or_tail(const StageState& stage) {
    return !stage.storage_padding.empty() ||
           std::any_of(stage.definitions.begin(), stage.definitions.end(), [](const auto& nest) {
               return std::any_of(nest.relations.begin(), nest.relations.end(),
                                  [](const Relation& r) { return r.tail == Tail::Pad; });
           });
}

} // namespace

unsigned StageList::traits_of(const StageState& stage) {
    unsigned out = 0;
    auto add = [&](StageTrait trait, bool has) { out |= has ? static_cast<unsigned>(trait) : 0; };
    const bool at_root = stage.compute.kind == Placement::Kind::Root &&
                         stage.store.kind == Placement::Kind::Root && stage.pipeline == 1;
    add(StageTrait::Copy, !stage.copy_of.empty());
    add(StageTrait::Inlined, stage.compute.kind == Placement::Kind::Inline);
    add(StageTrait::Placed, !at_root);
    add(StageTrait::Pads, pads_storage_or_tail(stage));
    for (const auto& nest : stage.definitions) {
        add(StageTrait::SharesLoops, nest.with.has_value());
        add(StageTrait::Prefetches, !nest.prefetches.empty());
        add(StageTrait::Instructions, nest.tensorized.has_value());
    }
    return out;
}

std::shared_ptr<const StageList::Block> StageList::block_of(std::vector<Item> stages,
                                                            std::vector<unsigned> traits) {
    Block block{std::move(stages), std::move(traits)};
    for (const auto each : block.traits)
        if (each == kOpen)
            block.open = true;
        else
            block.settled |= each;
    return std::make_shared<const Block>(std::move(block));
}

std::pair<std::size_t, std::size_t> StageList::place(std::size_t index) const {
    const auto after = std::upper_bound(begins_.begin(), begins_.end(), index);
    const auto block = static_cast<std::size_t>(after - begins_.begin()) - 1;
    return {block, index - begins_[block]};
}

const StageList::Item& StageList::operator[](std::size_t index) const {
    const auto [block, at] = place(index);
    return blocks_[block]->stages[at];
}

void StageList::number_from(std::size_t block) {
    begins_.resize(blocks_.size());
    for (auto b = block; b < blocks_.size(); ++b)
        begins_[b] = b == 0 ? 0 : begins_[b - 1] + blocks_[b - 1]->stages.size();
}

void StageList::insert(std::size_t index, Item stage) {
    since_.emplace_back(stage->name, index);
    ++size_;
    if (blocks_.empty()) {
        blocks_.push_back(std::make_shared<const Block>());
        begins_.push_back(0);
    }
    const auto block = index == 0 ? 0 : place(index - 1).first;
    const auto at = index - begins_[block];
    auto [stages, traits, settled, open] = *blocks_[block];
    stages.insert(stages.begin() + static_cast<std::ptrdiff_t>(at), std::move(stage));
    traits.insert(traits.begin() + static_cast<std::ptrdiff_t>(at), kOpen);
    if (stages.size() > kMaxInBlock) {
        const auto half = static_cast<std::ptrdiff_t>(stages.size() / 2);
        blocks_.insert(
            blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1,
            block_of({stages.begin() + half, stages.end()}, {traits.begin() + half, traits.end()}));
        stages.erase(stages.begin() + half, stages.end());
        traits.erase(traits.begin() + half, traits.end());
    }
    blocks_[block] = block_of(std::move(stages), std::move(traits));
    number_from(block);
    if (known_ && since_.size() > kMaxSince)
        note_names();
}

void StageList::replace(std::size_t index, Item stage) {
    const auto [block, at] = place(index);
    auto [stages, traits, settled, open] = *blocks_[block];
    stages[at] = std::move(stage);
    traits[at] = kOpen;
    blocks_[block] = block_of(std::move(stages), std::move(traits));
}

void StageList::settle() {
    for (auto& block : blocks_)
        if (block->open) {
            auto traits = block->traits;
            for (std::size_t at = 0; at < traits.size(); ++at)
                if (traits[at] == kOpen)
                    traits[at] = traits_of(*block->stages[at]);
            block = block_of(block->stages, std::move(traits));
        }
    if (!known_)
        note_names();
}

void StageList::note_names() {
    std::unordered_map<std::string, std::size_t> known;
    known.reserve(size_);
    for (const auto& stage : *this)
        known.emplace(stage->name, known.size());
    known_ = std::make_shared<const std::unordered_map<std::string, std::size_t>>(std::move(known));
    since_.clear();
}

// Each insertion since the place was noted has moved the stage by one at most.
int StageList::index_of(const std::string& name) const {
    std::size_t first = 0, count = 0;
    const auto inserted =
        std::find_if(since_.begin(), since_.end(), [&](const auto& s) { return s.first == name; });
    if (inserted != since_.end()) {
        first = inserted->second;
        count = static_cast<std::size_t>(since_.end() - inserted);
    } else if (known_) {
        const auto known = known_->find(name);
        if (known == known_->end())
            return -1;
        first = known->second;
        count = since_.size() + 1;
    } else {
        return -1;
    }
    const auto [block, at] = place(first);
    auto stage = Iterator(blocks_.data() + block, at);
    for (auto i = first; i < first + count; ++i, ++stage) {
        count_work(Work::NamesCompared);
        if ((*stage)->name == name)
            return static_cast<int>(i);
    }
    return -1;
}

bool StageList::has(const Block& block, std::size_t at, StageTrait trait) {
    const auto traits = block.traits[at];
    return ((traits == kOpen ? traits_of(*block.stages[at]) : traits) &
            static_cast<unsigned>(trait)) != 0;
}

bool StageList::has(const Block& block, StageTrait trait) {
    if ((block.settled & static_cast<unsigned>(trait)) != 0)
        return true;
    for (std::size_t at = 0; block.open && at < block.stages.size(); ++at)
        if (block.traits[at] == kOpen && has(block, at, trait))
            return true;
    return false;
}

bool StageList::any(StageTrait trait) const {
    return std::any_of(blocks_.begin(), blocks_.end(),
                       [&](const auto& block) { return has(*block, trait); });
}

std::vector<const StageState*> StageList::having(StageTrait trait) const {
    std::vector<const StageState*> out;
    for (const auto& block : blocks_) {
        if (!has(*block, trait))
            continue;
        for (std::size_t at = 0; at < block->stages.size(); ++at)
            if (has(*block, at, trait))
                out.push_back(block->stages[at].get());
    }
    return out;
}

} // namespace loopscope
