// The head of the estimate: the time, its difference against the baseline's, what was measured, and
// what speaks against trusting it.

#include "core/device/all_cores.h"
#include "core/schedule/gpu/runnable.h"
#include "views/models/measurement_table.h"
#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/said_state.h"

#include <QLabel>
#include <QPushButton>
#include <QStringList>

#include <algorithm>

namespace loopscope::views {

namespace {
constexpr double kWideGap = 2; // between measured and predicted: beyond it one of the two misleads
}

void EstimateView::show_headline() {
    if (!estimate_)
        return;
    const Theme& t = theme_of(*this);
    keep_font(*time_, estimate_->seconds ? big_number_font : bold_font);
    // A time on a machine that is only described is a prediction: the sign beside the number says
    // so.
    time_->setText(!estimate_->seconds ? probing_    ? tr("Measuring this machine")
                                         : refused() ? tr("Not runnable")
                                                     : tr("No time")
                                       : (estimate_->described ? QStringLiteral("≈ ") : QString()) +
                                             format_seconds(*estimate_->seconds));
    time_->setToolTip(estimate_->described
                          ? tr("An estimate for %1, which is described and not here.")
                                .arg(to_qstring(estimate_->device))
                          : QString());
    set_text_colour(*time_, busy_ ? t.faint : t.text);

    QString change;
    int sign = 0;
    if (baseline_ && baseline_->seconds && estimate_->seconds) {
        // In two lines it is broken between the figures and the words, nowhere else.
        const auto whole = [](QString text) { return text.replace(' ', QChar::Nbsp); };
        change = whole(format_time_change(*baseline_->seconds, *estimate_->seconds)) + ' ' +
                 whole(tr("against baseline"));
        sign = change_sign(*baseline_->seconds, *estimate_->seconds);
    }
    keep_font(*change_, bold_font);
    change_->setText(change);
    say_state(*this,
              change.isEmpty() ? time_->text() : time_->text() + QStringLiteral(", ") + change);
    set_text_colour(*change_, sign < 0   ? t.ink(Meaning::Vector)
                              : sign > 0 ? t.ink(Meaning::Pipelined)
                                         : t.faint);

    QStringList parts;
    if (!estimate_->seconds)
        parts << (probing_
                      ? tr("What it can do is measured once; times follow within half a minute.")
                  : refused() ? tr("It can be drawn and changed, and neither checked nor compiled.")
                              : to_qstring(estimate_->reason));
    else if (estimate_->flops > 0)
        parts << tr("%1 predicted")
                     .arg(format_flops_per_second(estimate_->flops / *estimate_->seconds));
    if (estimate_->described)
        parts.prepend(tr("for %1, which is described: there is none here to measure on")
                          .arg(to_qstring(estimate_->device)));
    if (!estimate_->bound.empty() && estimate_->seconds)
        parts << tr("bound by %1").arg(to_qstring(estimate_->bound));
    if (measured_) {
        const QString text = measured_words();
        if (measured_->stale)
            parts << (measured_->schedule.isEmpty()
                          ? tr("measured %1, of an earlier schedule").arg(text)
                          : tr("of the earlier “%2” measured %1").arg(text, measured_->schedule));
        else if (!shows_gap())
            parts << tr("measured %1").arg(text);
    }
    show_gap();
    show_expert();
    show_refusals();
    show_peaks();
    second_line_->setText(parts.join(QStringLiteral(" · ")));
    const bool busy = measured_ && measured_->busy_cores > 0;
    second_line_->setToolTip(busy ? busy_words(measured_->busy_cores) : QString());
    set_text_colour(*second_line_, t.faint);

    pin_->setText(baseline_ ? tr("Unpin") : tr("Pin"));
    pin_->setToolTip(
        baseline_ ? tr("Forgets the baseline.")
                  : tr("Makes this estimate the baseline that all figures are compared with."));
    pin_->setAccessibleName(baseline_ ? tr("Forget the baseline") : tr("Pin as baseline"));
}

// A quiet word of how far there is to go, or that there is no further, and how that is known.
void EstimateView::show_expert() {
    expert_->setVisible(expert_time_.has_value());
    compare_expert_->setVisible(expert_time_.has_value());
    if (!expert_time_)
        return;
    constexpr double kEqual = 0.05;
    const double share = expert_time_->share();
    const auto how = expert_time_->measured ? tr("measured") : tr("predicted");
    const auto much = share > 1 + kEqual ? format_factor(share) : format_share(share);
    expert_->setText(share > 1 + kEqual || share < 1 - kEqual
                         ? tr("%1 as fast as the expert schedule, %2").arg(much, how)
                         : tr("as fast as the expert schedule, %1").arg(how));
    const auto both = expert_time_->measured
                          ? tr("%1 takes %2, this schedule %3, both measured on this device.")
                          : tr("%1 takes %2, this schedule %3, both predicted by the same model.");
    auto tip = both.arg(to_qstring(expert_time_->file), format_seconds(expert_time_->expert),
                        format_seconds(expert_time_->present));
    if (expert_time_->only_one_measured)
        tip += ' ' + tr("Only one of the two was measured on this device: measure the other one, "
                        "too, and measured times are compared.");
    expert_->setToolTip(tip);
    set_text_colour(*expert_, theme_of(*this).faint);
}

bool EstimateView::refused() const {
    return !estimate_->seconds && std::any_of(estimate_->kernels.begin(), estimate_->kernels.end(),
                                              [](const auto& k) { return k.gpu.has_value(); });
}

// Each reason with what would be legal, and the nodes that take part, to go to.
void EstimateView::show_refusals() {
    refusals_->setVisible(refused());
    if (!refused())
        return;
    const Theme& t = theme_of(*this);
    QStringList lines;
    auto add = [&](const std::string& message, const std::string& remedy,
                   const std::vector<NodeId>& nodes) {
        QString line = QStringLiteral("<span style='color:%1'>✗ %2</span>")
                           .arg(t.error.name(), html_text(to_qstring(message)));
        if (!remedy.empty())
            line += QStringLiteral("<br>") + html_text(to_qstring(remedy));
        QStringList links;
        for (const NodeId& node : nodes)
            links << QStringLiteral("<a href='%1' style='color:%2'>%3</a>")
                         .arg(to_qstring(node.text()).toHtmlEscaped(), t.accent.name(),
                              html_text(node_title(node)));
        if (!links.isEmpty())
            line += QStringLiteral("<br>") + links.join(QStringLiteral(", "));
        lines << line;
    };
    if (tree_ && device_ && device_->gpu)
        for (const NotRunnable& reason : not_runnable(*tree_, *device_->gpu))
            add(reason.message, reason.remedy, reason.nodes);
    if (lines.isEmpty())
        add(estimate_->reason, {}, {});
    refusals_->setText(QStringLiteral("<p style='margin:6px 0 0 0'>") +
                       lines.join(QStringLiteral("</p><p style='margin:6px 0 0 0'>")) +
                       QStringLiteral("</p>"));
}

QString EstimateView::measured_words() const {
    const QString text =
        measured_text(measured_->median_seconds, measured_->interval_seconds, measured_->samples) +
        (measured_->cold ? tr(", cold L2 cache") : QString()) +
        (measured_->busy_cores > 0 ? tr(" ⚠ on a busy machine") : QString());
    // Measured against measured, as the headline compares predicted with predicted.
    return measured_->stale || !measured_->baseline_seconds
               ? text
               : tr("%1 (%2 against the baseline's %3)")
                     .arg(text,
                          format_time_change(*measured_->baseline_seconds,
                                             measured_->median_seconds),
                          format_seconds(*measured_->baseline_seconds));
}

bool EstimateView::shows_gap() const {
    if (!measured_ || measured_->stale || !estimate_->seconds || *estimate_->seconds <= 0)
        return false;
    const double ratio = measured_->median_seconds / *estimate_->seconds;
    return ratio >= kWideGap || ratio <= 1 / kWideGap;
}

void EstimateView::show_gap() {
    gap_->setVisible(shows_gap());
    if (!shows_gap())
        return;
    const double ratio = measured_->median_seconds / *estimate_->seconds;
    keep_font(*gap_, bold_font);
    gap_->setText(tr("⚠ measured %1, %2 the estimate").arg(measured_words(), format_factor(ratio)));
    gap_->setToolTip(ratio > 1
                         ? tr("The machine may be busy with other work, or the model misses "
                              "something. Measure again when it is idle; the Run menu measures the "
                              "machine's peaks anew.")
                         : tr("The model misses something, or the machine's peaks were measured "
                              "while it was busy: the Run menu measures them anew."));
    set_text_colour(*gap_, theme_of(*this).ink(Meaning::Pipelined));
}

void EstimateView::show_peaks() {
    const bool wrong = device_ && estimate_->seconds && !estimate_->described &&
                       device::measured_while_busy(*device_);
    peaks_->setVisible(wrong);
    measure_peaks_->setVisible(wrong);
    if (!wrong)
        return;
    peaks_->setText(
        tr("⚠ this machine's peaks were measured while it was busy: %1 cores reach only "
           "%2 the speed of one core")
            .arg(device_->cores)
            .arg(format_significant(*device::all_cores_over_one(*device_), 3) + QChar(0x00d7)));
    peaks_->setToolTip(tr("Estimates see no use in parallel loops then. Measured again while "
                          "nothing else runs, all cores reach nearly as many times one core's "
                          "arithmetic as there are cores; where they never do, they share it."));
    set_text_colour(*peaks_, theme_of(*this).ink(Meaning::Pipelined));
    measure_peaks_->setEnabled(!probing_);
    measure_peaks_->setToolTip(probing_ ? tr("They are being measured.")
                                        : tr("Measures this machine's FLOP/s and bandwidths anew; "
                                             "takes up to half a minute."));
}

} // namespace loopscope::views
