#include "app/windows/comparison_window.h"

#include "app/session/pinned_baseline.h"
#include "core/base/whole_file.h"
#include "core/language/intrinsics.h"
#include "views/widgets/schedules_view.h"

#include <QFile>
#include <QFileInfo>
#include <QShowEvent>
#include <QVBoxLayout>

#include <algorithm>

namespace loopscope::app {

using namespace views;

namespace {

constexpr qint64 kMaxScript = 1 << 22; // bytes of a file that is a schedule

} // namespace

ComparisonWindow::ComparisonWindow(session::Session& session, QWidget* parent)
    : QDialog(parent, Qt::Window),
      session_(session),
      view_(new SchedulesView),
      job_([](const Question& question, const CancelToken&) { return answer(question); },
           [this](const Question&, const std::shared_ptr<const SchedulePair>& pair) {
               view_->set_pair(pair);
           }) {
    setWindowTitle(tr("Two schedules side by side — Loopscope"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(view_);
    resize(1120, 660); // with its title within 720 pixels
    connect(view_, &SchedulesView::leftChosen, this, [this](int at) { choose(true, at); });
    connect(view_, &SchedulesView::rightChosen, this, [this](int at) { choose(false, at); });
    connect(view_, &SchedulesView::swapRequested, this, [this] { compare(right_, left_); });
    connect(view_, &SchedulesView::leftWanted, this, [this] { emit currentWanted(left_); });
    connect(view_, &SchedulesView::rightWanted, this, [this] { emit currentWanted(right_); });
    connect(view_, &SchedulesView::saveRequested, this, &ComparisonWindow::saveWanted);
    connect(&session_, &session::Session::opened, this, &ComparisonWindow::document_changed);
    for (auto changed : {&session::Session::treeChanged, &session::Session::deviceChanged,
                         &session::Session::measurementsChanged})
        connect(&session_, changed, this, &ComparisonWindow::refresh);
    connect(&session_.baseline(), &session::PinnedBaseline::changed, this,
            &ComparisonWindow::refresh);
}

void ComparisonWindow::compare(ComparedSide left, ComparedSide right) {
    left_ = std::move(left);
    right_ = std::move(right);
    for (const ComparedSide* side : {&left_, &right_})
        if (side->kind == ComparedSide::Kind::File && !files_.contains(side->path))
            files_ << side->path;
    refresh();
}

// Revisions of another document are none of this one's.
void ComparisonWindow::document_changed() {
    files_.clear();
    if (!session_.is_open()) {
        job_.cancel();
        close();
        return;
    }
    left_ = ComparedSide::of(session_.document()->revisions().front().id);
    right_ = {};
    refresh();
}

std::vector<ComparedSide> ComparisonWindow::offered() const {
    std::vector<ComparedSide> sides{{ComparedSide::Kind::Present, 0, {}}};
    if (session_.baseline().tree())
        sides.push_back(ComparedSide::baseline());
    const auto& revisions = session_.document()->revisions();
    for (auto r = revisions.rbegin(); r != revisions.rend(); ++r)
        sides.push_back(ComparedSide::of(r->id));
    for (const QString& path : files_)
        sides.push_back(ComparedSide::file(path));
    return sides;
}

QString ComparisonWindow::name(const ComparedSide& side) const {
    auto of = [this](std::int64_t id) {
        const auto* revision = session_.document()->find(id);
        return revision ? to_qstring(revision->name) : QString();
    };
    switch (side.kind) {
    case ComparedSide::Kind::Present:
        return tr("Now: %1").arg(to_qstring(session_.document()->current().name));
    case ComparedSide::Kind::Baseline:
        return tr("Baseline: %1").arg(of(session_.baseline().revision()));
    case ComparedSide::Kind::Revision:
        return tr("%1: %2").arg(side.revision).arg(of(side.revision));
    case ComparedSide::Kind::File: return tr("File: %1").arg(QFileInfo(side.path).fileName());
    }
    return {};
}

bool ComparisonWindow::is_present(const ComparedSide& side) const {
    const auto now = session_.document()->current().id;
    return side.kind == ComparedSide::Kind::Present ||
           (side.kind == ComparedSide::Kind::Revision && side.revision == now) ||
           (side.kind == ComparedSide::Kind::Baseline && session_.baseline().revision() == now);
}

void ComparisonWindow::resolve(const ComparedSide& side, Question& question, int at) const {
    question.title[at] = name(side).toStdString();
    std::int64_t revision = 0;
    switch (side.kind) {
    case ComparedSide::Kind::Present: question.script[at] = session_.script(); return;
    case ComparedSide::Kind::Baseline: revision = session_.baseline().revision(); break;
    case ComparedSide::Kind::Revision: revision = side.revision; break;
    case ComparedSide::Kind::File: {
        QFile file(side.path);
        if (!file.open(QIODevice::ReadOnly))
            question.failure[at] =
                tr("cannot read %1: %2").arg(side.path, file.errorString()).toStdString();
        else if (file.size() > kMaxScript)
            question.failure[at] = tr("%1 is too long for a schedule").arg(side.path).toStdString();
        else
            question.script[at] = file.readAll().toStdString();
        return;
    }
    }
    if (const auto* found = session_.document()->find(revision))
        question.script[at] = found->script;
    else
        question.failure[at] = tr("there is no such schedule in the document").toStdString();
}

// Only while somebody looks.
void ComparisonWindow::refresh() {
    if (!isVisible() || !session_.is_open())
        return;
    if (left_.kind == ComparedSide::Kind::Baseline && !session_.baseline().tree())
        left_ = ComparedSide::of(session_.document()->revisions().front().id);
    if (right_.kind == ComparedSide::Kind::Baseline && !session_.baseline().tree())
        right_ = {};
    const auto sides = offered();
    SideChoices choices;
    for (const auto& side : sides)
        choices.names << name(side);
    choices.names << tr("A schedule file…");
    auto place = [&](const ComparedSide& side) {
        return static_cast<int>(std::find(sides.begin(), sides.end(), side) - sides.begin());
    };
    choices.left = place(left_);
    choices.right = place(right_);
    choices.left_present = is_present(left_);
    choices.right_present = is_present(right_);
    view_->set_choices(choices);
    Question question;
    question.pipeline = session_.pipeline();
    question.device = session_.device();
    const auto device_name = to_qstring(question.device->name);
    question.device_text = question.device->is_host     ? tr("this machine")
                           : question.device->is_here() ? device_name
                                                        : tr("%1, described").arg(device_name);
    question.medians = session::MeasuredMedians(session_);
    resolve(left_, question, 0);
    resolve(right_, question, 1);
    job_.request(std::move(question));
}

std::shared_ptr<const SchedulePair> ComparisonWindow::answer(const Question& question) {
    ComparedSchedule sides[2];
    ApplyContext context;
    context.device = question.device.get();
    context.intrinsics = &declared_intrinsics();
    for (int at : {0, 1}) {
        auto& side = sides[at];
        side.title = to_qstring(question.title[at]);
        side.script = question.script[at];
        side.failure = to_qstring(question.failure[at]);
        if (!side.failure.isEmpty())
            continue;
        auto scheduled = session::schedule_script(question.pipeline, side.script, context);
        if (!scheduled) {
            side.failure = to_qstring(format(scheduled.errors(), 1)).trimmed();
            continue;
        }
        side.tree = scheduled->tree;
        side.estimate = std::make_shared<const model::Estimate>(
            session::estimate_of(*side.tree, *question.device));
        side.measured = question.medians.of(side.script);
    }
    return std::make_shared<const SchedulePair>(
        pair_of(std::move(sides[0]), std::move(sides[1]), question.device_text));
}

// The list has a line above its last entry, which stands for a file.
void ComparisonWindow::choose(bool left, int index) {
    const auto sides = offered();
    if (index >= static_cast<int>(sides.size())) {
        refresh(); // the list shows what is compared, whatever comes of the question
        emit fileWanted(left);
        return;
    }
    const auto& chosen = sides[static_cast<std::size_t>(index)];
    compare(left ? chosen : left_, left ? right_ : chosen);
}

Status ComparisonWindow::save(const QString& path) const {
    if (!view_->pair())
        return error("there is no comparison to save", "wait until it is made");
    const bool markdown = QFileInfo(path).suffix().compare("md", Qt::CaseInsensitive) == 0;
    const auto text =
        views::to_text(*view_->pair(), markdown ? TextForm::Markdown : TextForm::Plain);
    return write_whole(path.toStdString(), {text.toStdString()});
}

void ComparisonWindow::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    if (event->spontaneous())
        return;
    view_->setFocus();
    refresh();
}

} // namespace loopscope::app
