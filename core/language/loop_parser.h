#pragma once
// The `.loop` language (languages.md, section 1): text -> Pipeline and back.
//
//     auto loaded = load_pipeline_file("harris.loop", {.params = {{"H", 64}}});
//     if (!loaded) std::cerr << format(loaded.errors());
//
// All independent errors of a text are reported at once, each with its place, its cause and a
// remedy. Limits: 16 MiB and 1,000,000 tokens of text; nesting of 256 levels; 1,000,000 statements
// and 2,000,000 expression nodes after expansion; 2,000 operators one inside the other; arrays of
// 32 dimensions and 2^62 bytes; axes of 2^31 - 1.

#include "core/base/result.h"
#include "core/base/text_file.h"
#include "core/ir/pipeline.h"

#include <cstdint>
#include <map>
#include <string>

namespace loopscope {

struct LoadOptions {
    // --param N=V: instead of the defaults
    std::map<std::string, std::int64_t> params;
    // Whether a name that the text does not declare is an error: not of one that is being written.
    bool all_declared = true;
};

struct LoadedPipeline {
    PipelinePtr pipeline;
    Diagnostics warnings; // params, consts and defs that nothing uses
};

// Parses, expands, types and bounds. The pipeline refers to `source` for all its places.
Result<LoadedPipeline> load_pipeline(SourceFilePtr source, const LoadOptions& options = {});
// The same of a file, whose path is the name in messages.
Result<LoadedPipeline> load_pipeline_file(const std::string& path, const LoadOptions& options = {});
// The text of a file. Errors: cannot be read, larger than 16 MiB, not of the kind.
Result<SourceFilePtr> read_source_file(const std::string& path, FileKind kind = FileKind::Any);

// Warnings of a pipeline that loaded: unused inputs, stages, params, consts, defs; definitions that
// a GPU would run in one thread.
Diagnostics lint(const LoadedPipeline& loaded);

// Canonical text of a `.loop` file: spacing and indentation; comments, line breaks inside brackets
// and single blank lines are kept. Idempotent, and loads to the same pipeline. Errors: those of the
// syntax.
Result<std::string> format_pipeline_source(SourceFilePtr source);

// The expanded pipeline as `.loop` text that loads to an equal one (see `equal`): no templates,
// defs or consts are left, and params are mentioned with the values they have.
std::string to_text(const Pipeline& pipeline);

// In what they compute (core/ir/pipeline_fields.h).
bool equal(const Pipeline& a, const Pipeline& b);

} // namespace loopscope
