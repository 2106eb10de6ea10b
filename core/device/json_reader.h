#pragma once
// Reads a JSON object strictly: every key is asked for, by name; what was not asked for is an
// error.

#include "core/device/device.h"

#include <nlohmann/json.hpp>

namespace loopscope::device {

// An error in a JSON text, at the value that `path` names: keys and array indices from the root.
struct JsonProblem {
    std::vector<std::string> path;
    std::string message;
    std::string remedy;
};

// "caches[1].bytes"; "the file" for the root.
std::string path_text(const std::vector<std::string>& path);

// What a number may be, both ends included.
template <typename Number> struct Range {
    Number least, most;
};
using WholeRange = Range<std::int64_t>;
using FigureRange = Range<double>; // above 0

// One object of the file. Texts come as a terminal may get them (core/base/printable.h). Getters
// note a problem and give back a neutral value when a key is missing or misformed.
class JsonObject {
public:
    JsonObject(const nlohmann::json& json, std::vector<std::string> path,
               std::vector<JsonProblem>& problems);

    bool has(const char* key);
    std::string text(const char* key, bool required);
    // A missing key that is not required gives `otherwise`.
    int whole(const char* key, Range<int> range, bool required, int otherwise = 0);
    std::int64_t whole(const char* key, WholeRange range, bool required,
                       std::int64_t otherwise = 0);
    int power_of_two(const char* key, Range<int> range, bool required, int otherwise = 0);
    double number(const char* key, FigureRange range);
    bool flag(const char* key); // false when missing
    std::vector<std::string> texts(const char* key);
    std::optional<Figure> figure(const char* key, FigureRange range);
    std::map<ScalarType, Figure> figures_by_type(const char* key, FigureRange range);
    // The keys are the file's own: letters, digits and '_'.
    std::map<std::string, Figure> figures_by_name(const char* key, FigureRange range);
    // The numbers of an array, as many as `count` says.
    std::vector<std::int64_t> wholes(const char* key, WholeRange range, Range<std::size_t> count,
                                     bool required);
    std::optional<JsonObject> object(const char* key, bool required);
    // The objects of an array, at most `most`; a missing key is an empty one.
    std::vector<JsonObject> objects(const char* key, std::size_t most);
    // Refuses a key that other files have.
    void not_here(const char* key, const std::string& message, const std::string& remedy);
    // Call after the last key was asked for: those left are unknown.
    void finish();

    void problem(const std::string& key, std::string message, std::string remedy = {});
    void problem_at(std::vector<std::string> steps, std::string message,
                    std::string remedy = {}); // from this object

private:
    const nlohmann::json* whole_number(const char* key, WholeRange range, bool required,
                                       const char* kind);
    const nlohmann::json* find(const char* key, bool required);
    std::vector<std::string> path_of(const std::string& key) const;

    const nlohmann::json* json_;
    std::vector<std::string> path_;
    std::vector<JsonProblem>* problems_;
    std::vector<std::string> known_;
};

// The place of the value that `path` names in a JSON text that has been parsed without error: its
// bytes, or of the nearest enclosing value that is there.
std::pair<std::size_t, std::size_t> locate(const std::string& text,
                                           const std::vector<std::string>& path);

} // namespace loopscope::device
