// The picture of shared memory: words and banks, passes of an access, and what the view makes of
// them.

#include "tests/views/gpu_fixtures.h"
#include "tuner/model/gpu/shared_use.h"
#include "views/geometry/bank_grid.h"
#include "views/style/fonts.h"
#include "views/style/text_metrics.h"
#include "views/widgets/banks_view.h"

#include <gtest/gtest.h>

#include <QImage>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

#include <set>

namespace loopscope::views::test {

namespace test_banks {

BankedBuffer rows_of(std::int64_t rows, std::int64_t columns, std::int64_t pad = 0,
                     std::int64_t element_bytes = 4) {
    return {element_bytes, {rows, columns}, {columns + pad, 1}};
}

// Lane l at (row(l), column(l)).
template <typename Row, typename Column> WarpLanes lanes(Row row, Column column, int width = 4) {
    WarpLanes out;
    out.width = width;
    for (std::int64_t l = 0; l < 32; ++l)
        out.of_lanes.push_back({row(l), column(l)});
    return out;
}

SharedUsePtr use_of(const GpuSchedule& s) {
    return std::make_shared<const std::vector<model::gpu::SharedBuffer>>(
        model::gpu::shared_use(*s.tree, *s.device));
}

// The transposing tile: rows are written along, columns are read.
const char* kTranspose = "schedule for transpose\ntarget h200\n"
                         "out.gpu_tile(y, x, yo, xo, yi, xi, 32, 32)\n"
                         "T = out.cache_read(img, shared)\nT.compute_at(out, xo)\n";

TEST(BankAccess, RowsTakeOnePassAndColumnsAsManyAsRowsMeetInABank) {
    const auto row = [](std::int64_t) { return std::int64_t{0}; };
    const auto lane = [](std::int64_t l) { return l; };
    const auto along = bank_access(rows_of(32, 32), lanes(row, lane), {});
    EXPECT_EQ(along.passes, 1);
    EXPECT_EQ(along.lanes, 32);
    const auto across = bank_access(rows_of(32, 32), lanes(lane, row), {});
    EXPECT_EQ(across.passes, 32);
    EXPECT_EQ(across.least, 1);
    EXPECT_EQ(across.words_of_bank[0], 32);
    EXPECT_EQ(across.words_of_bank[1], 0);
    EXPECT_EQ(bank_access(padded(rows_of(32, 32), 1), lanes(lane, row), {}).passes, 1)
        << "a word more a row lets each begin at another bank";
    EXPECT_EQ(bank_access(padded(rows_of(32, 32), 2), lanes(lane, row), {}).passes, 2);
}

// Chunks of 16 bytes change places: eight rows of them are in all banks, and four elements of a
// column in each.
TEST(BankAccess, SwizzledRowsSpreadColumnsOverTheBanks) {
    const auto row = [](std::int64_t) { return std::int64_t{0}; };
    const auto lane = [](std::int64_t l) { return l; };
    auto plain = rows_of(32, 32);
    EXPECT_TRUE(has_pattern(plain));
    auto swizzled = plain;
    swizzled.swizzled = true;
    EXPECT_EQ(bank_access(swizzled, lanes(lane, row), {}).passes, 4);
    EXPECT_EQ(bank_access(swizzled, lanes(row, lane), {}).passes, 1);
    EXPECT_EQ(bank_access(plain, lanes(lane, row, 16), {}).passes, 32);
    EXPECT_EQ(bank_access(swizzled, lanes(lane, row, 16), {}).passes, 4) << "none of 8 rows meet";
    // The picture shows where words lie: row 3's first chunk at the place of its fourth.
    const auto hits =
        bank_access(swizzled, lanes([](std::int64_t) { return std::int64_t{3}; }, lane), {}).hits;
    EXPECT_EQ(std::count_if(hits.begin(), hits.end(),
                            [](const WordHit& hit) {
                                return hit.lanes == std::vector<int>{0} && hit.word == 3 * 32 + 12;
                            }),
              1);
    auto padding = rows_of(2, 28, 4);
    padding.swizzled = true;
    EXPECT_TRUE(word_use(padding, 28 - 4, {}).data);
    EXPECT_FALSE(word_use(padding, 28, {}).data) << "row 0 stays as it is";
    EXPECT_TRUE(word_use(padding, 32 + 28, {}).data)
        << "row 1's last chunk changed places with the one before";
    EXPECT_FALSE(word_use(padding, 32 + 24, {}).data);
    auto odd = rows_of(4, 20);
    EXPECT_FALSE(has_pattern(odd));
}

TEST(BankAccess, LanesOfOneWordShareItAndWideOnesTakeTurns) {
    const auto none = [](std::int64_t) { return std::int64_t{0}; };
    const auto all = bank_access(rows_of(4, 32), lanes(none, none), {});
    EXPECT_EQ(all.passes, 1);
    ASSERT_EQ(all.hits.size(), 1u);
    EXPECT_EQ(all.hits[0].lanes.size(), 32u);
    const auto four =
        bank_access(rows_of(4, 128), lanes(none, [](std::int64_t l) { return 4 * l; }, 16), {});
    EXPECT_EQ(four.passes, 4) << "quarters of the warp";
    EXPECT_EQ(four.least, 4);
    const auto half =
        bank_access(rows_of(4, 64, 0, 2), lanes(none, [](std::int64_t l) { return l; }, 2), {});
    EXPECT_EQ(half.hits.size(), 16u) << "two elements of 16 bits are one word";
    EXPECT_EQ(half.passes, 1);
    WarpLanes idle;
    idle.of_lanes.resize(32);
    EXPECT_EQ(bank_access(rows_of(4, 32), idle, {}).passes, 0);
}

TEST(BankAccess, RowsThatAreNotAlignedAreReadElementByElement) {
    const auto warp =
        lanes([](std::int64_t l) { return l / 4; }, [](std::int64_t l) { return 4 * (l % 4); }, 16);
    EXPECT_EQ(passes_with(rows_of(64, 16), warp, {}), 4);
    const auto aligned = padded(rows_of(64, 16), 4);
    EXPECT_EQ(passes_with(aligned, warp, {}), bank_access(aligned, warp, {}).passes)
        << "still multiples of 16 bytes";
    const auto one = padded(rows_of(64, 16), 1);
    int each = 0;
    for (std::int64_t piece = 0; piece < 4; ++piece)
        each += bank_access(one,
                            lanes([](std::int64_t l) { return l / 4; },
                                  [&](std::int64_t l) { return 4 * (l % 4) + piece; }),
                            {})
                    .passes;
    EXPECT_EQ(passes_with(one, warp, {}), each);
    EXPECT_GE(each, 4);
}

TEST(BankWords, PaddingIsToldApart) {
    const auto buffer = rows_of(3, 30, 3);
    EXPECT_EQ(padding(buffer), 3);
    EXPECT_EQ(buffer.bytes(), 3 * 33 * 4);
    EXPECT_TRUE(word_use(buffer, 29, {}).data);
    EXPECT_FALSE(word_use(buffer, 30, {}).data);
    EXPECT_FALSE(word_use(buffer, 32, {}).data);
    EXPECT_TRUE(word_use(buffer, 33, {}).data);
    EXPECT_EQ(word_use(buffer, 33, {}).row, 1);
    EXPECT_EQ(padding(padded(buffer, 0)), 0);
    BankedBuffer deep{4, {2, 3, 8}, {24, 8, 1}};
    EXPECT_EQ(padded(deep, 1).pitch, (std::vector<std::int64_t>{27, 9, 1}));
    EXPECT_EQ(padded(deep, 1).bytes(), 2 * 27 * 4);
}

TEST(BankGrid, CellsAndPointsAgree) {
    const auto grid = bank_grid(rows_of(64, 32), {}, 500, 40, 30, 16, 512);
    EXPECT_EQ(grid.rows, 64);
    for (std::int64_t word : {0, 31, 32, 2047})
        EXPECT_EQ(grid.word_at(grid.cell(word).centre()), word);
    EXPECT_EQ(grid.word_at({10, 40}), -1);
    EXPECT_EQ(grid.word_at({60, 10}), -1);
    EXPECT_LE(grid.cell(31).right(), 500);
    EXPECT_EQ(bank_grid(rows_of(1 << 20, 32), {}, 500, 40, 30, 16, 512).rows, 512);
}

TEST(SharedUse, CountsWhatTheModelCounts) {
    const auto s = on_gpu("matmul", gpu_matmul(3));
    const auto use = use_of(s);
    ASSERT_EQ(use->size(), 2u);
    for (const auto& buffer : *use) {
        EXPECT_EQ(buffer.copies, 3);
        ASSERT_EQ(buffer.accesses.size(), 2u) << buffer.stage << ": written, and read";
        for (const auto& access : buffer.accesses) {
            ASSERT_TRUE(access.lanes) << buffer.stage;
            const auto one = bank_access({buffer.element_bytes, buffer.extents, buffer.pitch},
                                         {access.lanes->of_lanes, access.lanes->width}, {});
            EXPECT_DOUBLE_EQ(one.passes, access.passes)
                << buffer.stage << (access.write ? " written" : " read");
            EXPECT_DOUBLE_EQ(one.least, access.least);
        }
    }
    EXPECT_TRUE(model::gpu::shared_use(*s.tree, *described_device()).empty());
}

TEST(BanksView, ShowsTheConflictAndAPaddingThatEndsIt) {
    const auto s = on_gpu("transpose", kTranspose);
    BanksView view;
    view.resize(640, 360);
    view.set_snapshot(use_of(s), s.schedule, s.device);
    view.show();
    settle();
    ASSERT_TRUE(view.buffer());
    EXPECT_EQ(view.buffer()->stage, "T");
    view.set_selected({"T", -1, "@storage"});
    for (int a = 0; a < static_cast<int>(view.buffer()->accesses.size()); ++a)
        if (!view.buffer()->accesses[static_cast<std::size_t>(a)].write)
            view.set_shown(0, a);
    EXPECT_EQ(view.access().passes, 32);
    EXPECT_TRUE(view.summary().contains("32 passes")) << view.summary().toStdString();
    QSignalSpy edits(&view, &BanksView::editRequested);
    QPushButton* one = nullptr;
    for (auto* button : view.paddings())
        if (button->text() == "pad 1: 1 pass")
            one = button;
    ASSERT_TRUE(one);
    one->click();
    ASSERT_EQ(edits.size(), 1);
    const auto edit = edits.front().front().value<DirectiveEdit>();
    EXPECT_TRUE(edit.line.startsWith("T.pad_storage(")) << edit.line.toStdString();
    EXPECT_EQ(edit.replaces, 0);
    const auto padded = on_gpu("transpose", kTranspose + edit.line.toStdString() + "\n");
    view.set_snapshot(use_of(padded), padded.schedule, padded.device);
    EXPECT_EQ(view.access().passes, 1);
    EXPECT_TRUE(view.summary().contains("padding"));
    QSignalSpy back(&view, &BanksView::editRequested);
    view.paddings().front()->click();
    ASSERT_EQ(back.size(), 1);
    EXPECT_EQ(back.front().front().value<DirectiveEdit>(), DirectiveEdit(QString(), 6))
        << "no padding: the line goes";
}

TEST(BanksView, SwizzlesAndShowsWhereChunksThenLie) {
    const auto s = on_gpu("transpose", kTranspose);
    BanksView view;
    view.resize(640, 360);
    view.set_snapshot(use_of(s), s.schedule, s.device);
    view.show();
    settle();
    auto show_read = [&] {
        for (int a = 0; a < static_cast<int>(view.buffer()->accesses.size()); ++a)
            if (!view.buffer()->accesses[static_cast<std::size_t>(a)].write)
                view.set_shown(0, a);
    };
    auto clicked = [&](const QString& text) {
        QSignalSpy edits(&view, &BanksView::editRequested);
        for (auto* button : view.paddings())
            if (button->text() == text) {
                button->click();
                break;
            }
        return edits.size() == 1 ? edits.front().front().value<DirectiveEdit>() : DirectiveEdit();
    };
    show_read();
    const auto edit = clicked("swizzled: 4 passes");
    EXPECT_EQ(edit, DirectiveEdit("T.swizzle()"));
    const auto swizzled = on_gpu("transpose", kTranspose + edit.line.toStdString() + "\n");
    view.set_snapshot(use_of(swizzled), swizzled.schedule, swizzled.device);
    show_read();
    EXPECT_EQ(view.access().passes, 4);
    EXPECT_TRUE(view.summary().contains("chunks of 16 bytes change places every 128 bytes"))
        << view.summary().toStdString();
    EXPECT_EQ(view.paddings().back()->text(), "✓ swizzled: 4 passes");
    EXPECT_TRUE(view.paddings().back()->isChecked());
    EXPECT_EQ(clicked("✓ swizzled: 4 passes"), DirectiveEdit()) << "it is so already";
    EXPECT_TRUE(view.paddings().back()->isChecked());
    EXPECT_EQ(clicked("not swizzled: 32 passes"), DirectiveEdit(QString(), 6));
}

TEST(BanksView, NumbersAllLanesOrNone) {
    const auto s = on_gpu("transpose", kTranspose);
    BanksView view;
    view.set_snapshot(use_of(s), s.schedule, s.device);
    view.show();
    const auto& buffer = *view.buffer();
    const TextMetrics small(small_font());
    std::set<std::size_t> seen;
    for (int width = 260; width <= 760; width += 20) {
        view.resize(width, 900);
        settle();
        const auto grid = bank_grid({buffer.element_bytes, buffer.extents, buffer.pitch}, {},
                                    view.canvas()->width() - 2, 44, 3 * (small.height() + 2),
                                    small.height() + 4, 512);
        const QImage image = view.canvas()->grab().toImage();
        std::size_t numbered = 0;
        for (const auto& hit : view.access().hits) {
            const auto r = grid.cell(hit.word);
            const QRect inner = QRectF(r.x, r.y, r.width, r.height).toRect().adjusted(2, 2, -2, -2);
            std::set<QRgb> colours;
            for (int y = inner.top(); y <= inner.bottom(); ++y)
                for (int x = inner.left(); x <= inner.right(); ++x)
                    colours.insert(image.pixel(x, y));
            numbered += colours.size() > 1;
        }
        EXPECT_TRUE(numbered == 0 || numbered == view.access().hits.size())
            << numbered << " of " << view.access().hits.size() << " at " << width;
        seen.insert(numbered);
    }
    EXPECT_EQ(seen.size(), 2u) << "narrow ones and wide ones";
}

TEST(BanksView, IsDrawnInBothThemesAndSaysWhenItIsEmpty) {
    const auto s = on_gpu("matmul", gpu_matmul(3, "As.pad_storage(k, 1)\n"));
    for (bool dark : {false, true}) {
        use_theme(dark);
        BanksView view;
        view.set_snapshot(use_of(s), s.schedule, s.device);
        EXPECT_GT(inked(picture(view, {640, 360}, "banks")), 0.05);
    }
    use_theme(false);
    BanksView view;
    view.set_snapshot(nullptr, nullptr, described_device());
    EXPECT_FALSE(view.buffer());
    EXPECT_FALSE(view.picture().ok());
}

} // namespace test_banks
} // namespace loopscope::views::test
