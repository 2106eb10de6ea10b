// How the banks are painted, and what is said where they are pointed at.

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/paint.h"
#include "views/widgets/picture_canvas.h"

#include <QPainter>

#include <algorithm>
#include <optional>

namespace loopscope::views {

namespace {

constexpr double kAddresses = 44; // pixels: the address of each row

QString lanes_text(const std::vector<int>& lanes) {
    if (lanes.size() == 1)
        return QString::number(lanes.front());
    return QStringLiteral("%1+").arg(lanes.front());
}

// That all lanes are numbered in, smaller in narrow cells; none: too narrow for the widest number,
// and some numbers without the others would look like the only lanes.
std::optional<QFont> number_font(const std::vector<WordHit>& hits, double cell_width) {
    QFont font = small_font();
    auto fits = [&](const WordHit& hit) {
        return TextMetrics(font).width(QString::number(hit.lanes.front())) < cell_width - 1;
    };
    for (const double factor : {1.0, 0.9, 0.8}) { // smaller ones cannot be read
        font = scaled(small_font(), factor);
        if (std::all_of(hits.begin(), hits.end(), fits))
            return font;
    }
    return std::nullopt;
}

} // namespace

BankGrid BanksView::grid(double width) const {
    const TextMetrics small(small_font());
    return bank_grid(layout(), shape(), width - 2, kAddresses, 2 * small.height() + 4,
                     small.height() + 4, kMaxRows);
}

QColor BanksView::pass_colour(int pass) const {
    static constexpr Meaning colours[] = {Meaning::Block,    Meaning::Unrolled, Meaning::Pipelined,
                                          Meaning::Parallel, Meaning::Vector,   Meaning::Thread};
    return theme_of(*this).mark(colours[pass % 6]);
}

void BanksView::paint_header(QPainter& painter, const BankGrid& at) const {
    const Theme& t = theme_of(*this);
    const TextMetrics small(small_font());
    const double half = at.top / 2;
    paint_text(painter, QRectF(0, 0, kAddresses - 4, half), tr("bank"), small_font(), t.faint);
    paint_text(painter, QRectF(0, half, kAddresses - 4, half), tr("words"), small_font(), t.faint);
    const bool all = small.width(QStringLiteral("31")) + 2 <= at.cell_width;
    for (int bank = 0; bank < at.banks; ++bank) {
        const Rectangle r = at.header(bank);
        if (all || bank % 4 == 0)
            paint_text(painter, QRectF(r.x, 0, all ? r.width : 4 * r.width, half),
                       QString::number(bank), small_font(), t.faint,
                       all ? Qt::AlignCenter : Qt::AlignLeft | Qt::AlignVCenter);
        const int words = bank < static_cast<int>(access_.words_of_bank.size())
                              ? access_.words_of_bank[static_cast<std::size_t>(bank)]
                              : 0;
        if (words > 0)
            paint_text(
                painter, QRectF(r.x, half, r.width, half), QString::number(words), small_font(),
                words > 1 && access_.passes > access_.least ? t.ink(Meaning::Pipelined) : t.text,
                Qt::AlignCenter);
    }
}

void BanksView::paint_hits(QPainter& painter, const BankGrid& at) const {
    const auto font = number_font(access_.hits, at.cell_width);
    for (const WordHit& hit : access_.hits) {
        if (hit.word / at.banks >= at.rows)
            continue;
        const Rectangle r = at.cell(hit.word);
        const QRectF where(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
        const QColor colour = pass_colour(hit.pass);
        painter.fillRect(where, colour);
        if (!font)
            continue;
        QString text = lanes_text(hit.lanes);
        if (TextMetrics(*font).width(text) > r.width)
            text = QString::number(hit.lanes.front());
        paint_text(painter, QRectF(r.x, r.y, r.width, r.height), text, *font, text_on(colour),
                   Qt::AlignCenter);
    }
}

void BanksView::paint(QPainter& painter, const QRectF& exposed, double width) const {
    const Theme& t = theme_of(*this);
    const auto at = grid(width);
    const auto buffer = layout();
    const auto first = std::max<std::int64_t>(
                   0, static_cast<std::int64_t>((exposed.top() - at.top) / at.cell_height)),
               last = std::min<std::int64_t>(
                   at.rows,
                   static_cast<std::int64_t>((exposed.bottom() - at.top) / at.cell_height) + 1);
    const QColor tint = mix(t.surface, t.mark(Meaning::Serial), 0.16), plain = t.raised;
    for (auto row = first; row < last; ++row) {
        const Rectangle begin = at.cell(row * at.banks);
        paint_text(painter, QRectF(0, begin.y, kAddresses - 6, begin.height),
                   QString::number(row * at.banks * shape().word_bytes), small_font(), t.faint,
                   Qt::AlignRight | Qt::AlignVCenter);
        for (int bank = 0; bank < at.banks;
             ++bank) { // rows of the buffer are told apart by their tint
            const auto word = row * at.banks + bank;
            if (word * shape().word_bytes >= buffer.bytes())
                break;
            const Rectangle r = at.cell(word);
            const QRectF cell(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
            const WordUse use = word_use(buffer, word, shape());
            if (use.data) {
                painter.fillRect(cell, use.row % 2 ? tint : plain);
            } else { // what padding adds
                painter.fillRect(cell, QBrush(t.line, Qt::BDiagPattern));
            }
        }
    }
    paint_hits(painter, at);
    paint_header(painter, at);
}

QString BanksView::tooltip_at(const QPointF& position) const {
    const auto at = grid(canvas_->width());
    const auto word = at.word_at({position.x(), position.y()});
    if (word < 0 || word * shape().word_bytes >= layout().bytes())
        return {};
    const WordUse use = word_use(layout(), word, shape());
    QString text = tr("Byte %1, bank %2").arg(word * shape().word_bytes).arg(word % at.banks);
    text += use.data ? tr(", row %1 of %2").arg(use.row).arg(to_qstring(buffer()->stage))
                     : tr(", padding");
    for (const WordHit& hit : access_.hits)
        if (hit.word == word) {
            QStringList lanes;
            for (int lane : hit.lanes)
                lanes << QString::number(lane);
            text += tr("\nPass %1 takes it for lanes %2.").arg(hit.pass + 1).arg(lanes.join(", "));
        }
    return text;
}

} // namespace loopscope::views
