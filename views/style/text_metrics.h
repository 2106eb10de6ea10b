#pragma once
// Texts measured once: to measure a text takes longer than to paint it, and a painting has most of
// its texts in common with the one before. What QFontMetricsF says of the same font.

#include <QFont>
#include <QKeySequence>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>

namespace loopscope::views {

class TextMetrics {
public:
    explicit TextMetrics(const QFont& font);
    double width(const QString& text) const; // pixels, of one line
    double height() const;
    // The text where it is no wider than that, or with "…" in place of what has no room.
    QString elided(const QString& text, Qt::TextElideMode mode, double room) const;

private:
    struct Known;
    static std::shared_ptr<Known> known(const QFont& font);
    std::shared_ptr<Known> known_;
};

// The font, or a smaller one that can still be read, in which each of the texts fits the room;
// none: there is no such font, and some texts without the others would look like the only ones.
std::optional<QFont> font_that_fits(const QStringList& texts, const QFont& font, double room);

// As the platform writes it: "Ctrl+S".
QString key_text(const QKeySequence& key);

} // namespace loopscope::views
