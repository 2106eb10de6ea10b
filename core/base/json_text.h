#pragma once
// The one reader of JSON texts that come from outside: device files, manifests, jobs, results,
// documents, frames of a worker. nlohmann's parser has no limits of its own: each container takes
// memory before anything of it is known to be right, and what goes through a value afterwards
// (printing, comparing) recurses as deep as it is.

#include "core/base/result.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace loopscope {

struct JsonLimits {
    std::size_t depth = 64;       // containers in one another
    std::size_t values = 1 << 20; // containers, texts, numbers, words; keys count as texts
};

// What is wrong in a JSON text, at its bytes [begin, end).
struct JsonFault {
    std::size_t begin = 0, end = 0;
    std::string message;
    std::string remedy; // where one follows from the fault itself
};

// Nothing: it is JSON within the limits, and every number is one that a double can hold. Takes
// memory for the longest text in it alone.
std::optional<JsonFault> json_fault(std::string_view text, const JsonLimits& limits = {});
// The same; where nothing is wrong, `value` is it.
std::optional<JsonFault> read_json(std::string_view text, nlohmann::json& value,
                                   const JsonLimits& limits = {});

// The value. Errors, with their places: as above. `remedy`: what such a text should be.
Result<nlohmann::json> read_json(const SourceFilePtr& text, const std::string& remedy,
                                 const JsonLimits& limits = {});

// The same of a regular file of at most `most` bytes. Errors: also those of reading it.
Result<nlohmann::json> read_json_file(const std::string& path, std::size_t most,
                                      const std::string& remedy, const JsonLimits& limits = {});

// The value where nobody asks what is wrong with the text: null, then.
nlohmann::json json_or_null(std::string_view text, const JsonLimits& limits = {});

// An integer that 64 bits with a sign hold: from 2^63 on nlohmann would wrap it. Nothing: another
// value.
std::optional<std::int64_t> whole_number(const nlohmann::json& value);

// What the library says of a value that is of another type than was asked for, without its numbers
// of errors ("[json.exception.type_error.302] ").
std::string words_of(const nlohmann::json::exception& reason);

// A member that may be missing or of another type, which is then as good as missing.
std::string text_or(const nlohmann::json& object, const char* key, const std::string& otherwise);
const nlohmann::json& list_or_none(const nlohmann::json& object, const char* key);

} // namespace loopscope
