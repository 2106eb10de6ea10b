// How the roofline is drawn: axes, ceilings, dots, and texts that cover nothing.

#include "views/geometry/log_axes.h"
#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/text_metrics.h"
#include "views/widgets/roofline_view.h"

#include <qcustomplot.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace loopscope::views {

namespace {

constexpr std::size_t kNamedDots = 8;
constexpr double kAroundDot = 1.6; // of the axis across, beyond a dot
constexpr double kDotRim = 2;      // pixels, of its line
constexpr double kAboveLabel = 5;  // pixels, between the top ceiling's label and the frame
constexpr double kAboveAll = 0.1;  // of the axis upwards, at least
// Pixels between a dot and its name: of one kernel among others, and of what is asked for first.
constexpr double kFarName = 48, kFarthestName = 160;

// What a text takes of the plot: the plot draws it by whole pixels, in whole ones.
QSizeF room_of(const QString& text) {
    const TextMetrics metrics(small_font());
    return {std::ceil(metrics.width(text)) + 4, std::ceil(metrics.height()) + 2};
}

// Ceilings are named as models name levels: "L2", "memory", perhaps with a suffix.
bool names_level(const std::string& ceiling, const QString& level) {
    return QString::fromStdString(ceiling).startsWith(level, Qt::CaseInsensitive);
}

} // namespace

void RooflineView::draw_axes(const Theme& t, bool with_keyboard) {
    std::vector<double> x, y;
    const double compute = best_compute();
    for (const model::Ceiling& c : shown_) {
        if (!c.bandwidth)
            y.push_back(c.value / unit_);
        else if (compute > 0)
            x.push_back(ridge(compute, c.value));
    }
    for (const Dot& dot : dots_) {
        x.push_back(dot.intensity);
        y.push_back(dot.rate / unit_);
    }
    LogRange across = decades_around(x, 3), up = decades_around(y, 3);
    // The ceilings' labels stand above them, that of the top one, too.
    const double height = plot_->axisRect()->height(),
                 above = std::max(room_of(QStringLiteral("0")).height() + kAboveLabel,
                                  kAboveAll * height);
    if (!y.empty())
        up.high = *std::max_element(y.begin(), y.end());
    for (const Dot& dot : dots_) { // whole, not cut by the frame
        across.low = std::min(across.low, dot.intensity / kAroundDot);
        across.high = std::max(across.high, dot.intensity * kAroundDot);
        up.low = low_end_below(dot.rate / unit_, up, dot.radius + kDotRim, height - above);
    }
    up.high = high_end_above(up.high, up, above, height);
    plot_->setBackground(t.surface);
    plot_->axisRect()->setBackground(t.surface);
    for (QCPAxis* axis : {plot_->xAxis, plot_->yAxis}) {
        axis->setScaleType(QCPAxis::stLogarithmic);
        axis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
        axis->setNumberFormat("g");
        axis->setNumberPrecision(6);
        axis->setBasePen(with_keyboard ? QPen(t.accent, 2) : QPen(t.line));
        axis->setTickPen(QPen(t.line));
        axis->setSubTickPen(QPen(Qt::NoPen));
        axis->setTickLength(0, 0);
        axis->setSubTickLength(0, 0);
        axis->setTickLabelColor(t.faint);
        axis->setTickLabelFont(small_font());
        axis->setLabelColor(t.faint);
        axis->setLabelFont(small_font());
        axis->setLabelPadding(2);
        axis->grid()->setPen(QPen(mix(t.surface, t.line, 0.8), 1));
        axis->grid()->setSubGridVisible(false);
    }
    plot_->xAxis->setRange(across.low, across.high);
    plot_->yAxis->setRange(up.low, up.high);
    plot_->xAxis->setLabel(level().isEmpty() ? tr("%1 per byte").arg(operation())
                                             : tr("%1 per byte (%2)").arg(operation(), level()));
    plot_->yAxis->setLabel(
        (unit_ > 1e9 ? QStringLiteral("T%1/s") : QStringLiteral("G%1/s")).arg(operation()));
}

