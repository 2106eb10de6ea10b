// loopscope-worker: the only program that holds LLVM and runs generated code.
#include "compiler/worker/server.h"

int main(int argc, char** argv) { return loopscope::worker::serve(argc, argv); }
