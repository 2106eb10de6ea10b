// Rows of the inspector that an edit leaves what they are: the same widgets, with what they now do
// and with the keyboard.

#include "core/language/schedule_parser.h"
#include "tests/views/fixtures.h"
#include "views/widgets/bubble.h"
#include "views/widgets/inspector_view.h"
#include "views/widgets/tick_slider.h"

#include <gtest/gtest.h>

#include <QCursor>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>

namespace loopscope::views::test {

namespace {

class InspectorRows : public testing::Test {
protected:
    void SetUp() override {
        // Verdicts are given when the test says so.
        view_.set_services({[this](const std::vector<DirectiveEdit>& edits, const auto& answer) {
                                asked_ = edits;
                                answer_ = answer;
                            },
                            {}});
        view_.resize(520, 1400);
        view_.show();
    }
    void show(const std::string& lines, const NodeId& selected) {
        show_at_once(lines, selected);
        settle();
    }
    void show_at_once(const std::string& lines, const NodeId& selected,
                      const PipelinePtr& pipeline = bundled_pipeline("matmul")) {
        auto schedule = std::make_shared<const Schedule>(
            parse_schedule(
                std::make_shared<SourceFile>("test.sched", "schedule for matmul\n" + lines))
                .value());
        const auto tree = schedule_tree(pipeline, *schedule, {}).value();
        view_.set_snapshot(tree, estimate_of(tree), schedule, selected);
    }
    // Refuses the choices whose line contains one of these, for that reason; accepts all others.
    void judge(const std::map<QString, QString>& refused) {
        for (const DirectiveEdit& edit : std::exchange(asked_, {})) {
            Verdict verdict;
            for (const auto& [part, reason] : refused)
                if (edit.line.contains(part))
                    verdict = {false, reason, nullptr};
            answer_(edit, verdict);
        }
        settle();
    }
    QPushButton* button(const char* name) {
        auto* found = view_.findChild<QPushButton*>(QString::fromUtf8(name));
        EXPECT_NE(found, nullptr) << name;
        return found;
    }
    QString notes() {
        QString text;
        for (const auto* note : view_.findChildren<QLabel*>())
            if (note->accessibleName() == "Why a choice cannot be made" && note->isVisible())
                text += note->text() + '\n';
        return text;
    }
    std::vector<DirectiveEdit> asked_;
    std::function<void(const DirectiveEdit&, const Verdict&)> answer_;
    InspectorView view_;
};

TEST_F(InspectorRows, AnEditKeepsThemAndWhatTheyDoFollowsTheScript) {
    show("C.parallel(i)\nC.split(k, ko, ki, 32)\n", {"C", 0, "ki"});
    const QPointer<QPushButton> shift = button("tail/shift"), unrolled = button("kind/unrolled");
    EXPECT_EQ(shift->property("replaces").toInt(), 3);
    EXPECT_EQ(unrolled->text(), QStringLiteral("unrolled"));
    show("C.split(k, ko, ki, 32)\nC.unroll(ki)\n", {"C", 0, "ki"});
    ASSERT_TRUE(shift && unrolled);
    EXPECT_EQ(view_.findChildren<QPushButton*>("tail/shift").size(), 1);
    QSignalSpy asked(&view_, &InspectorView::editRequested);
    shift->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(), DirectiveEdit("C.split(k, ko, ki, 32, shift)", 2))
        << "its line has moved up";
    EXPECT_EQ(unrolled->text(), QStringLiteral("✓ unrolled"));
    EXPECT_TRUE(unrolled->isChecked());
    unrolled->click();
    EXPECT_EQ(asked.count(), 1) << "the schedule is so now";
    button("kind/serial")->click();
    ASSERT_EQ(asked.count(), 2);
    EXPECT_EQ(asked[1][0].value<DirectiveEdit>(), DirectiveEdit("C.serial(ki)"));
}

TEST_F(InspectorRows, AFactorsRowTurnsWithTheScript) {
    show("C.split(k, ko, ki, 32)\n", {"C", 0, "ki"});
    const QPointer<TickSlider> slider = view_.findChild<TickSlider*>("factor/k");
    ASSERT_TRUE(slider);
    EXPECT_EQ(slider->accessibleDescription(), "32");
    QSignalSpy asked(&view_, &InspectorView::editRequested);
    show("C.split(k, ko, ki, 64)\n", {"C", 0, "ki"});
    ASSERT_TRUE(slider) << "a slider that is dragged is not taken away";
    EXPECT_EQ(slider->accessibleDescription(), "64");
    EXPECT_EQ(slider->value(), slider->present());
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_Right);
    QTest::keyClick(slider, Qt::Key_Return);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(), DirectiveEdit("C.split(k, ko, ki, 128)", 2));
}

