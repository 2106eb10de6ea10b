#pragma once
// Lines of a schedule as a program writes them.

#include "core/schedule/directive.h"

#include <string>
#include <vector>

namespace loopscope {

class LineList {
public:
    explicit LineList(SourceRange where) : where_(std::move(where)) {}

    void split(const DefinitionRef& of, const std::string& loop, const std::string& outer,
               const std::string& inner, std::int64_t factor, Tail tail = Tail::Guard);
    void fuse(const DefinitionRef& of, const std::string& outer, const std::string& inner,
              const std::string& fused);
    void reorder(const DefinitionRef& of, std::vector<std::string> loops);
    void bind(const DefinitionRef& of, const std::string& loop, const std::string& level);
    void serial(const DefinitionRef& of, const std::string& loop);
    void parallel(const DefinitionRef& of, const std::string& loop);
    void persistent(const DefinitionRef& of, const std::string& loop);
    void unroll(const DefinitionRef& of, const std::string& loop);
    void vectorize(const DefinitionRef& of, const std::string& loop, std::int64_t lanes);
    void tensorize(const DefinitionRef& of, const std::string& loop, const std::string& intrinsic);
    void compute_inline(const std::string& stage);
    void compute_at(const std::string& stage, const DefinitionRef& host, const std::string& loop);
    void compute_with(const DefinitionRef& of, const DefinitionRef& host, const std::string& loop);
    void scope(const std::string& stage, const std::string& scope);
    void pipeline(const std::string& stage, std::int64_t copies);
    void pad_storage(const std::string& stage, const std::string& index, std::int64_t elements);
    void cache_write(const std::string& made, const std::string& stage, const std::string& scope);
    void cache_read(const std::string& made, const DefinitionRef& of, const std::string& source,
                    const std::string& scope);

    std::vector<DirectivePtr> take() { return std::move(lines_); }

private:
    template <typename Line> void add(Line line, const DefinitionRef& of);

    SourceRange where_; // of the line that stands for them
    std::vector<DirectivePtr> lines_;
};

} // namespace loopscope
