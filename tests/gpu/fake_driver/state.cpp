#include "tests/gpu/fake_driver/state.h"

#include <cstdlib>
#include <fstream>

namespace loopscope::fake {

std::string setting(const char* name, const std::string& otherwise) {
    const char* value = std::getenv(name);
    return value && *value ? value : otherwise;
}

std::int64_t number(const char* name, std::int64_t otherwise) {
    const auto text = setting(name);
    return text.empty() ? otherwise : std::atoll(text.c_str());
}

void log(const std::string& line) {
    static const auto file = setting("FAKE_CUDA_LOG");
    if (!file.empty())
        std::ofstream(file, std::ios::app) << line << "\n";
}

State& state() {
    static State* only = new State; // outlives whoever frees memory at exit
    return *only;
}

std::int64_t State::total() const { return number("FAKE_CUDA_MEMORY", std::int64_t{8} << 30); }

std::vector<std::byte>* State::find(CuPointer pointer, std::size_t bytes) {
    auto next = memory.upper_bound(pointer);
    if (next == memory.begin())
        return nullptr;
    auto& [begin, block] = *std::prev(next);
    return pointer - begin + bytes <= block.size() ? &block : nullptr;
}

void State::touch() {
    for (auto& module : modules)
        if (module->meaning)
            module->meaning->fresh = true;
}

} // namespace loopscope::fake
