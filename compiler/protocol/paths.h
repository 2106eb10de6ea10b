#pragma once
// Where things are at run time: beside the executable, in the resources, in the user's cache.

#include <string>

namespace loopscope::measure {

std::string executable_folder(); // of the running program, without links
// The folder that holds pipelines/, devices/ and images/: $LOOPSCOPE_RESOURCES, else found upwards
// from the executable (a build folder in its checkout), else ../share/loopscope beside it. Empty:
// none of them exists.
std::string resource_folder();
// $XDG_CACHE_HOME/loopscope or ~/.cache/loopscope; empty when neither variable is set. Not created.
std::string cache_folder();

// $XDG_CONFIG_HOME/loopscope or ~/.config/loopscope, likewise.
std::string config_folder();
bool is_program(const std::string& path); // a file that may be executed
// As a shell finds it, by $PATH. Empty: there is none.
std::string find_program(const std::string& name);

} // namespace loopscope::measure
