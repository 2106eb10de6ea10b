#include "views/models/report_page.h"

#include <QObject>
#include <QXmlStreamReader>

#include <utility>

namespace loopscope::views {

namespace {

// No character of it may need escaping: in HTML the text of a style is read as it stands.
// The ground of pictures stays white, for which they are drawn.
const char* const kStyle = R"(
:root { color-scheme: light dark; --text: #1b1f24; --faint: #57606a; --line: #d0d7de; --ground: #ffffff; --raised: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --text: #e6edf3; --faint: #9198a1; --line: #3d444d; --ground: #0d1117; --raised: #151b23; } }
body { max-width: 1100px; margin: 0 auto; padding: 24px; font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--ground); }
h1 { margin: 0 0 4px; }
h2 { margin: 32px 0 8px; padding-bottom: 4px; border-bottom: 1px solid var(--line); }
p { margin: 8px 0; overflow-wrap: anywhere; }
figure { margin: 16px 0; overflow-x: auto; }
figcaption, caption { text-align: left; color: var(--faint); padding: 4px 0; }
figure svg { max-width: 100%; height: auto; background: #ffffff; border: 1px solid var(--line); }
pre { margin: 0; padding: 12px; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); font: 13px/1.4 ui-monospace, monospace; tab-size: 4; }
table { border-collapse: collapse; margin: 16px 0; font-variant-numeric: tabular-nums; }
th, td { text-align: left; vertical-align: top; padding: 3px 12px 3px 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--faint); font-weight: 600; }
.number { text-align: right; white-space: nowrap; }
@media print { :root { --text: #000000; --faint: #444444; --line: #bbbbbb; --ground: #ffffff; --raised: #ffffff; } body { max-width: none; padding: 0; font-size: 10pt; } pre { white-space: pre-wrap; overflow-wrap: anywhere; } h2 { break-after: avoid; } tr, figcaption { break-inside: avoid; } }
)";

// What XML cannot say is no part of a text: control characters, halves of surrogate pairs.
QString sayable(QString text) {
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        const bool pair =
            c.isHighSurrogate() && i + 1 < text.size() && text[i + 1].isLowSurrogate();
        const auto code = c.unicode();
        const bool control = code < 0x20 && c != '\t' && c != '\n' && c != '\r';
        if (pair)
            ++i;
        else if (control || c.isSurrogate() || code == 0xfffe || code == 0xffff)
            text[i] = QChar::ReplacementCharacter;
    }
    return text;
}

bool is_well_formed(const QByteArray& xml) {
    QXmlStreamReader reader(xml);
    while (!reader.atEnd())
        reader.readNext();
    return !reader.hasError();
}

} // namespace

ReportPage::ReportPage(const QString& title) : out_(&bytes_) {
    out_.writeDTD(QStringLiteral("<!DOCTYPE html>"));
    out_.writeStartElement("html");
    out_.writeAttribute("lang", "en");
    out_.writeStartElement("head");
    out_.writeEmptyElement("meta");
    out_.writeAttribute("charset", "utf-8");
    out_.writeEmptyElement("meta");
    out_.writeAttribute("name", "viewport");
    out_.writeAttribute("content", "width=device-width, initial-scale=1");
    out_.writeEmptyElement("meta"); // whatever slipped in: nothing is run, nothing is fetched
    out_.writeAttribute("http-equiv", "Content-Security-Policy");
    out_.writeAttribute("content", "default-src 'none'; style-src 'unsafe-inline'");
    element("title", title);
    element("style", kStyle);
    out_.writeEndElement();
    out_.writeStartElement("body");
    element("h1", title);
}

void ReportPage::element(const QString& name, const QString& text, const QString& of_class) {
    out_.writeStartElement(name);
    if (!of_class.isEmpty())
        out_.writeAttribute("class", of_class);
    out_.writeCharacters(sayable(text));
    out_.writeEndElement();
    out_.writeCharacters("\n");
}

void ReportPage::section(const QString& heading) {
    if (std::exchange(in_section_, true))
        out_.writeEndElement();
    out_.writeStartElement("section");
    element("h2", heading);
}

void ReportPage::paragraph(const QString& text) { element("p", text); }

void ReportPage::code(const QString& caption, const QString& text) {
    out_.writeStartElement("figure");
    element("figcaption", caption);
    element("pre", text);
    out_.writeEndElement();
}

void ReportPage::table(const ReportTable& table) {
    out_.writeStartElement("table");
    if (!table.caption.isEmpty())
        element("caption", table.caption);
    out_.writeStartElement("thead");
    out_.writeStartElement("tr");
    for (const auto& column : table.columns)
        element("th", column.title, column.number ? "number" : QString());
    out_.writeEndElement();
    out_.writeEndElement();
    out_.writeStartElement("tbody");
    for (const auto& cells : table.rows)
        row(table, cells);
    out_.writeEndElement();
    out_.writeEndElement();
}

void ReportPage::row(const ReportTable& table, const QStringList& cells) {
    out_.writeStartElement("tr");
    for (std::size_t c = 0; c < table.columns.size(); ++c)
        element("td", cells.value(static_cast<qsizetype>(c)),
                table.columns[c].number ? "number" : QString());
    out_.writeEndElement();
}

void ReportPage::figure(const QString& caption, const QByteArray& svg) {
    out_.writeStartElement("figure");
    element("figcaption", caption);
    if (is_well_formed(svg))
        copy(svg);
    else
        element("p", QObject::tr("This picture could not be drawn."));
    out_.writeEndElement();
}

// Element by element, as it is written: HTML knows no prefixes.
void ReportPage::copy(const QByteArray& svg) {
    QXmlStreamReader reader(svg);
    reader.setNamespaceProcessing(false);
    while (!reader.atEnd())
        switch (reader.readNext()) {
        case QXmlStreamReader::StartElement:
            out_.writeStartElement(reader.qualifiedName().toString());
            for (const auto& each : reader.attributes())
                out_.writeAttribute(each.qualifiedName().toString(), each.value().toString());
            break;
        case QXmlStreamReader::EndElement: out_.writeEndElement(); break;
        case QXmlStreamReader::Characters: out_.writeCharacters(reader.text().toString()); break;
        default: break; // the file's own head
        }
}

QByteArray ReportPage::finish() {
    out_.writeEndDocument();
    return bytes_;
}

} // namespace loopscope::views
