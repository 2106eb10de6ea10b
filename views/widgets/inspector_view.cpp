#include "views/widgets/inspector_view.h"

#include "views/models/node_facts.h"
#include "views/models/node_text.h"
#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/empty_state.h"
#include "views/widgets/fact_rows.h"
#include "views/widgets/flow_layout.h"

#include <QElapsedTimer>
#include <QEvent>
#include <QLabel>
#include <QPushButton>
#include <QScrollBar>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

namespace loopscope::views {

namespace {

constexpr int kSliceMilliseconds = 6; // of judging, between two events
constexpr int kTitleWidth = 92;

void empty_layout(QLayout* layout) {
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        } else if (item->layout()) {
            empty_layout(item->layout());
        }
        delete item;
    }
}

QString short_label(const DirectiveGroup& group, const DirectiveChoice& choice) {
    QString text = choice.label;
    if (group.verb == "split" && text.startsWith("by "))
        text.remove(0, 3);
    if (text.startsWith("native:"))
        text = QStringLiteral("native");
    if (text.startsWith("all "))
        text = QStringLiteral("all");
    if (const auto comma = text.indexOf(", with "); comma > 0)
        text.truncate(comma);
    return text;
}

// A line of its own for what has several choices, or whose one choice needs its name.
bool in_a_row(const DirectiveGroup& group) {
    return group.choices.size() > 1 ||
           (group.choices.size() == 1 && group.choices.front().label != group.title);
}

} // namespace

InspectorView::InspectorView(QWidget* parent) : QScrollArea(parent), judge_(new QTimer(this)) {
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
    path_ = new QLabel;
    path_->setWordWrap(true);
    path_->setAccessibleName(tr("Where it is"));
    column->addWidget(path_);
    facts_ = new QVBoxLayout;
    facts_->setSpacing(4);
    column->addLayout(facts_);
    choices_ = new QVBoxLayout;
    choices_->setSpacing(kGap);
    column->addLayout(choices_);
    column->addStretch();
    setWidget(page);
    judge_->setSingleShot(true);
    judge_->setInterval(0);
    connect(judge_, &QTimer::timeout, this, &InspectorView::judge_some);
    connect(path_, &QLabel::linkActivated, this, [this](const QString& link) {
        NodeId id;
        if (NodeId::parse(QUrl::fromPercentEncoding(link.toUtf8()).toStdString(), id))
            emit nodeSelected(id);
    });
    rebuild();
}

void InspectorView::set_snapshot(ScheduleTreePtr tree, EstimatePtr estimate) {
    const bool same = tree == tree_;
    tree_ = std::move(tree);
    estimate_ = std::move(estimate);
    if (same)
        fill_facts();
    else
        rebuild();
}

void InspectorView::set_selected(const NodeId& id) {
    if (selected_ == id)
        return;
    selected_ = id;
    verticalScrollBar()->setValue(0);
    rebuild();
}

void InspectorView::set_refusal_reason(RefusalReason reason) { refusal_ = std::move(reason); }
void InspectorView::set_preview_request(PreviewRequest request) { preview_ = std::move(request); }

