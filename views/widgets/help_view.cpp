#include "views/widgets/help_view.h"

#include "views/style/fonts.h"
#include "views/style/theme.h"
#include "views/widgets/focus_line.h"
#include "views/widgets/search_field.h"

#include <QDesktopServices>
#include <QDir>
#include <QEvent>
#include <QFile>
#include <QHeaderView>
#include <QPushButton>
#include <QScrollBar>
#include <QSplitter>
#include <QTextBlock>
#include <QTextBrowser>
#include <QTextTable>
#include <QTreeWidget>
#include <QUrl>
#include <QVBoxLayout>

namespace loopscope::views {

namespace {

constexpr int kContentsWidth = 270;
constexpr int kPosition = Qt::UserRole, kPage = Qt::UserRole + 1;

QString read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString title_of(const QString& markdown) {
    for (const auto& line : markdown.split('\n'))
        if (line.startsWith("# "))
            return line.mid(2).remove('`');
    return {};
}

// One-pixel lines and room around the words, in the theme's colours.
void restyle_tables(QTextFrame& frame, const Theme& colours) {
    for (auto* child : frame.childFrames()) {
        restyle_tables(*child, colours);
        auto* table = qobject_cast<QTextTable*>(child);
        if (!table)
            continue;
        auto format = table->format();
        format.setBorderCollapse(true);
        format.setBorder(1);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderBrush(colours.line);
        format.setCellSpacing(0);
        format.setCellPadding(6);
        format.setTopMargin(6);
        format.setBottomMargin(10);
        table->setFormat(format);
    }
}

} // namespace

HelpView::HelpView(const QString& folder, const QStringList& order, QWidget* parent)
    : QWidget(parent), folder_(folder), order_(order) {
    auto* split = new QSplitter(this);
    contents_ = new QTreeWidget(split);
    contents_->setHeaderHidden(true);
    new FocusLine(contents_);
    contents_->setAccessibleName(tr("Contents of the help"));
    contents_->setToolTip(tr("Pages and their sections; Enter goes there"));
    text_ = new QTextBrowser(split);
    text_->setAccessibleName(tr("Help text"));
    text_->setOpenLinks(false);
    new FocusLine(text_);
    text_->setFrameShape(QFrame::NoFrame);
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setSizes({kContentsWidth, 960 - kContentsWidth});
    split->setHandleWidth(4); // the line and room for the pointer
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(make_buttons());
    layout->addWidget(split, 1);
    search_ = new SearchField(text_);
    search_->setAccessibleName(tr("Search this page"));
    connect(search_, &QLineEdit::textChanged, this, [this] {
        text_->moveCursor(QTextCursor::Start);
        find_next(true);
    });
    connect(search_, &SearchField::nextRequested, this, &HelpView::find_next);
    connect(text_, &QTextBrowser::anchorClicked, this, &HelpView::follow);
    auto go = [this](QTreeWidgetItem* item) {
        leave();
        if (load(item->data(0, kPage).toString()))
            go_to(item->data(0, kPosition).toInt());
    };
    connect(contents_, &QTreeWidget::itemClicked, this, go);
    connect(contents_, &QTreeWidget::itemActivated, this, go);
    fill_contents();
    if (auto all = pages(); !all.isEmpty())
        load(all.first());
}

QLayout* HelpView::make_buttons() {
    auto* across = new QHBoxLayout;
    across->setContentsMargins(kGap, 4, kGap, 4);
    back_ = new QPushButton(tr("← Back"), this);
    back_->setToolTip(tr("Goes to where you were before (Alt+Left)"));
    back_->setAccessibleName(tr("Back"));
    back_->setShortcut(QKeySequence(Qt::ALT | Qt::Key_Left));
    back_->setEnabled(false);
    connect(back_, &QPushButton::clicked, this, &HelpView::go_back);
    auto* search = new QPushButton(tr("Search  Ctrl+F"), this);
    search->setAccessibleName(tr("Search this page"));
    connect(search, &QPushButton::clicked, this, &HelpView::start_search);
    across->addWidget(back_);
    across->addStretch();
    across->addWidget(search);
    return across;
}

void HelpView::leave() {
    if (page_.isEmpty())
        return;
    const std::pair<QString, int> here{page_, text_->textCursor().position()};
    if (visited_.empty() || visited_.back() != here)
        visited_.push_back(here);
    back_->setEnabled(true);
}

void HelpView::go_back() {
    if (visited_.empty())
        return;
    const auto [page, position] = visited_.back();
    visited_.pop_back();
    back_->setEnabled(!visited_.empty());
    if (load(page))
        go_to(position);
}

QString HelpView::section() const {
    const auto* item = contents_->currentItem();
    return item ? item->text(0) : QString();
}

// The last section of the page that begins at or before the place.
void HelpView::mark_section(int position) {
    for (int i = 0; i < contents_->topLevelItemCount(); ++i) {
        auto* item = contents_->topLevelItem(i);
        if (item->data(0, kPage).toString() != page_)
            continue;
        auto* marked = item;
        for (int s = 0; s < item->childCount(); ++s)
            if (item->child(s)->data(0, kPosition).toInt() <= position)
                marked = item->child(s);
        contents_->setCurrentItem(marked);
        contents_->scrollToItem(marked);
    }
}

QStringList HelpView::pages() const {
    QStringList names;
    for (const auto& name : order_)
        if (QFile::exists(folder_ + "/" + name + ".md"))
            names << name;
    for (const auto& file : QDir(folder_).entryList({"*.md"}, QDir::Files, QDir::Name))
        if (auto name = file.chopped(3); !names.contains(name))
            names << name;
    return names;
}

// A page is laid out once to find its headings: positions in the document are what the contents
// lead to.
void HelpView::fill_contents() {
    for (const auto& name : pages()) {
        auto markdown = read(folder_ + "/" + name + ".md");
        auto* page = new QTreeWidgetItem(contents_, {title_of(markdown)});
        page->setData(0, kPage, name);
        page->setData(0, kPosition, 0);
        QTextDocument document;
        document.setMarkdown(markdown);
        for (auto block = document.begin(); block.isValid(); block = block.next()) {
            if (block.blockFormat().headingLevel() != 2)
                continue;
            auto* section = new QTreeWidgetItem(page, {block.text()});
            section->setToolTip(0, block.text());
            section->setData(0, kPage, name);
            section->setData(0, kPosition, block.position());
        }
    }
}

bool HelpView::load(const QString& page) {
    if (page == page_)
        return true;
    auto markdown = read(folder_ + "/" + page + ".md");
    if (markdown.isEmpty())
        return false;
    page_ = page;
    text_->setMarkdown(markdown);
    restyle();
    for (int i = 0; i < contents_->topLevelItemCount(); ++i) {
        auto* item = contents_->topLevelItem(i);
        bool shown = item->data(0, kPage).toString() == page;
        item->setExpanded(shown);
        if (shown)
            contents_->setCurrentItem(item);
    }
    return true;
}

// What Markdown leaves open: the face of code, a surface behind it, room between paragraphs.
void HelpView::restyle() {
    const auto& colours = theme_of(*this);
    auto* document = text_->document();
    document->setDocumentMargin(16);
    for (auto block = document->begin(); block.isValid(); block = block.next()) {
        QTextCursor cursor(block);
        bool code = block.blockFormat().hasProperty(QTextFormat::BlockCodeFence) ||
                    block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage);
        auto format = block.blockFormat();
        if (code) {
            format.setBackground(colours.raised);
            format.setNonBreakableLines(false);
        } else if (!cursor.currentTable()) {
            format.setBottomMargin(8);
        }
        const int heading = format.headingLevel();
        // also after code, which has no margin of its own
        if (heading > 1)
            format.setTopMargin(18);
        cursor.setBlockFormat(format);
        for (auto it = block.begin(); !it.atEnd(); ++it) {
            auto fragment = it.fragment();
            const bool fixed = fragment.charFormat().fontFixedPitch() || code;
            if (!fixed && heading == 0)
                continue;
            QTextCursor part(document);
            part.setPosition(fragment.position());
            part.setPosition(fragment.position() + fragment.length(), QTextCursor::KeepAnchor);
            QTextCharFormat face;
            if (heading > 0) { // Markdown's reader gives what follows code in it the size of text
                face.setProperty(QTextFormat::FontSizeAdjustment, 4 - heading);
                face.setFontWeight(QFont::Bold);
            }
            if (fixed) {
                face.setFontFamilies({code_font().family()});
                face.setFontFixedPitch(true);
            }
            if (fixed && !code && heading == 0)
                face.setBackground(colours.raised);
            part.mergeCharFormat(face);
        }
    }
    restyle_tables(*document->rootFrame(), colours);
    document->setModified(false);
}

