#pragma once
// Identifiers: legal C, and no clash with the language, its library, POSIX, OpenMP or each other.

#include <set>
#include <string>
#include <vector>

namespace loopscope::codegen {

class CNames {
public:
    // Reserves a name that the file gives to a function or macro of its own.
    void reserve(const std::string& name) { reserved_.insert(name); }
    // A name for a function that other files see.
    std::string external(const std::string& wanted);
    // A name that is visible until the scope closes; free again afterwards.
    std::string scoped(const std::string& wanted);
    // A name that nothing else in the file has or will have.
    std::string unique(const std::string& wanted);
    bool is_free(const std::string& name) const;

    void open_scope() { scopes_.emplace_back(); }
    void close_scope();

private:
    std::string distinct(const std::string& wanted) const;

    std::set<std::string> reserved_, visible_;
    std::vector<std::vector<std::string>> scopes_;
};

// Dots become underscores.
std::string c_identifier(const std::string& name);

} // namespace loopscope::codegen