QString InspectorView::breadcrumb() const {
    const QString colour = theme_of(*this).accent.name();
    QStringList parts;
    for (const TreeNode* node : tree_->path(selected_)) {
        if (node->kind == TreeKind::Root)
            continue;
        const QString name = node->kind == TreeKind::Compute ? tr("value")
                             : node->kind == TreeKind::Storage
                                 ? tr("%1 storage").arg(node_name(*node))
                                 : node_name(*node);
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

void InspectorView::rebuild() {
    ++question_;
    unjudged_.clear();
    const QString focused = focusWidget() && body_->isAncestorOf(focusWidget())
                                ? focusWidget()->objectName()
                                : QString();
    empty_layout(choices_);
    const std::vector<DirectiveGroup> groups = tree_ && !selected_.stage.empty()
                                                   ? directive_groups(*tree_, selected_)
                                                   : std::vector<DirectiveGroup>{};
    fill_facts();
    if (body_->isHidden())
        return;
    for (const DirectiveGroup& group : groups)
        if (in_a_row(group))
            add_group(group);
    add_single_choices(groups);
    if (!focused.isEmpty())
        if (auto* again = body_->findChild<QPushButton*>(focused))
            again->setFocus();
    judge_->start();
}

void InspectorView::fill_facts() {
    empty_layout(facts_);
    const std::vector<Fact> facts = tree_ && !selected_.stage.empty()
                                        ? node_facts(*tree_, estimate_.get(), selected_)
                                        : std::vector<Fact>{};
    empty_->setVisible(facts.empty());
    body_->setVisible(!facts.empty());
    emit titleChanged(facts.empty() ? QString() : node_title(selected_));
    if (facts.empty())
        return;
    path_->setText(breadcrumb());
    std::vector<FactRow> rows;
    for (const Fact& fact : facts)
        if (!fact.code) {
            FactRow row;
            row.name = fact.name;
            row.value = fact.value;
            row.tooltip = fact.tooltip;
            rows.push_back(std::move(row));
        }
    auto* list = new FactRows;
    list->setAccessibleName(tr("Facts"));
    list->set_rows(std::move(rows));
    facts_->addWidget(list);
    const Theme& t = theme_of(*this);
    for (const Fact& fact : facts)
        if (fact.code) {
            auto* code =
                new QLabel(QStringLiteral("%1 <span style=\"font-family:'%2'; color:%3\">%4</span>")
                               .arg(fact.name.toHtmlEscaped(), code_font().family(), t.faint.name(),
                                    fact.value.toHtmlEscaped()));
            code->setWordWrap(true);
            code->setTextInteractionFlags(Qt::TextSelectableByMouse);
            code->setToolTip(fact.tooltip);
            code->setAccessibleName(fact.name);
            facts_->addWidget(code);
        }
}

QPushButton* InspectorView::make_button(const QString& text, const DirectiveGroup& group,
                                        const DirectiveChoice& choice, QLabel* note) {
    auto* button = new QPushButton(text);
    button->setObjectName(group.verb + '/' + text);
    button->setAccessibleName(group.title + ' ' + choice.label);
    button->setToolTip(choice.line);
    button->setProperty("line", choice.line);
    button->setProperty("note", QVariant::fromValue<QObject*>(note));
    button->setStyleSheet(QStringLiteral("padding: 2px 8px;"));
    button->installEventFilter(this);
    connect(button, &QPushButton::clicked, this,
            [this, line = choice.line] { emit directiveRequested(line); });
    unjudged_.push_back({button, choice.line, note});
    return button;
}

void InspectorView::add_group(const DirectiveGroup& group) {
    auto* line = new QWidget;
    auto* across = new QHBoxLayout(line);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(kGap);
    auto* title = new QLabel(group.title);
    title->setToolTip(group.summary);
    title->setFixedWidth(kTitleWidth);
    title->setWordWrap(true);
    title->setContentsMargins(0, 3, 0, 0);
    across->addWidget(title, 0, Qt::AlignTop);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    auto* flow = new FlowLayout(4);
    auto* note = new QLabel;
    note->setWordWrap(true);
    note->setFont(small_font());
    note->hide();
    for (const DirectiveChoice& choice : group.choices)
        flow->addWidget(make_button(short_label(group, choice), group, choice, note));
    right->addLayout(flow);
    right->addWidget(note);
    across->addLayout(right, 1);
    choices_->addWidget(line);
}

void InspectorView::add_single_choices(const std::vector<DirectiveGroup>& groups) {
    auto* line = new QWidget;
    auto* column = new QVBoxLayout(line);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    auto* flow = new FlowLayout(4);
    auto* note = new QLabel;
    note->setWordWrap(true);
    note->setFont(small_font());
    note->hide();
    for (const DirectiveGroup& group : groups)
        if (!in_a_row(group) && !group.choices.empty())
            flow->addWidget(make_button(group.title, group, group.choices.front(), note));
    column->addLayout(flow);
    column->addWidget(note);
    choices_->addWidget(line);
}

void InspectorView::judge_some() {
    QElapsedTimer watch;
    watch.start();
    while (!unjudged_.empty() && watch.elapsed() < kSliceMilliseconds) {
        const Unjudged next = unjudged_.front();
        unjudged_.pop_front();
        if (!next.button || !refusal_)
            continue;
        const std::optional<QString> reason = refusal_(next.line);
        if (!next.button)
            continue;
        next.button->setEnabled(!reason);
        next.button->setProperty("reason", reason ? *reason : QString());
        if (!reason)
            continue;
        next.button->setToolTip(*reason);
        // Said in place once a line, so that a grey row explains itself without the mouse.
        if (next.note->isHidden())
            say(next.note, next.button->text() + ": " + *reason, 0);
    }
    if (!unjudged_.empty())
        judge_->start();
}

void InspectorView::say(QLabel* note, const QString& text, int sign) {
    const Theme& t = theme_of(*this);
    set_text_colour(*note, sign < 0   ? t.ink(Meaning::Vector)
                           : sign > 0 ? t.ink(Meaning::Pipelined)
                                      : t.faint);
    note->setText(text);
    note->setVisible(!text.isEmpty());
}

void InspectorView::hovered(QPushButton* button) {
    auto* note = qobject_cast<QLabel*>(button->property("note").value<QObject*>());
    if (!note)
        return;
    const QString reason = button->property("reason").toString();
    if (!reason.isEmpty()) {
        say(note, button->text() + ": " + reason, 0);
        return;
    }
    if (!preview_)
        return;
    const int question = ++question_;
    preview_(button->property("line").toString(),
             [self = QPointer<InspectorView>(this), note = QPointer<QLabel>(note), question,
              text = button->text()](const Preview& preview) {
                 if (self && note && self->question_ == question)
                     self->say(note, text + ": " + preview.text, preview.sign);
             });
}

bool InspectorView::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn) {
        if (auto* button = qobject_cast<QPushButton*>(watched))
            hovered(button);
    } else if (event->type() == QEvent::Leave) {
        ++question_; // Escape by moving away: a late answer is not shown
    }
    return QScrollArea::eventFilter(watched, event);
}

void InspectorView::changeEvent(QEvent* event) {
    QScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && body_)
        rebuild();
}

} // namespace loopscope::views
