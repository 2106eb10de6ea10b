#include "core/schedule/line_list.h"

#include "core/schedule/directives/bind.h"
#include "core/schedule/directives/cache_read.h"
#include "core/schedule/directives/cache_write.h"
#include "core/schedule/directives/compute_at.h"
#include "core/schedule/directives/compute_with.h"
#include "core/schedule/directives/fuse.h"
#include "core/schedule/directives/inline.h"
#include "core/schedule/directives/pad_storage.h"
#include "core/schedule/directives/parallel.h"
#include "core/schedule/directives/persistent.h"
#include "core/schedule/directives/pipeline.h"
#include "core/schedule/directives/reorder.h"
#include "core/schedule/directives/scope.h"
#include "core/schedule/directives/serial.h"
#include "core/schedule/directives/split.h"
#include "core/schedule/directives/tensorize.h"
#include "core/schedule/directives/unroll.h"
#include "core/schedule/directives/vectorize.h"

namespace loopscope {

template <typename Line> void LineList::add(Line line, const DefinitionRef& of) {
    line.receiver = of;
    line.where = where_;
    lines_.push_back(std::make_shared<const Line>(std::move(line)));
}

void LineList::split(const DefinitionRef& of, const std::string& loop, const std::string& outer,
                     const std::string& inner, std::int64_t factor, Tail tail) {
    Split line;
    line.loop = loop;
    line.outer = outer;
    line.inner = inner;
    line.factor.value = factor;
    line.tail = tail;
    add(std::move(line), of);
}

void LineList::fuse(const DefinitionRef& of, const std::string& outer, const std::string& inner,
                    const std::string& fused) {
    Fuse line;
    line.outer = outer;
    line.inner = inner;
    line.fused = fused;
    add(std::move(line), of);
}

void LineList::reorder(const DefinitionRef& of, std::vector<std::string> loops) {
    Reorder line;
    line.loops = std::move(loops);
    add(std::move(line), of);
}

void LineList::bind(const DefinitionRef& of, const std::string& loop, const std::string& level) {
    Bind line;
    line.loop = loop;
    line.level = level;
    add(std::move(line), of);
}

void LineList::serial(const DefinitionRef& of, const std::string& loop) {
    Serial line;
    line.loop = loop;
    add(std::move(line), of);
}

void LineList::parallel(const DefinitionRef& of, const std::string& loop) {
    Parallel line;
    line.loop = loop;
    add(std::move(line), of);
}

void LineList::persistent(const DefinitionRef& of, const std::string& loop) {
    Persistent line;
    line.loop = loop;
    add(std::move(line), of);
}

void LineList::unroll(const DefinitionRef& of, const std::string& loop) {
    Unroll line;
    line.loop = loop;
    add(std::move(line), of);
}

void LineList::vectorize(const DefinitionRef& of, const std::string& loop, std::int64_t lanes) {
    Vectorize line;
    line.loop = loop;
    line.factor.emplace();
    line.factor->value = lanes;
    add(std::move(line), of);
}

void LineList::tensorize(const DefinitionRef& of, const std::string& loop,
                         const std::string& intrinsic) {
    Tensorize line;
    line.loop = loop;
    line.intrinsic = intrinsic;
    add(std::move(line), of);
}

void LineList::compute_inline(const std::string& stage) { add(Inline{}, {stage}); }

void LineList::compute_at(const std::string& stage, const DefinitionRef& host,
                          const std::string& loop) {
    ComputeAt line;
    line.host = host;
    line.loop = loop;
    add(std::move(line), {stage});
}

void LineList::compute_with(const DefinitionRef& of, const DefinitionRef& host,
                            const std::string& loop) {
    ComputeWith line;
    line.host = host;
    line.loop = loop;
    add(std::move(line), of);
}

void LineList::scope(const std::string& stage, const std::string& scope) {
    Scope line;
    line.memory = scope;
    add(std::move(line), {stage});
}

void LineList::pipeline(const std::string& stage, std::int64_t copies) {
    PipelineStage line;
    line.copies = copies;
    add(std::move(line), {stage});
}

void LineList::pad_storage(const std::string& stage, const std::string& index,
                           std::int64_t elements) {
    PadStorage line;
    line.dimension = index;
    line.elements = elements;
    add(std::move(line), {stage});
}

void LineList::cache_write(const std::string& made, const std::string& stage,
                           const std::string& scope) {
    CacheWrite line;
    line.made = made;
    line.scope = scope;
    add(std::move(line), {stage});
}

void LineList::cache_read(const std::string& made, const DefinitionRef& of,
                          const std::string& source, const std::string& scope) {
    CacheRead line;
    line.copy = made;
    line.source = source;
    line.scope = scope;
    add(std::move(line), of);
}

} // namespace loopscope