TEST_F(InspectorRows, TheKeyboardStaysWithoutLeavingForAMoment) {
    show("", {"C", 0, "i"});
    view_.activateWindow();
    button("kind/parallel")->setFocus();
    ASSERT_TRUE(button("kind/parallel")->hasFocus());
    QSignalSpy moved(qApp, &QApplication::focusChanged);
    show("C.parallel(i)\n", {"C", 0, "i"});
    EXPECT_EQ(moved.count(), 0);
    EXPECT_TRUE(button("kind/parallel")->hasFocus());
    // Where the row itself goes, what takes its place has the keyboard.
    auto* slider = view_.findChild<TickSlider*>("factor/i");
    ASSERT_NE(slider, nullptr);
    slider->setFocus();
    show("C.split(i, io, ii, 8)\n", {"C", 0, "ii"});
    settle();
    ASSERT_NE(QApplication::focusWidget(), nullptr);
    EXPECT_EQ(QApplication::focusWidget()->objectName(), "factor/i");
    EXPECT_TRUE(QApplication::focusWidget()->isVisible());
}

// Rows that are made anew stand between those that are kept, for the keyboard and for screen
// readers, too.
TEST_F(InspectorRows, TheKeyboardGoesFromTopToBottom) {
    show("", {"C", 0, "i"});
    show("C.split(i, io, ii, 8)\n", {"C", 0, "ii"});
    show("C.split(i, io, ii, 8)\nC.split(ii, a, b, 2)\n", {"C", 0, "b"});
    show("C.split(i, io, ii, 8)\n", {"C", 0, "ii"});
    view_.activateWindow();
    view_.setFocus();
    QStringList order;
    QPoint before(-1, -1);
    for (int step = 0; step < 100; ++step) {
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        const QWidget* focus = QApplication::focusWidget();
        if (!focus || !view_.widget()->isAncestorOf(focus) || order.contains(focus->objectName()))
            break;
        order << focus->objectName();
        const QPoint at = focus->mapTo(view_.widget(), QPoint(0, focus->height()));
        EXPECT_TRUE(at.y() > before.y() || at.x() > before.x()) << order.join(", ").toStdString();
        before = at;
    }
    EXPECT_GT(order.size(), 10);
    EXPECT_LT(order.indexOf("kind/serial"), order.indexOf("factor/i"));
    EXPECT_LT(order.indexOf("factor/i"), order.indexOf("tail/shift"));
    // As a screen reader lists them.
    int above = -1;
    for (const QObject* child : button("kind/serial")->parentWidget()->parentWidget()->children())
        if (const auto* row = qobject_cast<const QWidget*>(child); row && row->isVisible()) {
            EXPECT_GT(row->y(), above);
            above = row->y();
        }
}

TEST_F(InspectorRows, AThemeKeepsTheKeyboardsPlace) {
    show("", {"C", 0, "i"});
    view_.activateWindow();
    button("kind/parallel")->setFocus();
    for (const bool dark : {true, false}) {
        use_theme(dark);
        settle();
        EXPECT_TRUE(button("kind/parallel")->hasFocus());
        EXPECT_EQ(view_.findChildren<QPushButton*>("kind/parallel").size(), 1);
    }
}

// The next press of a key must not be that of another choice.
TEST_F(InspectorRows, AChoiceThatTurnsGreyGivesTheKeyboardToNoOther) {
    show("", {"C", 0, "i"});
    judge({});
    view_.activateWindow();
    button("kind/vectorised")->setFocus();
    QSignalSpy asked(&view_, &InspectorView::editRequested);
    show("C.reorder(i, k, j)\n", {"C", 0, "i"});
    judge({{"C.vectorize(i", "it carries a sum"}});
    ASSERT_FALSE(button("kind/vectorised")->isEnabled());
    EXPECT_EQ(QApplication::focusWidget(), &view_);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Space);
    EXPECT_EQ(asked.count(), 0);
    show("", {"C", 0, "i"});
    judge({});
    EXPECT_TRUE(button("kind/vectorised")->hasFocus()) << "it may be pressed again";
}

TEST_F(InspectorRows, AVerdictHoldsUntilTheNextOne) {
    show("", {"C", 0, "i"});
    judge({{"C.parallel(", "it carries a sum; reorder it"}});
    EXPECT_FALSE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(notes().contains("parallel: it carries a sum")) << notes().toStdString();
    // Nothing moves while the choices are judged anew.
    const QPoint below = view_.findChild<TickSlider*>("factor/i")->mapTo(&view_, QPoint());
    show_at_once("C.reorder(i, k, j)\n", {"C", 0, "i"});
    QCoreApplication::processEvents();
    EXPECT_TRUE(view_.judging());
    EXPECT_FALSE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(notes().contains("it carries a sum"));
    EXPECT_EQ(view_.findChild<TickSlider*>("factor/i")->mapTo(&view_, QPoint()), below);
    judge({{"C.parallel(", "it carries a maximum"}});
    EXPECT_TRUE(notes().contains("parallel: it carries a maximum")) << notes().toStdString();
    EXPECT_EQ(button("kind/parallel")->accessibleDescription(), "it carries a maximum");
    show("", {"C", 0, "i"});
    judge({});
    EXPECT_TRUE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(notes().isEmpty()) << notes().toStdString();
    EXPECT_TRUE(button("kind/parallel")->accessibleDescription().contains("on all threads"));
}

