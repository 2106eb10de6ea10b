#include "compiler/codegen/nvptx/shared_layout.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

SharedLayout::SharedLayout(const lower::StatementPtr& body) {
    std::vector<const lower::Statement*> unplanned;
    lower::visit_statements(body, [&](const lower::Statement& s) {
        if (!lower::allocates_shared(s))
            return true;
        places_[s.storage->buffer] = {s.storage->offset, lower::bytes_of(s)};
        alignment_ = std::max(alignment_, lower::shared_alignment(s));
        if (s.storage->offset < 0)
            unplanned.push_back(&s);
        else
            bytes_ = std::max(bytes_, s.storage->offset + lower::bytes_of(s));
        return true;
    });
    for (const auto* s : unplanned) {
        auto& room = places_.at(s->storage->buffer);
        room.offset = lower::aligned(bytes_, lower::shared_alignment(*s));
        bytes_ = lower::aligned(room.offset + room.bytes, lower::kSharedAlignment);
    }
}

bool SharedLayout::overlap(const std::string& a, const std::string& b) const {
    auto first = places_.find(a), second = places_.find(b);
    if (first == places_.end() || second == places_.end())
        return false;
    const auto &x = first->second, &y = second->second;
    return x.offset < y.offset + y.bytes && y.offset < x.offset + x.bytes;
}

} // namespace loopscope::codegen
