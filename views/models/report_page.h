#pragma once
// A page of HTML that stands alone: no script, no server, nothing that is fetched. It is
// well-formed XML as well, and whatever text it is given stays text.

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <QXmlStreamWriter>

#include <vector>

namespace loopscope::views {

struct ReportTable {
    struct Column {
        QString title;
        bool number = true; // right-aligned
    };
    QString caption;
    std::vector<Column> columns;
    std::vector<QStringList> rows; // as long as `columns`
};

class ReportPage {
public:
    explicit ReportPage(const QString& title);
    ReportPage(const ReportPage&) = delete;
    ReportPage& operator=(const ReportPage&) = delete;

    void section(const QString& heading); // ends with the next one
    void paragraph(const QString& text);
    void code(const QString& caption, const QString& text);
    void table(const ReportTable& table);
    // `svg`: a whole SVG file. One that is damaged is said to be.
    void figure(const QString& caption, const QByteArray& svg);
    QByteArray finish(); // the page; nothing can be added any more

private:
    void element(const QString& name, const QString& text, const QString& of_class = {});
    void row(const ReportTable& table, const QStringList& cells);
    void copy(const QByteArray& svg);

    QByteArray bytes_;
    QXmlStreamWriter out_;
    bool in_section_ = false;
};

} // namespace loopscope::views
