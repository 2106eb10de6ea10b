#pragma once
// A label whose text breaks into lines, and which remembers how high it is at a width: a panel that
// is laid out again asks each of its labels several times, of which one has another text.

#include <QLabel>
#include <QMargins>
#include <QSize>

#include <utility>
#include <vector>

namespace loopscope::views {

class WrappedLabel : public QLabel {
    Q_OBJECT
public:
    explicit WrappedLabel(QWidget* parent = nullptr);
    explicit WrappedLabel(const QString& text, QWidget* parent = nullptr);
    int heightForWidth(int width) const override;

private:
    struct Asked { // what a height follows from, beside the width
        QString text;
        QFont font;
        QMargins margins;
        QSize least;
        Qt::Alignment alignment;
        Qt::TextFormat format = Qt::AutoText;
        Qt::TextInteractionFlags interaction;
        int margin = 0, indent = 0, frame = 0, dots_per_inch = 0;
        bool wraps = true;
        bool operator==(const Asked&) const = default;
    };
    Asked asked_now() const;
    mutable Asked asked_;
    mutable std::vector<std::pair<int, int>> heights_; // by width, of asked_
};

} // namespace loopscope::views
