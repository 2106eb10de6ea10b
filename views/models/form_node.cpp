#include "views/models/form_node.h"

#include <algorithm>

namespace loopscope::views {

LoopFields loop_fields(const Directive& directive) {
    LoopFields out;
    visit_fields(
        directive.read_fields(),
        [&](const char*, const field::Loop& f) { out.named.push_back(f.value); },
        [&](const char*, const field::NewLoop& f) { out.made.push_back(f.value); },
        [&](const char*, const field::Loops& f) {
            out.named.insert(out.named.end(), f.value.begin(), f.value.end());
        },
        [&](const char*, const field::Factor& f) { out.factors.push_back(f.value.text()); },
        [&](const char*, const field::OptionalFactor& f) {
            if (f.value)
                out.factors.push_back(f.value->text());
        },
        [&](const char*, const field::Tail& f) { out.has_tail = true, out.tail = f.value; },
        [](const char*, const auto&) {});
    return out;
}

namespace {
std::string loop_of(const NodeId& id) {
    return id.name.ends_with("@init") ? id.name.substr(0, id.name.size() - 5) : id.name;
}
} // namespace

FormNode find_node(const ScheduleTree& tree, const NodeId& id) {
    FormNode out;
    out.stage = tree.state.find(id.stage);
    if (!out.stage)
        return out;
    out.definition = std::clamp(id.definition, 0,
                                std::max(0, static_cast<int>(out.stage->definitions.size()) - 1));
    if (!out.stage->definitions.empty())
        out.loop = out.nest().find(loop_of(id));
    return out;
}

bool speaks_of(const ScheduleTree& tree, const Directive& d, const FormNode& node) {
    if (d.receiver.definition != node.definition && !d.per_stage())
        return false;
    const auto matches = match_stages(tree.state, d.receiver.stage);
    return std::find(matches.begin(), matches.end(), node.stage->name) != matches.end();
}

FactorMaker maker_of(const ScheduleTree& tree, const Schedule* schedule, const FormNode& node) {
    if (!schedule || !node.loop)
        return {};
    const auto& directives = schedule->directives;
    for (auto d = directives.rbegin(); d != directives.rend(); ++d) { // names may be used again
        if (!speaks_of(tree, **d, node))
            continue;
        const LoopFields fields = loop_fields(**d);
        if (fields.factors.empty() || fields.named.empty())
            continue;
        const auto made = std::find(fields.made.begin(), fields.made.end(), node.loop->name);
        if (made != fields.made.end()) {
            const auto at = static_cast<std::size_t>(made - fields.made.begin());
            const auto which = at % fields.factors.size();
            return {*d, which, fields.named[std::min(which, fields.named.size() - 1)]};
        }
        // vectorize(a, F) and unroll(a, F) keep a's name outside and call the inner loop a_v and
        // a_u.
        const std::string suffix = (*d)->verb() == std::string("vectorize") ? "_v" : "_u";
        if (fields.made.empty() && node.loop->name == fields.named[0] + suffix)
            return {*d, 0, fields.named[0]};
    }
    return {};
}

} // namespace loopscope::views
