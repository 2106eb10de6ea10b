// Fonts of widgets under style sheets: what was chosen is worn, from the start and through every
// change of theme, of a widget's own sheet and of the application's font.

#include "tests/views/gpu_fixtures.h"
#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"
#include "views/widgets/timeline_view.h"

#include <gtest/gtest.h>

#include <QApplication>
#include <QLabel>
#include <QVBoxLayout>

namespace loopscope::views::test {

namespace test_kept_font {

// The application's type is another one while this lasts.
class OtherType {
public:
    explicit OtherType(int points) : before_(QApplication::font()) {
        QFont font = before_;
        font.setPointSize(points);
        set_fonts(*qApp, font, 0);
        use_theme(false);
    }
    ~OtherType() {
        set_fonts(*qApp, before_, 0);
        use_theme(false);
    }
    OtherType(const OtherType&) = delete;
    OtherType& operator=(const OtherType&) = delete;

private:
    QFont before_;
};

void expect_worn(const QWidget& widget, const QFont& font, const char* when) {
    EXPECT_DOUBLE_EQ(widget.font().pointSizeF(), font.pointSizeF()) << when;
    EXPECT_EQ(widget.font().weight(), font.weight()) << when;
}

TEST(KeptFont, IsWornThroughSheetsThemesAndTheApplicationsType) {
    QWidget parent;
    auto* label = new QLabel("a text");
    auto* column = new QVBoxLayout(&parent);
    column->addWidget(label);
    column->activate();
    label->ensurePolished(); // Qt remembers the font of then
    keep_font(*label, small_font);
    expect_worn(*label, small_font(), "at once");
    set_text_colour(*label, Qt::red);
    expect_worn(*label, small_font(), "with a sheet of its own");
    parent.show();
    settle();
    expect_worn(*label, small_font(), "shown");
    for (const bool dark : {true, false}) {
        use_theme(dark);
        expect_worn(*label, small_font(), "in another theme");
    }
    {
        const OtherType large(19);
        expect_worn(*label, small_font(), "in large type");
        EXPECT_GT(label->font().pointSizeF(), 15);
        keep_font(*label, bold_font);
        expect_worn(*label, bold_font(), "another one");
        set_text_colour(*label, Qt::blue);
        expect_worn(*label, bold_font(), "another one, with another sheet");
    }
    expect_worn(*label, bold_font(), "in the type of before");
    EXPECT_EQ(*kept_font(*label), bold_font());
    EXPECT_FALSE(kept_font(parent));
}

TEST(KeptFont, TheTimelinesHintIsSmallFromTheStart) {
    TimelineView view;
    const auto s = on_gpu("matmul", gpu_matmul(3));
    view.set_snapshot(s.tree, s.estimate, s.schedule, s.device);
    view.resize(640, 260);
    view.show();
    settle();
    const QLabel* hint = nullptr;
    for (const auto* label : view.findChildren<QLabel*>())
        if (label->text().startsWith("drag a row"))
            hint = label;
    ASSERT_TRUE(hint && hint->isVisible());
    expect_worn(*hint, small_font(), "before any change of the theme");
    const OtherType large(19);
    expect_worn(*hint, small_font(), "in large type");
}

} // namespace test_kept_font
} // namespace loopscope::views::test
