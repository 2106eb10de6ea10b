// A legal directive in the place of a refused one: candidates near it in meaning, the first that
// applies.

#include "app/session/edits.h"

#include "core/language/schedule_parser.h"
#include "core/schedule/placement.h"

#include <algorithm>

namespace loopscope::session {

namespace {

constexpr std::size_t kMaxTries = 16; // each may replay the script

class Candidates {
public:
    Candidates(const Scheduled& now, const Directive& refused)
        : state_(now.states.back()), tree_(*now.tree), refused_(refused) {}

    std::vector<std::string> run() {
        const std::string verb = refused_.verb();
        if (verb == "compute_at" || verb == "inline")
            places();
        else if (verb == "store_at" || verb == "store_root")
            stores();
        else if (verb == "compute_with")
            shallower();
        else if (verb == "reorder")
            nearer();
        else if (verb == "parallel" || verb == "vectorize" || verb == "unroll")
            other_loops(verb);
        return std::move(lines_);
    }

private:
    // The arguments as written, without the verb: "C.split(k, ko, ki, 32)" gives k, ko, ki, 32.
    std::vector<std::string> arguments() const {
        const auto text = refused_.text();
        std::vector<std::string> out;
        std::string word;
        int depth = 0;
        for (auto at = text.find(std::string(refused_.verb()) + "(") +
                       std::string(refused_.verb()).size() + 1;
             at < text.size(); ++at) {
            const char c = text[at];
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth < 0 || (c == ',' && depth == 0)) {
                if (!word.empty())
                    out.push_back(word);
                word.clear();
            } else if (c != ' ') {
                word += c;
            }
        }
        return out;
    }

    void add(const std::string& receiver, const std::string& verb,
             const std::vector<std::string>& arguments) {
        std::string line = receiver + "." + verb + "(";
        for (std::size_t i = 0; i < arguments.size(); ++i)
            line += (i ? ", " : "") + arguments[i];
        lines_.push_back(line + ")");
    }

    // Loops around the one that was asked for first, the innermost of them before others; then
    // root.
    void places() {
        const auto& stage = refused_.receiver.stage;
        auto legal = legal_placements(state_, stage);
        std::reverse(legal.begin(), legal.end());
        const auto words = arguments();
        std::vector<const TreeNode*> around;
        if (words.size() == 2)
            for (const auto* node : path_to(words[0], words[1]))
                around.push_back(node);
        auto id_of = [&](const LoopRef& at) {
            const auto& nest =
                state_.find(at.stage)->definitions[static_cast<std::size_t>(at.definition)];
            return NodeId{at.stage, at.definition,
                          nest.loops[static_cast<std::size_t>(nest.position_of(at.loop))].name};
        };
        std::stable_partition(legal.begin(), legal.end(), [&](const LoopRef& at) {
            return std::any_of(around.begin(), around.end(),
                               [&](const TreeNode* node) { return node->id == id_of(at); });
        });
        for (const auto& at : legal)
            add(stage, "compute_at", {definition_name(at.stage, at.definition), id_of(at).name});
        add(stage, "compute_root", {});
        add(stage, "inline", {});
    }

    std::vector<const TreeNode*> path_to(const std::string& definition, const std::string& loop) {
        for (const auto& stage : state_.stages)
            for (int d = 0; d < static_cast<int>(stage->definitions.size()); ++d)
                if (definition_name(stage->name, d) == definition)
                    return tree_.path({stage->name, d, loop});
        return {};
    }

    // The outermost place at which its memory may live: most is kept there.
    void stores() {
        const auto& stage = refused_.receiver.stage;
        if (!state_.find(stage))
            return;
        const auto legal = legal_stores(state_, stage);
        if (legal.root)
            add(stage, "store_root", {});
        for (const auto& at : legal.loops) {
            const auto& nest =
                state_.find(at.stage)->definitions[static_cast<std::size_t>(at.definition)];
            add(stage, "store_at",
                {definition_name(at.stage, at.definition),
                 nest.loops[static_cast<std::size_t>(nest.position_of(at.loop))].name});
        }
    }
    // Fewer loops of the same host, as many as can be.
    void shallower() {
        const auto words = arguments();
        for (const auto& stage : state_.stages)
            for (std::size_t d = 0; d < stage->definitions.size() && words.size() == 2; ++d)
                if (definition_name(stage->name, static_cast<int>(d)) == words[0])
                    for (int p = stage->definitions[d].position(words[1]) - 1; p >= 0; --p)
                        add(refused_.receiver.text(), "compute_with",
                            {words[0],
                             stage->definitions[d].loops[static_cast<std::size_t>(p)].name});
    }
    // A move over several loops may be legal over fewer.
    void nearer() {
        const auto names = arguments();
        for (std::size_t drop = 1; drop + 2 <= names.size(); ++drop) {
            std::vector<std::string> outwards{names.front()};
            outwards.insert(outwards.end(), names.begin() + 1 + static_cast<std::ptrdiff_t>(drop),
                            names.end());
            add(refused_.receiver.text(), "reorder", outwards);
            std::vector<std::string> inwards(names.begin(),
                                             names.end() - 1 - static_cast<std::ptrdiff_t>(drop));
            inwards.push_back(names.back());
            add(refused_.receiver.text(), "reorder", inwards);
        }
    }

    // The same for another loop of the nest: the outermost for parallel, the innermost for the
    // others.
    void other_loops(const std::string& verb) {
        const auto words = arguments();
        const StageState* stage = state_.find(refused_.receiver.stage);
        const auto d = static_cast<std::size_t>(refused_.receiver.definition);
        if (!stage || d >= stage->definitions.size() || words.empty())
            return;
        std::vector<std::string> names;
        for (const auto& loop : stage->definitions[d].loops)
            if (loop.name != words[0])
                names.push_back(loop.name);
        if (verb != "parallel")
            std::reverse(names.begin(), names.end());
        for (const auto& name : names) {
            auto others = words;
            others[0] = name;
            add(refused_.receiver.text(), verb, others);
        }
        if (create_directive("rfactor") && stage->definitions[d].find(words[0]))
            lines_.push_back(refused_.receiver.stage + "_" + words[0] + " = " +
                             refused_.receiver.text() + ".rfactor(" + words[0] + ")");
    }

    const ScheduleState& state_;
    const ScheduleTree& tree_;
    const Directive& refused_;
    std::vector<std::string> lines_;
};

} // namespace

std::string legal_alternative(const Present& present, const std::string& refused_line) {
    const auto refused = parse_directive(refused_line);
    if (!refused)
        return {};
    const auto lines = Candidates(*present.scheduled, **refused).run();
    for (std::size_t i = 0; i < std::min(lines.size(), kMaxTries); ++i)
        if (lines[i] != (*refused)->text() &&
            find_insertion(*present.scheduled, lines[i], present.context()))
            return lines[i];
    return {};
}

} // namespace loopscope::session