void RooflineView::draw_ceilings(const Theme& t) {
    const double compute = best_compute(), bandwidth = best_bandwidth();
    const double left = plot_->xAxis->range().lower, right = plot_->xAxis->range().upper,
                 low = plot_->yAxis->range().lower;
    auto line = [&](double x0, double y0, double x1, double y1, const QPen& pen) {
        QCPGraph* graph = plot_->addGraph();
        graph->setData({x0, x1}, {y0, y1});
        graph->setPen(pen);
    };
    // "f32 FMA, all cores": what all names share goes without saying.
    auto short_name = [&](const std::string& name) { return to_qstring(name).section(',', 0, 0); };
    std::map<double, QStringList> named; // ceilings of one height have one label
    for (const model::Ceiling& c : shown_)
        if (!c.bandwidth)
            named[c.value] << short_name(c.name);
    for (const auto& [value, names] : named) {
        const bool top = value >= compute;
        const double begin = bandwidth > 0 ? std::max(left, ridge(value, bandwidth)) : left;
        QPen pen(top ? t.text : t.faint, top ? 1.8 : 1.1);
        if (!top)
            pen.setDashPattern({5, 3});
        line(begin, value / unit_, right, value / unit_, pen);
        labels_.push_back({names.join(QStringLiteral(" · ")) + ' ' + format_operations(value),
                           Label::Side::AboveLeft, right, value / unit_, begin, value / unit_,
                           top});
        QStringList brief; // "f32 vectors" of those without FMA
        for (const QString& name : names)
            brief << name.section(' ', 0, 1);
        brief.removeDuplicates();
        labels_.back().brief = brief.join(QStringLiteral(" · ")) + ' ' + format_operations(value);
    }
    static const QList<QVector<qreal>> dashes{{6, 3}, {2, 2}, {6, 2, 2, 2}};
    int number = 0;
    for (const model::Ceiling& c : shown_) {
        if (!c.bandwidth)
            continue;
        const bool chosen = names_level(c.name, level());
        const double end = compute > 0 ? std::min(right, ridge(compute, c.value)) : right;
        const double begin = std::max(left, low * unit_ / c.value); // where it enters the plot
        if (begin >= end)
            continue;
        QPen pen(chosen ? t.text : t.faint, chosen ? 1.8 : 1.1);
        if (!chosen)
            pen.setDashPattern(dashes[number++ % 3]);
        const double from = attainable(c.value, begin) / unit_,
                     to = attainable(c.value, end) / unit_;
        line(begin, from, end, to, pen);
        labels_.push_back({short_name(c.name) + ' ' + format_bytes_per_second(c.value),
                           Label::Side::AlongDiagonal, begin, from, end, to, chosen});
    }
}

void RooflineView::draw_joined(const Dot& predicted, const Dot& measured, const Theme& t) {
    QCPGraph* joined = plot_->addGraph();
    joined->setData({predicted.intensity, measured.intensity * 1.0000001},
                    {predicted.rate / unit_, measured.rate / unit_});
    joined->setPen(QPen(t.text, 1, Qt::DotLine));
}

void RooflineView::draw_dots(const Theme& t) {
    const Dot *predicted = nullptr, *measured = nullptr;
    for (const Dot& dot : dots_) {
        predicted = dot.kind == Dot::Kind::Predicted ? &dot : predicted;
        measured = dot.kind == Dot::Kind::Measured ? &dot : measured;
        // A kernel's measured point stands behind its own.
        if (dot.kind == Dot::Kind::MeasuredKernel)
            draw_joined(*(&dot - 1), dot, t);
    }
    if (predicted && measured)
        draw_joined(*predicted, *measured, t);
    // Only the greatest of many kernels are named; the tooltips name the others.
    std::vector<double> seconds;
    for (const Dot& dot : dots_)
        if (dot.kind == Dot::Kind::Kernel)
            seconds.push_back(dot.seconds);
    std::sort(seconds.begin(), seconds.end(), std::greater<>());
    const double least_named = seconds.size() > kNamedDots ? seconds[kNamedDots] * 1.000001 : 0;
    for (const Dot& dot : dots_) {
        const bool measured_kernel = dot.kind == Dot::Kind::MeasuredKernel;
        const bool fades = (dot.kind == Dot::Kind::Kernel || measured_kernel) && !kernel_.empty() &&
                           dot.node.stage != kernel_;
        QColor fill = t.mark(meaning_of_bound(dot.bound));
        fill.setAlphaF(fades ? 0.35 : 0.9);
        QCPScatterStyle style;
        if (dot.kind == Dot::Kind::Kernel)
            style = QCPScatterStyle(QCPScatterStyle::ssCircle,
                                    // by its outline what fades is seen on any ground
                                    QPen(kernel_ == dot.node.stage ? t.text : t.faint,
                                         kernel_ == dot.node.stage ? 2 : 1),
                                    QBrush(fill), 2 * dot.radius);
        else if (measured_kernel)
            style = QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(fades ? t.faint : t.text, 1.2),
                                    QBrush(t.surface), 2 * dot.radius);
        else
            style = QCPScatterStyle(dot.kind == Dot::Kind::Measured ? QCPScatterStyle::ssDiamond
                                                                    : QCPScatterStyle::ssCross,
                                    QPen(t.text, 1.8), QBrush(t.surface),
                                    dot.kind == Dot::Kind::Measured ? 10 : 8);
        QCPGraph* graph = plot_->addGraph();
        graph->setLineStyle(QCPGraph::lsNone);
        graph->setScatterStyle(style);
        graph->setData({dot.intensity}, {dot.rate / unit_});
        if (measured_kernel)
            continue; // its kernel is named
        const QString text =
            dot.kind == Dot::Kind::Kernel ? dot.name : dot.name + ' ' + format_seconds(dot.seconds);
        const bool kernel = dot.kind == Dot::Kind::Kernel;
        if (!kernel || dot.node.stage == kernel_ || dot.seconds >= least_named)
            labels_.push_back({.text = text,
                               .intensity = dot.intensity,
                               .rate = dot.rate / unit_,
                               .strong = !fades,
                               .rank = dot.kind == Dot::Kind::Measured    ? Label::Rank::Measured
                                       : dot.kind == Dot::Kind::Predicted ? Label::Rank::Predicted
                                       : dot.node.stage == kernel_        ? Label::Rank::Selected
                                                                          : Label::Rank::Kernel,
                               .radius = dot.radius,
                               .seconds = dot.seconds});
    }
}

