#pragma once
// A stacked bar with its legend below: where the time goes. The legend names the greatest segments
// and the marked one, and counts the others, which are grey. With the keyboard on it, left and
// right walk over the segments.

#include <QColor>
#include <QWidget>

#include <vector>

namespace loopscope::views {

struct BreakdownSegment {
    QString label; // "out · memory"
    double share = 0;
    QColor colour;
    QString tooltip;
    bool marked = false; // the selection is in it
};

class BreakdownBar : public QWidget {
    Q_OBJECT
public:
    explicit BreakdownBar(QWidget* parent = nullptr);
    void set_segments(std::vector<BreakdownSegment> segments);

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;

signals:
    void segmentClicked(int segment);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct LegendEntry {
        QRectF box;
        QString text;
        int segment = -1; // -1: all that have no entry of their own
    };
    static QString colours_are(); // what they say, for tooltips and for those who hear it
    std::vector<int> named_segments() const; // ascending
    std::vector<LegendEntry> legend(int width) const;
    int segment_at(const QPointF& position) const;
    std::vector<BreakdownSegment> segments_;
    int current_ = -1; // the segment that the keyboard is on
};

} // namespace loopscope::views
