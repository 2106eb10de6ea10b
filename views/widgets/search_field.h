#pragma once
// The search field that lies over a view's upper right corner: Escape closes it, Enter goes to the
// next match, Shift+Enter to the one before. Where there is none it says so.

#include <QLineEdit>

namespace loopscope::views {

class SearchField : public QLineEdit {
    Q_OBJECT
public:
    // Lies over `view`, hidden until open().
    explicit SearchField(QWidget* view);
    void open();
    // Keeps to the corner; call it from the view's resizeEvent with the area that can be seen.
    void place(const QRect& area);
    // Whether what is written was found: whoever searches says it after every search.
    void say_found(bool found);

signals:
    void nextRequested(bool forward);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    bool missing_ = false;
};

} // namespace loopscope::views
