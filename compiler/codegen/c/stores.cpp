// Stores and atomic steps, of one element and of lanes.
#include "compiler/codegen/c/statements.h"

#include "compiler/codegen/c/lanes.h"
#include "compiler/lower/statements.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr std::int64_t kMax32BitIndex = std::int64_t{1}
                                        << 30; // leaves room for sums on the way to an index

} // namespace

std::int64_t element_count(const std::vector<Extent>& extents) {
    std::int64_t count = 1;
    for (const auto& extent : extents)
        if (!extent.is_constant() ||
            __builtin_mul_overflow(count, std::max<std::int64_t>(extent.constant(), 0), &count))
            return -1;
    return count;
}

void CStatements::bind_buffer(const std::string& buffer, const std::string& name, ScalarType type,
                              const std::vector<Extent>& extents) {
    auto count = element_count(extents);
    bool wide = count < 0 || count > kMax32BitIndex;
    expressions_.buffers[buffer] = {name, type, extents, flat_, wide};
}

std::string CStatements::buffer_name(const Statement& s) {
    return names_.is_free(c_identifier(s.storage->buffer)) ? names_.scoped(s.storage->buffer)
                                                           : scoped_name(s, s.storage->buffer);
}

std::string CStatements::count_text(const std::vector<Extent>& extents) {
    std::string count;
    for (const auto& extent : extents) {
        auto text = expressions_.extent(extent);
        count += (count.empty() ? "" : "*") + (extent.is_constant() ? text : "(" + text + ")");
    }
    return count.empty() ? "1" : count;
}

void CStatements::over_lanes(int count, bool independent, const NodeId& origin,
                             const std::function<void()>& body) {
    names_.open_scope();
    auto lane = names_.scoped("lane");
    expressions_.lane = lane;
    before_lanes(independent, origin);
    out_.line("for (int32_t " + lane + " = 0; " + lane + " < " + std::to_string(count) + "; " +
                  lane + "++) {",
              origin);
    out_.indent();
    body();
    out_.outdent();
    out_.line("}", origin);
    expressions_.lane.clear();
    names_.close_scope();
}

void CStatements::guarded(const ExprPtr& mask, const NodeId& origin,
                          const std::vector<ExprPtr>& together,
                          const std::function<std::string()>& text) {
    std::string condition = "true";
    if (mask) {
        expressions_.begin({mask});
        condition = expressions_.text(mask);
        if (condition == "false") {
            expressions_.take_declarations();
            return;
        }
        declarations(origin);
    }
    bool open = condition != "true";
    if (open) {
        out_.line("if (" + condition + ") {", origin);
        out_.indent();
    }
    expressions_.mask = mask;
    expressions_.begin(together);
    auto line = text();
    declarations(origin);
    out_.line(line, origin);
    expressions_.mask = nullptr;
    if (open) {
        out_.outdent();
        out_.line("}", origin);
    }
}

// `value`: empty: the statement's own.
std::string CStatements::assignment(const Statement& s, const std::string& value) {
    auto place = expressions_.element(s.access->buffer, s.access->indices);
    auto text = value.empty() ? expressions_.text(s.value) : value;
    return s.access->streaming ? streamed(s, place, text) : place + " = " + text + ";";
}

void CStatements::store(const Statement& s) {
    stage_comment(s);
    int count = lanes_of(s);
    if (count > 1)
        return store_vector(s, count);
    auto together = s.access->indices;
    together.push_back(s.value);
    guarded(s.access->mask, s.origin, together, [&] { return assignment(s, ""); });
}

void CStatements::store_vector(const Statement& s, int count) {
    reads_other_lanes(s) ? store_held(s, count) : store_lanes(s, count);
}

void CStatements::store_lanes(const Statement& s, int count) {
    auto together = s.access->indices;
    together.push_back(s.value);
    over_lanes(count, keeps_lanes_apart(s.access->indices), s.origin, [&] {
        guarded(s.access->mask, s.origin, together, [&] { return assignment(s, ""); });
    });
}

// A store whose value reads what other lanes write: all lanes read before any writes.
void CStatements::store_held(const Statement& s, int count) {
    auto size = "[" + std::to_string(count) + "];";
    auto held = names_.scoped("held"), on = s.access->mask ? names_.scoped("on") : "";
    out_.line(std::string(c_type(s.value->type)) + " " + held + size, s.origin);
    if (s.access->mask)
        out_.line("bool " + on + size, s.origin);
    over_lanes(count, true, s.origin, [&] {
        auto put = [&](const std::string& array, const ExprPtr& e) {
            guarded(nullptr, s.origin, {e}, [&] {
                return array + "[" + expressions_.lane + "] = " + expressions_.text(e) + ";";
            });
        };
        put(held, s.value);
        if (s.access->mask)
            put(on, s.access->mask);
    });
    over_lanes(count, keeps_lanes_apart(s.access->indices), s.origin, [&] {
        guarded(nullptr, s.origin, s.access->indices, [&] {
            auto at = "[" + expressions_.lane + "]";
            return (s.access->mask ? "if (" + on + at + ") " : "") + assignment(s, held + at);
        });
    });
}

void CStatements::atomic(const Statement& s) {
    stage_comment(s);
    auto together = s.access->indices;
    together.push_back(s.value);
    auto step = [&] {
        guarded(s.access->mask, s.origin, together, [&] {
            auto place = expressions_.element(s.access->buffer, s.access->indices);
            return atomic_step(s, place, expressions_.text(s.value));
        });
    };
    int count = lanes_of(s);
    count > 1 ? over_lanes(count, false, s.origin, step) : step();
}

} // namespace loopscope::codegen
