#pragma once
// A pipeline and its schedule as a Python program for TVM's TensorIR (apache-tvm 0.25 and later): a
// prim_func with a block for each definition, the script as calls on a tir Schedule, and a main
// that reads and writes .npy files and times itself.
//
//     loopscope-cli emit P.loop -s S.sched --as tvm -o P.py
//     python3 P.py img=IMG.npy out=OUT.npy --time 20
//
// Values are those of the pipeline language, by functions of the program where TVM leaves them
// undefined or defines them otherwise; with --inexact exp, pow and their like are TVM's own.
// Directives are applied consumer by consumer and not in the script's order, for TVM's compute_at
// makes a block's loops anew. TVM judges each call by rules of its own: one that it refuses is said
// on standard error, and left out.

#include "compiler/codegen/foreign/foreign_program.h"

namespace loopscope::codegen {

Result<ForeignSource> tvm_source(const ForeignInput& input);

} // namespace loopscope::codegen
