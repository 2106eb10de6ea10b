#pragma once
// An edit of one node, made for another: the same value of the same form, where it has one; else
// the same directive about the loops, indices and sources that stand there in the same places. What
// it makes has names of its own.

#include "views/models/schedule_form.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope::views {

class AlikeEdits {
public:
    // All must live as long. `schedule` and `device` may be null, as for the forms.
    AlikeEdits(const ScheduleTree& tree, const Schedule* schedule, const device::Device* device);

    struct Answer {
        DirectiveEdit edit;      // where neither of the others is set
        QString absent;          // why there is no such edit
        bool so_already = false; // the schedule is so for that node
    };
    // `made`: names of stages that edits beside it make, and then its own.
    Answer edit_for(const NodeId& to, const NodeId& from, const DirectiveEdit& edit,
                    std::set<std::string>& made);

private:
    struct Forms {
        std::vector<FactorForm> factors;
        std::vector<OptionForm> options;
    };
    const Forms& forms(const NodeId& id);
    // Nothing: no form of the first node has the edit, or the other has no such form.
    std::optional<Answer> by_option(const NodeId& to, const NodeId& from,
                                    const DirectiveEdit& edit);
    std::optional<Answer> by_factor(const NodeId& to, const NodeId& from,
                                    const DirectiveEdit& edit);

    const ScheduleTree& tree_;
    const Schedule* schedule_;
    const device::Device* device_;
    std::map<NodeId, Forms> forms_; // made when first asked for
};

// Do two forms ask for the same factor of the same directive, each of its own node?
bool same_question(const FactorForm& a, const FactorForm& b);

} // namespace loopscope::views
