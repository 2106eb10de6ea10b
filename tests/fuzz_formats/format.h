#pragma once
// The formats of files from outside, each with a judge of any bytes: they are read, or are refused
// with messages; and what is read is what its writer writes and its reader reads back. libFuzzer
// makes the bytes (scripts/fuzz_formats.sh), or ./test.sh from the kept corpus (test_corpus.cpp).

#include "core/base/diagnostic.h"

#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace loopscope::fuzz {

struct Format {
    const char* name;                      // of its corpus and of its program
    void (*judge)(std::string_view bytes); // throws Wrong
    // What is read of it, or why nothing is, as a text.
    std::string (*read)(std::string_view bytes);
};

// As which a failed test names it.
inline void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

// What a judge found.
struct Wrong : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// All, by name.
const std::vector<Format>& formats();

// Each source of a format has one, at namespace scope.
struct AddFormat {
    AddFormat(const char* name, void (*judge)(std::string_view bytes),
              std::string (*read)(std::string_view bytes));
};

// A refusal says why, in words that can be shown.
void judge_refusal(const Diagnostics& errors);

// An input as a file. The same name again and again: the next call replaces it.
std::string as_file(std::string_view bytes, const char* name);
std::string bytes_in(const std::string& file);
// All of them go: for a process that does not end as others do.
void remove_files();

} // namespace loopscope::fuzz
