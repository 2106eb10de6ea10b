#pragma once
// Reads a JSON object strictly: every key is asked for, by name; what was not asked for is an error.

#include "core/device/device.h"

#include <nlohmann/json.hpp>

#include <set>

namespace loopscope::device {

// An error in a JSON text, at the value that `path` names: keys and array indices from the root.
struct JsonProblem {
    std::vector<std::string> path;
    std::string message;
    std::string remedy;
};

// "caches[1].bytes"; "the file" for the root.
std::string path_text(const std::vector<std::string>& path);

// One object of the file. Getters note a problem and give back a neutral value when a key is missing or misformed.
class JsonObject {
public:
    JsonObject(const nlohmann::json& json, std::vector<std::string> path,
               std::vector<JsonProblem>& problems);

    bool has(const char* key);
    std::string text(const char* key, bool required);
    std::int64_t whole(const char* key, std::int64_t least, bool required,
                       std::int64_t otherwise = 0);
    double positive(const char* key);
    bool flag(const char* key); // false when missing
    std::vector<std::string> texts(const char* key);
    std::optional<Figure> figure(const char* key);
    std::map<ScalarType, Figure> figures_by_type(const char* key);
    // The objects of an array; a missing key is an empty one.
    std::vector<JsonObject> objects(const char* key);
    // After the last key was asked for: those left are unknown.
    void finish();

    void problem(const std::string& key, std::string message, std::string remedy = {});
    void problem_at(std::vector<std::string> steps, std::string message,
                    std::string remedy = {}); // from this object

private:
    const nlohmann::json* find(const char* key, bool required);
    std::vector<std::string> path_of(const std::string& key) const;

    const nlohmann::json* json_;
    std::vector<std::string> path_;
    std::vector<JsonProblem>* problems_;
    std::vector<std::string> known_;
};

// The place of the value that `path` names in a JSON text that has been parsed without error: its bytes, or of the
// nearest enclosing value that is there.
std::pair<std::size_t, std::size_t> locate(const std::string& text,
                                           const std::vector<std::string>& path);

} // namespace loopscope::device
