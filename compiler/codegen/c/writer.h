#pragma once
// Lines of C, indented and wrapped, each with the tree node that it comes from.

#include "core/schedule/identity.h"

#include <string>
#include <vector>

namespace loopscope::codegen {

class CWriter {
public:
    // One statement or part of one; long ones continue on further lines.
    void line(const std::string& text, const NodeId& origin = {});
    // The same with a list in it, which continues between its items: "f(" a, b ");".
    void list(const std::string& before, const std::vector<std::string>& items,
              const std::string& after, const NodeId& origin = {});
    void blank() { add("", {}); }
    // Text as it is, of several lines.
    void verbatim(const std::string& text);
    void indent() { ++depth_; }
    void outdent() { --depth_; }

    // Takes out declarations of `names` that nothing after them mentions. A name is declared on a
    // line of its own, "const TYPE NAME = …".
    void remove_unused(const std::vector<std::string>& names);
    bool mentions(const std::string& name) const; // outside of comments
    void append(const CWriter& other);

    std::string text() const;
    std::vector<NodeId> origins() const;

private:
    struct Line {
        std::string text;
        NodeId origin;
        int statement = 0; // lines of one statement share it
    };
    void add(const std::string& text, const NodeId& origin);

    std::vector<Line> lines_;
    int depth_ = 0;
    int statement_ = 0;
};

} // namespace loopscope::codegen
