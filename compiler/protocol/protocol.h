#pragma once
// The messages of client and worker, over the worker's standard input and output.

#include "core/base/diagnostic.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace loopscope::measure {

inline constexpr int kProtocolVersion = 1;
inline constexpr const char* kProgramVersion = "0.1.0";
// bytes; a longer one is nonsense
inline constexpr std::size_t kMaxFrame = std::size_t(1) << 30;
// The worker's exit status after it ran out of memory: no answer can be sent for sure, a status
// always can.
inline constexpr int kOutOfMemoryExit = 87;
// … and after LLVM gave up ("Cannot select", a broken module); the reason is on standard error.
inline constexpr int kFatalErrorExit = 86;

// Diagnostics with their places, and the texts that they point into.
nlohmann::json diagnostics_to_json(const Diagnostics& diagnostics);
Diagnostics diagnostics_from_json(const nlohmann::json& json);

std::string encode_frame(const nlohmann::json& message);

// Cuts a byte stream into frames.
class FrameReader {
public:
    void append(const char* data, std::size_t size) { bytes_.append(data, size); }
    enum class State { Incomplete, Complete, Broken };
    // Complete: `message` is the next one, an object whose members of the protocol are of their
    // types (envelope.cpp). Broken: the stream is no stream of such frames; it stays broken, and
    // `reason` says why.
    State next(nlohmann::json& message);
    const std::string& reason() const { return reason_; }

private:
    State broken(const std::string& reason);
    std::string bytes_;
    std::size_t begin_ = 0;
    std::string reason_; // empty: it is not broken
};

// What is wrong with the members of a message that the protocol itself reads; empty: nothing.
std::string wrong_envelope(const nlohmann::json& message);

// Writes everything, or returns false (the other side is gone).
bool write_all(int descriptor, const std::string& bytes);

} // namespace loopscope::measure
