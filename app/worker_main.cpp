// loopscope-worker: the only program that holds LLVM and runs generated code of this processor.
#include "compiler/codegen/fatal_error.h"
#include "compiler/gpu/codes.h"
#include "compiler/server/server.h"
#include "compiler/worker/context.h"

int main(int argc, char** argv) {
    loopscope::codegen::install_fatal_error_handlers();
    return loopscope::worker::serve(argc, argv, loopscope::worker::verbs(),
                                    loopscope::gpu::ends_process);
}
