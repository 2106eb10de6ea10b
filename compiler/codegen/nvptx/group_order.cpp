#include "compiler/codegen/nvptx/group_order.h"

#include "compiler/lower/statements.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace loopscope::codegen {

namespace {

using lower::Statement;
using lower::StatementKind;

constexpr int kTooFew = std::numeric_limits<int>::max(); // the token has not had so many groups yet

// For each token: how many groups were committed after its youngest, its second youngest, … one. On
// several paths: the least of them, so that a step in a loop only makes it less, and the walk ends.
using Younger = std::map<std::string, std::vector<int>>;

class Walk {
public:
    explicit Walk(const lower::StatementPtr& body) {
        std::map<std::string, int> most;
        lower::visit_statements(body, [&](const Statement& s) {
            if (s.kind == StatementKind::Wait || s.kind == StatementKind::Commit)
                most[s.step->token] = std::max(most[s.step->token], s.step->pending);
            return true;
        });
        for (const auto& [token, pending] : most)
            younger_[token].assign(static_cast<std::size_t>(pending) + 1, kTooFew);
        statement(*body);
    }

    std::map<const Statement*, int> waits() && {
        for (auto& [s, count] : waits_)
            if (count == kTooFew) // there is nothing to wait for
                count = s->step->pending;
        return std::move(waits_);
    }

private:
    void statement(const Statement& s) {
        switch (s.kind) {
        case StatementKind::Commit:
            if (s.operands.empty()) // bulk copies are counted otherwise
                commit(s.step->token);
            break;
        case StatementKind::Wait:
            if (s.operands.empty())
                wait(s);
            break;
        case StatementKind::For: loop(s); break;
        case StatementKind::If: branches(s); break;
        default: children(s); break;
        }
    }

    void children(const Statement& s) {
        for (const auto& child : s.children)
            if (child)
                statement(*child);
    }

    void commit(const std::string& token) {
        for (auto& [name, counts] : younger_) {
            for (auto& count : counts)
                count += count != kTooFew;
            if (name == token) {
                std::move_backward(counts.begin(), counts.end() - 1, counts.end());
                counts.front() = 0;
            }
        }
    }

    void wait(const Statement& s) {
        const int count = younger_.at(s.step->token)[static_cast<std::size_t>(s.step->pending)];
        auto [known, fresh] = waits_.try_emplace(&s, count);
        if (!fresh) // a shared statement, or another turn of the walk
            known->second = std::min(known->second, count);
    }

    void loop(const Statement& s) {
        std::int64_t extent = 0;
        const bool known = constant_value(s.loop->extent, extent);
        if (known && extent < 1)
            return;
        auto before = younger_;
        for (;;) {
            children(s);
            const auto after = younger_;
            join(before);
            if (younger_ == before) {
                younger_ = known ? after : younger_;
                return;
            }
            before = younger_;
        }
    }

    void branches(const Statement& s) {
        const auto before = younger_;
        statement(*s.children[0]);
        const auto then = younger_;
        younger_ = before;
        if (s.children.size() > 1 && s.children[1])
            statement(*s.children[1]);
        join(then);
    }

    void join(const Younger& other) {
        for (auto& [token, counts] : younger_)
            for (std::size_t i = 0; i < counts.size(); ++i)
                counts[i] = std::min(counts[i], other.at(token)[i]);
    }

    Younger younger_;
    std::map<const Statement*, int> waits_;
};

} // namespace

std::map<const Statement*, int> hardware_waits(const lower::StatementPtr& body) {
    return Walk(body).waits();
}

} // namespace loopscope::codegen
