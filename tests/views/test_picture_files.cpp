// Every picture as a file of every form, whole, and on paper.

#include "core/base/whole_file.h"
#include "tests/support/support.h"
#include "tests/views/gpu_fixtures.h"
#include "tuner/model/gpu/shared_use.h"
#include "views/style/fonts.h"
#include "views/widgets/banks_view.h"
#include "views/widgets/picture_export.h"
#include "views/widgets/pipeline_graph_view.h"
#include "views/widgets/roofline_view.h"
#include "views/widgets/schedule_row_delegate.h"
#include "views/widgets/schedule_tree_view.h"
#include "views/widgets/timeline_view.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QPrinter>
#include <QXmlStreamReader>

#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace loopscope::views::test {

namespace test_picture_files {

// A view that has something to draw.
struct Drawn {
    std::string name;
    std::unique_ptr<QWidget> view;
    Pictured* of;
};

template <typename View> Drawn drawn(const char* name, std::unique_ptr<View> view) {
    auto* of = static_cast<Pictured*>(view.get());
    return {name, std::move(view), of};
}

std::vector<Drawn> all_views() {
    std::vector<Drawn> all;
    const auto tree = bundled_tree("blur");
    auto graph = std::make_unique<PipelineGraphView>();
    graph->set_tree(tree);
    graph->set_estimate(estimate_of(tree));
    all.push_back(drawn("graph", std::move(graph)));
    auto rows = std::make_unique<ScheduleTreeView>();
    rows->set_tree(tree);
    rows->set_estimate(estimate_of(tree));
    all.push_back(drawn("tree", std::move(rows)));
    auto roofline = std::make_unique<RooflineView>();
    roofline->set_ceilings(model::roofline_ceilings(*described_device(), 2));
    roofline->set_tree(tree);
    roofline->set_estimate(estimate_of(tree));
    all.push_back(drawn("roofline", std::move(roofline)));
    const auto s = on_gpu("matmul", gpu_matmul(3, "As.pad_storage(k, 1)\n"));
    auto timeline = std::make_unique<TimelineView>();
    timeline->set_snapshot(s.tree, s.estimate, s.schedule, s.device);
    all.push_back(drawn("timeline", std::move(timeline)));
    auto banks = std::make_unique<BanksView>();
    banks->set_snapshot(std::make_shared<const std::vector<model::gpu::SharedBuffer>>(
                            model::gpu::shared_use(*s.tree, *s.device)),
                        s.schedule, s.device);
    all.push_back(drawn("banks", std::move(banks)));
    return all;
}

QByteArray svg_of(Pictured& of) {
    return picture_bytes(of.picture().value(), PictureForm::Svg).value();
}

// The texts of an SVG; nothing where it is no XML.
std::optional<QStringList> texts_of(const QByteArray& svg) {
    QStringList texts;
    QXmlStreamReader reader(svg);
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::StartElement && reader.name() == u"text")
            texts << reader.readElementText();
    return reader.hasError() ? std::nullopt : std::optional(texts);
}

Picture squares(const QSize& size) {
    return {"squares", "Squares", size, [size](QPainter& painter) {
                painter.fillRect(QRect(QPoint(0, 0), size / 2), Qt::black);
            }};
}

qsizetype pages_of(const QByteArray& pdf) { return pdf.count("/Type /Page\n"); }

QString folder() { return QString::fromStdString(loopscope::test::scratch_folder()); }

