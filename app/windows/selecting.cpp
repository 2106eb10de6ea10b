#include "app/windows/selecting.h"

#include "app/session/node_groups.h"
#include "app/windows/services.h"
#include "views/models/common_choices.h"

#include <QInputDialog>
#include <QObject>

namespace loopscope::app {

using namespace views;

namespace {

void show_selected(Services& services, const std::vector<NodeId>& nodes) {
    services.parts.notice.clear_error(); // of a pattern that nothing had
    services.session.select_nodes(nodes);
    services.messages.say(nodes.size() == 1
                              ? QObject::tr("Selected: %1").arg(names_text(nodes))
                              : QObject::tr("%1 selected: %2. A directive is now for all of them.")
                                    .arg(nodes_title(nodes), names_text(nodes)));
}

} // namespace

void select_by_name(Services& services) {
    const auto tree = services.session.tree();
    if (!tree)
        return;
    bool chosen = false;
    const auto pattern = QInputDialog::getText(
        &services.parts.window, QObject::tr("Select by name"),
        QObject::tr("blur_* selects the stages whose names begin so, g{1..4} those from g1 to g3;\n"
                    "blur_*.y their loops of the name y, *.k all loops k."),
        QLineEdit::Normal, {}, &chosen);
    if (!chosen || pattern.trimmed().isEmpty())
        return;
    auto nodes = session::nodes_named(*tree, pattern.trimmed().toStdString());
    if (nodes)
        show_selected(services, *nodes);
    else
        services.editing.refused({}, nodes.errors());
}

void select_alike(Services& services) {
    const auto tree = services.session.tree();
    if (!tree)
        return;
    const auto nodes = session::nodes_like(*tree, services.session.selection());
    if (nodes.empty())
        services.editing.refused({},
                                 {error("nothing is like an input", "select a stage or a loop")});
    else
        show_selected(services, nodes);
}

} // namespace loopscope::app
