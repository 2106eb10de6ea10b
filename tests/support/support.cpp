#include "tests/support/support.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include <unistd.h>

namespace loopscope::test {

namespace fs = std::filesystem;

std::string source_path(const std::string& relative) {
    return std::string(LOOPSCOPE_SOURCE_DIR) + "/" + relative;
}

std::string program_path(const std::string& name) {
    const char* folder = std::getenv("LOOPSCOPE_BIN");
    return (folder ? fs::path(folder) : fs::read_symlink("/proc/self/exe").parent_path()) / name;
}

std::uint64_t setting(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::string read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        throw std::runtime_error("cannot read " + path);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

namespace {
struct Scratch {
    fs::path path;
    Scratch() {
        std::string pattern = (fs::temp_directory_path() / "loopscope-test-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw std::runtime_error("cannot make a scratch folder");
        path = pattern;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};
} // namespace

std::string scratch_folder() {
    static Scratch root;
    static int count = 0;
    auto folder = root.path / std::to_string(count++);
    fs::create_directories(folder);
    return folder;
}

std::string golden_difference(const std::string& name, const std::string& actual) {
    auto path = source_path("tests/golden/" + name);
    if (std::getenv("LOOPSCOPE_UPDATE_GOLDEN")) {
        fs::create_directories(fs::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << actual;
        return "golden file written: " + path;
    }
    if (!fs::exists(path))
        return "golden file is missing: " + path + "\nactual:\n" + actual;
    auto expected = read_file(path);
    if (expected == actual)
        return {};
    return "differs from " + path + "\nexpected:\n" + expected + "\nactual:\n" + actual;
}

} // namespace loopscope::test