bool HelpView::show_place(const QString& page, const QString& word) {
    if (isVisible()) // else nobody was anywhere
        leave();
    if (!load(page)) {
        if (!visited_.empty() && isVisible())
            visited_.pop_back();
        back_->setEnabled(!visited_.empty());
        return false;
    }
    if (word.isEmpty()) {
        go_to(0);
        return true;
    }
    // A heading of that name, else one that holds the word, else the first mention.
    auto* document = text_->document();
    int heading = -1, mention = -1;
    for (auto block = document->begin(); block.isValid(); block = block.next()) {
        if (!block.text().contains(word, Qt::CaseInsensitive))
            continue;
        bool is_heading = block.blockFormat().headingLevel() > 0;
        if (is_heading && block.text().compare(word, Qt::CaseInsensitive) == 0) {
            go_to(block.position());
            return true;
        }
        int& first = is_heading ? heading : mention;
        if (first < 0)
            first = block.position();
    }
    go_to(heading >= 0 ? heading : std::max(mention, 0));
    return true;
}

void HelpView::go_to(int position) {
    QTextCursor cursor(text_->document());
    cursor.setPosition(position);
    text_->setTextCursor(cursor);
    mark_section(position);
    // The place stands at the top, not somewhere in view.
    auto* bar = text_->verticalScrollBar();
    bar->setValue(bar->value() + text_->cursorRect(cursor).top() - 8);
}

QString HelpView::place() const { return text_->textCursor().block().text(); }

void HelpView::follow(const QUrl& link) {
    auto name = link.path();
    if (link.isRelative() && name.endsWith(".md")) {
        show_place(name.chopped(3), link.fragment().replace('-', ' '));
        return;
    }
    QDesktopServices::openUrl(link);
}

void HelpView::start_search() { search_->open(); }

void HelpView::find_next(bool forward) {
    auto word = search_->text();
    if (word.isEmpty())
        return search_->say_found(true);
    QTextDocument::FindFlags flags;
    if (!forward)
        flags |= QTextDocument::FindBackward;
    if (text_->find(word, flags))
        return search_->say_found(true);
    text_->moveCursor(forward ? QTextCursor::Start : QTextCursor::End);
    search_->say_found(text_->find(word, flags));
}

void HelpView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && !page_.isEmpty())
        restyle();
}

void HelpView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    search_->place(text_->viewport()->rect());
}

} // namespace loopscope::views
