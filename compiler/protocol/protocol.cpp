#include "compiler/protocol/protocol.h"
#include "core/base/json_text.h"

#include <algorithm>
#include <cerrno>
#include <map>

#include <sys/socket.h>
#include <unistd.h>

namespace loopscope::measure {

using nlohmann::json;

namespace {

// Requests and answers are flat; what is long in them is text, or a number for each of a program's
// lines. Values take some 60 bytes each, so that these take as much as the longest frame.
constexpr JsonLimits kFrameLimits{64, 16 << 20};

const char* severity_name(Severity severity) {
    switch (severity) {
    case Severity::Warning: return "warning";
    case Severity::Note: return "note";
    default: return "error";
    }
}

Severity severity_of(const std::string& name) {
    return name == "warning" ? Severity::Warning
           : name == "note"  ? Severity::Note
                             : Severity::Error;
}

// A place in a text, which it does not leave.
std::size_t place_or_begin(const json& object, const char* key, const SourceFile& file) {
    const auto found = object.find(key);
    const auto place = found == object.end() ? std::nullopt : whole_number(*found);
    return std::min(static_cast<std::size_t>(std::max<std::int64_t>(place.value_or(0), 0)),
                    file.text().size());
}

} // namespace

json diagnostics_to_json(const Diagnostics& diagnostics) {
    json list = json::array();
    json sources = json::object();
    for (const auto& d : diagnostics) {
        json one{{"severity", severity_name(d.severity)}, {"message", d.message}};
        if (!d.remedy.empty())
            one["remedy"] = d.remedy;
        if (!d.code.empty())
            one["code"] = d.code;
        if (d.range.file) {
            auto place = d.range.file->position(d.range.begin);
            one["file"] = d.range.file->name();
            one["line"] = place.line;
            one["column"] = place.column;
            one["begin"] = d.range.begin;
            one["end"] = d.range.end;
            sources[d.range.file->name()] = d.range.file->text();
        }
        list.push_back(std::move(one));
    }
    return {{"diagnostics", std::move(list)}, {"sources", std::move(sources)}};
}

Diagnostics diagnostics_from_json(const json& message) {
    std::map<std::string, SourceFilePtr> files;
    if (auto sources = message.find("sources"); sources != message.end() && sources->is_object())
        for (const auto& [name, text] : sources->items())
            files[name] =
                std::make_shared<SourceFile>(name, text.is_string() ? text.get<std::string>() : "");
    Diagnostics diagnostics;
    for (const auto& one : list_or_none(message, "diagnostics")) {
        Diagnostic d;
        d.severity = severity_of(text_or(one, "severity", "error"));
        d.message = text_or(one, "message", "");
        d.remedy = text_or(one, "remedy", "");
        d.code = text_or(one, "code", "");
        if (auto file = files.find(text_or(one, "file", "")); file != files.end())
            d.range = {file->second, place_or_begin(one, "begin", *file->second),
                       place_or_begin(one, "end", *file->second)};
        diagnostics.push_back(std::move(d));
    }
    return diagnostics;
}

std::string encode_frame(const json& message) {
    // Texts may hold invalid UTF-8 (a binary file given as a pipeline): replaced, never an
    // exception.
    auto text = message.dump(-1, ' ', false, json::error_handler_t::replace);
    return std::to_string(text.size()) + "\n" + text;
}

FrameReader::State FrameReader::broken(const std::string& reason) {
    reason_ = reason;
    return State::Broken;
}

FrameReader::State FrameReader::next(json& message) {
    constexpr std::size_t kMaxHeader = 12;
    constexpr const char* kNoLength = "a frame begins with no length, or with one beyond the limit";
    if (!reason_.empty())
        return State::Broken;
    std::size_t end_of_header = bytes_.find('\n', begin_);
    if (end_of_header == std::string::npos)
        return bytes_.size() - begin_ > kMaxHeader ? broken(kNoLength) : State::Incomplete;
    std::size_t size = 0;
    bool digits = end_of_header > begin_ && end_of_header - begin_ <= kMaxHeader;
    for (std::size_t i = begin_; digits && i < end_of_header; ++i) {
        digits = bytes_[i] >= '0' && bytes_[i] <= '9';
        size = size * 10 + static_cast<std::size_t>(bytes_[i] - '0');
    }
    if (!digits || size > kMaxFrame)
        return broken(kNoLength);
    if (bytes_.size() - end_of_header - 1 < size)
        return State::Incomplete;
    const auto body = std::string_view(bytes_).substr(end_of_header + 1, size);
    if (auto fault = read_json(body, message, kFrameLimits))
        return broken("a frame cannot be read: " + fault->message);
    begin_ = end_of_header + 1 + size;
    if (begin_ == bytes_.size() || begin_ > (1u << 20)) {
        bytes_.erase(0, begin_);
        begin_ = 0;
    }
    auto wrong = wrong_envelope(message);
    return wrong.empty() ? State::Complete : broken(wrong);
}

bool write_all(int descriptor, const std::string& bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        auto n = ::send(descriptor, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
        if (n < 0 && errno == ENOTSOCK)
            n = ::write(descriptor, bytes.data() + done, bytes.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += static_cast<std::size_t>(n);
    }
    return true;
}

} // namespace loopscope::measure