QByteArray bytes_at(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

TEST(PictureFiles, AVectorPictureHasVectorsAndWordsAndNoPixels) {
    for (const auto& each : all_views()) {
        const auto svg = svg_of(*each.of);
        const auto texts = texts_of(svg);
        ASSERT_TRUE(texts) << each.name;
        EXPECT_GT(texts->size(), 3) << each.name;
        EXPECT_FALSE(svg.contains("<image")) << each.name;
        const auto pdf = picture_bytes(each.of->picture().value(), PictureForm::Pdf).value();
        EXPECT_TRUE(pdf.startsWith("%PDF")) << each.name;
        EXPECT_EQ(pages_of(pdf), 1) << each.name;
        EXPECT_FALSE(pdf.contains("/Subtype /Image")) << each.name;
    }
}

TEST(PictureFiles, APictureOfPixelsHasTheScaleThatIsChosen) {
    for (const auto& each : all_views()) {
        const auto picture = each.of->picture().value();
        for (const int scale : {1, 2, 4}) {
            const auto png = picture_bytes(picture, PictureForm::Png, scale).value();
            const auto image = QImage::fromData(png, "PNG");
            EXPECT_EQ(image.size(), picture.size * scale) << each.name;
            EXPECT_GT(inked(image), 0.005) << each.name;
        }
    }
}

TEST(PictureFiles, PaperIsLightInTheDarkTheme) {
    std::map<std::string, QByteArray> light;
    for (const auto& each : all_views())
        light[each.name] = svg_of(*each.of);
    use_theme(true);
    for (const auto& each : all_views())
        EXPECT_EQ(svg_of(*each.of), light[each.name]) << each.name;
    use_theme(false);
}

TEST(PictureFiles, TheTitleLineStandsAboveAndNoNameIsMarkup) {
    const QString hostile = "Graph · </text><script>alert(1)</script> & \"blur\"";
    auto picture = squares({100, 50});
    picture.title = hostile;
    const auto titled = with_title_line(picture, hostile);
    EXPECT_GT(titled.size.height(), 50);
    EXPECT_GT(titled.size.width(), 100) << "the line is not cut";
    const auto svg = picture_bytes(titled, PictureForm::Svg).value();
    const auto texts = texts_of(svg);
    ASSERT_TRUE(texts) << svg.toStdString();
    EXPECT_EQ(texts->value(0), hostile);
    EXPECT_FALSE(svg.contains("<script"));
    EXPECT_EQ(pages_of(picture_bytes(titled, PictureForm::Pdf).value()), 1);
}

TEST(PictureFiles, TheTreeIsDrawnWholeWhateverIsScrolledTo) {
    const auto tree = long_chain(300); // more rows than are opened at once
    ScheduleTreeView view;
    view.resize(300, 200);
    view.set_tree(tree);
    view.show();
    settle();
    const auto height = tree_row_height(QFontMetrics(text_font()));
    const auto rows = static_cast<int>(view.schedule_model()->count_rows(100000));
    ASSERT_GT(rows, 600);
    const auto picture = view.picture().value();
    EXPECT_EQ(picture.size.height(), rows * height);
    const auto texts = texts_of(picture_bytes(picture, PictureForm::Svg).value());
    ASSERT_TRUE(texts);
    EXPECT_TRUE(texts->contains("s0"));
    EXPECT_TRUE(texts->contains("s299"));
    view.collapse_all();
    EXPECT_EQ(view.picture()->size.height(), view.schedule_model()->rowCount() * height)
        << "what a person closed stays closed";
}

TEST(PictureFiles, TheGraphIsDrawnWholeAndWithoutWhatIsChosenOrSearched) {
    const auto tree = bundled_tree("blur");
    PipelineGraphView view;
    view.resize(300, 200);
    view.set_tree(tree);
    view.set_estimate(estimate_of(tree));
    const auto before = svg_of(view);
    const auto zoom = view.zoom();
    view.zoom_by(3);
    view.set_search("no such stage");
    view.set_selected({"out", -1, "@stage"});
    EXPECT_EQ(svg_of(view), before);
    EXPECT_NE(view.zoom(), zoom) << "the window keeps its own";
}

TEST(PictureFiles, AViewThatIsEmptySaysHowThereWillBeAPicture) {
    std::vector<std::unique_ptr<QWidget>> empty;
    empty.push_back(std::make_unique<PipelineGraphView>());
    empty.push_back(std::make_unique<ScheduleTreeView>());
    empty.push_back(std::make_unique<RooflineView>());
    empty.push_back(std::make_unique<TimelineView>());
    empty.push_back(std::make_unique<BanksView>());
    for (const auto& view : empty) {
        const auto picture = dynamic_cast<Pictured*>(view.get())->picture();
        ASSERT_FALSE(picture);
        EXPECT_FALSE(picture.errors().front().remedy.empty()) << picture.errors().front().message;
    }
}

TEST(PictureFiles, TheEndingDecidesAndAnotherOneIsRefused) {
    const auto in = folder();
    const std::pair<const char*, QByteArray> kinds[] = {
        {"png", "\x89PNG"}, {"svg", "<?xml"}, {"PDF", "%PDF"}};
    for (const auto& [ending, magic] : kinds) {
        const auto path = in + "/squares." + ending;
        ASSERT_TRUE(save_picture(squares({40, 30}), path)) << ending;
        EXPECT_TRUE(bytes_at(path).startsWith(magic)) << ending;
    }
    const auto refused = save_picture(squares({40, 30}), in + "/squares.bmp");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.errors().front().remedy.find(".svg"), std::string::npos);
    EXPECT_EQ(QDir(in).entryList(QDir::Files).size(), 3);
}

