#include "views/widgets/inspector_view.h"

#include "views/models/common_choices.h"
#include "views/models/node_facts.h"
#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"
#include "views/widgets/bubble.h"
#include "views/widgets/discard.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/wrapped_label.h"

#include <QApplication>
#include <QCheckBox>
#include <QCursor>
#include <QEvent>
#include <QFontMetricsF>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <cmath>

namespace loopscope::views {

namespace {
constexpr int kWidestName = 220; // pixels: of a longer one the middle is left out
// Milliseconds. If verdicts are slow, what is known is said after the first; after the second,
// shorter than a person takes to press what an edit made possible, those on the schedule before are
// forgotten.
constexpr int kPatience = 60, kHeld = 150;

// Begins as the titles of the choices below do.
QString fact_title(const Fact& fact) {
    return fact.quoted ? fact.name : fact.name.left(1).toUpper() + fact.name.mid(1);
}
} // namespace

InspectorView::InspectorView(QWidget* parent) : QScrollArea(parent) {
    new FocusLine(this);
    setAccessibleName(tr("Inspector"));
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setBackgroundRole(QPalette::Base);
    auto* page = new QWidget;
    page->setBackgroundRole(QPalette::Base);
    page->setAutoFillBackground(true);
    auto* outer = new QVBoxLayout(page);
    outer->setContentsMargins(0, 0, 0, 0);
    empty_ = new EmptyState(tr("What is selected: its facts, and the choices that change it."),
                            tr("Arrow keys in the schedule tree select."), page);
    body_ = new QWidget(page);
    outer->addWidget(empty_);
    outer->addWidget(body_);
    auto* column = new QVBoxLayout(body_);
    column->setContentsMargins(14, 8, 14, 12);
    column->setSpacing(kGap);
    path_ = new WrappedLabel;
    path_->setAccessibleName(tr("Where it is"));
    column->addWidget(path_);
    companions_ = new QCheckBox;
    companions_->setObjectName(QStringLiteral("companions"));
    companions_->setToolTip(
        tr("Copies at the same place, in the same memory and for the same reader belong together: "
           "what is chosen for one is done to all of them, as one step."));
    companions_->hide();
    connect(companions_, &QCheckBox::clicked, this, &InspectorView::togetherChanged);
    column->addWidget(companions_);
    facts_ = new QVBoxLayout;
    facts_->setSpacing(4);
    list_ = new FactRows;
    list_->setAccessibleName(tr("Facts"));
    facts_->addWidget(list_);
    column->addLayout(facts_);
    choices_ = new QVBoxLayout;
    choices_->setSpacing(kGap);
    column->addLayout(choices_);
    column->addStretch();
    setWidget(page);
    bubble_ = new Bubble(viewport());
    explaining_ = new QTimer(this);
    explaining_->setSingleShot(true);
    explaining_->setInterval(kPatience);
    connect(explaining_, &QTimer::timeout, this, &InspectorView::explain);
    holding_ = new QTimer(this);
    holding_->setSingleShot(true);
    holding_->setInterval(kHeld);
    connect(holding_, &QTimer::timeout, this, &InspectorView::let_go);
    // The page is shorter for a moment while choices are made anew and judged.
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, [this] {
        if (kept_scroll_ >= 0)
            verticalScrollBar()->setValue(kept_scroll_);
    });
    connect(verticalScrollBar(), &QScrollBar::actionTriggered, this, [this] { kept_scroll_ = -1; });
    connect(path_, &QLabel::linkActivated, this, [this](const QString& link) {
        NodeId id;
        if (NodeId::parse(QUrl::fromPercentEncoding(link.toUtf8()).toStdString(), id))
            emit nodeSelected(id);
    });
    rebuild();
}

void InspectorView::set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate, SchedulePtr schedule,
                                 std::optional<NodeId> selected) {
    const bool same =
        tree == tree_ && schedule == schedule_ && (!selected || selected == selected_);
    if (selected)
        selected_ = *selected;
    tree_ = std::move(tree);
    estimate_ = std::move(estimate);
    schedule_ = std::move(schedule);
    if (same) {
        const int before = choices_->geometry().top();
        fill_facts();
        body_->layout()->activate();
        if (choices_->geometry().top() != before)
            disarm();
        return;
    }
    if (kept_scroll_ < 0)
        kept_scroll_ = verticalScrollBar()->value();
    rebuild();
}

void InspectorView::set_device(DevicePtr device) {
    if (device_ == device)
        return;
    device_ = std::move(device);
    rebuild();
}

void InspectorView::set_selected(const NodeId& id) { set_selected_nodes({id}); }

void InspectorView::set_selected_nodes(const std::vector<NodeId>& all) {
    if (nodes() == all || all.empty())
        return;
    selected_ = all.front();
    selected_too_.assign(all.begin() + 1, all.end());
    kept_scroll_ = -1;
    verticalScrollBar()->setValue(0);
    rebuild();
}

std::vector<NodeId> InspectorView::nodes() const {
    std::vector<NodeId> all{selected_};
    all.insert(all.end(), selected_too_.begin(), selected_too_.end());
    return all;
}

void InspectorView::set_companions(const QStringList& stages, bool together) {
    constexpr qsizetype kNamed = 3;
    const QString names = QStringList(stages.mid(0, kNamed)).join(QStringLiteral(", "));
    companions_->setText(stages.size() > kNamed
                             ? tr("Also %1 and %2 more").arg(names).arg(stages.size() - kNamed)
                             : tr("Also %1").arg(names));
    companions_->setAccessibleName(companions_->text());
    companions_->setChecked(together);
    companions_->setVisible(!stages.empty());
}

