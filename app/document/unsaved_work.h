#pragma once
// Work that a document's file did not take: the disk is full, the folder has gone. It is kept in a
// copy of the document elsewhere, and goes into the document with the next write that succeeds. No
// Qt here.

#include "app/document/document.h"
#include "app/document/recovery_folder.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace loopscope::session {

// States of a document: texts with errors that are being written.
inline constexpr const char* kScriptDraft = "draft";
inline constexpr const char* kPipelineDraft = "pipeline_draft";

class UnsavedWork {
public:
    explicit UnsavedWork(const RecoveryFolder& recovery) : recovery_(recovery) {}

    bool any() const { return !drafts_.empty() || !measurements_.empty(); }
    const Diagnostics& reason() const { return reason_; } // of the last write that failed
    // Where the copy is; empty: no place took one.
    std::string kept_at() const { return copy_ ? copy_->path() : std::string(); }

    // A text as it is being written, which `document` did not take.
    void keep_draft(const Document& document, const std::string& key, const std::string& text,
                    const Diagnostics& reason);
    void keep_measurement(const Document& document, const Measurement& measurement,
                          const Diagnostics& reason);
    // The draft is in the document, or given up.
    void draft_saved(const std::string& key);
    // Gives the document what it did not take before. Errors: it still does not.
    Status write_measurements(Document& document);
    // The document is let go: the copy stays, to be offered at the next start.
    void leave();

private:
    void store(const Document& document);
    bool store_in_copy();
    void drop_copy();

    const RecoveryFolder& recovery_;
    std::map<std::string, std::string> drafts_; // by their states
    std::vector<Measurement> measurements_;
    Diagnostics reason_;
    std::unique_ptr<Document> copy_; // holds all of it; null: no place took one
    std::size_t copied_ = 0;         // of the measurements
};

} // namespace loopscope::session
