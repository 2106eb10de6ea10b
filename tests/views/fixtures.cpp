#include "tests/views/fixtures.h"

#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"
#include "tests/support/support.h"
#include "views/style/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QTest>
#include <QWidget>

#include <map>
#include <stdexcept>

namespace loopscope::views::test {

namespace {

std::string program(const std::string& file) {
    return loopscope::test::source_path("resources/pipelines/" + file);
}

ApplyContext context() { return {described_device().get()}; }

} // namespace

PipelinePtr bundled_pipeline(const std::string& name) {
    static std::map<std::string, PipelinePtr> loaded;
    PipelinePtr& pipeline = loaded[name];
    if (!pipeline)
        pipeline = load_pipeline_file(program(name + ".loop")).value().pipeline;
    return pipeline;
}

std::string bundled_schedule_text(const std::string& name) {
    return loopscope::test::read_file(program(name + ".cpu.sched"));
}

ScheduleTreePtr bundled_tree(const std::string& name, const std::string& schedule) {
    const PipelinePtr pipeline = bundled_pipeline(name);
    const std::string text = schedule.empty() ? bundled_schedule_text(name) : schedule;
    const Schedule parsed =
        parse_schedule(std::make_shared<SourceFile>("test.sched", text), pipeline.get()).value();
    return schedule_tree(pipeline, parsed, context()).value();
}

ScheduleTreePtr default_tree(const std::string& name) {
    return bundled_tree(name, "schedule for " + name + "\n");
}

DevicePtr described_device() {
    static const DevicePtr device = [] {
        auto d = std::make_shared<device::Device>();
        d->name = "host";
        d->description = "two cores with AVX-512";
        d->cores = d->threads = 2;
        d->vector_bits = 512;
        auto figure = [](double value) { return device::Figure{value, "described"}; };
        auto cache = [&](const char* name, std::int64_t bytes, int ways, int shared, double rate) {
            device::CacheLevel level;
            level.name = name;
            level.bytes = bytes;
            level.ways = ways;
            level.shared_by_cores = shared;
            level.bytes_per_second = figure(rate);
            level.bytes_per_second_all = figure(2 * rate);
            return level;
        };
        d->caches = {cache("L1", 32 << 10, 8, 1, 190e9), cache("L2", 1 << 20, 16, 1, 80e9),
                     cache("L3", 32 << 20, 11, 2, 28e9)};
        d->memory_bytes = 16LL << 30;
        d->memory_bytes_per_second = figure(11e9);
        d->memory_bytes_per_second_all = figure(18e9);
        d->flops_per_second = {{ScalarType::F32, figure(180e9)}, {ScalarType::F64, figure(90e9)}};
        d->flops_per_second_all = {{ScalarType::F32, figure(350e9)},
                                   {ScalarType::F64, figure(175e9)}};
        d->parallel_overhead_seconds = figure(5e-6);
        return d;
    }();
    return device;
}

EstimatePtr estimate_of(const ScheduleTreePtr& tree) {
    const model::Model* bottleneck = model::find_model("bottleneck");
    if (!bottleneck)
        throw std::logic_error("no bottleneck model");
    return std::make_shared<model::Estimate>(bottleneck->estimate(*tree, *described_device(), {}));
}

ScheduleTreePtr tree_of_text(const std::string& text, const std::string& lines) {
    const PipelinePtr pipeline =
        load_pipeline(std::make_shared<SourceFile>("test.loop", text)).value().pipeline;
    const Schedule parsed =
        parse_schedule(std::make_shared<SourceFile>("test.sched", "schedule for " + pipeline->name +
                                                                      "\n" + lines),
                       pipeline.get())
            .value();
    return schedule_tree(pipeline, parsed, context()).value();
}

ScheduleTreePtr long_chain(int stages) {
    std::string text = "pipeline chain\ninput a[i]: f32[64]\nstage s0[i]: f32 = a[i] + 1.0\n";
    for (int s = 1; s < stages; ++s)
        text += "stage s" + std::to_string(s) + "[i]: f32 = s" + std::to_string(s - 1) +
                "[i]*2.0 + " + (s > 7 ? "s" + std::to_string(s - 7) + "[i]" : std::string("1.0")) +
                "\n";
    text += "output s" + std::to_string(stages - 1) + ": [64]\n";
    return tree_of_text(text);
}

std::optional<QString> refusal(const ScheduleTreePtr& tree, const QString& line) {
    const auto directive = parse_directive(line.toStdString());
    if (!directive)
        return to_qstring(directive.errors().front().message);
    ScheduleState state = tree->state;
    const Status status = (*directive)->apply(state, context());
    if (status)
        return std::nullopt;
    const Diagnostic& d = status.errors().front();
    return to_qstring(d.message + (d.remedy.empty() ? "" : "; " + d.remedy));
}

EditServices services_of(const ScheduleTreePtr& tree) {
    EditServices services;
    services.judge = [tree](const std::vector<DirectiveEdit>& edits,
                            std::function<void(const DirectiveEdit&, const Verdict&)> answer) {
        for (const DirectiveEdit& edit : edits) {
            const auto reason =
                edit.replaces > 0 ? std::optional<QString>() : refusal(tree, edit.line);
            answer(edit, {!reason, reason.value_or(QString()), nullptr});
        }
    };
    services.preview = [](const DirectiveEdit&, std::function<void(const Preview&)> answer) {
        answer({QStringLiteral("▾ 18 % to 1.2 ms"), -1});
    };
    return services;
}

void settle() {
    QElapsedTimer watch;
    watch.start();
    for (int quiet = 0; quiet < 3 && watch.elapsed() < 5000; ++quiet)
        QTest::qWait(15);
}

void move_unpressed(QWidget& widget, const QPoint& at) {
    QMouseEvent move(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::NoButton,
                     Qt::NoModifier);
    QCoreApplication::sendEvent(&widget, &move);
}

void use_theme(bool dark) {
    apply_theme(*qApp, dark ? ThemeKind::Dark : ThemeKind::Light);
    QApplication::processEvents();
}

QImage picture(QWidget& widget, const QSize& size, const QString& name) {
    widget.resize(size);
    widget.show();
    settle();
    const QImage image = widget.grab().toImage();
    const QString folder = qEnvironmentVariable("LOOPSCOPE_PICTURES");
    if (!folder.isEmpty())
        image.save(folder + '/' + name +
                   (theme_of(widget).kind == ThemeKind::Dark ? "-dark.png" : "-light.png"));
    return image;
}

double inked(const QImage& image) {
    std::map<QRgb, long> counts;
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ++counts[image.pixel(x, y)];
    long most = 0;
    for (const auto& [colour, count] : counts)
        most = std::max(most, count);
    return 1.0 - static_cast<double>(most) / (static_cast<double>(image.width()) * image.height());
}

} // namespace loopscope::views::test
