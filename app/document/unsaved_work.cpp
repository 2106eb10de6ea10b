#include "app/document/unsaved_work.h"

#include <filesystem>

namespace loopscope::session {

namespace fs = std::filesystem;

void UnsavedWork::keep_draft(const Document& document, const std::string& key,
                             const std::string& text, const Diagnostics& reason) {
    drafts_[key] = text;
    reason_ = reason;
    store(document);
}

void UnsavedWork::keep_measurement(const Document& document, const Measurement& measurement,
                                   const Diagnostics& reason) {
    measurements_.push_back(measurement);
    reason_ = reason;
    store(document);
}

// Each piece of the work that the copy does not hold yet.
bool UnsavedWork::store_in_copy() {
    for (const auto& [key, text] : drafts_)
        if (!copy_->set_state(key, text))
            return false;
    for (; copied_ < measurements_.size(); ++copied_)
        if (!copy_->add_measurement(measurements_[copied_]))
            return false;
    return true;
}

// One copy serves until the document takes writes again, or the copy's own place does not.
void UnsavedWork::store(const Document& document) {
    if (copy_ && store_in_copy())
        return;
    drop_copy();
    const auto stem = fs::path(document.source().pipeline_file).stem().string();
    for (const auto& place : recovery_.places()) {
        auto made = document.copy(RecoveryFolder::new_place(place, stem.empty() ? "work" : stem));
        if (!made)
            continue;
        copy_ = std::move(*made);
        if (copy_->set_state(kUnsavedState, "1") && mark_closed(*copy_, false) && store_in_copy())
            return;
        drop_copy();
    }
}

void UnsavedWork::draft_saved(const std::string& key) {
    drafts_.erase(key);
    if (!any())
        drop_copy();
}

Status UnsavedWork::write_measurements(Document& document) {
    while (!measurements_.empty()) {
        if (auto added = document.add_measurement(measurements_.front()); !added)
            return added.errors();
        measurements_.erase(measurements_.begin());
        copied_ -= copied_ > 0;
    }
    if (!any())
        drop_copy();
    return success();
}

void UnsavedWork::leave() {
    copy_.reset();
    copied_ = 0;
    drafts_.clear();
    measurements_.clear();
}

void UnsavedWork::drop_copy() {
    const auto path = kept_at();
    copy_.reset();
    copied_ = 0;
    std::error_code ignored;
    if (!path.empty())
        fs::remove(path, ignored);
}

} // namespace loopscope::session
