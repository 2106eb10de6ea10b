#pragma once
// Launches of loop programs as OpenCL C 1.2, which later versions take too: a kernel for each. With
// a main the file is of two languages: OpenCL C for the device, whose compiler is given the file
// itself, and C11 for the host program, which runs the kernels on files, or checks and times them.
// Text that both need stands there once.
//
// Expected: a program for a device after device_source_passes(). Asynchronous copies become plain
// ones. Errors: what OpenCL C does not have, such as shuffles and instructions of tensor cores,
// named with the statement it stands in.

#include "compiler/codegen/c/c_source.h"
#include "compiler/codegen/kernel_source/kernel_options.h"
#include "compiler/opencl/program.h"

namespace loopscope::codegen {

struct OpenclOptions : KernelOptions {};

// The source, whose `function` is what the names of its kernels begin with.
Result<CSource> opencl_source(const lower::Program& program, const OpenclOptions& options = {});

// The same program, to be run at once: its memories are the program's arguments, in order, then its
// buffers. Errors: also sizes that are known only at run time.
Result<opencl::Program> opencl_program(const lower::Program& program);

} // namespace loopscope::codegen
