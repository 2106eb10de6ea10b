#pragma once
// A pipeline and its schedule as a C++ program for Halide 14: the algorithm, the schedule directive
// by directive, and a main that reads and writes .npy files and times itself.
//
//     loopscope-cli emit P.loop -s S.sched --as halide -o P.cpp
//     g++ -std=c++17 -O1 P.cpp -I/usr/include/halide14 -lHalide14 -o P
//     ./P img=IMG.npy out=OUT.npy --threads 1 --time 20
//
// Dimensions stand in reverse: Halide's first index is contiguous. Values are those of the pipeline
// language: where Halide leaves them undefined or defines them otherwise the program calls
// functions of its own (namespace ops). Compiled with -DEXACT=0 it takes Halide's instead, which
// are faster and differ as their comments say.
//
// What a schedule means differs in two points. A reduction's initialisation is a nest of its own in
// Halide, over all that is computed of the stage at once. And where a tail is guarded, what is
// computed for the last tile shrinks in Halide, while here the tile moves back inside; a loop that
// must run a constant number of times is therefore split by that number.

#include "compiler/codegen/foreign/foreign_program.h"

namespace loopscope::codegen {

Result<ForeignSource> halide_source(const ForeignInput& input);

} // namespace loopscope::codegen
