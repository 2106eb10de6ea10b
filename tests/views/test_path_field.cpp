// A path shows its end, and is whole where it is read or copied.

#include "tests/views/fixtures.h"
#include "views/widgets/path_field.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QFocusEvent>
#include <QPushButton>
#include <QWidget>

namespace loopscope::views::test {

namespace test_path_field {

const QString kPath =
    QStringLiteral("/home/a_person_with_a_long_name/.cache/loopscope/some/folder/remotes.json");

// Beside a button, which has the keyboard.
class PathFieldTest : public testing::Test {
protected:
    void SetUp() override {
        field.setGeometry(0, 40, 160, field.sizeHint().height());
        window.resize(2200, 100);
        window.show();
        other.setFocus();
        settle();
    }
    void send_focus(QEvent::Type type, Qt::FocusReason reason) {
        QFocusEvent event(type, reason);
        QApplication::sendEvent(&field, &event);
    }
    QWidget window;
    QPushButton other{"Open", &window};
    PathField field{kPath, &window};
};

TEST_F(PathFieldTest, ItsEndIsSeenAndAllOfItIsInTheTip) {
    EXPECT_TRUE(field.text().startsWith(QChar(0x2026))) << field.text().toStdString();
    EXPECT_TRUE(field.text().endsWith("remotes.json")) << field.text().toStdString();
    EXPECT_LT(field.fontMetrics().horizontalAdvance(field.text()), field.width());
    EXPECT_EQ(field.toolTip(), kPath);
    field.resize(2000, field.height());
    settle();
    EXPECT_EQ(field.text(), kPath);
}

TEST_F(PathFieldTest, WithTheKeyboardItIsWholeSoThatItCanBeCopied) {
    send_focus(QEvent::FocusIn, Qt::TabFocusReason);
    EXPECT_EQ(field.text(), kPath);
    send_focus(QEvent::FocusOut, Qt::PopupFocusReason);
    EXPECT_EQ(field.text(), kPath) << "its menu copies";
    send_focus(QEvent::FocusOut, Qt::TabFocusReason);
    EXPECT_TRUE(field.text().endsWith("remotes.json"));
    EXPECT_NE(field.text(), kPath);
}

} // namespace test_path_field
} // namespace loopscope::views::test
