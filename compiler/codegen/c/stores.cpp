// Stores and atomic steps, of one element and of lanes.
#include "compiler/codegen/c/function.h"

#include "compiler/codegen/c/lanes.h"

namespace loopscope::codegen {

void CFunction::over_lanes(int count, bool independent, const NodeId& origin,
                           const std::function<void()>& body) {
    names_.open_scope();
    auto lane = names_.scoped("lane");
    expressions_.lane = lane;
    if (independent) {
        macros_.simd = true;
        out_.line("SIMD", origin);
    }
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

// One statement, where the mask holds (null: always). `together`: its expressions.
void CFunction::guarded(const ExprPtr& mask, const NodeId& origin,
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

void CFunction::store(const Statement& s) {
    stage_comment(s);
    int count = lanes_of(s);
    if (count > 1)
        return reads_other_lanes(s) ? store_held(s, count) : store_lanes(s, count);
    auto together = s.indices;
    together.push_back(s.value);
    guarded(s.mask, s.origin, together, [&] {
        auto place = expressions_.element(s.buffer, s.indices);
        return place + " = " + expressions_.text(s.value) + ";";
    });
}

void CFunction::store_lanes(const Statement& s, int count) {
    auto together = s.indices;
    together.push_back(s.value);
    over_lanes(count, keeps_lanes_apart(s.indices), s.origin, [&] {
        guarded(s.mask, s.origin, together, [&] {
            auto place = expressions_.element(s.buffer, s.indices);
            return place + " = " + expressions_.text(s.value) + ";";
        });
    });
}

// A store whose value reads what other lanes write: all lanes read before any writes.
void CFunction::store_held(const Statement& s, int count) {
    auto size = "[" + std::to_string(count) + "];";
    auto held = names_.scoped("held"), on = s.mask ? names_.scoped("on") : "";
    out_.line(std::string(c_type(s.value->type)) + " " + held + size, s.origin);
    if (s.mask)
        out_.line("bool " + on + size, s.origin);
    over_lanes(count, true, s.origin, [&] {
        auto put = [&](const std::string& array, const ExprPtr& e) {
            guarded(nullptr, s.origin, {e}, [&] {
                return array + "[" + expressions_.lane + "] = " + expressions_.text(e) + ";";
            });
        };
        put(held, s.value);
        if (s.mask)
            put(on, s.mask);
    });
    over_lanes(count, keeps_lanes_apart(s.indices), s.origin, [&] {
        guarded(nullptr, s.origin, s.indices, [&] {
            auto at = "[" + expressions_.lane + "]";
            return (s.mask ? "if (" + on + at + ") " : "") +
                   expressions_.element(s.buffer, s.indices) + " = " + held + at + ";";
        });
    });
}

void CFunction::atomic(const Statement& s) {
    stage_comment(s);
    auto together = s.indices;
    together.push_back(s.value);
    auto step = [&] {
        guarded(s.mask, s.origin, together, [&] {
            auto place = expressions_.element(s.buffer, s.indices);
            return helpers_.atomic(s.op, s.value->type) + "(&" + place + ", " +
                   expressions_.text(s.value) + ");";
        });
    };
    int count = lanes_of(s);
    count > 1 ? over_lanes(count, false, s.origin, step) : step();
}

} // namespace loopscope::codegen
