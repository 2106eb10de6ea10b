#include "compiler/opencl/api.h"

#include "compiler/protocol/worker_client.h"

#include <cstdlib>
#include <utility>

#include <dlfcn.h>

namespace loopscope::opencl {

namespace {

constexpr std::pair<ClStatus, const char*> kNames[] = {
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {kNoPlatform, "CL_PLATFORM_NOT_FOUND_KHR"},
};

Diagnostic missing(std::string message) {
    return coded_error(measure::kCodeTarget, std::move(message),
                       "install OpenCL's loader and a platform: on Debian ocl-icd-libopencl1, "
                       "and pocl-opencl-icd for the processor");
}

} // namespace

Result<Api> load_api(const std::string& library) {
    // By default PoCL 3.1 says of the loop that it makes of work-items that their accesses are
    // independent, of private arrays as well, which they share: their elements are then mixed up.
    // Its other method is right, and no slower on our kernels.
    ::setenv("POCL_WORK_GROUP_METHOD", "workitemloops", 0);
    void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL); // never closed
    if (!handle) {
        const char* reason = ::dlerror();
        return missing("OpenCL is not here: " + std::string(reason ? reason : library));
    }
    Api api = {};
    std::string lacks;
    auto find = [&](auto& function, const char* name) {
        function =
            reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(handle, name));
        if (!function && lacks.empty())
            lacks = name;
    };
    find(api.get_platform_ids, "clGetPlatformIDs");
    find(api.get_platform_info, "clGetPlatformInfo");
    find(api.get_device_ids, "clGetDeviceIDs");
    find(api.get_device_info, "clGetDeviceInfo");
    find(api.create_context, "clCreateContext");
    find(api.create_command_queue, "clCreateCommandQueue");
    find(api.create_program_with_source, "clCreateProgramWithSource");
    find(api.build_program, "clBuildProgram");
    find(api.get_program_build_info, "clGetProgramBuildInfo");
    find(api.create_kernel, "clCreateKernel");
    find(api.set_kernel_arg, "clSetKernelArg");
    find(api.create_buffer, "clCreateBuffer");
    find(api.enqueue_fill_buffer, "clEnqueueFillBuffer");
    find(api.enqueue_write_buffer, "clEnqueueWriteBuffer");
    find(api.enqueue_read_buffer, "clEnqueueReadBuffer");
    find(api.enqueue_nd_range_kernel, "clEnqueueNDRangeKernel");
    find(api.finish, "clFinish");
    find(api.get_event_profiling_info, "clGetEventProfilingInfo");
    find(api.release_event, "clReleaseEvent");
    find(api.release_kernel, "clReleaseKernel");
    find(api.release_program, "clReleaseProgram");
    find(api.release_mem_object, "clReleaseMemObject");
    if (!lacks.empty())
        return missing(library + " has no " + lacks + ", which OpenCL 1.2 has");
    return api;
}

std::string status_text(ClStatus status) {
    for (const auto& [number, name] : kNames)
        if (number == status)
            return std::string(name) + " (" + std::to_string(status) + ")";
    return std::to_string(status);
}

} // namespace loopscope::opencl
