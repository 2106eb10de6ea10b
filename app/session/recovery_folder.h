#pragma once
// Where documents live that have no name yet, so that nothing is lost with the program.

#include "app/session/document.h"

#include <string>
#include <vector>

namespace loopscope::session {

class RecoveryFolder {
public:
    // `path` empty: in the user's data folder.
    explicit RecoveryFolder(const std::string& path = {});
    static std::string default_path();

    // Those that hold something and that no process edits, newest first. Those that are not
    // `closed` are of sessions that crashed.
    std::vector<DocumentSummary> documents() const;
    bool holds(const std::string& path) const; // does an untitled document live there?
    // it stays on the list, as one that was closed
    Status stop_offering(const std::string& path) const;
    std::string new_place(const std::string& stem) const; // of a document that does not exist yet

private:
    std::string path_;
};

// Whether it was closed by the program: without the mark it is offered as of a session that
// crashed.
Status mark_closed(Document& document, bool closed);

} // namespace loopscope::session