void RooflineView::add_text(const Label& label, Point centre, double degrees, const Theme& t) {
    auto* text = new QCPItemText(plot_);
    text->setText(label.text);
    text->setFont(small_font());
    text->setColor(label.strong ? t.text : t.faint);
    QColor ground = t.surface; // lines that pass below a text fade instead of striking it through
    ground.setAlphaF(0.8);
    text->setBrush(ground);
    text->setPen(Qt::NoPen);
    text->setClipToAxisRect(false);
    text->position->setType(QCPItemPosition::ptAbsolute);
    text->setPositionAlignment(Qt::AlignCenter);
    text->position->setCoords(centre.x, centre.y);
    text->setRotation(degrees);
}

void RooflineView::add_leader(const Segment& line, const Theme& t) {
    auto* leader = new QCPItemLine(plot_);
    leader->setPen(QPen(t.faint, 1));
    leader->setClipToAxisRect(false);
    const auto put = [](QCPItemPosition& end, const Point& at) {
        end.setType(QCPItemPosition::ptAbsolute);
        end.setCoords(at.x, at.y);
    };
    put(*leader->start, line.first);
    put(*leader->end, line.second);
}

// The names of the points.
void RooflineView::draw_names(const Rectangle& bounds, std::vector<Rectangle>& taken,
                              const Theme& t) {
    std::vector<const Label*> names;
    for (const Label& label : labels_)
        if (label.side == Label::Side::OfPoint)
            names.push_back(&label);
    std::stable_sort(names.begin(), names.end(), [](const Label* a, const Label* b) {
        return a->rank != b->rank ? a->rank < b->rank : a->seconds > b->seconds;
    });
    std::vector<PointLabel> wanted;
    for (const Label* name : names) {
        const QSizeF room = room_of(name->text);
        wanted.push_back({pixel(name->intensity, name->rate), name->radius, room.width(),
                          room.height(),
                          name->rank == Label::Rank::Kernel ? kFarName : kFarthestName});
    }
    const auto texts = taken.begin() + static_cast<std::ptrdiff_t>(dots_.size());
    const auto places =
        place_point_labels(wanted, {taken.begin(), texts}, bounds, {texts, taken.end()});
    for (std::size_t n = 0; n < names.size(); ++n) {
        if (!places[n])
            continue;
        add_text(*names[n], places[n]->text.centre(), 0, t);
        taken.push_back(places[n]->text);
        if (!places[n]->leader)
            continue;
        add_leader(*places[n]->leader, t);
        const auto strip = strip_along(*places[n]->leader, 1);
        taken.insert(taken.end(), strip.begin(), strip.end());
    }
}

void RooflineView::draw_labels(const Theme& t) {
    const QRect inside = plot_->axisRect()->rect();
    const Rectangle bounds{inside.x() + 2.0, inside.y() + 1.0, inside.width() - 4.0,
                           inside.height() - 2.0};
    std::vector<Rectangle> taken;
    for (const Dot& dot : dots_) {
        const Point p = pixel(dot.intensity, dot.rate / unit_);
        taken.push_back({p.x - dot.radius, p.y - dot.radius, 2 * dot.radius, 2 * dot.radius});
    }
    const auto diagonals = [&](bool strong) {
        for (const Label& label : labels_)
            if (label.side == Label::Side::AlongDiagonal && label.strong == strong)
                draw_diagonal_label(label, bounds, taken, t);
    };
    const auto ceilings = [&](bool strong) {
        for (const Label& label : labels_)
            if (label.side == Label::Side::AboveLeft && label.strong == strong)
                draw_ceiling_label(label, bounds, taken, t);
    };
    // What all points are judged by, then their names: names of lines slide along them. Lesser
    // ceilings come last: of them the fewest ask.
    diagonals(true);
    draw_names(bounds, taken, t);
    ceilings(true);
    diagonals(false);
    ceilings(false);
}

