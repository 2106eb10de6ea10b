#include "views/widgets/start_page.h"

#include "views/style/fonts.h"
#include "views/style/number_format.h"
#include "views/style/theme.h"
#include "views/widgets/paint.h"

#include <QAbstractButton>
#include <QEvent>
#include <QFileInfo>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace loopscope::views {

namespace {

constexpr int kPageWidth = 1040;                   // the bundled programs' descriptions in one line
constexpr double kNames = 170, kMaxForNames = 260; // pixels

// A line that opens something: a name, what it is, and perhaps when.
class LinkRow : public QAbstractButton {
public:
    // `names`: pixels for the column of names.
    LinkRow(const QString& name, const QString& detail, const QString& aside, double names)
        : detail_(detail), aside_(aside), names_(names) {
        setText(name);
        setAccessibleName(name);
        setAccessibleDescription(detail);
        setCursor(Qt::PointingHandCursor);
        setFocusPolicy(Qt::StrongFocus);
        setToolTip(detail);
    }
    QSize sizeHint() const override {
        return {320, std::max(kRowHeight, fontMetrics().height() + 10)};
    }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        const Theme& t = theme_of(*this);
        if (underMouse() || hasFocus() || isDown()) {
            painter.setPen(hasFocus() ? QPen(t.accent) : Qt::NoPen);
            painter.setBrush(isDown() ? t.selection : t.hover);
            painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
        }
        QRectF where = QRectF(rect()).adjusted(10, 0, -10, 0);
        const double name_width = std::min(names_, where.width() * 0.35);
        paint_text(painter, QRectF(where.x(), where.y(), name_width, where.height()), text(),
                   bold_font(), t.accent);
        where.setLeft(where.left() + name_width + 10);
        const double aside =
            aside_.isEmpty() ? 0 : QFontMetricsF(text_font()).horizontalAdvance(aside_) + 10;
        paint_text(painter, where.adjusted(0, 0, -aside, 0), detail_, text_font(), t.faint);
        paint_text(painter, where, aside_, text_font(), t.faint, Qt::AlignRight | Qt::AlignVCenter);
    }
    void enterEvent(QEnterEvent*) override { update(); }
    void leaveEvent(QEvent*) override { update(); }

private:
    QString detail_, aside_;
    double names_;
};

QLabel* heading_label(const QString& text) {
    auto* label = new QLabel(text);
    label->setFont(bold_font());
    label->setContentsMargins(10, 2 * kGap, 0, 2);
    return label;
}

} // namespace

QString first_sentence(const QString& loop_text) {
    QString comment;
    for (const QString& raw : loop_text.split('\n')) {
        const QString line = raw.trimmed();
        if (!line.startsWith('#') || (line == "#" && !comment.isEmpty()))
            break;
        comment += (comment.isEmpty() ? QString() : QStringLiteral(" ")) + line.mid(1).trimmed();
    }
    static const QRegularExpression end(QStringLiteral("[.!?](\\s|$)"));
    const QRegularExpressionMatch match = end.match(comment);
    return match.hasMatch() ? comment.left(match.capturedStart() + 1) : comment;
}

StartPage::StartPage(QWidget* parent) : QWidget(parent), area_(new QScrollArea(this)) {
    setAccessibleName(tr("Start page"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(area_);
    area_->setWidgetResizable(true);
    area_->setFrameShape(QFrame::NoFrame);
    area_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    rebuild();
}

void StartPage::set_programs(const std::vector<ProgramEntry>& programs) {
    programs_ = programs;
    rebuild();
}

void StartPage::set_recent(const std::vector<RecentEntry>& recent) {
    recent_ = recent;
    rebuild();
}

void StartPage::rebuild() {
    auto* page = new QWidget;
    page->setAutoFillBackground(true);
    page->setBackgroundRole(QPalette::Base);
    auto* across = new QHBoxLayout(page);
    auto* content = new QWidget;
    content->setMaximumWidth(kPageWidth);
    across->addStretch(1);
    across->addWidget(content, 100);
    across->addStretch(1);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(kGap, 4 * kGap, kGap, 2 * kGap);
    column->setSpacing(0);

    auto* title = new QLabel(tr("Loopscope"));
    title->setFont(big_number_font());
    title->setContentsMargins(10, 0, 0, 0);
    auto* purpose = new QLabel(tr("See where the time of a tensor or image pipeline goes, what "
                                  "would change it, and whether that is legal."));
    purpose->setWordWrap(true);
    set_text_colour(*purpose, theme_of(*this).faint);
    purpose->setContentsMargins(10, 0, 0, kGap);
    auto* open = new QPushButton(tr("Open a file…"));
    open->setProperty("primary", true);
    open->setAccessibleName(tr("Open a file"));
    open->setToolTip(tr("Opens a pipeline (.loop) or a document (.loopscope); Ctrl+O. Files can be "
                        "dropped here, too."));
    connect(open, &QPushButton::clicked, this, &StartPage::openFileRequested);
    auto* button_line = new QHBoxLayout;
    button_line->setContentsMargins(10, 0, 0, 0);
    button_line->addWidget(open);
    button_line->addStretch();
    column->addWidget(title);
    column->addWidget(purpose);
    column->addLayout(button_line);

    // One column of names for both lists.
    const QFontMetricsF bold(bold_font());
    double names = kNames;
    for (const ProgramEntry& program : programs_)
        names =
            std::clamp(std::ceil(bold.horizontalAdvance(program.name)) + 1, names, kMaxForNames);

    auto add_row = [&](const QString& name, const QString& detail, const QString& aside,
                       const QString& path) {
        auto* row = new LinkRow(name, detail, aside, names);
        connect(row, &QAbstractButton::clicked, this, [this, path] { emit openRequested(path); });
        column->addWidget(row);
    };
    if (!recent_.empty()) {
        column->addWidget(heading_label(tr("Recent")));
        for (const RecentEntry& entry : recent_) {
            const QFileInfo info(entry.path);
            add_row(entry.name.isEmpty() ? info.fileName() : entry.name,
                    entry.detail.isEmpty() ? info.absolutePath() : entry.detail,
                    format_when(entry.when), entry.path);
        }
    }
    column->addWidget(heading_label(tr("Programs to explore")));
    if (programs_.empty()) {
        auto* none =
            new QLabel(tr("The bundled programs were not found; Ctrl+O opens any .loop file."));
        none->setContentsMargins(10, 0, 0, 0);
        none->setWordWrap(true);
        column->addWidget(none);
    }
    for (const ProgramEntry& program : programs_)
        add_row(program.name, program.description, {}, program.path);
    column->addStretch();
    // one of its rows may be telling of its click
    if (QWidget* before = area_->takeWidget())
        before->deleteLater();
    area_->setWidget(page);
}

void StartPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

} // namespace loopscope::views