TEST(PictureFiles, WhatFailsSaysWhyAndLeavesNoHalfFile) {
    const auto in = folder();
    const auto gone = save_picture(squares({40, 30}), in + "/no/such/folder/squares.svg");
    ASSERT_FALSE(gone);
    EXPECT_NE(gone.errors().front().message.find("no/such/folder"), std::string::npos);
    EXPECT_NE(gone.errors().front().message.find("its folder is not there"), std::string::npos)
        << gone.errors().front().message;
    QDir(in).mkdir("taken.svg");
    EXPECT_FALSE(save_picture(squares({40, 30}), in + "/taken.svg"));
    ASSERT_TRUE(write_whole((in + "/kept.png").toStdString(), {"what was there"}));
    const auto huge = save_picture(squares({20000, 20000}), in + "/kept.png");
    ASSERT_FALSE(huge);
    EXPECT_NE(huge.errors().front().message.find("40000 × 40000"), std::string::npos)
        << huge.errors().front().message;
    EXPECT_EQ(bytes_at(in + "/kept.png"), "what was there");
    EXPECT_EQ(QDir(in).entryList(QDir::Files), QStringList("kept.png"));
    EXPECT_FALSE(picture_bytes(squares({40, 30}), PictureForm::Png, 0));
}

TEST(PictureFiles, APageThatWouldBeTooLongIsScaled) {
    const auto pdf = picture_bytes(squares({100, 60000}), PictureForm::Pdf).value();
    EXPECT_EQ(pages_of(pdf), 1);
    EXPECT_TRUE(pdf.contains("14400")) << "the longest side that readers take";
}

// The picture, as it is painted where no more than a part of it is seen.
Picture clipped(const Picture& picture, const QSize& to) {
    auto part = picture;
    part.paint = [picture, to](QPainter& painter) {
        painter.setClipRect(QRect(QPoint(0, 0), to));
        picture.paint(painter);
    };
    return part;
}

TEST(PictureFiles, RowsAndNodesOutsideTheClipAreNotPainted) {
    ScheduleTreeView rows;
    rows.set_tree(long_chain(300));
    const auto tree = rows.picture().value();
    ASSERT_GT(tree.row_height, 0);
    const auto first = clipped(tree, {tree.size.width(), 20 * tree.row_height});
    const auto seen = texts_of(picture_bytes(first, PictureForm::Svg).value());
    ASSERT_TRUE(seen);
    EXPECT_FALSE(seen->isEmpty());
    EXPECT_NE(seen->contains("s0"), seen->contains("s299")) << "the ends are far from each other";

    PipelineGraphView view;
    view.set_tree(bundled_tree("blur"));
    const auto graph = view.picture().value();
    const auto whole = texts_of(picture_bytes(graph, PictureForm::Svg).value());
    const auto half =
        texts_of(picture_bytes(clipped(graph, graph.size / 2), PictureForm::Svg).value());
    ASSERT_TRUE(whole && half);
    EXPECT_FALSE(half->isEmpty());
    EXPECT_LT(half->size(), whole->size());
}

TEST(PictureFiles, PagesEndBetweenRowsAndLeaveNoneOut) {
    constexpr int kRow = 37, kRows = 200;
    std::vector<QRectF> pages;
    Picture rows{"rows", "Rows", {400, kRow * kRows}, [&pages](QPainter& painter) {
                     pages.push_back(painter.clipBoundingRect());
                 }};
    rows.row_height = kRow;
    QPrinter printer(QPrinter::HighResolution);
    printer.setOutputFormat(QPrinter::PdfFormat);
    printer.setOutputFileName(folder() + "/rows.pdf");
    const auto titled = with_title_line(rows, "Rows of blur");
    EXPECT_EQ(titled.rows_from, titled.size.height() - kRow * kRows);
    ASSERT_TRUE(print_picture(titled, printer));
    ASSERT_GT(pages.size(), 3u);
    // In the picture below its title line, to which its own coordinates belong.
    EXPECT_NEAR(pages.front().top(), -titled.rows_from, 1);
    EXPECT_GE(pages.back().bottom(), kRow * kRows - 1);
    for (std::size_t p = 1; p < pages.size(); ++p) {
        EXPECT_NEAR(pages[p].top(), pages[p - 1].bottom(), 1) << p;
        const double rows_before = pages[p].top() / kRow;
        EXPECT_NEAR(rows_before, std::round(rows_before), 1.0 / kRow) << p;
    }
}

TEST(PictureFiles, ALongPictureIsPrintedOverSeveralPages) {
    const auto in = folder();
    const auto printed = [&](const QSize& size) {
        QPrinter printer(QPrinter::HighResolution);
        printer.setOutputFormat(QPrinter::PdfFormat);
        printer.setOutputFileName(in + "/printed.pdf");
        EXPECT_TRUE(print_picture(squares(size), printer));
        return pages_of(bytes_at(in + "/printed.pdf"));
    };
    EXPECT_EQ(printed({400, 300}), 1);
    EXPECT_EQ(printed({3000, 2000}), 1) << "it is made to fit";
    EXPECT_GT(printed({400, 6000}), 3);
}

} // namespace test_picture_files

} // namespace loopscope::views::test
