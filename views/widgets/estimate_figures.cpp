// The figures of the estimate: how the time divides into kernels, and rows of numbers against the
// device's limits and the baseline.
#include "views/models/kernel_text.h"
#include "views/models/node_text.h"
#include "views/style/number_format.h"
#include "views/style/speed_format.h"
#include "views/widgets/breakdown_bar.h"
#include "views/widgets/estimate_view.h"
#include "views/widgets/fact_rows.h"

#include <algorithm>
#include <map>

namespace loopscope::views {

namespace {

FactRow row(const QString& name, const QString& value, const QString& tooltip) {
    FactRow r;
    r.name = name;
    r.value = value;
    r.tooltip = tooltip;
    return r;
}

void compare(FactRow& r, double before, double after) {
    r.change = format_change(before, after);
    r.sign = change_sign(before, after);
}

// How the time of the kernel of the same name changed; empty: the baseline has none.
QString kernel_change(const model::Estimate& baseline, const model::KernelEstimate& kernel) {
    for (const model::KernelEstimate& before : baseline.kernels)
        if (before.name == kernel.name && before.seconds > 0)
            return format_change(before.seconds, kernel.seconds);
    return {};
}

struct Traffic {
    double bytes = 0, seconds = 0;
};
std::map<std::string, Traffic> total_traffic(const model::Estimate& estimate,
                                             std::vector<std::string>* order) {
    std::map<std::string, Traffic> total;
    for (const model::KernelEstimate& kernel : estimate.kernels)
        for (const model::LevelTraffic& level : kernel.traffic) {
            if (order && !total.count(level.level))
                order->push_back(level.level);
            total[level.level].bytes += level.bytes;
            total[level.level].seconds += level.seconds;
        }
    return total;
}

// What comes from one level may be more than what the level before it gives to the registers.
QString why_more_than(const std::string& nearer, const device::Device* device) {
    QString lines = QObject::tr("whole lines");
    if (device)
        for (const device::CacheLevel& cache : device->caches)
            if (cache.name == nearer)
                lines = QObject::tr("whole lines of %1 bytes").arg(cache.line_bytes);
    return QObject::tr(
               "More than %1 traffic, because %1 fetches %2: also where few bytes of a line "
               "are used before it leaves again, and before a line is written to.")
        .arg(to_qstring(nearer), lines);
}

// "2", or "1 of 2" where the schedule leaves threads idle.
QString threads_text(const model::Estimate& estimate) {
    double most = 1;
    for (const model::KernelEstimate& kernel : estimate.kernels)
        most = std::max(most, kernel.parallelism);
    return most > estimate.threads - 0.05
               ? QString::number(estimate.threads)
               : QObject::tr("%1 of %2").arg(format_significant(most, 2)).arg(estimate.threads);
}

} // namespace

void EstimateView::show_breakdown() {
    const Theme& t = theme_of(*this);
    std::vector<BreakdownSegment> segments;
    double total = 0;
    for (const model::KernelEstimate& kernel : estimate_->kernels)
        total += kernel.seconds;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        BreakdownSegment s;
        s.label = to_qstring(kernel.name) + QStringLiteral(" · ") + to_qstring(kernel.bound);
        s.share = total > 0 ? kernel.seconds / total : 0;
        s.colour = t.mark(meaning_of_bound(kernel.bound));
        s.marked = kernel.name == kernel_;
        const QString change = baseline_ ? kernel_change(*baseline_, kernel) : QString();
        s.tooltip = tr("Kernel %1 takes %2 and is bound by %3; on average %4 threads work on it.")
                        .arg(to_qstring(kernel.name), format_seconds(kernel.seconds),
                             to_qstring(kernel.bound), format_significant(kernel.parallelism, 2)) +
                    (change.isEmpty() ? QString() : tr(" Against the baseline: %1.").arg(change));
        segments.push_back(std::move(s));
    }
    bar_->setVisible(total > 0);
    bar_->set_segments(std::move(segments));
}

const model::KernelEstimate* EstimateView::shown_kernel() const {
    const model::KernelEstimate* longest = nullptr;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        if (!kernel.gpu)
            continue;
        if (kernel.node.stage == kernel_)
            return &kernel;
        if (!longest || kernel.seconds > longest->seconds)
            longest = &kernel;
    }
    return longest;
}

