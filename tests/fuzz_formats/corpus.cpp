#include "tests/fuzz_formats/corpus.h"

#include "tests/support/support.h"

#include <filesystem>

namespace loopscope::fuzz {

namespace fs = std::filesystem;

namespace {

// What is bundled with Loopscope are examples too: a folder, and the ending of its files.
struct Examples {
    const char* format;
    const char* folder;
    const char* ending;
};
constexpr Examples kExamples[] = {{"loop", "resources/pipelines", ".loop"},
                                  {"sched", "resources/pipelines", ".sched"},
                                  {"device", "resources/devices", ".json"}};

using Corpus = std::map<std::string, std::string>;

void add_files(const std::string& folder, const std::string& ending, Corpus& corpus) {
    for (const auto& entry : fs::directory_iterator(folder))
        if (ending.empty() || entry.path().extension() == ending)
            corpus[entry.path().filename()] = bytes_in(entry.path());
}

} // namespace

std::string source_of(const std::string& name) {
    return test::source_path("tests/fuzz_formats/" + name);
}

std::map<std::string, std::string> corpus(const Format& format) {
    Corpus files;
    add_files(source_of("corpus/" + std::string(format.name)), "", files);
    for (const auto& examples : kExamples)
        if (std::string_view(examples.format) == format.name)
            add_files(test::source_path(examples.folder), examples.ending, files);
    return files;
}

} // namespace loopscope::fuzz
