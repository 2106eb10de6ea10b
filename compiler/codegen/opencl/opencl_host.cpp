#include "compiler/codegen/opencl/opencl_host.h"

#include "compiler/codegen/c/replaced.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr const char* kDevice = R"(
// --- The host program ---------------------------------------------------------------------------------------------

enum { HOST_ARRAYS = sizeof npy_arguments / sizeof *npy_arguments, HOST_RUNS = 21, HOST_NO_DEVICE = 3 };

static void host_must(cl_int status, const char *what) {
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "error: %s: OpenCL says %d\n", what, (int)status);
    exit(EXIT_FAILURE);
}

// A GPU, where there is one.
static cl_device_id host_device(void) {
    const cl_device_type wanted[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
    cl_platform_id platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS)
        count = 0;
    for (size_t kind = 0; kind < 2; kind++)
        for (cl_uint i = 0; i < count && i < 16; i++)
            if (clGetDeviceIDs(platforms[i], wanted[kind], 1, &device, NULL) == CL_SUCCESS)
                return device;
    fprintf(stderr, "error: OpenCL has no device here\n");
    exit(HOST_NO_DEVICE);
}

// This file, which is the kernels' source as well.
static char *host_source(void) {
    FILE *file = fopen(__FILE__, "rb");
    long length = -1;
    char *text;
    if (file && fseek(file, 0, SEEK_END) == 0)
        length = ftell(file);
    text = length < 0 ? NULL : (char *)malloc((size_t)length + 1);
    if (!text || fseek(file, 0, SEEK_SET) != 0 || fread(text, 1, (size_t)length, file) != (size_t)length) {
        fprintf(stderr, "error: %s: cannot be read, and has the kernels\n", __FILE__);
        exit(EXIT_FAILURE);
    }
    text[length] = '\0';
    fclose(file);
    return text;
}

static cl_program host_build(cl_context context, cl_device_id device, const char *options) {
    char *text = host_source();
    const char *const source = text;
    cl_int status;
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &status);
    host_must(status, "the kernels' source");
    status = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        static char log[16384];
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, NULL);
        fprintf(stderr, "%s\n", log);
    }
    host_must(status, "building the kernels");
    free(text);
    return program;
}
)";

constexpr const char* kMain = R"(
// Fills what the kernels are to write with a pattern, so that what they leave out cannot look right by chance.
static void host_begin(cl_context context, cl_command_queue queue, size_t i, bool files) {
    struct npy_argument *a = &npy_arguments[i];
    const size_t bytes = npy_count(a, a->extents) * a->size;
    cl_int status;
    npy_allocate(a);
    if (a->output)
        memset(a->data, 0xa5, bytes);
    else if (files)
        npy_read(a);
    else
        host_fill(i);
    // Atomic steps on small elements touch whole words.
    host_memory[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes / 4 * 4 + 4, NULL, &status);
    host_must(status, a->name);
    if (bytes)
        host_must(clEnqueueWriteBuffer(queue, host_memory[i], CL_TRUE, 0, bytes, a->data, 0, NULL, NULL), a->name);
}

static double host_run(cl_command_queue queue) {
    cl_event events[HOST_LAUNCHES];
    cl_ulong begin = 0, end = 0;
    for (size_t k = 0; k < HOST_LAUNCHES; k++) {
        size_t all[3];
        for (int d = 0; d < 3; d++)
            all[d] = host_launches[k].blocks[d] * host_launches[k].threads[d];
        host_must(clEnqueueNDRangeKernel(queue, host_kernels[k], 3, NULL, all, host_launches[k].threads, 0, NULL,
                                         &events[k]),
                  host_launches[k].name);
    }
    host_must(clFinish(queue), "the kernels");
    clGetEventProfilingInfo(events[0], CL_PROFILING_COMMAND_START, sizeof begin, &begin, NULL);
    clGetEventProfilingInfo(events[HOST_LAUNCHES - 1], CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    for (size_t k = 0; k < HOST_LAUNCHES; k++)
        clReleaseEvent(events[k]);
    return 1e-9 * (double)(end - begin);
}

// With NAME=FILE.npy for each array: runs on files. Without: checks the kernels, and times them.
int main(int argc, char **argv) {
    const bool files = argc > 1;
    const cl_device_id device = host_device();
    cl_device_fp_config rounding = 0;
    double seconds[HOST_RUNS];
    int verdict = EXIT_SUCCESS;
    char name[256] = "a device";
    cl_int status;
    if (files)
        npy_name_files(argc, argv);
    clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name - 1, name, NULL);
    clGetDeviceInfo(device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof rounding, &rounding, NULL);
    const bool rounds = (rounding & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
$DOUBLES    const cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    host_must(status, "clCreateContext");
    const cl_command_queue queue = clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    host_must(status, "clCreateCommandQueue");
    const cl_program program =
        host_build(context, device, rounds ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt" : "-cl-std=CL1.2");
    for (size_t i = 0; i < HOST_ARRAYS; i++)
        host_begin(context, queue, i, files);
    for (size_t i = HOST_ARRAYS; i < HOST_MEMORIES; i++) {
        host_memory[i] = clCreateBuffer(context, CL_MEM_READ_WRITE, host_bytes[i - HOST_ARRAYS], NULL, &status);
        host_must(status, "memory");
    }
    for (size_t k = 0; k < HOST_LAUNCHES; k++) {
        host_kernels[k] = clCreateKernel(program, host_launches[k].name, &status);
        host_must(status, host_launches[k].name);
        for (size_t i = 0; i < host_launches[k].count; i++)
            host_must(clSetKernelArg(host_kernels[k], (cl_uint)i, sizeof(cl_mem),
                                     &host_memory[host_launches[k].arguments[i]]),
                      host_launches[k].name);
    }
    host_run(queue);
    for (size_t i = 0; i < HOST_ARRAYS; i++) {
        struct npy_argument *a = &npy_arguments[i];
        const size_t bytes = npy_count(a, a->extents) * a->size;
        if (a->output && bytes)
            host_must(clEnqueueReadBuffer(queue, host_memory[i], CL_TRUE, 0, bytes, a->data, 0, NULL, NULL), a->name);
        if (a->output && files)
            npy_write(a);
    }
    if (!files) {
$CHECK        for (size_t i = 0; i < HOST_RUNS; i++)
            seconds[i] = host_run(queue);
        host_report(seconds, HOST_RUNS, name);
    }
    for (size_t k = 0; k < HOST_LAUNCHES; k++)
        clReleaseKernel(host_kernels[k]);
    for (size_t i = 0; i < HOST_MEMORIES; i++)
        clReleaseMemObject(host_memory[i]);
    for (size_t i = 0; i < HOST_ARRAYS; i++)
        free(npy_arguments[i].data);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return verdict;
}
)";

constexpr const char* kNeedsDoubles = R"(    cl_device_fp_config doubles = 0;
    clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    if (!doubles) {
        fprintf(stderr, "error: %s has no f64\n", name);
        return HOST_NO_DEVICE;
    }
)";

