#include "core/language/reporter.h"

#include <algorithm>

namespace loopscope {

void Reporter::error(ast::Span span, std::string message, std::string remedy, std::string code) {
    add({Severity::Error, std::move(message), range(span), std::move(remedy), std::move(code)});
}

void Reporter::add(const Diagnostic& diagnostic) {
    if (full() || !places_.emplace(diagnostic.range.begin, diagnostic.range.end).second)
        return;
    diagnostics_.push_back(diagnostic);
}

std::string Reporter::quoted(ast::Span span, const std::string& otherwise) const {
    if (span.end <= span.begin || span.end - span.begin > 32)
        return otherwise;
    auto shown = text(span);
    return shown.find_first_of("\n\r#") == std::string::npos ? shown : otherwise;
}

std::string Reporter::place(ast::Span span) const {
    auto position = file_->position(span.begin);
    return std::to_string(position.line) + ":" + std::to_string(position.column);
}

Diagnostics Reporter::take() {
    std::stable_sort(diagnostics_.begin(), diagnostics_.end(),
                     [](const auto& a, const auto& b) { return a.range.begin < b.range.begin; });
    return std::move(diagnostics_);
}

} // namespace loopscope
