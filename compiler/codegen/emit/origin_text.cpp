#include "compiler/codegen/emit/origin_text.h"

#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>

namespace loopscope::codegen {

namespace {

std::string_view trimmed(std::string_view text) {
    auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
        lines.push_back(line);
    return lines;
}

NodeId origin_of(unsigned long line, const std::vector<NodeId>& origins) {
    return line >= 1 && line <= origins.size() ? origins[line - 1] : NodeId{};
}

class Text {
public:
    void add(const std::string& line, const NodeId& origin) {
        result.text += line;
        result.text += '\n';
        result.lines.push_back(origin);
    }
    OriginText result;
};

constexpr std::string_view kReference = "!dbg !";

// Metadata number -> source line, for every debug location of a printed module.
std::map<unsigned long, unsigned long> debug_locations(const std::vector<std::string>& lines) {
    std::map<unsigned long, unsigned long> found;
    for (const auto& line : lines) {
        auto at = line.find("!DILocation(line: ");
        if (line.starts_with("!") && at != std::string::npos)
            found[std::strtoul(line.c_str() + 1, nullptr, 10)] =
                std::strtoul(line.c_str() + at + 18, nullptr, 10);
    }
    return found;
}

bool is_debug_metadata(std::string_view line) {
    return line.starts_with("!llvm.dbg.cu") ||
           (line.starts_with("!") &&
            (line.find("= !DI") != line.npos || line.find("= distinct !DI") != line.npos));
}

// Takes ", !dbg !N" (or " !dbg !N") out of the line; the number, or 0.
unsigned long take_reference(std::string& line) {
    auto at = line.rfind(kReference);
    if (at == std::string::npos)
        return 0;
    char* end = nullptr;
    auto number = std::strtoul(line.c_str() + at + kReference.size(), &end, 10);
    auto begin = at;
    while (begin > 0 && (line[begin - 1] == ' ' || line[begin - 1] == ','))
        --begin;
    line.erase(begin, static_cast<std::size_t>(end - line.c_str()) - begin);
    return number;
}

// A block's label belongs to what follows it.
void give_labels_origins(OriginText& text) {
    auto lines = lines_of(text.text);
    for (std::size_t i = lines.size(); i-- > 1;)
        if (!lines[i - 1].empty() && lines[i - 1][0] != ' ' &&
            lines[i - 1].find(':') != std::string::npos && text.lines[i - 1] == NodeId{})
            text.lines[i - 1] = text.lines[i];
}

} // namespace

OriginText ir_with_origins(const std::string& printed, const std::vector<NodeId>& origins) {
    auto lines = lines_of(printed);
    auto locations = debug_locations(lines);
    Text text;
    for (auto& line : lines) {
        if (is_debug_metadata(line))
            continue;
        auto location = locations.find(take_reference(line));
        text.add(line,
                 location == locations.end() ? NodeId{} : origin_of(location->second, origins));
    }
    give_labels_origins(text.result);
    return std::move(text.result);
}

OriginText assembly_with_origins(const std::string& printed, const std::vector<NodeId>& origins) {
    Text text;
    NodeId current;
    for (const auto& line : lines_of(printed)) {
        auto word = trimmed(line);
        // what follows describes the locations
        if (word.starts_with(".section\t.debug"))
            break;
        if (word.starts_with(".loc\t")) {
            char* end = nullptr;
            std::strtoul(word.data() + 5, &end, 10); // the file's number
            current = origin_of(std::strtoul(end, nullptr, 10), origins);
            continue;
        }
        // A function's size refers to its end.
        bool noise = word.starts_with(".file\t") || word.starts_with(".cfi_") ||
                     word.starts_with(".Ltmp") || word.starts_with(".Lfunc_begin") ||
                     word.starts_with(".p2align");
        if (word.starts_with(".Lfunc_"))
            current = {};
        if (!noise)
            text.add(line, word.starts_with(".") && !word.starts_with(".LBB") ? NodeId{} : current);
    }
    return std::move(text.result);
}

} // namespace loopscope::codegen
