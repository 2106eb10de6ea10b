#include "compiler/remote/place.h"

#include "compiler/measure/targets.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace loopscope::remote {

namespace {

constexpr const char* kForms =
    "as in ssh:HOST, ssh:HOST/1 for the second GPU there, slurm:PARTITION or "
    "slurm:PARTITION,ssh:LOGIN";
constexpr std::size_t kMaxName = 255; // of a host, by the rules of its names

bool is_name(const std::string& name, const char* punctuation) {
    return !name.empty() && name.size() <= kMaxName && name.front() != '-' &&
           std::all_of(name.begin(), name.end(), [&](char c) {
               return std::isalnum(static_cast<unsigned char>(c)) ||
                      std::string_view(punctuation).find(c) != std::string_view::npos;
           });
}

Diagnostic no_place(const std::string& text) {
    return error("`" + text + "` is no place of a GPU", kForms);
}

// HOST or HOST/N.
Status read_host(const std::string& text, const std::string& whole, Place& place) {
    const auto slash = text.find('/');
    place.host = text.substr(0, slash);
    if (!is_name(place.host, "._-@:%[]"))
        return error("`" + whole + "`: `" + place.host + "` is no name of a host",
                     "as ssh takes it: an alias of its configuration, or USER@HOST");
    if (slash == std::string::npos)
        return success();
    const auto digits = text.substr(slash + 1);
    const auto* end = digits.data() + digits.size();
    const auto [at, failed] = std::from_chars(digits.data(), end, place.gpu);
    if (failed != std::errc() || at != end || place.gpu < 0 || place.gpu >= measure::kMaxGpus)
        return error("`" + whole + "`: `" + digits + "` is no number of a GPU", kForms);
    return success();
}

} // namespace

bool is_place(const std::string& text) {
    return text.starts_with("ssh:") || text.starts_with("slurm:");
}

std::string Place::machine() const {
    if (kind == Kind::Ssh)
        return "ssh:" + host;
    return "slurm:" + partition + (host.empty() ? "" : ",ssh:" + host);
}

std::string Place::text() const {
    return gpu > 0 ? machine() + "/" + std::to_string(gpu) : machine();
}

Result<Place> read_place(const std::string& text) {
    Place place;
    const auto colon = text.find(':');
    const auto rest = text.substr(std::min(colon, text.size() - 1) + 1);
    if (!is_place(text) || rest.empty())
        return no_place(text);
    if (text.starts_with("ssh:")) {
        if (auto read = read_host(rest, text, place); !read)
            return read.errors();
        return place;
    }
    place.kind = Place::Kind::Slurm;
    const auto comma = rest.find(',');
    place.partition = rest.substr(0, comma);
    if (!is_name(place.partition, "._-"))
        return error("`" + text + "`: `" + place.partition + "` is no name of a partition", kForms);
    if (comma == std::string::npos)
        return place;
    if (rest.compare(comma, 5, ",ssh:") != 0)
        return no_place(text);
    if (auto read = read_host(rest.substr(comma + 5), text, place); !read)
        return read.errors();
    if (rest.find('/', comma) != std::string::npos)
        return error("`" + text + "`: which GPU a job gets is for Slurm to say",
                     "leave out the number");
    return place;
}

} // namespace loopscope::remote
