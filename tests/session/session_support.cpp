#include "tests/session/session_support.h"

#include "compiler/measure/host_device.h"
#include "core/base/hash.h"
#include "tests/support/support.h"

#include <nlohmann/json.hpp>

#include <QCoreApplication>
#include <QElapsedTimer>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include <unistd.h>

namespace loopscope::session::test {

void use_known_host() {
    const auto folder = loopscope::test::scratch_folder();
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    auto host = measure::read_host();
    auto figure = [](double value) { return device::Figure{value, "given by a test"}; };
    host.flops_per_second = {{ScalarType::F32, figure(100e9)}, {ScalarType::F64, figure(50e9)}};
    host.flops_per_second_all = {{ScalarType::F32, figure(200e9)},
                                 {ScalarType::F64, figure(100e9)}};
    for (auto& cache : host.caches) {
        cache.bytes_per_second = figure(100e9);
        cache.bytes_per_second_all = figure(200e9);
    }
    host.memory_bytes_per_second = figure(10e9);
    host.memory_bytes_per_second_all = figure(15e9);
    host.parallel_overhead_seconds = figure(5e-6);
    auto file = measure::host_file(host);
    std::filesystem::create_directories(std::filesystem::path(file).parent_path());
    std::ofstream(file) << device::to_json(host).dump();
}

std::string bundled(const std::string& file) {
    return loopscope::test::source_path("resources/pipelines/" + file);
}

bool wait_until(const std::function<bool()>& holds, int seconds) {
    QElapsedTimer watch;
    watch.start();
    while (!holds()) {
        if (watch.elapsed() > seconds * 1000)
            return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
        ::usleep(2000);
    }
    return true;
}

std::string script_hash(const std::string& script) { return std::to_string(hash_of(script)); }

int edit_until_killed(const std::string& file, const std::string& recovery_folder,
                      unsigned long seed) {
    use_known_host();
    Session session(nullptr, recovery_folder);
    OpenOptions small;
    small.params = {{"H", 64}, {"W", 64}};
    if (!session.open(file, small).ok())
        return 1;
    // What was measured is told when it is in the document.
    QObject::connect(&session, &Session::measurementsChanged, [&session] {
        std::printf("measured %zu\n", session.document()->measurements().size());
        std::fflush(stdout);
    });
    const auto say_where_it_is = [&session] {
        std::printf("%s %s\n", script_hash(session.script()).c_str(),
                    script_hash(session.draft()).c_str());
        std::fflush(stdout);
    };
    say_where_it_is();
    std::mt19937 random(static_cast<std::mt19937::result_type>(seed));
    const char* gestures[] = {
        "out.vectorize(x, 8)", "out.parallel(y)",           "blur_x.vectorize(x, 16)",
        "blur_x.parallel(y)",  "blur_x.compute_at(out, y)", "out.split(y, yo, yi, 32)",
        "blur_x.inline()"};
    for (int step = 0;; ++step) {
        if (!session.tasks().busy() && random() % 4 == 0)
            session.tasks().measure(0.01);
        std::printf("begin\n");
        std::fflush(stdout);
        switch (random() % 7) {
        case 0: session.undo(); break;
        case 1: session.redo(); break;
        case 2:
            session.edit_script(
                QString::fromStdString(session.script() + "# note " + std::to_string(step) + "\n"));
            break;
        case 3:
            session.edit_script(
                QString::fromStdString(session.script() + "out.nonsense" + std::to_string(step)));
            break;
        case 4: {
            const std::string place = random() % 2 ? "/saved/a.loopscope" : "/saved/b.loopscope";
            if (random() % 3 == 0 && session.save_document(recovery_folder + place).ok())
                std::printf("saved %s\n", place.c_str());
            break;
        }
        default:
            (void)session.apply_directive(gestures[random() % std::size(gestures)]).ok();
            break;
        }
        QCoreApplication::processEvents();
        say_where_it_is();
        // so that some kills come between two edits
        ::usleep(static_cast<useconds_t>(random() % 4000));
    }
}

} // namespace loopscope::session::test
