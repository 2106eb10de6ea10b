#include "core/schedule/identity.h"

#include <charconv>

namespace loopscope {

std::string definition_name(const std::string& stage, int definition) {
    return definition <= 0 ? stage : stage + ".update(" + std::to_string(definition - 1) + ")";
}

std::string NodeId::text() const {
    if (stage.empty())
        return {};
    return definition_name(stage, definition) + "/" + name;
}

bool NodeId::parse(const std::string& text, NodeId& out) {
    if (text.empty()) {
        out = NodeId{};
        return true;
    }
    auto slash = text.find('/');
    if (slash == std::string::npos || slash == 0)
        return false;
    NodeId id;
    std::string head = text.substr(0, slash);
    id.name = text.substr(slash + 1);
    id.definition = id.name == "@storage" || id.name == "@stage" ? -1 : 0;
    auto update = head.find(".update(");
    if (update != std::string::npos) {
        int n = 0;
        auto begin = head.data() + update + 8;
        auto [end, status] = std::from_chars(begin, head.data() + head.size(), n);
        if (status != std::errc() || n < 0 || std::string_view(end) != ")")
            return false;
        id.definition = n + 1;
        head.resize(update);
    }
    id.stage = head;
    out = id;
    return true;
}

Hash NodeId::hash() const {
    return hash_of(name, combine(hash_of(stage), static_cast<std::uint64_t>(definition + 1)));
}

} // namespace loopscope
