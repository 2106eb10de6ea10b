#pragma once
// Findings of a run, in the words that people read.

#include "compiler/lower/gpu/launch.h"
#include "compiler/run/simt_interpreter/simt_interpreter.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace loopscope::simt_interpreter {

// The kinds of access that a site makes to an element.
enum class Deed : std::uint8_t { Reads, Writes, Updates, Copies };

// "written by thread 3", "filled by a copy of thread 3"
std::string done_by(Deed deed, std::uint32_t thread);
// "reads", "writes", "updates", "copies to"
const char* verb(Deed deed);
// "block 3", "block (0, 1)": x, y, z as far as the launch has them.
// Along x, y and z, as a device numbers blocks.
std::array<std::int64_t, 3> block_coordinates(const lower::LaunchShape& shape, std::uint32_t block);
std::string block_text(const lower::LaunchShape& shape, std::uint32_t block);
// "threads 0 to 15", "threads 0, 2 and 5", "no thread": of one warp, whose first thread is `first`.
std::string threads_text(std::uint32_t first, std::uint32_t mask);

class Findings {
public:
    using Kind = SimtFinding::Kind;

    // The message is made for the first occurrence only. Names and identities must outlive the
    // findings' making.
    template <typename Message>
    void report(Kind kind, const NodeId* origin, const NodeId* other, const std::string* buffer,
                Message message) {
        auto [known, added] = known_.try_emplace(Key{kind, origin, other, buffer}, 0);
        if (added)
            known->second = find(kind, *origin, other ? *other : NodeId{}, *buffer, message);
        ++list_[known->second].count;
    }

    std::vector<SimtFinding> take() { return std::move(list_); }

private:
    struct Key {
        Kind kind;
        const NodeId *origin, *other;
        const std::string* buffer;
        bool operator==(const Key&) const = default;
    };
    struct HashOfKey {
        std::size_t operator()(const Key& k) const {
            auto h = combine(static_cast<Hash>(k.kind), reinterpret_cast<std::uintptr_t>(k.origin));
            h = combine(h, reinterpret_cast<std::uintptr_t>(k.other));
            return combine(h, reinterpret_cast<std::uintptr_t>(k.buffer));
        }
    };

    // Statements of one origin share a finding.
    template <typename Message>
    std::size_t find(Kind kind, const NodeId& origin, const NodeId& other,
                     const std::string& buffer, Message message) {
        for (std::size_t i = 0; i < list_.size(); ++i)
            if (list_[i].kind == kind && list_[i].origin == origin && list_[i].other == other &&
                list_[i].buffer == buffer)
                return i;
        list_.push_back({kind, origin, other, buffer, message(), 0});
        return list_.size() - 1;
    }

    std::vector<SimtFinding> list_;
    std::unordered_map<Key, std::size_t, HashOfKey> known_;
};

} // namespace loopscope::simt_interpreter
