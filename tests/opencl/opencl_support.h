#pragma once
// Tests that run kernels through OpenCL, in the process that is made for it. Those that need a
// platform are skipped where none is, with the reason.

#include "compiler/opencl/client.h"

#include <string>

namespace loopscope::test {

// Options of the worker for OpenCL beside the test program. Its platform keeps no compiled kernels
// on disk: random ones would fill it.
measure::WorkerOptions opencl_options();
// Why no kernels can run through OpenCL here; empty: they can.
std::string no_opencl_device();
// A client of all tests of this program, started when it is first asked for.
opencl::Client& opencl_client();
// One whose PoCL does not optimise: that takes it minutes for the largest kernels, and these are
// run once.
opencl::Client& plain_opencl_client();
// One whose PoCL compiles work groups in another way. PoCL 3.1 has errors in each of them, of other
// kernels each; that a kernel is right in one shows that its source is.
opencl::Client& other_opencl_client();

} // namespace loopscope::test
