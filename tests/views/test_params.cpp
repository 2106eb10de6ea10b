// The fields of a pipeline's params.

#include "tests/views/fixtures.h"
#include "views/widgets/params_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace loopscope::views::test {

TEST(ParamsView, ItsButtonStandsBesideTheFieldsWhereThereIsRoom) {
    ParamsView view;
    view.set_params({{"H", 1536, 1536}, {"W", 2560, 2560}});
    QPushButton* reset = nullptr;
    for (auto* button : view.findChildren<QPushButton*>())
        if (button->text() == "Defaults")
            reset = button;
    QLabel* caption = nullptr;
    for (auto* label : view.findChildren<QLabel*>())
        if (label->text() == "Params")
            caption = label;
    ASSERT_TRUE(reset && caption);
    auto below = [&] {
        const auto* field = view.field("H");
        return reset->mapTo(&view, QPoint()).y() >=
               field->mapTo(&view, QPoint(0, field->height())).y();
    };
    view.resize(900, 200);
    view.show();
    settle();
    EXPECT_FALSE(below());
    EXPECT_TRUE(caption->isVisible());
    view.resize(200, 200);
    settle();
    EXPECT_TRUE(below());
}

} // namespace loopscope::views::test
