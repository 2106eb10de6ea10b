#include "app/windows/panels.h"

namespace loopscope::app {

#define PANEL(make) PanelKind make();
#include "app/windows/panels.def"
#undef PANEL

const std::vector<PanelKind>& panel_kinds() {
    static const std::vector<PanelKind> kinds = {
#define PANEL(make) make(),
#include "app/windows/panels.def"
#undef PANEL
    };
    return kinds;
}

QStringList panel_names() {
    QStringList names;
    for (const auto& kind : panel_kinds())
        names << kind.id;
    return names << QStringLiteral("help") << QStringLiteral("start");
}

} // namespace loopscope::app