// How long units of a GPU are at work of the whole time: "f32", "f16 tensor", the schedulers.
void EstimateView::add_units(std::vector<FactRow>& rows) const {
    if (!shown_kernel() || !estimate_->seconds || *estimate_->seconds <= 0)
        return;
    const Theme& t = theme_of(*this);
    for (const model::Term& term : estimate_->terms) {
        if (term.unit != "s" || !term.name.starts_with("T_"))
            continue;
        const std::string unit = term.name.substr(2);
        const bool issue = unit == "issue", waves = unit == "waves";
        const bool tensor = unit.ends_with(" tensor");
        if (!issue && !waves && !tensor && unit != "f32" && unit != "f64" && unit != "i32")
            continue;
        FactRow r = row(issue    ? tr("instructions")
                        : waves  ? tr("uneven blocks")
                        : tensor ? tr("%1 cores").arg(to_qstring(unit))
                                 : tr("%1 units").arg(to_qstring(unit)),
                        format_seconds(term.value),
                        to_qstring(term.formula) + QStringLiteral(" · ") + to_qstring(term.source));
        r.bar = std::min(1.0, term.value / *estimate_->seconds);
        r.colour = t.mark(issue || waves ? Meaning::Serial : Meaning::Block);
        rows.push_back(std::move(r));
    }
}

// Limits of the selected kernel, or of the one that takes most time.
void EstimateView::add_limits(std::vector<FactRow>& rows) const {
    const auto* kernel = shown_kernel();
    if (!kernel || !device_ || !device_->gpu)
        return;
    const Theme& t = theme_of(*this);
    FactRow heading;
    heading.heading = true;
    heading.name = tr("Kernel %1").arg(to_qstring(kernel->name));
    rows.push_back(heading);
    rows.push_back(
        row(tr("grid"), blocks_text(*kernel->gpu), tr("Blocks of the launch, along x, y and z.")));
    rows.push_back(row(tr("block"), block_text(*kernel->gpu, device_->gpu->warp_threads),
                       tr("Threads of a block, along x, y and z, and its warps.")));
    for (const LimitUse& use : limit_uses(*kernel->gpu, *device_->gpu)) {
        FactRow r = row(use.name, use.value, use.tooltip);
        if (use.share > 0)
            r.bar = use.share;
        r.colour = t.mark(use.reached ? Meaning::Unrolled : Meaning::Block);
        rows.push_back(std::move(r));
    }
    add_measured_facts(*kernel, rows);
    FactRow times;
    times.heading = true;
    times.name = tr("All kernels");
    rows.push_back(times);
}

// What the driver made of the kernel stands below what the estimate takes it for.
void EstimateView::add_measured_facts(const model::KernelEstimate& kernel,
                                      std::vector<FactRow>& rows) const {
    const auto* measured = measured_ ? measured_->kernel(kernel.name) : nullptr;
    if (!measured)
        return;
    FactRow heading;
    heading.heading = true;
    heading.name = tr("%1 as it was measured").arg(to_qstring(kernel.name));
    rows.push_back(heading);
    if (measured->seconds) {
        rows.push_back(row(tr("time"), format_seconds(*measured->seconds),
                           tr("Median, by events of the GPU before and behind the kernel.")));
        if (kernel.seconds > 0)
            rows.back().change =
                tr("%1 of the estimate").arg(format_factor(*measured->seconds / kernel.seconds));
    }
    rows.push_back(row(tr("registers"), tr("%1 a thread").arg(measured->registers),
                       tr("As the driver's compiler gave them.")));
    FactRow spilled = row(
        tr("spilled"),
        measured->local_bytes > 0 ? tr("%1 B a thread").arg(measured->local_bytes) : tr("nothing"),
        tr("Local memory of a thread: what did not fit into registers, and arrays that are "
           "indexed at run time."));
    spilled.sign = measured->local_bytes > 0 ? 1 : 0;
    rows.push_back(std::move(spilled));
    rows.push_back(row(tr("blocks at once"), QString::number(measured->blocks_per_multiprocessor),
                       tr("Of a multiprocessor, by the driver's occupancy calculator.")));
    if (measured_->clock_hertz)
        rows.push_back(row(tr("clock"),
                           tr("%1 GHz").arg(format_significant(*measured_->clock_hertz * 1e-9)),
                           tr("Of the multiprocessors, when timing ended.")));
}

void EstimateView::add_traffic(std::vector<FactRow>& rows) const {
    const Theme& t = theme_of(*this);
    std::vector<std::string> order;
    const auto now = total_traffic(*estimate_, &order);
    const auto before =
        baseline_ ? total_traffic(*baseline_, nullptr) : std::map<std::string, Traffic>{};
    const std::string* nearer = nullptr; // the level before
    for (const std::string& level : order) {
        const Traffic& traffic = now.at(level);
        FactRow r = row(tr("%1 traffic").arg(to_qstring(level)), format_bytes(traffic.bytes),
                        tr("Bytes moved from %1 towards the cores: %2 at full bandwidth, whose "
                           "share of the whole time the bar is.")
                            .arg(to_qstring(level), format_seconds(traffic.seconds)));
        if (nearer && traffic.bytes > now.at(*nearer).bytes)
            r.tooltip += ' ' + why_more_than(*nearer, device_.get());
        nearer = &level;
        if (estimate_->seconds && *estimate_->seconds > 0) {
            r.bar = std::min(1.0, traffic.seconds / *estimate_->seconds);
            r.colour = t.mark(meaning_of_bound(level));
        }
        if (const auto was = before.find(level); was != before.end() && was->second.bytes > 0)
            compare(r, was->second.bytes, traffic.bytes);
        rows.push_back(std::move(r));
    }
}

