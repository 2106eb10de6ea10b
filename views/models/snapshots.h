#pragma once
// The immutable snapshots that views show, and the questions that they ask. No view holds a document.

#include "core/device/device.h"
#include "core/schedule/tree.h"
#include "tuner/model/estimate.h"

#include <QMetaType>
#include <QString>

#include <functional>
#include <memory>
#include <optional>

namespace loopscope::views {

using EstimatePtr = std::shared_ptr<const model::Estimate>;
using DevicePtr = std::shared_ptr<const device::Device>;

// Why a directive, given as a line of a script, cannot be applied to the schedule as it stands; nullopt: it can.
using RefusalReason = std::function<std::optional<QString>(const QString& directive_line)>;

// What a directive would do to the estimate, for a hovered choice.
struct Preview {
    QString text; // "▾ 18 %", or a reason why there is no figure
    int sign = 0; // -1: faster, +1: slower, 0: neither or unknown
};
// Asks for a preview; the answer may come at once or later, in the window's thread. Views drop answers that they no
// longer need.
using PreviewRequest =
    std::function<void(const QString& directive_line, std::function<void(const Preview&)> answer)>;

inline QString to_qstring(const std::string& text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace loopscope::views

Q_DECLARE_METATYPE(loopscope::NodeId)
