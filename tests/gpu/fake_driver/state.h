#pragma once
// What the fake driver knows: its settings, memory, streams and kernels.

#include "compiler/gpu/cuda_api.h"
#include "compiler/lower/program.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace loopscope::fake {

using gpu::CuPointer;
using gpu::CuResult;

std::string setting(const char* name, const std::string& otherwise = "");
std::int64_t number(const char* name, std::int64_t otherwise);
void log(const std::string& line);

struct Meaning {
    lower::Program program;
    std::map<std::string, CuPointer> pointers; // of buffers, as the launches gave them
    std::size_t next = 0;                      // the launch that must come
    bool fresh = true;                         // the arrays have changed since it ran
};

struct Module;

struct Function {
    Module* module = nullptr;
    std::string name;
    std::size_t parameters = 0;
    std::size_t number = 0; // among the module's
    int dynamic_bytes = 48 << 10;
    std::array<unsigned, 3> cluster{0, 0, 0}; // that its PTX requires; zeros: none
};

struct Module {
    std::vector<Function> functions;
    std::optional<Meaning> meaning;
};

struct Launch {
    Function* function = nullptr;
    unsigned grid[3], block[3], shared_bytes = 0;
    std::array<unsigned, 3> cluster{0, 0, 0}; // zeros: the launch says nothing of them
    std::vector<CuPointer> arguments;
};

struct Graph {
    std::vector<Launch> launches;
};

struct Event {
    double seconds = 0;
};

struct State {
    std::map<CuPointer, std::vector<std::byte>> memory;
    std::int64_t used = 0;
    std::vector<std::unique_ptr<Module>> modules;
    std::unique_ptr<Graph> capturing;
    double clock = 0;                  // of the device, in seconds
    CuResult broken = gpu::kCuSuccess; // what all calls give from a fault on
    bool hangs = false;

    std::int64_t total() const;
    // The allocation that has [pointer, pointer + bytes); null: none does.
    std::vector<std::byte>* find(CuPointer pointer, std::size_t bytes);
    void touch(); // arrays have changed
};
State& state();

// kernels.cpp
CuResult run(const Launch& launch);
std::optional<Meaning> meaning_of(const std::vector<Function>& functions);

} // namespace loopscope::fake
