#pragma once
// Recipes written out in the text of a script: the lines that each stands for take its place, under
// a comment that keeps the word.
//
//     C.tensor_core()  # fast      →      # C.tensor_core(): fast
//                                         C_sums = C.cache_write(fragment)
//                                         …

#include "core/schedule/directive.h"

namespace loopscope {

// Expands all recipes; the rest of the text stays as it is. Errors: those of the text, or of the
// first line that does not apply. A context that knows no intrinsics is given the declared ones.
Result<std::string> expand_schedule_source(const SourceFilePtr& source, const PipelinePtr& pipeline,
                                           const ApplyContext& context);

// Expands the one recipe whose text is `where` in the script.
std::string expanded_text(const std::string& script, const Directive& recipe,
                          const std::vector<DirectivePtr>& lines);

} // namespace loopscope
