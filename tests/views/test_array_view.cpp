// Arrays as pictures and as tables.

#include "tests/views/fixtures.h"
#include "views/models/array_table.h"
#include "views/widgets/array_canvas.h"
#include "views/widgets/array_view.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope::views::test {

namespace test_array_view {

template <typename T>
BufferPtr array_of(ScalarType type, std::vector<std::int64_t> extents,
                   const std::vector<T>& values) {
    auto buffer = make_buffer(type, std::move(extents)).value();
    for (std::size_t i = 0; i < values.size(); ++i)
        buffer.template as<T>()[i] = values[i];
    return std::make_shared<const Buffer>(std::move(buffer));
}

QRgb grey(int shade) { return qRgb(shade, shade, shade); }

TEST(ArrayPicture, TwoIndicesOrChannelsMakeOne) {
    EXPECT_EQ(picture_layout({4, 5})->channels, 1);
    const auto planes = picture_layout({3, 4, 5});
    EXPECT_EQ(planes->channels, 3);
    EXPECT_FALSE(planes->channels_last);
    const auto pixels = picture_layout({6, 5, 3});
    EXPECT_TRUE(pixels->channels_last);
    EXPECT_EQ(pixels->width, 5);
    EXPECT_FALSE(picture_layout({3, 4, 3})->channels_last) << "as files have them";
    EXPECT_FALSE(picture_layout({2, 4, 5}));
    EXPECT_FALSE(picture_layout({7}));
    EXPECT_FALSE(picture_layout({}));
    EXPECT_FALSE(picture_layout({0, 5}));
    EXPECT_FALSE(picture_layout({1 << 20, 1 << 20})) << "as much memory as there is";
}

TEST(ArrayPicture, BytesAreDrawnAsTheyAre) {
    const auto array = array_of<std::uint8_t>(ScalarType::U8, {2, 2}, {0, 7, 200, 255});
    const auto picture = picture_of(*array, *picture_layout(array->extents));
    EXPECT_TRUE(picture.as_it_is);
    EXPECT_EQ(picture.image.pixel(1, 0), grey(7));
    EXPECT_EQ(picture.image.pixel(0, 1), grey(200));
}

TEST(ArrayPicture, ChannelsAreColoursWhereverTheyStand) {
    const auto planes = array_of<std::uint8_t>(ScalarType::U8, {3, 1, 2}, {1, 2, 10, 20, 100, 200});
    EXPECT_EQ(picture_of(*planes, *picture_layout({3, 1, 2})).image.pixel(1, 0), qRgb(2, 20, 200));
    const auto pixels = array_of<std::uint8_t>(ScalarType::U8, {5, 1, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(picture_of(*pixels, *picture_layout({5, 1, 3})).image.pixel(0, 1), qRgb(4, 5, 6));
    const auto alpha = array_of<std::uint8_t>(ScalarType::U8, {4, 1, 1}, {1, 2, 3, 128});
    const auto drawn = picture_of(*alpha, *picture_layout({4, 1, 1}));
    EXPECT_TRUE(drawn.alpha);
    EXPECT_EQ(qAlpha(drawn.image.pixel(0, 0)), 128);
}

TEST(ArrayPicture, FloatsGoFromTheLeastToTheGreatest) {
    const float infinity = std::numeric_limits<float>::infinity();
    const auto array = array_of<float>(
        ScalarType::F32, {1, 5}, {-2, 6, 2, infinity, std::numeric_limits<float>::quiet_NaN()});
    const auto picture = picture_of(*array, *picture_layout(array->extents));
    EXPECT_EQ(picture.black, -2);
    EXPECT_EQ(picture.white, 6);
    EXPECT_EQ(picture.not_numbers, 1);
    EXPECT_EQ(picture.image.pixel(0, 0), grey(0));
    EXPECT_EQ(picture.image.pixel(1, 0), grey(255));
    EXPECT_EQ(picture.image.pixel(2, 0), grey(128));
    EXPECT_EQ(picture.image.pixel(3, 0), grey(255));
    const auto odd = picture.image.pixel(4, 0);
    EXPECT_NE(qRed(odd), qGreen(odd)) << "it is no brightness";
    const auto one = array_of<float>(ScalarType::F32, {1, 2}, {3, 3});
    EXPECT_EQ(picture_of(*one, *picture_layout({1, 2})).image.pixel(0, 0), grey(0));
}

TEST(ArrayTable, HasTheIndicesThatTheArrayHas) {
    ArrayTableModel table;
    std::vector<std::int32_t> values(12);
    for (int i = 0; i < 12; ++i)
        values[static_cast<std::size_t>(i)] = i;
    table.set_array(array_of(ScalarType::I32, {2, 2, 3}, values), {0, -1, 5});
    ASSERT_EQ(table.rowCount(), 4);
    ASSERT_EQ(table.columnCount(), 3);
    EXPECT_EQ(table.headerData(2, Qt::Vertical, Qt::DisplayRole).toString(), "1, -1");
    EXPECT_EQ(table.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), "6");
    EXPECT_EQ(table.index(2, 1).data().toString(), "7");
    table.set_array(array_of<float>(ScalarType::F32, {}, {0.5F}));
    EXPECT_EQ(table.rowCount(), 1);
    EXPECT_EQ(table.index(0, 0).data().toString(), "0.5");
    table.set_array(nullptr);
    EXPECT_EQ(table.rowCount(), 0);
}

TEST(ArrayTable, IsAsLongAsCanBeScrolledThrough) {
    ArrayTableModel table;
    table.set_array(
        std::make_shared<const Buffer>(make_buffer(ScalarType::U8, {200'000, 2}).value()));
    EXPECT_EQ(table.rowCount(), 100'000);
    EXPECT_TRUE(table.is_part());
}

class ArrayViewTest : public testing::Test {
protected:
    void show(const BufferPtr& array, std::vector<std::int64_t> begin = {}) {
        view_.resize(400, 300);
        view_.show();
        view_.set_array(array, std::move(begin));
        ASSERT_TRUE(QTest::qWaitFor([this] { return view_.settled(); }, 60'000));
        test::settle();
    }
    QPushButton* button(const QString& text) {
        for (auto* each : view_.findChildren<QPushButton*>())
            if (each->text() == text)
                return each;
        return nullptr;
    }
    ArrayView view_{"Result"};
};

TEST_F(ArrayViewTest, TheNoteIsWholeInASmallPanel) {
    show(array_of<float>(ScalarType::F32, {2, 2}, {-1.2345F, 2, 3, 4.5678F}));
    ASSERT_TRUE(view_.note().contains("Black is")) << view_.note().toStdString();
    view_.resize(190, 160); // as beside another one in a small window
    test::settle();
    const QLabel* note = nullptr;
    for (const auto* label : view_.findChildren<QLabel*>())
        if (label->text() == view_.note())
            note = label;
    ASSERT_TRUE(note);
    EXPECT_GE(note->height(), note->heightForWidth(note->width()));
    EXPECT_GT(note->height(), note->fontMetrics().height() * 3 / 2) << "in more than one line";
    EXPECT_TRUE(view_.rect().contains(note->geometry()));
}

TEST_F(ArrayViewTest, ThePointerReadsValues) {
    show(array_of<float>(ScalarType::F32, {2, 2}, {1, 2, 3, 4.5F}), {10, -1});
    ASSERT_TRUE(view_.picture_shown());
    EXPECT_TRUE(view_.note().contains("Black is 1")) << view_.note().toStdString();
    auto& canvas = *view_.canvas();
    const auto corner = canvas.picture_rect().bottomRight() - QPointF(2, 2);
    EXPECT_EQ(canvas.pixel_at(corner.toPoint()), QPoint(1, 1));
    QTest::mouseMove(canvas.viewport(), canvas.picture_rect().center().toPoint());
    QTest::mouseMove(canvas.viewport(), corner.toPoint());
    EXPECT_EQ(view_.note(), "row 11, column 0: 4.5");
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(canvas.viewport(), &leave);
    EXPECT_TRUE(view_.note().contains("Black is 1"));
}

TEST_F(ArrayViewTest, ItIsFittedUntilItIsZoomed) {
    show(std::make_shared<const Buffer>(make_buffer(ScalarType::U8, {1000, 2000}).value()));
    auto& canvas = *view_.canvas();
    EXPECT_LE(canvas.picture_rect().width(), canvas.viewport()->width());
    canvas.set_zoom(2);
    EXPECT_EQ(canvas.picture_rect().width(), 4000);
    EXPECT_NEAR(canvas.pixel_at(canvas.viewport()->rect().center()).x(), 1000, 10)
        << "the middle stays in the middle";
    button("Fit")->click();
    EXPECT_LE(canvas.picture_rect().width(), canvas.viewport()->width());
    picture(view_, {400, 300}, "array_view");
}

// Of 20000 times 10 pixels: however it is zoomed, and wherever the pointer is, it is in sight,
// leaves no gap where there is more of it, and is neither enlarged by "smaller" nor beyond the
// limits.
TEST_F(ArrayViewTest, AVeryWidePictureStaysWithinBounds) {
    for (const std::vector<std::int64_t>& extents :
         {std::vector<std::int64_t>{10, 20'000}, std::vector<std::int64_t>{20'000, 10}}) {
        show(std::make_shared<const Buffer>(make_buffer(ScalarType::U8, extents).value()));
        view_.resize(140, 180); // it fits at less than a sixty-fourth
        test::settle();
        auto& canvas = *view_.canvas();
        const QRect room = canvas.viewport()->rect();
        const auto judge = [&](const char* when) {
            SCOPED_TRACE(when);
            const QRectF picture = canvas.picture_rect();
            const QRect seen = canvas.viewport()->rect();
            ASSERT_TRUE(picture.intersects(seen));
            EXPECT_GE(std::min(picture.width(), picture.height()), 1);
            EXPECT_TRUE(picture.width() <= seen.width() ||
                        (picture.left() <= 0 && picture.right() >= seen.width() - 1));
            EXPECT_TRUE(picture.height() <= seen.height() ||
                        (picture.top() <= 0 && picture.bottom() >= seen.height() - 1));
            const QPoint middle = picture.intersected(seen).center().toPoint();
            EXPECT_TRUE(canvas.image().rect().contains(canvas.pixel_at(middle)));
        };
        const auto turn = [&](const QPoint& at, int angle) {
            QWheelEvent wheel(at, canvas.viewport()->mapToGlobal(QPointF(at)), {}, QPoint(0, angle),
                              Qt::NoButton, Qt::ControlModifier, Qt::NoScrollPhase, false);
            QCoreApplication::sendEvent(canvas.viewport(), &wheel);
        };
        judge("fitted");
        const double fitted = canvas.zoom();
        EXPECT_LT(fitted, 1.0 / 64);
        for (const QPoint& at : {room.center(), room.topLeft(), room.bottomRight()}) {
            turn(at, -120);
            EXPECT_LE(canvas.zoom(), fitted) << "smaller is not larger";
            judge("smaller");
            for (int notch = 0; notch < 60; ++notch) {
                turn(at, 120);
                judge("larger");
            }
            EXPECT_EQ(canvas.zoom(), 64);
            for (int notch = 0; notch < 80; ++notch)
                turn(at, -120);
            EXPECT_NEAR(canvas.zoom(), fitted, 0.1 * fitted);
            judge("small again");
            button("Fit")->click();
        }
    }
}

TEST_F(ArrayViewTest, APictureIsATableToo) {
    show(array_of<std::uint8_t>(ScalarType::U8, {1, 2}, {8, 9}));
    button("Table")->click();
    EXPECT_FALSE(view_.picture_shown());
    EXPECT_TRUE(view_.table()->isVisible());
    EXPECT_EQ(view_.table()->model()->index(0, 1).data().toString(), "9");
    show(array_of<std::int64_t>(ScalarType::I64, {3}, {1, 2, 3}));
    EXPECT_TRUE(view_.table()->isVisible());
    EXPECT_FALSE(button("Table")->isVisible()) << "there is nothing else";
    view_.clear("gone");
    EXPECT_FALSE(view_.table()->isVisible());
}

} // namespace test_array_view

} // namespace loopscope::views::test