constexpr const char* kCheckFloats = R"(        double inexact = 0;
        if (!rounds || !(rounding & CL_FP_DENORM)) {
            printf("%s does not round quotients and roots to the nearest, or has no denormals: floats within 1e-5\n", name);
            inexact = 1e-5;
        }
        verdict = host_check(inexact);
)";

constexpr const char* kCheckWhole = "        verdict = host_check(0);\n";

constexpr const char* kUnchecked =
    R"(        printf("nothing was said of what it should be: not checked\n");
)";

std::string triple(const std::array<std::int64_t, 3>& extents) {
    std::string text = "{";
    for (std::size_t axis = 0; axis < 3; ++axis)
        text += (axis ? ", " : "") + std::to_string(extents[axis]);
    return text + "}";
}

// The memory that kernels are given: arrays of the program first, then its buffers.
std::string memory_table(const lower::Program& program) {
    std::string sizes;
    for (const auto& buffer : program.buffers) {
        std::int64_t size = bytes(buffer.type);
        for (const auto& extent : buffer.extents)
            size *= std::max<std::int64_t>(extent.hint(), 1);
        sizes += (sizes.empty() ? "" : ", ") + std::to_string(size / 4 * 4 + 4);
    }
    return "\n// The arrays, and memory for what kernels hand on to each other, of so many bytes.\n"
           "static const size_t host_bytes[] = {" +
           (sizes.empty() ? "0" : sizes) + "};\nenum { HOST_MEMORIES = HOST_ARRAYS + " +
           std::to_string(program.buffers.size()) +
           " };\nstatic cl_mem host_memory[HOST_MEMORIES];\n";
}

std::string launch_table(const lower::Program& program, const std::vector<Kernel>& kernels) {
    std::map<std::string, std::size_t> memory;
    for (const auto& a : program.arguments)
        memory.emplace(a.buffer, memory.size());
    for (const auto& b : program.buffers)
        memory.emplace(b.buffer, memory.size());
    std::size_t most = 1;
    std::string lines;
    for (const auto& kernel : kernels) {
        std::string arguments;
        for (const auto& buffer : kernel.buffers)
            arguments += (arguments.empty() ? "" : ", ") + std::to_string(memory.at(buffer.buffer));
        most = std::max(most, kernel.buffers.size());
        lines += "    {\"" + kernel.name + "\", " + triple(kernel.shape.blocks_along()) + ", " +
                 triple(kernel.shape.threads_along()) + ", " +
                 std::to_string(kernel.buffers.size()) + ", {" +
                 (arguments.empty() ? "0" : arguments) + "}},\n";
    }
    return "\nstatic const struct {\n    const char *name;\n    size_t blocks[3], threads[3], "
           "count, "
           "arguments[" +
           std::to_string(most) + "]; // by their numbers in host_memory\n} host_launches[] = {\n" +
           lines +
           "};\nenum { HOST_LAUNCHES = sizeof host_launches / sizeof *host_launches };\n"
           "static cl_kernel host_kernels[HOST_LAUNCHES];\n";
}

} // namespace

std::string opencl_main(const lower::Program& program, const std::vector<Kernel>& kernels,
                        bool doubles, const KernelCheck& check) {
    const auto* checks = check.references.empty() ? kUnchecked
                         : check.computes_floats  ? kCheckFloats
                                                  : kCheckWhole;
    return kDevice + memory_table(program) + launch_table(program, kernels) +
           replaced(kMain, {{"$DOUBLES", doubles ? kNeedsDoubles : ""}, {"$CHECK", checks}});
}

} // namespace loopscope::codegen
