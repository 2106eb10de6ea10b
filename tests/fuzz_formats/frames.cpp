// Any bytes as the stream between client and worker: they are cut into the same messages however
// they arrive, a message is sent as one that is read back alike, and all readers of answers take
// any message.
#include "compiler/measure/requests.h"
#include "compiler/protocol/protocol.h"
#include "core/device/device.h"
#include "tests/fuzz_formats/format.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace loopscope::fuzz {
namespace {

using measure::FrameReader;
using nlohmann::json;

struct Stream {
    std::vector<json> messages;
    std::string reason; // empty: it is not broken
};

Stream read_stream(std::string_view bytes, std::size_t piece) {
    FrameReader reader;
    Stream stream;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        const auto part = bytes.substr(at, piece);
        reader.append(part.data(), part.size());
        json message;
        FrameReader::State state;
        while ((state = reader.next(message)) == FrameReader::State::Complete)
            stream.messages.push_back(std::move(message));
        if (state == FrameReader::State::Broken) {
            if (reader.reason().empty())
                throw Wrong("broken without a reason");
            stream.reason = reader.reason();
            break;
        }
    }
    return stream;
}

void judge_message(const json& message) {
    if (auto wrong = measure::wrong_envelope(message); !wrong.empty())
        throw Wrong("a message was taken though " + wrong);
    (void)format(measure::diagnostics_from_json(message));
    if (auto answer = measure::measurement_from_json(message); !answer)
        judge_refusal(answer.errors());
    if (auto answer = measure::check_from_json(message); !answer)
        judge_refusal(answer.errors());
    if (auto answer = device::from_json(message, "probe"); !answer)
        judge_refusal(answer.errors());
}

void judge_frames(std::string_view bytes) {
    const auto whole = read_stream(bytes, std::max<std::size_t>(bytes.size(), 1));
    const auto pieces = read_stream(bytes, 7);
    if (pieces.messages != whole.messages || pieces.reason != whole.reason)
        throw Wrong("in pieces it is another stream: " + pieces.reason + " / " + whole.reason);
    std::string sent;
    for (const auto& message : whole.messages) {
        judge_message(message);
        sent += measure::encode_frame(message);
    }
    const auto again = read_stream(sent, std::max<std::size_t>(sent.size(), 1));
    if (!again.reason.empty() || again.messages != whole.messages)
        throw Wrong("a message is sent as another: " + again.reason + "\n" + sent);
}

std::string read_frames(std::string_view bytes) {
    const auto stream = read_stream(bytes, std::max<std::size_t>(bytes.size(), 1));
    std::string text = stream.reason;
    for (const auto& message : stream.messages)
        text += "|" + measure::encode_frame(message);
    return text;
}

const AddFormat kFrames("frames", judge_frames, read_frames);

} // namespace
} // namespace loopscope::fuzz