// Slides the text along its ceiling, above it or below, to where it covers no other text, dot or
// ceiling, which it would seem to name, and the fewest other lines. A text without a place is left
// out.
void RooflineView::draw_ceiling_label(Label label, const Rectangle& bounds,
                                      std::vector<Rectangle>& taken, const Theme& t) {
    std::optional<Rectangle> place = place_on_ceiling(label, bounds, taken);
    if (!place) {
        label.text = label.brief;
        place = place_on_ceiling(label, bounds, taken);
    }
    if (!place)
        return;
    taken.push_back(*place);
    add_text(label, place->centre(), 0, t);
}

std::optional<Rectangle> RooflineView::place_on_ceiling(const Label& label, const Rectangle& bounds,
                                                        const std::vector<Rectangle>& taken) const {
    const Point p = pixel(label.intensity, label.rate);
    const double begin = std::max(bounds.x, pixel(label.end_intensity, label.end_rate).x);
    const double width = room_of(label.text).width(), height = room_of(label.text).height();
    std::optional<Rectangle> best;
    double least = 0;
    for (bool below : {false, true})
        for (double x = p.x - width - 4; x >= begin; x -= 6) {
            const Rectangle r{x, below ? p.y + 2 : p.y - height - 1, width, height};
            if (r.y < bounds.y || r.bottom() > bounds.bottom() ||
                std::any_of(taken.begin(), taken.end(),
                            [&](const Rectangle& o) { return r.overlaps(o); }) ||
                on_another_ceiling(r, label))
                continue;
            const double cost = 100 * lines_through(r, label) + (below ? 30 : 0) + (p.x - x) / 10;
            if (!best || cost < least) {
                least = cost;
                best = r;
            }
        }
    return best;
}

bool RooflineView::on_another_ceiling(const Rectangle& text, const Label& own) const {
    return std::any_of(labels_.begin(), labels_.end(), [&](const Label& line) {
        if (line.side != Label::Side::AboveLeft || line.rate == own.rate)
            return false;
        const Point begin = pixel(line.end_intensity, line.end_rate);
        return begin.x < text.right() && begin.y >= text.y && begin.y <= text.bottom();
    });
}

// How many lines other than its own run through a text.
int RooflineView::lines_through(const Rectangle& text, const Label& own) const {
    constexpr int kPieces = 100;
    return static_cast<int>(std::count_if(labels_.begin(), labels_.end(), [&](const Label& line) {
        if (line.side == Label::Side::OfPoint || (line.side == own.side && line.rate == own.rate))
            return false;
        const Point from = pixel(line.intensity, line.rate),
                    to = pixel(line.end_intensity, line.end_rate);
        for (int i = 0; i <= kPieces; ++i) {
            const double share = static_cast<double>(i) / kPieces;
            if (text.contains({from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share}))
                return true;
        }
        return false;
    }));
}

// Slides the text along its line until it covers nothing; a text without a place is left out (the
// tooltip of the level names it).
void RooflineView::draw_diagonal_label(const Label& label, const Rectangle& bounds,
                                       std::vector<Rectangle>& taken, const Theme& t) {
    const double width = room_of(label.text).width(), height = room_of(label.text).height();
    const Point from = pixel(label.intensity, label.rate),
                to = pixel(label.end_intensity, label.end_rate);
    const double length = std::hypot(to.x - from.x, to.y - from.y);
    if (length < 1)
        return;
    const Point along{(to.x - from.x) / length, (to.y - from.y) / length};
    const Point above{along.y, -along.x}; // a quarter turn towards the upper left
    for (double start = 6; start + width + 6 < length; start += 6) {
        const double lift = height / 2 + 2;
        const auto beside = [&](double at) {
            return Point{from.x + along.x * at + above.x * lift,
                         from.y + along.y * at + above.y * lift};
        };
        const auto strip = strip_along({beside(start), beside(start + width)}, height);
        const bool free = std::all_of(strip.begin(), strip.end(), [&](const Rectangle& q) {
            return q.x >= bounds.x && q.y >= bounds.y && q.right() <= bounds.right() &&
                   q.bottom() <= bounds.bottom() &&
                   std::none_of(taken.begin(), taken.end(),
                                [&](const Rectangle& o) { return q.overlaps(o); });
        });
        if (!free)
            continue;
        taken.insert(taken.end(), strip.begin(), strip.end());
        add_text(label, beside(start + width / 2), std::atan2(along.y, along.x) * 180 / M_PI, t);
        return;
    }
}

} // namespace loopscope::views
