#pragma once
// The immutable snapshots that views show, and the questions that they ask. No view holds a
// document.

#include "core/device/device.h"
#include "core/schedule/tree.h"
#include "tuner/model/estimate.h"

#include <QMetaType>
#include <QString>

#include <compare>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace loopscope::views {

using EstimatePtr = std::shared_ptr<const model::Estimate>;
using DevicePtr = std::shared_ptr<const device::Device>;

// What a person pinned, to compare with: both null while nothing is pinned, the estimate also until
// it is made.
struct Baseline {
    EstimatePtr estimate;
    ScheduleTreePtr tree;
};

// A change of the script: a line that is added, or that takes the place of the directive on an
// existing line. An empty line in the place of another removes that one.
struct DirectiveEdit {
    QString line;     // "C.split(k, ko, ki, 32)"
    int replaces = 0; // line of the script, from 1; 0: the line is added

    DirectiveEdit() = default;
    DirectiveEdit(const QString& added) : line(added) {}
    DirectiveEdit(const QString& text, int in_place_of) : line(text), replaces(in_place_of) {}
    auto operator<=>(const DirectiveEdit& other) const {
        const auto order = replaces <=> other.replaces;
        return order != 0 ? order : QString::compare(line, other.line) <=> 0;
    }
    bool operator==(const DirectiveEdit&) const = default;
};

// The dependence that an edit would break, to be drawn between two nodes.
struct Conflict {
    NodeId from, to;
    QString label;  // "distance (1)", "reads gray"
    QString detail; // "down[y, x] written at x = 0, read as down[y, x - 1] at x = 1 · distance (1)"
};

// May an edit be made to the schedule as it stands?
struct Verdict {
    bool available = true;
    QString reason; // what is wrong and what would be legal; empty when available
    std::shared_ptr<const Conflict> conflict; // may be null
};
// Asks for verdicts; answers come at once or later, in the window's thread, one for each edit,
// unless the schedule has changed meanwhile. Views drop answers that they no longer need.
using JudgeRequest =
    std::function<void(const std::vector<DirectiveEdit>& edits,
                       std::function<void(const DirectiveEdit&, const Verdict&)> answer)>;

// What an edit would do to the estimate, for a choice that is hovered or has the keyboard.
struct Preview {
    QString text; // "▾ 18 % to 1.2 ms · memory traffic ▾ 30 %", or a reason why there is no figure
    int sign = 0; // -1: faster, +1: slower, 0: neither or unknown
};
// Asks for a preview; the answer may come at once or later, in the window's thread.
using PreviewRequest =
    std::function<void(const DirectiveEdit& edit, std::function<void(const Preview&)> answer)>;

// Whom views ask about edits; either may be empty.
struct EditServices {
    JudgeRequest judge;
    PreviewRequest preview;
};

inline QString to_qstring(const std::string& text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace loopscope::views

Q_DECLARE_METATYPE(loopscope::NodeId)
Q_DECLARE_METATYPE(loopscope::views::DirectiveEdit)
