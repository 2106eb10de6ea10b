// Calls of the prelude replaced by their definitions.
#include "core/language/prelude.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <utility>

namespace loopscope {

namespace {

// Renames lets and places the nodes where the call stands.
class Instance {
public:
    Instance(const Expr& call, std::string prefix, std::set<std::string>& taken)
        : call_(call), prefix_(std::move(prefix)), taken_(taken) {}

    ExprPtr make() {
        if (call_.lanes != 1)
            throw std::logic_error("expand_prelude: calls are expanded before vectorisation");
        const auto& function = prelude_function(call_.name, call_.type);
        for (std::size_t i = 0; i < call_.args.size(); ++i) {
            const auto& argument = call_.args[i];
            bool plain = argument->args.empty(); // a variable or a constant needs no let
            if (!plain)
                names_[function.parameters[i]] = fresh(function.parameters[i]);
            arguments_[function.parameters[i]] =
                plain ? argument
                      : variable(names_[function.parameters[i]], call_.type, call_.where);
        }
        auto body = copy(function.body);
        for (std::size_t i = call_.args.size(); i-- > 0;)
            if (!call_.args[i]->args.empty())
                body = let(names_[function.parameters[i]], call_.args[i], body, call_.where);
        return body;
    }

private:
    std::string fresh(const std::string& name) {
        auto candidate = prefix_ + name;
        for (int i = 1; !taken_.insert(candidate).second; ++i)
            candidate = prefix_ + name + "_" + std::to_string(i);
        return candidate;
    }

    // Lets are visited before their bodies, in which alone their names occur.
    ExprPtr copy(const ExprPtr& e) {
        if (auto found = copies_.find(e.get()); found != copies_.end())
            return found->second;
        if (e->kind == ExprKind::Variable) {
            auto argument = arguments_.find(e->name);
            auto result = argument != arguments_.end()
                              ? argument->second
                              : variable(names_.at(e->name), e->type, call_.where);
            return copies_.emplace(e.get(), result).first->second;
        }
        if (e->kind == ExprKind::Let)
            names_[e->name] = fresh(e->name);
        std::vector<ExprPtr> args;
        for (const auto& a : e->args)
            args.push_back(copy(a));
        ExprPtr result = e->kind == ExprKind::Let
                             ? let(names_.at(e->name), args[0], args[1], call_.where)
                             : placed(with_args(e, std::move(args)));
        return copies_.emplace(e.get(), result).first->second;
    }

    ExprPtr placed(const ExprPtr& e) const {
        auto copy = std::make_shared<Expr>(*e); // the place is not part of the hash
        copy->where = call_.where;
        return copy;
    }

    const Expr& call_;
    std::string prefix_;
    std::set<std::string>& taken_;
    std::map<std::string, std::string> names_;
    std::map<std::string, ExprPtr> arguments_;
    std::map<const Expr*, ExprPtr> copies_;
};

struct ByStructure {
    std::size_t operator()(const ExprPtr& e) const { return static_cast<std::size_t>(e->hash); }
    bool operator()(const ExprPtr& a, const ExprPtr& b) const { return equal(a, b); }
};

// Gives every let a name of its own where inlining has made two different lets of one name.
class UniqueLets {
public:
    explicit UniqueLets(const ExprPtr& e) {
        std::map<std::string, ExprPtr> known;
        visit(e, [&](const Expr& node) {
            if (!node.name.empty())
                taken_.insert(node.name);
            if (node.kind == ExprKind::Let) {
                auto same = std::make_shared<const Expr>(node);
                clash_ = clash_ || !equal(known.emplace(node.name, same).first->second, same);
            }
            return true;
        });
    }

    ExprPtr run(const ExprPtr& e) {
        Memo memo;
        return clash_ ? copy(e, memo) : e;
    }

private:
    using Memo = std::unordered_map<const Expr*, ExprPtr>; // of one scope

    ExprPtr copy(const ExprPtr& e, Memo& memo) {
        if (auto found = memo.find(e.get()); found != memo.end())
            return found->second;
        ExprPtr result = e;
        if (e->kind == ExprKind::Variable) {
            if (auto name = names_.find(e->name); name != names_.end())
                result = variable(name->second, e->type, e->where);
        } else if (e->kind == ExprKind::Let) {
            auto value = copy(e->args[0], memo);
            auto name = used_.insert(e->name).second ? e->name : fresh(e->name);
            auto outer = names_;
            names_[e->name] = name;
            Memo inside;
            auto body = copy(e->args[1], inside);
            names_ = std::move(outer);
            result = let(name, value, body, e->where);
        } else {
            std::vector<ExprPtr> args;
            for (const auto& a : e->args)
                args.push_back(copy(a, memo));
            result = with_args(e, std::move(args));
        }
        return memo.emplace(e.get(), result).first->second;
    }