void EstimateView::add_footprint(std::vector<FactRow>& rows) const {
    const Theme& t = theme_of(*this);
    const auto node = estimate_->nodes.find(selected_);
    if (selected_.stage.empty() || node == estimate_->nodes.end() ||
        node->second.footprint_bytes.empty())
        return;
    double bytes = 0;
    QStringList parts;
    for (const auto& [stage, part] : node->second.footprint_bytes) {
        bytes += part;
        parts << to_qstring(stage) + ' ' + format_capacity(part);
    }
    double before = 0;
    if (baseline_)
        if (const auto was = baseline_->nodes.find(selected_); was != baseline_->nodes.end())
            for (const auto& [stage, part] : was->second.footprint_bytes)
                before += part;
    FactRow heading;
    heading.heading = true;
    heading.name = tr("Footprint of %1").arg(node_title(selected_));
    heading.tooltip = tr("Distinct bytes that one execution touches: %1.").arg(parts.join(", "));
    if (before > 0)
        compare(heading, before, bytes);
    rows.push_back(heading);
    if (!device_ || device_->caches.empty()) {
        rows.push_back(row(tr("one execution"), format_capacity(bytes), heading.tooltip));
        return;
    }
    for (const device::CacheLevel& cache : device_->caches) {
        FactRow r =
            row(to_qstring(cache.name),
                tr("%1 of %2")
                    .arg(format_capacity(bytes), format_capacity(static_cast<double>(cache.bytes))),
                heading.tooltip);
        if (cache.bytes > 0)
            r.bar = bytes / static_cast<double>(cache.bytes);
        r.colour = t.mark(meaning_of_bound(cache.name));
        rows.push_back(std::move(r));
    }
}

void EstimateView::show_rows() {
    std::vector<FactRow> rows;
    const model::Estimate& e = *estimate_;
    FactRow recompute = row(tr("recompute factor"), format_factor(e.recompute_factor),
                            tr("Operations executed for each one that a schedule without "
                               "recomputation would execute."));
    QString worst;
    double most = 1.005;
    for (const auto& [stage, factor] : e.stage_recompute)
        if (factor > most) {
            most = factor;
            worst = to_qstring(stage);
        }
    if (!worst.isEmpty()) {
        // Where there is no room the name gives way: the figures stay.
        const QString all = recompute.value, of_worst = format_factor(most);
        recompute.value = tr("%1 overall, most %2 %3").arg(all, worst, of_worst);
        recompute.shorter << tr("%1, most %2 %3").arg(all, worst, of_worst);
        if (constexpr int kLetters = 4; worst.size() > kLetters + 1)
            recompute.shorter
                << tr("%1, most %2 %3").arg(all, worst.left(kLetters) + QChar(0x2026), of_worst);
        recompute.shorter << all;
    }
    double integers = 0;
    for (const model::KernelEstimate& kernel : e.kernels)
        integers += kernel.integer_operations;
    FactRow work =
        row(tr("arithmetic"),
            e.flops > 0    ? format_flops(e.flops)
            : integers > 0 ? format_integer_operations(integers)
                           : tr("none"),
            e.flops > 0 ? tr("Floating-point operations executed, recomputation included.")
                        : tr("Operations on integers executed, recomputation included."));
    FactRow threads =
        row(tr("threads"), threads_text(e),
            tr("How many threads work at once, on average, of those that parallel loops may use."));
    FactRow compulsory =
        row(tr("compulsory traffic"), format_bytes(e.compulsory_bytes),
            tr("Inputs read once and outputs written once: no schedule moves less."));
    if (baseline_) {
        compare(recompute, baseline_->recompute_factor, e.recompute_factor);
        if (baseline_->flops > 0)
            compare(work, baseline_->flops, e.flops);
        if (baseline_->compulsory_bytes > 0)
            compare(compulsory, baseline_->compulsory_bytes, e.compulsory_bytes);
        if (baseline_->threads > 0 && baseline_->threads != e.threads) {
            compare(threads, baseline_->threads, e.threads);
            threads.sign = 0;
        }
    }
    add_limits(rows);
    rows.push_back(recompute);
    rows.push_back(work);
    const std::size_t above = rows.size() - 1; // the bars
    add_units(rows);
    add_traffic(rows);
    if (rows.size() > above + 1 && rows[above + 1].bar)
        rows[above].bars_are = tr("share of time");
    if (e.compulsory_bytes > 0)
        rows.push_back(compulsory);
    if (!shown_kernel()) // of a GPU the kernels say it
        rows.push_back(threads);
    add_footprint(rows);
    rows_->set_rows(std::move(rows));
}

} // namespace loopscope::views
