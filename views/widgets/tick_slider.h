#pragma once
// A slider over named values: a tick and a label each, the present one marked. The pointer sets a
// value where it is pressed; releasing it says so.

#include <QSlider>
#include <QStringList>

#include <vector>

namespace loopscope::views {

class TickSlider : public QSlider {
    Q_OBJECT
public:
    explicit TickSlider(QWidget* parent = nullptr);

    // `present`: the value that holds now; -1: none. Sets the slider to it.
    void set_labels(const QStringList& labels, int present);
    void set_available(int value, bool available);
    int present() const { return present_; }

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }
    double position_of(int value) const; // x of a value's tick

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

private:
    int value_at(double x) const;
    QStringList labels_;
    std::vector<bool> available_;
    int present_ = -1;
};

} // namespace loopscope::views
