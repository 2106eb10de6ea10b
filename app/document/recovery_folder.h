#pragma once
// Where documents live that have no name yet, so that nothing is lost with the program.

#include "app/document/document.h"

#include <string>
#include <vector>

namespace loopscope::session {

// A document's state: it is a copy of one whose file did not take the last of the work.
inline constexpr const char* kUnsavedState = "unsaved";

class RecoveryFolder {
public:
    // `path` empty: in the user's data folder.
    explicit RecoveryFolder(const std::string& path = {});
    static std::string default_path();

    // The folder, and those for when its disk is full: in memory, and the one for temporary files.
    // They may not exist.
    std::vector<std::string> places() const;
    // Those that hold something and that no process edits, newest first. Those that are not
    // `closed` are of sessions that crashed.
    std::vector<DocumentSummary> documents() const;
    bool holds(const std::string& path) const; // does an untitled document live there?
    // it stays on the list, as one that was closed
    Status stop_offering(const std::string& path) const;
    // Of a document that does not exist yet. Makes the place, for its owner alone.
    std::string new_place(const std::string& stem) const { return new_place(path_, stem); }
    static std::string new_place(const std::string& place, const std::string& stem);

private:
    std::string path_;
};

// Whether it was closed by the program: without the mark it is offered as of a session that
// crashed.
Status mark_closed(Document& document, bool closed);

} // namespace loopscope::session
