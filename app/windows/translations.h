#pragma once
// The window's texts in another language: resources/translations/CODE.json, as de.json, is
//   {"name": "Deutsch", "texts": {"Open…": "Öffnen…", "%n more": ["noch einer", "noch %n"], …}}
// A text has one translation wherever it stands; a list is for one and for any other number. What
// has no translation there stays English, as all does that the compiler says.

#include "core/base/result.h"

#include <QByteArray>
#include <QHash>
#include <QStringList>
#include <QTranslator>

#include <vector>

namespace loopscope::app {

struct Language {
    QString code; // "de", as in a person's locale
    QString name; // in itself: "Deutsch"
};

// English, and those that have a file in `folder`, by name.
std::vector<Language> languages(const QString& folder);
std::vector<Language> languages(); // that are shipped

// The code of the first of `wanted`, as "de-AT", that is among `all`; else English.
QString language_for(const QStringList& wanted, const std::vector<Language>& all);

// What an application is told of texts in one language.
class Translations : public QTranslator {
    Q_OBJECT
public:
    explicit Translations(QObject* parent = nullptr) : QTranslator(parent) {}

    // Errors, with their places: no such file, none of the form above, a translation that lacks a
    // %1 of its text or has another.
    Status read(const QString& file);

    bool isEmpty() const override { return texts_.isEmpty(); }
    // Nothing: the text has none.
    QString translate(const char* context, const char* text, const char* remark = nullptr,
                      int number = -1) const override;

private:
    QHash<QByteArray, QStringList> texts_; // UTF-8 to one translation, or to two by number
};

// The language of all windows that are made from now on: `code`, or the system's where it is
// empty. Errors: as of reading; the application stays English.
Status speak(const QString& code);

} // namespace loopscope::app
