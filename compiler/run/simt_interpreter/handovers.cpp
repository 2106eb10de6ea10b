#include "compiler/run/simt_interpreter/handovers.h"

#include <algorithm>

namespace loopscope::simt_interpreter {

namespace {

using Kind = SimtFinding::Kind;

} // namespace

Handovers::Handovers(const LaunchCode& code, Memory& memory, Judge& judge, std::size_t warps)
    : code_(code), memory_(memory), judge_(judge), tokens_(code.handovers.size()) {
    for (auto& token : tokens_) {
        token.taken.resize(warps);
        token.released.resize(warps);
    }
}

void Handovers::begin_block() {
    for (auto& token : tokens_) {
        token.acquired = token.committed = 0;
        std::fill(token.taken.begin(), token.taken.end(), 0);
        std::fill(token.released.begin(), token.released.end(), 0);
        token.pending.clear();
    }
}

bool Handovers::may_acquire(std::uint32_t number) const {
    const auto& token = tokens_[number];
    const auto& handover = code_.handovers[number];
    for (auto warp = handover.readers.begin / kWarp; warp * kWarp < handover.readers.end; ++warp)
        if (token.released[warp] + handover.slots <= token.acquired)
            return false;
    return true;
}

void Handovers::acquire(std::uint32_t token) { ++tokens_[token].acquired; }

void Handovers::begin_copy(std::uint32_t number, std::uint32_t store, std::int64_t element,
                           Cell value, const Act& act) {
    auto& token = tokens_[number];
    auto& s = memory_[store];
    auto& group = s.groups[static_cast<std::size_t>(element)];
    if (token.acquired <= token.committed)
        judge_.report_operand(Kind::ReadBeforeArrival, s, element, act,
                              "is copied to in a group that no slot has been acquired for");
    else if (group.stamp == s.stamp &&
             group.number + code_.handovers[number].slots >= token.acquired)
        judge_.report_operand(Kind::ReadBeforeArrival, s, element, act,
                              "is copied to, and what an earlier group brought there may still be "
                              "read: nobody has waited for its release");
    group = {s.stamp, token.committed};
    PendingCopy copy;
    copy.group = token.committed;
    copy.store = store;
    copy.element = element;
    copy.value = value;
    token.pending.push_back(copy);
}

void Handovers::commit(std::uint32_t token) { ++tokens_[token].committed; }

bool Handovers::has_arrived(std::uint32_t token, const Warp& warp) const {
    return tokens_[token].committed > tokens_[token].taken[warp.number];
}

void Handovers::take(std::uint32_t number, const Warp& warp) {
    auto& token = tokens_[number];
    const auto group = token.taken[warp.number]++;
    std::size_t kept = 0;
    for (const auto& copy : token.pending) {
        if (copy.group <= group)
            store_element(memory_[copy.store], copy.element, copy.value);
        else
            token.pending[kept++] = copy;
    }
    token.pending.resize(kept);
}

std::uint32_t Handovers::next_release(std::uint32_t token, const Warp& warp) const {
    return tokens_[token].released[warp.number];
}

bool Handovers::holds_group(std::uint32_t token, const Warp& warp) const {
    return tokens_[token].released[warp.number] < tokens_[token].taken[warp.number];
}

void Handovers::release(std::uint32_t token, const Warp& warp) {
    ++tokens_[token].released[warp.number];
}

bool Handovers::judge(Store& s, std::int64_t element, const Act& act, bool writes) const {
    const auto& token = tokens_[s.handover - 1];
    const auto taken = token.taken[act.warp()], released = token.released[act.warp()];
    const auto& group = s.groups[static_cast<std::size_t>(element)];
    auto report = [&](const char* what) {
        judge_.report_operand(Kind::ReadBeforeArrival, s, element, act, what);
        return false;
    };
    if (writes)
        return report("is written, and producer warpgroups load it");
    if (released >= taken)
        return report("is read, and the thread holds no group: it has waited for none, or released "
                      "all that it has waited for");
    // nobody has brought anything: the judge says so
    if (group.stamp != s.stamp)
        return true;
    if (group.number >= taken)
        return report("is read before the thread has waited for the group that brings it");
    if (group.number < released)
        return report("is read after the thread has released the group that brought it");
    return true;
}

} // namespace loopscope::simt_interpreter
