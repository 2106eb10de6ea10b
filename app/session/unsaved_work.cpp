#include "app/session/unsaved_work.h"

#include <filesystem>

namespace loopscope::session {

namespace fs = std::filesystem;

void UnsavedWork::keep_draft(const Document& document, const std::string& draft,
                             const Diagnostics& reason) {
    draft_ = draft;
    reason_ = reason;
    copy(document);
    if (copy_)
        (void)copy_->set_state("draft", draft).ok(); // `any` says what is not in the document
}

void UnsavedWork::keep_measurement(const Document& document, const Measurement& measurement,
                                   const Diagnostics& reason) {
    measurements_.push_back(measurement);
    reason_ = reason;
    copy(document);
    if (copy_)
        (void)copy_->add_measurement(measurement).ok();
}

// One copy serves until the document takes writes again: what came since is written into it.
void UnsavedWork::copy(const Document& document) {
    if (copy_)
        return;
    const auto stem = fs::path(document.source().pipeline_file).stem().string();
    for (const auto& place : recovery_.places()) {
        auto made = document.copy(RecoveryFolder::new_place(place, stem.empty() ? "work" : stem));
        if (!made)
            continue;
        if ((*made)->set_state(kUnsavedState, "1") && mark_closed(**made, false)) {
            copy_ = std::move(*made);
            return;
        }
    }
}

void UnsavedWork::draft_saved() {
    draft_.reset();
    if (!any())
        drop_copy();
}

Status UnsavedWork::write_measurements(Document& document) {
    while (!measurements_.empty()) {
        if (auto added = document.add_measurement(measurements_.front()); !added)
            return added.errors();
        measurements_.erase(measurements_.begin());
    }
    if (!any())
        drop_copy();
    return success();
}

void UnsavedWork::leave() {
    copy_.reset();
    draft_.reset();
    measurements_.clear();
}

void UnsavedWork::drop_copy() {
    const auto path = kept_at();
    copy_.reset();
    std::error_code ignored;
    if (!path.empty())
        fs::remove(path, ignored);
}

} // namespace loopscope::session
