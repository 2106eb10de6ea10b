// How the banks are painted, and what is said where they are pointed at.

#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/paint.h"
#include "views/widgets/picture_canvas.h"

#include <QPainter>

#include <algorithm>
#include <cmath>
#include <optional>

namespace loopscope::views {

namespace {

constexpr double kAddresses = 44; // pixels: the address of each row
constexpr double kHatching = 6;   // pixels between its lines, along a row
constexpr double kNumberAir = 4;  // pixels around a number: closer ones read as one
constexpr double kPassSwatch = 9; // pixels, of a colour in the key
constexpr int kPassColours = 6;

QString lanes_text(const std::vector<int>& lanes) {
    if (lanes.size() == 1)
        return QString::number(lanes.front());
    return QStringLiteral("%1+").arg(lanes.front());
}

// That all lanes are numbered in, smaller in narrow cells, which have a gap of a pixel.
std::optional<QFont> lane_font(const std::vector<WordHit>& hits, double cell_width) {
    QStringList numbers;
    for (const WordHit& hit : hits)
        numbers << QString::number(hit.lanes.front());
    return font_that_fits(numbers, small_font(), cell_width - 1 - kNumberAir);
}

// The same for the words of each bank.
std::optional<QFont> word_font(const std::vector<int>& words_of_bank, double cell_width) {
    QStringList numbers;
    for (const int words : words_of_bank)
        numbers << QString::number(words);
    return font_that_fits(numbers, small_font(), cell_width - kNumberAir);
}

QColor pass_colour(int pass, const Theme& t) {
    static constexpr Meaning colours[kPassColours] = {Meaning::Block,     Meaning::Unrolled,
                                                      Meaning::Pipelined, Meaning::Parallel,
                                                      Meaning::Vector,    Meaning::Thread};
    return t.mark(colours[pass % kPassColours]);
}

// Rows of the buffer are told apart by their tint.
QColor row_tint(bool odd, const Theme& t) {
    return odd ? mix(t.surface, t.mark(Meaning::Serial), 0.16) : t.raised;
}

// Lines from the lower left to the upper right: a brush with a pattern would be pixels in a vector
// picture.
void add_hatching(QList<QLineF>& lines, const QRectF& r) {
    for (double sum = std::ceil((r.left() + r.top()) / kHatching) * kHatching;
         sum < r.right() + r.bottom(); sum += kHatching) {
        const double from = std::max(r.left(), sum - r.bottom()),
                     to = std::min(r.right(), sum - r.top());
        lines << QLineF(from, sum - from, to, sum - to);
    }
}

} // namespace

BankGrid BanksView::grid(double width) const {
    const TextMetrics small(small_font());
    return bank_grid(layout(), shape(), width - 2, kAddresses, kHeaderLines * (small.height() + 2),
                     small.height() + 4, kMaxRows);
}

// What numbers, colours and tints are: as much of it as the width has room for.
void BanksView::paint_key(QPainter& painter, double width, const BankGrid& at,
                          const Theme& t) const {
    const TextMetrics small(small_font());
    const double height = at.top / kHeaderLines;
    double x = at.left;
    auto add = [&](const QList<QColor>& colours, const QString& text) {
        const double swatches =
            kPassSwatch * static_cast<double>(colours.size()) + (kNumberAir * !colours.empty());
        const double room = small.width(text) + 1;
        if (x + swatches + room > width)
            return;
        painter.setPen(t.line); // tints are faint: each has a rim
        for (qsizetype n = 0; n < colours.size(); ++n) {
            painter.setBrush(colours[n]);
            painter.drawRect(QRectF(x + kPassSwatch * static_cast<double>(n),
                                    std::round((height - kPassSwatch) / 2), kPassSwatch - 1,
                                    kPassSwatch - 1));
        }
        paint_text(painter, QRectF(x + swatches, 0, room, height), text, small_font(), t.faint);
        x += swatches + room + 3 * kNumberAir;
    };
    if (!access_.hits.empty()) {
        QList<QColor> passes;
        for (int pass = 0; pass < std::min(access_.passes, kPassColours); ++pass)
            passes << pass_colour(pass, t);
        add(passes, access_.passes == 1 ? tr("pass 1") : tr("passes 1 to %1").arg(access_.passes));
        if (lane_font(access_.hits, at.cell_width))
            add({}, tr("numbers: lanes"));
    }
    add({row_tint(false, t), row_tint(true, t)}, tr("rows of %1").arg(to_qstring(buffer()->stage)));
    if (padding(layout()) > 0)
        add({}, tr("hatched: padding"));
}

void BanksView::paint_header(QPainter& painter, const BankGrid& at, const Theme& t) const {
    const TextMetrics small(small_font());
    const double line = at.top / kHeaderLines;
    paint_text(painter, QRectF(0, line, kAddresses - 4, line), tr("bank"), small_font(), t.faint);
    paint_text(painter, QRectF(0, 2 * line, kAddresses - 4, line), tr("words"), small_font(),
               t.faint);
    const auto words_in = word_font(access_.words_of_bank, at.cell_width);
    const bool all = small.width(QStringLiteral("31")) + kNumberAir <= at.cell_width;
    for (int bank = 0; bank < at.banks; ++bank) {
        const Rectangle r = at.header(bank);
        const double room = all ? r.width : 4 * r.width; // around the column's middle
        if (all || bank % 4 == 0)
            paint_text(painter, QRectF(r.x + (r.width - room) / 2, line, room, line),
                       QString::number(bank), small_font(), t.faint, Qt::AlignCenter);
        const int words = bank < static_cast<int>(access_.words_of_bank.size())
                              ? access_.words_of_bank[static_cast<std::size_t>(bank)]
                              : 0;
        if (words > 0 && words_in)
            paint_text(
                painter, QRectF(r.x, 2 * line, r.width, line), QString::number(words), *words_in,
                words > 1 && access_.passes > access_.least ? t.ink(Meaning::Pipelined) : t.text,
                Qt::AlignCenter);
    }
}

void BanksView::paint_hits(QPainter& painter, const BankGrid& at, const Theme& t) const {
    const auto font = lane_font(access_.hits, at.cell_width);
    for (const WordHit& hit : access_.hits) {
        if (hit.word / at.banks >= at.rows)
            continue;
        const Rectangle r = at.cell(hit.word);
        const QRectF where(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
        const QColor colour = pass_colour(hit.pass, t);
        painter.fillRect(where, colour);
        if (!font)
            continue;
        QString text = lanes_text(hit.lanes);
        if (TextMetrics(*font).width(text) > r.width - 1 - kNumberAir)
            text = QString::number(hit.lanes.front());
        paint_text(painter, QRectF(r.x, r.y, r.width, r.height), text, *font, text_on(colour),
                   Qt::AlignCenter);
    }
}

// Of one colour at once: in a file each change of colour takes more room than a word.
void BanksView::paint_words(QPainter& painter, const BankGrid& at,
                            const PictureFrame& frame) const {
    const Theme& t = frame.theme;
    const auto buffer = layout();
    const auto row_at = [&](double y) {
        return static_cast<std::int64_t>((y - at.top) / at.cell_height);
    };
    const auto first = std::max<std::int64_t>(0, row_at(frame.exposed.top())),
               last = std::min<std::int64_t>(at.rows, row_at(frame.exposed.bottom()) + 1);
    QList<QRectF> even, odd; // rows of the buffer
    QList<QLineF> added;     // what padding adds
    for (auto row = first; row < last; ++row) {
        const Rectangle begin = at.cell(row * at.banks);
        const auto byte = row * at.banks * shape().word_bytes;
        paint_text(painter, QRectF(0, begin.y, kAddresses - 6, begin.height),
                   byte == 0 ? tr("byte %1").arg(byte) : QString::number(byte), small_font(),
                   t.faint, Qt::AlignRight | Qt::AlignVCenter);
        for (int bank = 0; bank < at.banks; ++bank) {
            const auto word = row * at.banks + bank;
            if (word * shape().word_bytes >= buffer.bytes())
                break;
            const Rectangle r = at.cell(word);
            const QRectF cell(r.x + 0.5, r.y + 0.5, r.width - 1, r.height - 1);
            const WordUse use = word_use(buffer, word, shape());
            if (use.data)
                (use.row % 2 ? odd : even) << cell;
            else
                add_hatching(added, cell);
        }
    }
    painter.setPen(Qt::NoPen);
    painter.setBrush(row_tint(false, t));
    painter.drawRects(even);
    painter.setBrush(row_tint(true, t));
    painter.drawRects(odd);
    painter.setPen(QPen(t.line, 1));
    painter.drawLines(added);
}

void BanksView::paint(QPainter& painter, const PictureFrame& frame) const {
    const auto at = grid(frame.size.width());
    paint_words(painter, at, frame);
    paint_hits(painter, at, frame.theme);
    paint_key(painter, frame.size.width(), at, frame.theme);
    paint_header(painter, at, frame.theme);
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