    std::string fresh(const std::string& name) {
        for (int i = 1;; ++i)
            if (auto candidate = name + "_" + std::to_string(i); taken_.insert(candidate).second)
                return candidate;
    }

    bool clash_ = false;
    std::set<std::string> taken_, used_;
    std::map<std::string, std::string> names_;
};

// A call that stands in several places (a def may use its argument twice) is bound by a let, as far out as what it reads
// allows: it is evaluated once, and the names of lets stay unique.
class Expansion {
public:
    explicit Expansion(const ExprPtr& root) : root_(root) {
        visit(root, [&](const Expr& e) {
            if (!e.name.empty())
                taken_.insert(e.name);
            return true;
        });
        order(root, "");
        for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
            auto& info = infos_.at(*node);
            bool repeated = (*node)->kind == ExprKind::Call && info.places > 1;
            for (const auto& a : (*node)->args) {
                auto& below = infos_.at(a).places;
                below = std::min(2, below + (repeated ? 1 : info.places));
            }
        }
    }

    ExprPtr run() { return with_bound("", copy(root_)); }

private:
    struct Info {
        int places = 0; // where it stands when all is written as text; 2: more than one
        std::set<std::string> reads; // variables of lets around it
        ExprPtr copy;
    };

    // Arguments before the nodes that use them.
    void order(const ExprPtr& e, const std::string& scope) {
        if (infos_.count(e))
            return;
        std::set<std::string> reads;
        if (e->kind == ExprKind::Variable && depth_.count(e->name))
            reads.insert(e->name);
        for (std::size_t i = 0; i < e->args.size(); ++i) {
            bool body = e->kind == ExprKind::Let && i == 1;
            if (body)
                depth_[e->name] = scope.empty() ? 1 : depth_.at(scope) + 1;
            order(e->args[i], body ? e->name : scope);
            auto below = infos_.at(e->args[i]).reads;
            if (body)
                below.erase(e->name);
            reads.merge(below);
        }
        infos_[e].reads = std::move(reads);
        infos_[e].places = e == root_;
        nodes_.push_back(e);
    }

    // The innermost of the lets; empty for none.
    std::string owner(const std::set<std::string>& reads) const {
        auto deepest =
            std::max_element(reads.begin(), reads.end(), [&](const auto& a, const auto& b) {
                return depth_.at(a) < depth_.at(b);
            });
        return deepest == reads.end() ? std::string() : *deepest;
    }

    ExprPtr copy(const ExprPtr& e) {
        auto& info = infos_.at(e);
        if (info.copy)
            return info.copy;
        std::vector<ExprPtr> args;
        for (std::size_t i = 0; i < e->args.size(); ++i) {
            auto a = copy(e->args[i]);
            args.push_back(e->kind == ExprKind::Let && i == 1 ? with_bound(e->name, a) : a);
        }
        auto result = with_args(e, std::move(args));
        if (e->kind == ExprKind::Call) {
            auto prefix = e->name + std::to_string(++calls_);
            result = Instance(*result, prefix + "_", taken_).make();
            if (info.places > 1) {
                while (!taken_.insert(prefix).second)
                    prefix += "_";
                bound_[owner(info.reads)].emplace_back(prefix, result);
                result = variable(prefix, e->type, e->where);
            }
        }
        return infos_.at(e).copy = result;
    }

    // The lets of the calls that belong right inside the let `owner`, around its body.
    ExprPtr with_bound(const std::string& owner, ExprPtr body) {
        auto& calls = bound_[owner];
        for (; !calls.empty(); calls.pop_back())
            body = let(calls.back().first, calls.back().second, body, calls.back().second->where);
        return body;
    }

    ExprPtr root_;
    std::set<std::string> taken_;
    std::vector<ExprPtr> nodes_;
    std::unordered_map<ExprPtr, Info, ByStructure, ByStructure> infos_;
    std::map<std::string, int> depth_;
    std::map<std::string, std::vector<std::pair<std::string, ExprPtr>>> bound_; // by owner
    int calls_ = 0;
};

} // namespace

ExprPtr expand_prelude(const ExprPtr& e) {
    bool calls = false;
    visit(e, [&](const Expr& node) {
        calls = calls || node.kind == ExprKind::Call;
        return !calls;
    });
    return calls ? Expansion(UniqueLets(e).run(e)).run() : e;
}

} // namespace loopscope