// What an edit made possible must not wait for every other choice.
TEST_F(InspectorRows, AVerdictThatIsSlowHoldsNobodyUp) {
    show("", {"C", 0, "i"});
    judge({{"C.parallel(", "it carries a sum"}});
    show_at_once("C.reorder(i, k, j)\n", {"C", 0, "i"});
    EXPECT_FALSE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(QTest::qWaitFor([&] { return button("kind/parallel")->isEnabled(); }, 5000));
    EXPECT_TRUE(view_.judging());
    EXPECT_TRUE(notes().isEmpty()) << notes().toStdString();
    judge({{"C.parallel(", "it carries a sum"}});
    EXPECT_FALSE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(notes().contains("it carries a sum"));
}

TEST_F(InspectorRows, ACardFollowsTheVerdict) {
    show("", {"C", 0, "i"});
    judge({{"C.parallel(", "it carries a sum"}});
    auto* bubble = view_.findChild<Bubble*>();
    QEvent enter(QEvent::Enter);
    QCursor::setPos(view_.mapToGlobal(QPoint(-40, 10))); // it comes from outside
    show_at_once("C.reorder(i, k, j)\n", {"C", 0, "i"});
    QCoreApplication::sendEvent(button("kind/parallel"), &enter);
    EXPECT_TRUE(bubble->text().contains("it carries a sum")) << bubble->text().toStdString();
    judge({});
    EXPECT_FALSE(bubble->text().contains("it carries a sum")) << bubble->text().toStdString();
}

TEST_F(InspectorRows, AVerdictIsOfOneDocument) {
    show("", {"C", 0, "i"});
    judge({{"C.parallel(", "it carries a sum"}});
    show_at_once("", {"C", 0, "i"}, std::make_shared<Pipeline>(*bundled_pipeline("matmul")));
    EXPECT_TRUE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(notes().isEmpty());
}

TEST_F(InspectorRows, AVerdictIsOfOneNode) {
    show("", {"C", 0, "i"});
    judge({{"C.parallel(", "it carries a sum"}});
    ASSERT_FALSE(button("kind/parallel")->isEnabled());
    view_.set_selected({"C", 0, "j"});
    settle();
    EXPECT_TRUE(button("kind/parallel")->isEnabled());
    EXPECT_TRUE(notes().isEmpty()) << notes().toStdString();
    QSignalSpy asked(&view_, &InspectorView::editRequested);
    button("kind/parallel")->click();
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].value<DirectiveEdit>(), DirectiveEdit("C.parallel(j)"));
}

TEST_F(InspectorRows, ButtonsThatAReasonReplacedComeBack) {
    show("", {"C", -1, "@stage"});
    const auto scopes =
        view_.findChildren<QPushButton*>(QRegularExpression(QStringLiteral("^scope/")));
    ASSERT_GE(scopes.size(), 4);
    const QPointer<QPushButton> scope = scopes.front();
    judge({{"scope(", "C is an output"}});
    EXPECT_TRUE(scope->isHidden());
    EXPECT_TRUE(notes().contains("C is an output"));
    show_at_once("C.parallel(i)\n", {"C", -1, "@stage"});
    ASSERT_TRUE(scope);
    EXPECT_TRUE(scope->isHidden()) << "nothing new is known";
    judge({});
    EXPECT_TRUE(scope->isVisible());
    EXPECT_TRUE(scope->isEnabled());
}

} // namespace

// What is for GPUs alone is not offered for a processor; a switch that stands in the script is.
TEST(InspectorRowsOfAProcessor, HaveNothingOfGpus) {
    const auto tree = default_tree("matmul");
    const auto device = described_device();
    auto words = [&](const device::Device* of, const Schedule* schedule) {
        QString all;
        for (const NodeId& id : {NodeId{"C", 0, "i"}, NodeId{"C", -1, "@stage"}})
            for (const auto& row : inspector_rows(*tree, schedule, id, of))
                if (const auto* choices = std::get_if<ChoiceRow>(&row)) {
                    all += choices->title + '\n';
                    for (const auto& choice : choices->choices)
                        all += choice.text + '\n';
                }
        return all;
    };
    const auto here = words(device.get(), nullptr);
    EXPECT_TRUE(here.contains("Contract"));
    for (const auto* word : {"Tensor", "Specialise", "Swizzle", "Persistent", "Bind", "shared",
                             "fragment", "register", "block.x"})
        EXPECT_FALSE(here.contains(word)) << word << here.toStdString();
    const auto anywhere = words(nullptr, nullptr);
    EXPECT_TRUE(anywhere.contains("Swizzle")) << "where the device is not known all are";
}

} // namespace loopscope::views::test
