#include "compiler/protocol/protocol.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <map>

#include <sys/socket.h>
#include <unistd.h>

namespace loopscope::measure {

using nlohmann::json;

namespace {

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
    const auto sources = message.value("sources", json::object());
    for (const auto& [name, text] : sources.items())
        files[name] = std::make_shared<SourceFile>(name, text.get<std::string>());
    Diagnostics diagnostics;
    for (const auto& one : message.value("diagnostics", json::array())) {
        Diagnostic d;
        d.severity = severity_of(one.value("severity", "error"));
        d.message = one.value("message", "");
        d.remedy = one.value("remedy", "");
        d.code = one.value("code", "");
        if (auto file = files.find(one.value("file", "")); file != files.end())
            d.range = {file->second, one.value("begin", std::size_t(0)),
                       one.value("end", std::size_t(0))};
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

FrameReader::State FrameReader::next(json& message) {
    constexpr std::size_t kMaxHeader = 12;
    if (broken_)
        return State::Broken;
    std::size_t end_of_header = bytes_.find('\n', begin_);
    if (end_of_header == std::string::npos) {
        broken_ = bytes_.size() - begin_ > kMaxHeader;
        return broken_ ? State::Broken : State::Incomplete;
    }
    std::size_t size = 0;
    bool digits = end_of_header > begin_ && end_of_header - begin_ <= kMaxHeader;
    for (std::size_t i = begin_; digits && i < end_of_header; ++i) {
        digits = bytes_[i] >= '0' && bytes_[i] <= '9';
        size = size * 10 + static_cast<std::size_t>(bytes_[i] - '0');
    }
    if (!digits || size > kMaxFrame) {
        broken_ = true;
        return State::Broken;
    }
    if (bytes_.size() - end_of_header - 1 < size)
        return State::Incomplete;
    auto body = bytes_.begin() + static_cast<std::ptrdiff_t>(end_of_header) + 1;
    message = json::parse(body, body + static_cast<std::ptrdiff_t>(size), nullptr, false);
    begin_ = end_of_header + 1 + size;
    if (begin_ == bytes_.size() || begin_ > (1u << 20)) {
        bytes_.erase(0, begin_);
        begin_ = 0;
    }
    broken_ = !message.is_object();
    return broken_ ? State::Broken : State::Complete;
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
