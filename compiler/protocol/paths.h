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

} // namespace loopscope::measure
