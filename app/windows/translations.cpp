#include "app/windows/translations.h"

#include "compiler/protocol/paths.h"
#include "core/base/json_text.h"

#include <QApplication>
#include <QDir>
#include <QLibraryInfo>
#include <QLocale>
#include <QRegularExpression>

#include <algorithm>

namespace loopscope::app {

namespace {

constexpr std::size_t kMaxBytes = 4 << 20;
const QString kEnglish = QStringLiteral("en");

QString shipped() {
    return QString::fromStdString(measure::resource_folder()) + QStringLiteral("/translations");
}

Result<nlohmann::json> read_file(const QString& file) {
    return read_json_file(file.toStdString(), kMaxBytes,
                          "a translation is {\"name\": …, \"texts\": {…}}");
}

QStringList strings_of(const nlohmann::json& value) {
    QStringList out;
    const auto add = [&out](const nlohmann::json& one) {
        if (one.is_string())
            out << QString::fromStdString(one.get_ref<const std::string&>());
    };
    if (value.is_array())
        for (const auto& one : value)
            add(one);
    else
        add(value);
    return out;
}

// What is put into a text: "%1", "%L2", "%n", in order.
QStringList places_in(const QString& text) {
    static const QRegularExpression place(QStringLiteral("%(?:L?[0-9]{1,2}|n)"));
    QStringList out;
    for (auto found = place.globalMatch(text); found.hasNext();)
        out << found.next().captured();
    out.sort();
    return out;
}

// One translation, or two of a text with a number, of which the first may say "one" in words.
bool fits(const QString& text, const QStringList& translations) {
    const auto wanted = places_in(text);
    const bool counts = wanted.contains(QStringLiteral("%n"));
    if (translations.size() != (counts ? 2 : 1) || places_in(translations.back()) != wanted)
        return false;
    auto of_one = places_in(translations.front());
    if (counts && !of_one.contains(QStringLiteral("%n")))
        of_one << QStringLiteral("%n");
    of_one.sort();
    return of_one == wanted;
}

} // namespace

std::vector<Language> languages(const QString& folder) {
    std::vector<Language> out;
    const auto files = QDir(folder).entryInfoList({QStringLiteral("*.json")}, QDir::Files);
    for (const auto& file : files)
        if (const auto read = read_file(file.filePath()))
            out.push_back({file.completeBaseName(),
                           QString::fromStdString(
                               text_or(*read, "name", file.completeBaseName().toStdString()))});
    std::sort(out.begin(), out.end(), [](const Language& a, const Language& b) {
        return a.name.localeAwareCompare(b.name) < 0;
    });
    out.insert(out.begin(), {kEnglish, QStringLiteral("English")});
    return out;
}

std::vector<Language> languages() { return languages(shipped()); }

QString language_for(const QStringList& wanted, const std::vector<Language>& all) {
    for (const auto& each : wanted)
        for (const auto& language : all)
            if (each.section(QRegularExpression(QStringLiteral("[-_]")), 0, 0) == language.code)
                return language.code;
    return kEnglish;
}

Status Translations::read(const QString& file) {
    const auto read = read_file(file);
    if (!read)
        return Status(read.errors());
    const auto wrong = [&file](const std::string& what) -> Status {
        return error("the translation " + file.toStdString() + ": " + what);
    };
    const auto texts = read->is_object() ? read->find("texts") : read->end();
    if (texts == read->end() || !texts->is_object())
        return wrong("it has no \"texts\"");
    QHash<QByteArray, QStringList> out;
    for (const auto& [text, value] : texts->items()) {
        const auto translations = strings_of(value);
        if (!fits(QString::fromStdString(text), translations))
            return wrong("\"" + text.substr(0, 80) +
                         "\" has not one text with the same %1, %2 (two where it has %n)");
        out.insert(QByteArray::fromStdString(text), translations);
    }
    texts_ = std::move(out);
    return success();
}

QString Translations::translate(const char* /*context*/, const char* text, const char* /*remark*/,
                                int number) const {
    const auto found = texts_.constFind(QByteArray::fromRawData(text, qstrlen(text)));
    if (found == texts_.constEnd())
        return {};
    return number == 1 ? found->front() : found->back();
}

Status speak(const QString& code) {
    const auto language =
        code.isEmpty() ? language_for(QLocale::system().uiLanguages(), languages()) : code;
    if (language == kEnglish)
        return success();
    auto* own = new Translations(qApp);
    if (auto status = own->read(shipped() + '/' + language + QStringLiteral(".json")); !status) {
        delete own;
        return status;
    }
    // Qt's own words, as on the buttons of its dialogs, where they are installed.
    auto* of_qt = new QTranslator(qApp);
    if (of_qt->load(QStringLiteral("qtbase_") + language,
                    QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(of_qt);
    QCoreApplication::installTranslator(own);
    return success();
}

} // namespace loopscope::app
