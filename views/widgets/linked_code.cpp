#include "views/widgets/linked_code.h"

#include "views/widgets/long_lines.h"

#include <Qsci/qsciscintilla.h>

#include <QKeyEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::views {

namespace {

constexpr int kSelectionMarker = 4, kAddedMarker = 2, kRemovedMarker = 3; // a higher one is above
constexpr int kNumbers = 0, kSigns = 1;                                   // margins
constexpr int kAddedPart = 8, kRemovedPart = 9; // indicators: what differs inside a changed line

NodeId origin(const SourceText& source, int line) {
    return line >= 0 && line < static_cast<int>(source.lines.size())
               ? source.lines[static_cast<std::size_t>(line)]
               : NodeId{};
}

} // namespace

LinkedCode::LinkedCode(const char* language, Tokenize tokenize, const QString& accessible_name,
                       QWidget* parent)
    : QWidget(parent), editor_(new QsciScintilla), lexer_(new LineLexer(language, tokenize, this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(editor_);
    setFocusProxy(editor_);
    editor_->setAccessibleName(accessible_name);
    prepare_code_editor(*editor_);
    editor_->setLexer(lexer_);
    editor_->setReadOnly(true);
    for (int marker : {kSelectionMarker, kAddedMarker, kRemovedMarker})
        editor_->markerDefine(QsciScintilla::Background, marker);
    for (int indicator : {kAddedPart, kRemovedPart}) {
        editor_->indicatorDefine(QsciScintilla::StraightBoxIndicator, indicator);
        editor_->setIndicatorDrawUnder(true, indicator);
    }
    editor_->setMarginType(kSigns, QsciScintilla::TextMargin);
    // The editor announces its cursor only when it paints, also after a text was set: what a person
    // does is seen by the release of a key or a button.
    editor_->installEventFilter(this);
    editor_->viewport()->installEventFilter(this);
    recolour();
}

void LinkedCode::set_source(const SourceText& source) {
    diff_ = {};
    const auto lines = static_cast<std::size_t>(source.text.count('\n')) + 1;
    origins_.assign(source.lines.begin(),
                    source.lines.begin() +
                        static_cast<std::ptrdiff_t>(std::min(lines, source.lines.size())));
    origins_.resize(lines);
    set_text(source.text);
}

void LinkedCode::set_difference(const SourceText& before, const SourceText& after,
                                const LineDiff& diff) {
    diff_ = diff;
    origins_.clear();
    const std::string old_text = before.text.toStdString(), new_text = after.text.toStdString();
    const auto old_lines = split_lines(old_text), new_lines = split_lines(new_text);
    std::string merged;
    for (const DiffLine& line : diff_.lines) {
        const bool older = line.after < 0;
        merged += older ? old_lines[static_cast<std::size_t>(line.before)]
                        : new_lines[static_cast<std::size_t>(line.after)];
        merged += '\n';
        origins_.push_back(older ? origin(before, line.before) : origin(after, line.after));
    }
    set_text(QString::fromStdString(merged));
}

QString LinkedCode::shown_text() const { return editor_->text(); }

void LinkedCode::set_text(const QString& whole) {
    const auto text = shorten_lines(whole).text;
    if (editor_->text() != text) {
        const int top = editor_->firstVisibleLine();
        editor_->setText(text);
        editor_->setFirstVisibleLine(top);
    }
    mark_differences();
    set_selected(selected_, false);
}

void LinkedCode::mark_differences() {
    for (int marker : {kAddedMarker, kRemovedMarker})
        editor_->markerDeleteAll(marker);
    editor_->clearMarginText();
    runs_.clear();
    run_ = -1;
    const bool both = !diff_.lines.empty();
    editor_->setMarginWidth(kNumbers, both ? QString() : QStringLiteral("00000"));
    editor_->setMarginWidth(kSigns, both ? QStringLiteral(" + 00000") : QString());
    editor_->setMarginWidth(both ? kNumbers : kSigns, 0);
    bool in_run = false;
    for (std::size_t i = 0; i < diff_.lines.size(); ++i) {
        const DiffLine& line = diff_.lines[i];
        const bool older = line.after < 0, same = line.change == LineChange::Same;
        const bool changed = line.change == LineChange::Before || line.change == LineChange::After;
        const QString sign = same      ? QStringLiteral(" ")
                             : changed ? QStringLiteral("~")
                             : older   ? QStringLiteral("−")
                                       : QStringLiteral("+");
        const QString number = older ? QString() : QString::number(line.after + 1);
        const int row = static_cast<int>(i);
        editor_->setMarginText(row, ' ' + sign + ' ' + number,
                               same    ? static_cast<int>(CodeStyle::Comment)
                               : older ? style_of(Meaning::Pipelined)
                                       : style_of(Meaning::Vector));
        if (!same)
            editor_->markerAdd(row, older ? kRemovedMarker : kAddedMarker);
        if (!same && !in_run)
            runs_.push_back(row);
        in_run = !same;
    }
    mark_parts();
    emit runChanged();
}

// Inside the two forms of a changed line, what is not alike.
void LinkedCode::mark_parts() {
    for (int indicator : {kAddedPart, kRemovedPart}) {
        editor_->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, indicator);
        editor_->SendScintilla(
            QsciScintilla::SCI_INDICATORCLEARRANGE, 0,
            static_cast<long>(editor_->SendScintilla(QsciScintilla::SCI_GETLENGTH)));
    }
    auto text_of = [this](int row) {
        const auto begin = static_cast<int>(
                       editor_->SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, row)),
                   end = static_cast<int>(
                       editor_->SendScintilla(QsciScintilla::SCI_GETLINEENDPOSITION, row));
        QByteArray text = editor_->bytes(begin, end);
        text.truncate(end - begin); // without a closing zero
        return std::pair(begin, text);
    };
    auto mark = [this](int indicator, int from, int to) {
        editor_->SendScintilla(QsciScintilla::SCI_SETINDICATORCURRENT, indicator);
        if (to > from)
            editor_->SendScintilla(QsciScintilla::SCI_INDICATORFILLRANGE, from,
                                   static_cast<long>(to - from));
    };
    for (std::size_t i = 0; i + 1 < diff_.lines.size(); ++i) {
        if (diff_.lines[i].change != LineChange::Before ||
            diff_.lines[i + 1].change != LineChange::After)
            continue;
        const auto [old_at, older] = text_of(static_cast<int>(i));
        const auto [new_at, newer] = text_of(static_cast<int>(i) + 1);
        const LinePart part =
            changed_part({older.constData(), static_cast<std::size_t>(older.size())},
                         {newer.constData(), static_cast<std::size_t>(newer.size())});
        mark(kRemovedPart, old_at + part.begin, old_at + part.end_before);
        mark(kAddedPart, new_at + part.begin, new_at + part.end_after);
    }
}

