#pragma once
// A lowered program of GPU launches as a plan (compiler/gpu/plan.h), and the GPU that the worker
// uses.

#include "compiler/gpu/session.h"
#include "compiler/worker/program.h"

namespace loopscope::worker {

// The GPU of that number, as the driver counts them: opened at the first call and kept, until
// another one is asked for, whose plans must not be in use then. Errors: those of GpuSession::open.
Result<const gpu::GpuSession*> gpu_session(int number);

// The plan of a program in the final form of device_passes(). Errors: those of compile_ptx; a
// program with symbols, or with launches on the host, which no GPU target makes.
Result<gpu::Plan> plan_of(const lower::Program& program, const std::string& architecture);

// For the GPU at hand: compiled for the architecture of the script's `target`, else for its own.
Result<gpu::Plan> plan_for_attached(const LoadedProgram& loaded, const lower::Program& program);

} // namespace loopscope::worker
