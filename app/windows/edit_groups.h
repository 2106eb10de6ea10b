#pragma once
// What one edit becomes where several nodes are selected, or where copies belong together: an edit
// of each.

#include "app/session/session.h"
#include "views/models/alike_edits.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace loopscope::app {

struct EditGroup {
    struct Member {
        NodeId node;
        views::DirectiveEdit edit;
        bool companion = false; // not selected: it belongs to one that is changed
    };
    struct LeftOut {
        NodeId node;
        QString reason; // why there is no such edit of it
        bool companion = false;
    };
    std::vector<Member> members; // the first is the edit that was asked for
    std::vector<LeftOut> left_out;
    bool of_several = false; // it is one for all that are selected
    bool too_many = false;   // more than are changed in one step: no other was looked at
    std::vector<views::DirectiveEdit> edits() const;
};

class EditGroups {
public:
    explicit EditGroups(const session::Session& session) : session_(session) {}

    // Are copies that belong together (core/schedule/companions.h) changed together?
    bool together() const { return together_; }
    void set_together(bool together) { together_ = together; }
    // The stages that are changed with what is selected, if they are changed together.
    std::vector<std::string> companions_of_selection() const;

    EditGroup of(const views::DirectiveEdit& edit);

private:
    void add_companions(EditGroup& group, std::set<std::string>& made);
    void add(EditGroup& group, const NodeId& node, const NodeId& like,
             const views::DirectiveEdit& edit, bool companion, std::set<std::string>& made);

    const session::Session& session_;
    bool together_ = true;
    session::PresentPtr present_; // of which the forms are known
    std::optional<views::AlikeEdits> alike_;
};

} // namespace loopscope::app