std::vector<int> LinkedCode::lines_of(const NodeId& id) const {
    std::vector<int> lines;
    if (id.stage.empty())
        return lines;
    // A stage or a buffer is wherever one of its definitions is; a loop or a point is where it is
    // itself.
    const bool whole = id.name == "@stage" || id.name == "@storage";
    for (std::size_t i = 0; i < origins_.size(); ++i) {
        const NodeId& from = origins_[i];
        if (from == id ||
            (whole && from.stage == id.stage && (id.name == "@stage" || from.name == id.name)))
            lines.push_back(static_cast<int>(i));
    }
    return lines;
}

void LinkedCode::set_selected(const NodeId& id, bool scroll) {
    selected_ = id;
    editor_->markerDeleteAll(kSelectionMarker);
    const std::vector<int> lines = lines_of(id);
    for (int line : lines)
        editor_->markerAdd(line, kSelectionMarker);
    if (scroll && !lines.empty())
        bring_into_view(lines.front(), 1);
}

// The line, and as many after it as there is room for.
void LinkedCode::bring_into_view(int line, int lines) {
    const int top = editor_->firstVisibleLine();
    const int visible = static_cast<int>(editor_->SendScintilla(QsciScintilla::SCI_LINESONSCREEN));
    if (line < top || line + std::min(lines, visible) > top + visible)
        editor_->setFirstVisibleLine(std::max(0, line - visible / 3));
}

void LinkedCode::show_first_run() {
    if (!runs_.empty())
        bring_into_view(runs_.front(), 3);
}

void LinkedCode::go_to_run(int run) {
    if (run < 0 || run >= runs())
        return;
    run_ = run;
    const int first = runs_[static_cast<std::size_t>(run)];
    editor_->setCursorPosition(first, 0);
    bring_into_view(first, 3);
    emit runChanged();
}

void LinkedCode::cursor_moved(int line) {
    if (line < 0 || line >= static_cast<int>(origins_.size()))
        return;
    const NodeId id = origins_[static_cast<std::size_t>(line)];
    if (id.stage.empty() || id == selected_)
        return;
    set_selected(id, false);
    emit nodeSelected(id);
}

void LinkedCode::recolour() {
    const Theme& t = theme_of(*this);
    shown_in_ = t.kind;
    recolour_code_editor(*editor_, *lexer_, t);
    editor_->setMarkerBackgroundColor(t.selection, kSelectionMarker);
    editor_->setMarkerBackgroundColor(mix(t.surface, t.mark(Meaning::Vector), 0.16), kAddedMarker);
    editor_->setMarkerBackgroundColor(mix(t.surface, t.mark(Meaning::Pipelined), 0.16),
                                      kRemovedMarker);
    const std::pair<int, Meaning> parts[] = {{kAddedPart, Meaning::Vector},
                                             {kRemovedPart, Meaning::Pipelined}};
    for (const auto& [indicator, meaning] : parts) {
        QColor colour = t.mark(meaning);
        colour.setAlphaF(0.28F);
        editor_->setIndicatorForegroundColor(colour, indicator);
        colour.setAlphaF(0);
        editor_->setIndicatorOutlineColor(colour, indicator);
    }
    editor_->setCaretLineVisible(false); // the marked lines are the selection's
    mark_differences();
}

void LinkedCode::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (is_theme_change(*event) &&
        (theme_of(*this).kind != shown_in_ || event->type() == QEvent::FontChange))
        recolour();
}

bool LinkedCode::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyRelease || event->type() == QEvent::MouseButtonRelease) {
        int line = 0, index = 0;
        editor_->getCursorPosition(&line, &index);
        QMetaObject::invokeMethod(this, [this, line] { cursor_moved(line); }, Qt::QueuedConnection);
    } else if (event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Slash || key->matches(QKeySequence::Find)) {
            emit searchRequested();
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope::views
