#pragma once
// OpenCL's functions, found at run time: nothing of OpenCL is needed to build, and a machine
// without it lacks this target alone. Types and numbers are those of the specification, OpenCL 1.2.

#include "core/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace loopscope::opencl {

// a platform, device, context, queue, program, memory, kernel or event
using Handle = struct OpaqueHandle*;
using ClStatus = std::int32_t;

inline constexpr ClStatus kSuccess = 0;
inline constexpr ClStatus kNoPlatform = -1001; // what a loader answers that knows no platform

struct Api {
    using Notify = void (*)(const char*, const void*, std::size_t, void*);
    using ProgramNotify = void (*)(Handle, void*);

    ClStatus (*get_platform_ids)(std::uint32_t, Handle*, std::uint32_t*);
    ClStatus (*get_platform_info)(Handle, std::uint32_t, std::size_t, void*, std::size_t*);
    ClStatus (*get_device_ids)(Handle, std::uint64_t, std::uint32_t, Handle*, std::uint32_t*);
    ClStatus (*get_device_info)(Handle, std::uint32_t, std::size_t, void*, std::size_t*);
    Handle (*create_context)(const std::intptr_t*, std::uint32_t, const Handle*, Notify, void*,
                             ClStatus*);
    Handle (*create_command_queue)(Handle, Handle, std::uint64_t, ClStatus*);
    Handle (*create_program_with_source)(Handle, std::uint32_t, const char**, const std::size_t*,
                                         ClStatus*);
    ClStatus (*build_program)(Handle, std::uint32_t, const Handle*, const char*, ProgramNotify,
                              void*);
    ClStatus (*get_program_build_info)(Handle, Handle, std::uint32_t, std::size_t, void*,
                                       std::size_t*);
    Handle (*create_kernel)(Handle, const char*, ClStatus*);
    ClStatus (*set_kernel_arg)(Handle, std::uint32_t, std::size_t, const void*);
    Handle (*create_buffer)(Handle, std::uint64_t, std::size_t, void*, ClStatus*);
    ClStatus (*enqueue_fill_buffer)(Handle, Handle, const void*, std::size_t, std::size_t,
                                    std::size_t, std::uint32_t, const Handle*, Handle*);
    ClStatus (*enqueue_write_buffer)(Handle, Handle, std::uint32_t, std::size_t, std::size_t,
                                     const void*, std::uint32_t, const Handle*, Handle*);
    ClStatus (*enqueue_read_buffer)(Handle, Handle, std::uint32_t, std::size_t, std::size_t, void*,
                                    std::uint32_t, const Handle*, Handle*);
    ClStatus (*enqueue_nd_range_kernel)(Handle, Handle, std::uint32_t, const std::size_t*,
                                        const std::size_t*, const std::size_t*, std::uint32_t,
                                        const Handle*, Handle*);
    ClStatus (*finish)(Handle);
    ClStatus (*get_event_profiling_info)(Handle, std::uint32_t, std::size_t, void*, std::size_t*);
    ClStatus (*release_event)(Handle);
    ClStatus (*release_kernel)(Handle);
    ClStatus (*release_program)(Handle);
    ClStatus (*release_mem_object)(Handle);
};

// The loader of this machine, opened once and kept. Errors (code kCodeTarget): it is not installed,
// or is none.
Result<Api> load_api(const std::string& library = "libOpenCL.so.1");

// "CL_OUT_OF_RESOURCES (-5)"; the number alone where the specification's core has no such name.
std::string status_text(ClStatus status);

} // namespace loopscope::opencl
