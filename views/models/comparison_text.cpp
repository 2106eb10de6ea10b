// A comparison as text: Markdown for where it is rendered, plain text with the columns in line for
// where it is not.

#include "views/models/schedule_pair.h"

#include <QObject>

#include <algorithm>

namespace loopscope::views {

namespace {

QString better_word(int sign) {
    return sign < 0 ? QObject::tr("right") : sign > 0 ? QObject::tr("left") : QString();
}

QString ratio_text(const ComparedNumber& n) {
    return n.ratio ? QString::number(*n.ratio, 'g', 3) : QString();
}

// What Markdown would take for its own.
QString cell(QString text) { return text.replace('|', QStringLiteral("\\|")); }

class Writer {
public:
    explicit Writer(TextForm form) : markdown_(form == TextForm::Markdown) {}

    void title(const QString& text) { head(text, QStringLiteral("# "), '='); }
    void heading(const QString& text) {
        line({});
        head(text, QStringLiteral("## "), '-');
    }
    void line(const QString& text) { out_ += text + '\n'; }
    void item(const QString& text) { line((markdown_ ? "- " : "  ") + text); }
    void differences(const QStringList& lines) {
        line(markdown_ ? QStringLiteral("```diff") : QString());
        for (const QString& each : lines)
            line(each);
        if (markdown_)
            line(QStringLiteral("```"));
    }
    void table(const std::vector<QStringList>& rows) {
        if (markdown_)
            for (std::size_t i = 0; i < rows.size(); ++i) {
                QStringList cells;
                for (const QString& text : rows[i])
                    cells << cell(text);
                line("| " + cells.join(" | ") + " |");
                if (i == 0)
                    line("| --- |" + QStringLiteral(" ---: |").repeated(rows[i].size() - 1));
            }
        else
            columns(rows);
    }
    QString text() const { return out_; }

private:
    void head(const QString& text, const QString& mark, QChar below) {
        line(markdown_ ? mark + text : text);
        if (!markdown_)
            line(QString(text.size(), below));
        line({});
    }
    void columns(const std::vector<QStringList>& rows) {
        std::vector<qsizetype> widths;
        for (const QStringList& row : rows)
            for (qsizetype i = 0; i < row.size(); ++i) {
                widths.resize(std::max(widths.size(), static_cast<std::size_t>(i) + 1));
                auto& width = widths[static_cast<std::size_t>(i)];
                width = std::max(width, row[i].size());
            }
        for (const QStringList& row : rows) {
            QString text;
            for (qsizetype i = 0; i < row.size(); ++i) {
                const auto width = widths[static_cast<std::size_t>(i)];
                text += i == 0 ? row[i].leftJustified(width) : "  " + row[i].rightJustified(width);
            }
            while (text.endsWith(' '))
                text.chop(1);
            line(text);
        }
    }

    bool markdown_;
    QString out_;
};

// What differs, with the rows around it: equal ones begin with a space.
QStringList difference_lines(const SideRows& rows) {
    SideBySideModel model;
    model.set_rows(rows);
    model.set_folded(true);
    QStringList lines;
    for (int row = 0; row < model.rowCount(); ++row)
        lines << (model.row_at(row)
                      ? model.text(row)
                      : "@@ " + QObject::tr("%1 equal rows").arg(model.run_length(row)) + " @@");
    return lines;
}

} // namespace

QString to_text(const SchedulePair& pair, TextForm form) {
    Writer out(form);
    out.title(QObject::tr("Two schedules compared"));
    const std::pair<QString, const ComparedSchedule*> sides[] = {
        {QObject::tr("left"), &pair.left}, {QObject::tr("right"), &pair.right}};
    for (const auto& [name, side] : sides)
        out.item(QObject::tr("%1: %2 (%3)").arg(name, side->title, times_text(*side)));
    out.item(QObject::tr("estimates for: %1").arg(pair.device));
    out.line({});
    out.line(headline(pair).text + '.');
    QString group;
    std::vector<QStringList> rows;
    auto flush = [&] {
        if (!rows.empty()) {
            out.heading(group);
            rows.insert(rows.begin(), {QObject::tr("quantity"), QObject::tr("left"),
                                       QObject::tr("right"), QObject::tr("right / left"),
                                       QObject::tr("change"), QObject::tr("better")});
            out.table(rows);
        }
        rows.clear();
    };
    for (const ComparedNumber& n : pair.numbers) {
        if (n.group != group)
            flush();
        group = n.group;
        rows.push_back({n.name, n.before, n.now, ratio_text(n), n.change, better_word(n.sign)});
    }
    flush();
    out.heading(QObject::tr("Script"));
    if (differing_rows(pair.script) == 0)
        out.line(QObject::tr("The scripts say the same."));
    else
        out.differences(difference_lines(pair.script));
    out.heading(QObject::tr("Schedule tree"));
    if (!pair.left.tree || !pair.right.tree)
        out.line(QObject::tr("There are no two trees to compare."));
    else if (differing_rows(pair.tree) == 0)
        out.line(QObject::tr("The trees are the same."));
    else
        out.differences(difference_lines(pair.tree));
    return out.text();
}

} // namespace loopscope::views