void InspectorView::set_baseline(Baseline baseline) {
    baseline_ = std::move(baseline);
    fill_facts();
}

void InspectorView::set_services(EditServices services) { services_ = std::move(services); }

QString InspectorView::breadcrumb() const {
    const QString colour = theme_of(*this).accent.name();
    const QFontMetrics metrics(text_font());
    QStringList parts;
    for (const TreeNode* node : tree_->path(selected_)) {
        if (node->kind == TreeKind::Root)
            continue;
        const QString whole = node->kind == TreeKind::Compute ? tr("value")
                              : node->kind == TreeKind::Storage
                                  ? tr("%1 storage").arg(node_name(*node))
                                  : node_name(*node);
        const QString name = metrics.elidedText(whole, Qt::ElideMiddle, kWidestName);
        parts << (node->id == selected_
                      ? "<b>" + name.toHtmlEscaped() + "</b>"
                      : QStringLiteral(
                            "<a style=\"color:%1; text-decoration:none\" href=\"%2\">%3</a>")
                            .arg(colour,
                                 QString::fromUtf8(
                                     QUrl::toPercentEncoding(to_qstring(node->id.text()))),
                                 name.toHtmlEscaped()));
    }
    if (parts.isEmpty())
        parts << "<b>" + node_title(selected_).toHtmlEscaped() + "</b>";
    return parts.join(QStringLiteral(" › "));
}

QString InspectorView::heading_of_several() const {
    const auto all = nodes();
    const QString names = names_text(all).toHtmlEscaped();
    const QString text =
        QStringLiteral("<b>%1</b> · %2").arg(nodes_title(all).toHtmlEscaped(), names);
    return all.size() > kMostAtOnce
               ? text + "<br>" + tr("At most %1 are changed at once.").arg(kMostAtOnce)
               : text;
}

// Facts are of one.
void InspectorView::fill_facts() {
    const bool several = tree_ && !selected_too_.empty();
    const std::vector<Fact> facts =
        tree_ && !several && !selected_.stage.empty()
            ? node_facts(*tree_, estimate_.get(), selected_, baseline_, device_.get())
            : std::vector<Fact>{};
    // From a choice that is hidden the keyboard would go on to another panel.
    const bool nothing = facts.empty() && !several;
    if (const QWidget* focus = QApplication::focusWidget();
        nothing && focus && body_->isAncestorOf(focus))
        setFocus(Qt::OtherFocusReason);
    empty_->setVisible(nothing);
    body_->setVisible(!nothing);
    if (nothing)
        return;
    path_->setText(several ? heading_of_several() : breadcrumb());
    std::vector<FactRow> rows;
    std::vector<const Fact*> code;
    for (const Fact& fact : facts) {
        if (fact.code) {
            code.push_back(&fact);
            continue;
        }
        FactRow row;
        row.name = fact_title(fact);
        row.value = fact.value;
        row.tooltip = fact.tooltip;
        row.change = fact.change;
        row.sign = fact.sign;
        rows.push_back(std::move(row));
    }
    list_->set_least_name_width(name_column());
    list_->set_rows(std::move(rows));
    fill_code(code);
}

void InspectorView::fill_code(const std::vector<const Fact*>& facts) {
    const Theme& t = theme_of(*this);
    while (code_.size() > facts.size()) {
        discard(*facts_, code_.back().line);
        code_.pop_back();
    }
    while (code_.size() < facts.size()) {
        CodeFact fact{new QWidget, new QLabel, new WrappedLabel};
        auto* across = new QHBoxLayout(fact.line);
        across->setContentsMargins(0, 0, 0, 0);
        across->setSpacing(0);
        fact.code->setTextFormat(Qt::PlainText);
        fact.code->setTextInteractionFlags(Qt::TextSelectableByMouse);
        across->addWidget(fact.name, 0, Qt::AlignTop);
        across->addWidget(fact.code, 1);
        facts_->addWidget(fact.line);
        code_.push_back(fact);
    }
    for (std::size_t i = 0; i < facts.size(); ++i) {
        code_[i].name->setText(fact_title(*facts[i]));
        code_[i].name->setFixedWidth(name_column());
        code_[i].code->setText(facts[i]->value);
        keep_font(*code_[i].code, code_font);
        set_text_colour(*code_[i].code, t.faint);
        code_[i].code->setToolTip(facts[i]->tooltip);
        code_[i].code->setAccessibleName(fact_title(*facts[i]));
    }
}

// Facts and choices are two lists, and one column of names.
int InspectorView::name_column() const {
    return static_cast<int>(
               std::ceil(QFontMetricsF(text_font()).horizontalAdvance(tr("Copy what it reads")))) +
           12;
}

// What is pointed at has another place now. Elsewhere the pointer is of no concern.
void InspectorView::disarm() {
    const QPoint at = QCursor::pos();
    disarmed_ =
        viewport()->isVisible() && viewport()->rect().contains(viewport()->mapFromGlobal(at));
    rest_ = at;
    moved_.start();
}

bool InspectorView::has_moved(const QPoint& global) const {
    constexpr int kTremor = 3; // pixels: a hand at rest
    return (global - rest_).manhattanLength() > kTremor;
}

// The keyboard moves the view as it moves on.
bool InspectorView::focusNextPrevChild(bool next) {
    kept_scroll_ = -1;
    wanted_focus_.clear();
    return QScrollArea::focusNextPrevChild(next);
}

void InspectorView::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    // Rows measure and colour their parts as they are made.
    if ((event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) && body_)
        rebuild(true);
}

} // namespace loopscope::views
