#pragma once
// A path to be read and copied: where it has no room its end is shown, which is what tells paths
// apart. With the keyboard in it, it is whole, so that what is copied is.

#include <QLineEdit>

namespace loopscope::views {

class PathField : public QLineEdit {
    Q_OBJECT
public:
    explicit PathField(const QString& path, QWidget* parent = nullptr);
    const QString& path() const { return path_; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void show_path(bool whole);
    QString path_;
};

} // namespace loopscope::views
