// loopscope-opencl-worker: runs kernels through OpenCL. It links no LLVM of ours: a platform may
// bring its own.
#include "compiler/opencl/verbs.h"
#include "compiler/server/server.h"

int main(int argc, char** argv) {
    return loopscope::worker::serve(argc, argv, loopscope::opencl::verbs());
}
