#pragma once
// Widgets side by side, in as many lines as the width needs.

#include <QLayout>

#include <vector>

namespace loopscope::views {

class FlowLayout : public QLayout {
public:
    explicit FlowLayout(int gap, QWidget* parent = nullptr);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(items_.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return arrange(QRect(0, 0, width, 0), false); }
    QSize sizeHint() const override { return minimumSize(); }
    QSize minimumSize() const override;
    void setGeometry(const QRect& rectangle) override;

private:
    int arrange(const QRect& rectangle, bool place) const; // returns the height used
    std::vector<QLayoutItem*> items_;
};

} // namespace loopscope::views
