#pragma once
// Strict reading of JSON that may come from anywhere: every failure names the value by its path,
// and no exception leaves.

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace loopscope::gpu {

// Reads one object. Errors are kept: the first one counts, and values read after it are defaults.
class JsonReader {
public:
    JsonReader(const nlohmann::json& object, std::string path);

    std::string text(const char* key, std::size_t most = 4096);
    // A text that may be missing.
    std::string text_or(const char* key, const std::string& otherwise, std::size_t most = 4096);
    std::int64_t whole(const char* key, std::int64_t least, std::int64_t greatest);
    double number(const char* key, double least, double greatest);
    bool boolean(const char* key);
    std::vector<std::int64_t> wholes(const char* key, std::size_t most_elements, std::int64_t least,
                                     std::int64_t greatest);
    std::vector<std::string> texts(const char* key, std::size_t most_elements);
    // An object's members, whatever their names.
    std::map<std::string, std::int64_t> wholes_by_name(const char* key);
    // An array's elements; empty where it is wrong.
    const nlohmann::json& array(const char* key, std::size_t most_elements);
    const nlohmann::json& object(const char* key);
    bool has(const char* key) const;

    std::string path(const std::string& key) const { return path_ + "." + key; }
    void fail(const char* key, const std::string& must);
    const Diagnostics& errors() const { return errors_; }
    explicit operator bool() const { return errors_.empty(); }

private:
    const nlohmann::json* find(const char* key);
    const nlohmann::json& object_;
    std::string path_;
    Diagnostics errors_;
};

} // namespace loopscope::gpu
