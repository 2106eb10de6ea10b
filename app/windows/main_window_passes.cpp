// Stepping through the passes of the compilation, in the source panel.

#include "app/windows/main_window.h"

#include "app/session/pass_programs.h"
#include "views/widgets/passes_view.h"
#include "views/widgets/source_view.h"

namespace loopscope::app {

using namespace views;

void MainWindow::wire_passes() {
    connect(&session_->passes(), &session::PassPrograms::ready, source_, &SourceView::set_passes);
    connect(source_, &SourceView::passesWanted, this, &MainWindow::request_passes);
    connect(session_, &session::Session::opened, source_, [this] {
        if (!session_->is_open())
            source_->set_passes(nullptr);
    });
}

// Of the present schedule, where somebody looks.
void MainWindow::request_passes(int first) {
    passes_wanted_ = false;
    if (session_->is_open() && source_visible_ && source_->passes_shown())
        session_->passes().request(static_cast<std::size_t>(std::max(first, 0)));
    else
        passes_wanted_ = true; // once they are seen
}

} // namespace loopscope::app
