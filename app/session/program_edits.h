#pragma once
// What is scheduled, changed by a person: the values of params, and the pipeline's text. A change
// is a step of the document's history, with the schedule carried over to it.

#include "app/document/document.h"
#include "app/session/carried_script.h"
#include "app/session/session.h"
#include "core/base/diagnostic.h"
#include "core/ir/pipeline.h"

#include <QElapsedTimer>
#include <QObject>
#include <QString>

#include <cstdint>
#include <map>
#include <string>

namespace loopscope::session {

class ProgramEdits : public QObject {
    Q_OBJECT
public:
    explicit ProgramEdits(Session& session);

    // Those that are named have these values from now on; others keep theirs. Errors: the pipeline
    // does not take them, or the text or the script is a draft with errors.
    Status set_params(const std::map<std::string, std::int64_t>& values);
    Status reset_params(); // to the values that the text says

    // The text as it is written; it differs from the program's while it has errors.
    const std::string& draft() const { return draft_; }
    bool has_draft() const;
    const Diagnostics& diagnostics() const { return diagnostics_; } // of the draft
    // A text without errors becomes the program; else it stays a draft. What is typed without a
    // long pause is one step.
    void edit_text(const QString& text);
    void drop_draft();                         // back to the program's text
    void end_typing() { typed_revision_ = 0; } // what is typed next is a step of its own

signals:
    void draftChanged(); // the text as it is written, and its diagnostics

private:
    bool goes_on() const;
    Result<Session::ReadProgram> read_draft() const;
    Status take(Session::ReadProgram next, const std::string& description, bool typed);
    void say_left_out(const std::vector<CarriedScript::LeftOut>& lines);
    void opened();
    void follow();
    void try_again();

    Session& session_;
    std::string draft_;
    Diagnostics diagnostics_;
    ProgramPtr shown_; // the program whose text the draft was made of; null: nothing is open
    // The draft is a pipeline, and was not taken for another reason: that may be gone.
    bool refused_ = false;
    // Typing: the revision that it made (0: nobody types), and script and program before it, from
    // which each text's are carried over: a word that is half written must lose no line, no param.
    std::int64_t typed_revision_ = 0;
    std::string script_before_;
    ProgramPtr program_before_;
    QElapsedTimer since_;
};

} // namespace loopscope::session
