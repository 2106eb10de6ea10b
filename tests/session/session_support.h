#pragma once
// Sessions for tests: their folders are scratch folders, and the host's figures are given, so that
// none is measured.

#include "app/session/edit_questions.h"
#include "app/session/estimates.h"
#include "app/session/pass_programs.h"
#include "app/session/pinned_baseline.h"
#include "app/session/session.h"
#include "app/session/source_texts.h"
#include "app/session/worker_tasks.h"

#include <functional>
#include <string>

namespace loopscope::session::test {

// A cache folder in which this machine's figures are kept already.
void use_known_host();
std::string bundled(const std::string& file); // resources/pipelines/FILE

// Runs the event loop until it holds; false: it did not within the time.
bool wait_until(const std::function<bool()>& holds, int seconds = 60);

// Opens FILE, edits as fast as it can, measures meanwhile, and now and then saves in the folder
// `saved` of the recovery folder; says "begin" before each edit, and the hashes of script and draft
// at first and after each; "measured N" when a measurement is in the document, and "saved PLACE".
int edit_until_killed(const std::string& file, const std::string& recovery_folder,
                      unsigned long seed);
std::string script_hash(const std::string& script);

} // namespace loopscope::session::test
