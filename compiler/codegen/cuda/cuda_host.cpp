#include "compiler/codegen/cuda/cuda_host.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/c/replaced.h"
#include "compiler/codegen/cuda/cuda_kernel.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr const char* kMain = R"(
// --- The host program ---------------------------------------------------------------------------------------------

enum { HOST_ARRAYS = sizeof npy_arguments / sizeof *npy_arguments, HOST_RUNS = 21 };

static unsigned char *host_device[HOST_ARRAYS]; // the arrays, on the device
$MEMORY
static void host_must(cudaError_t status, const char *what) {
    if (status == cudaSuccess)
        return;
    fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(status));
    exit(EXIT_FAILURE);
}

static void host_launch(void) {
    host_must($CALL, "launch");
}

// Fills what the kernels are to write with a pattern, so that what they leave out cannot look right by chance.
static void host_begin(size_t i, bool files) {
    struct npy_argument *a = &npy_arguments[i];
    const size_t bytes = npy_count(a, a->extents) * a->size;
    npy_allocate(a);
    host_must(cudaMalloc((void **)&host_device[i], bytes ? bytes : 1), a->name);
    if (a->output)
        memset(a->data, 0xa5, bytes);
    else if (files)
        npy_read(a);
    else
        host_fill(i);
    host_must(cudaMemcpy(host_device[i], a->data, bytes, cudaMemcpyHostToDevice), a->name);
}

static double host_run(cudaEvent_t begin, cudaEvent_t end) {
    float milliseconds = 0;
    host_must(cudaEventRecord(begin), "cudaEventRecord");
    host_launch();
    host_must(cudaEventRecord(end), "cudaEventRecord");
    host_must(cudaEventSynchronize(end), "the kernels");
    host_must(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
    return 1e-3 * milliseconds;
}

// With NAME=FILE.npy for each array: runs on files. Without: checks the kernels, and times them.
int main(int argc, char **argv) {
    const bool files = argc > 1;
    int verdict = EXIT_SUCCESS;
    double seconds[HOST_RUNS];
    cudaEvent_t begin, end;
    cudaDeviceProp device;
    if (files)
        npy_name_files(argc, argv);
    host_must(cudaGetDeviceProperties(&device, 0), "there is no device");
    host_must(cudaEventCreate(&begin), "cudaEventCreate");
    host_must(cudaEventCreate(&end), "cudaEventCreate");
    for (size_t i = 0; i < HOST_ARRAYS; i++)
        host_begin(i, files);
$ALLOCATE    host_run(begin, end);
    for (size_t i = 0; i < HOST_ARRAYS; i++) {
        struct npy_argument *a = &npy_arguments[i];
        if (a->output)
            host_must(cudaMemcpy(a->data, host_device[i], npy_count(a, a->extents) * a->size, cudaMemcpyDeviceToHost),
                      a->name);
        if (a->output && files)
            npy_write(a);
    }
    if (!files) {
$CHECK        for (size_t i = 0; i < HOST_RUNS; i++)
            seconds[i] = host_run(begin, end);
        host_report(seconds, HOST_RUNS, device.name);
    }
    for (size_t i = 0; i < HOST_ARRAYS; i++) {
        host_must(cudaFree(host_device[i]), "cudaFree");
        free(npy_arguments[i].data);
    }
$FREE    return verdict;
}
)";

std::string triple(const std::array<std::int64_t, 3>& extents) {
    std::string text = "dim3(";
    for (std::size_t axis = 0; axis < 3; ++axis)
        text += (axis ? ", " : "") + std::to_string(extents[axis]);
    return text + ")";
}

struct Array {
    ScalarType type = ScalarType::F32;
    std::vector<Extent> extents;
};

Array find_array(const lower::Program& program, const std::string& buffer) {
    for (const auto& a : program.arguments)
        if (a.buffer == buffer)
            return {a.type, a.extents};
    for (const auto& b : program.buffers)
        if (b.buffer == buffer)
            return {b.type, b.extents};
    return {};
}

std::vector<std::int64_t> constants(const std::vector<Extent>& extents) {
    std::vector<std::int64_t> out;
    for (const auto& extent : extents)
        out.push_back(extent.constant());
    return out;
}

// "{64, 128}" of 128, 64: the TMA counts from the contiguous dimension on.
std::string reversed_list(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (auto number = numbers.rbegin(); number != numbers.rend(); ++number)
        text += (text.empty() ? "{" : ", ") + std::to_string(*number);
    return text + "}";
}

// Elements are copied, and nothing is computed with them: their size is all that counts.
std::string element_of(ScalarType type) {
    return "CU_TENSOR_MAP_DATA_TYPE_UINT" + std::to_string(8 * bytes(type));
}

class Launcher {
public:
    Launcher(const lower::Program& program, const std::string& name,
             const std::vector<Kernel>& kernels, CNames& names)
        : program_(program), memory_(device_memory(program)), names_(names) {
        names_.open_scope();
        auto parameters = this->parameters();
        CWriter body;
        body.indent();
        buffers(body);
        for (const auto& kernel : kernels)
            launch(kernel, body);
        body.line("return cudaGetLastError();");
        names_.close_scope();
        std::vector<std::string> arguments;
        for (const auto& symbol : program.symbols)
            arguments.push_back(identifiers_.at(symbol));
        for (const auto& a : program.arguments)
            arguments.push_back(identifiers_.at(a.buffer));
        if (asks_tma(kernels))
            text.verbatim(describe_boxes_text());
        text.blank();
        text.verbatim(arguments_comment(program, arguments));
        text.line("// Launches the kernels, one after another. Pointers are of the device, to "
                  "places that 16 "
                  "divides.");
        if (memory_.bytes > 0)
            text.line("// `" + memory_name_ + "`: " + std::to_string(memory_.bytes) +
                      " bytes for what the kernels hand on to each other.");
        text.list("cudaError_t " + name + "(", parameters, ") {");
        text.append(body);
        text.line("}");
    }

    CWriter text;

private:
    std::vector<std::string> parameters() {
        std::vector<std::string> list;
        auto add = [&](const std::string& type, const std::string& name) {
            auto identifier = names_.scoped(name);
            list.push_back(type + identifier);
            return identifier;
        };
        for (const auto& symbol : program_.symbols)
            identifiers_[symbol] = add("int64_t ", symbol);
        for (const auto& a : program_.arguments)
            identifiers_[a.buffer] = add(std::string(a.role == lower::Role::Input ? "const " : "") +
                                             c_memory_type(a.type) + " *",
                                         a.buffer);
        if (memory_.bytes > 0)
            memory_name_ = add("void *", "memory");
        stream_ = add("cudaStream_t ", "stream");
        return list;
    }

    void buffers(CWriter& body) {
        for (const auto& buffer : program_.buffers) {
            auto identifier = names_.scoped(buffer.buffer);
            identifiers_[buffer.buffer] = identifier;
            const std::string type = c_memory_type(buffer.type);
            body.line(type + " *const " + identifier + " = (" + type + " *)((unsigned char *)" +
                      memory_name_ + " + " + std::to_string(memory_.offsets.at(buffer.buffer)) +
                      ");");
        }
    }

    void launch(const Kernel& kernel, CWriter& body) {
        const bool asks = asks_for_shared_bytes(kernel.shared_bytes);
        const auto bytes = std::to_string(asks ? kernel.shared_bytes : 0);
        if (asks) {
            body.line("if (cudaError_t status = cudaFuncSetAttribute(" + kernel.name +
                      ", cudaFuncAttributeMaxDynamicSharedMemorySize, " + bytes + "))");
            body.line("    return status;");
        }
        std::vector<std::string> arguments;
        for (const auto& symbol : program_.symbols)
            arguments.push_back(identifiers_.at(symbol));
        for (const auto& buffer : kernel.buffers)
            arguments.push_back(identifiers_.at(buffer.buffer));
        for (const auto& boxes : kernel.boxes)
            arguments.push_back(described(boxes.map, body));
        body.list(kernel.name + "<<<" + triple(kernel.shape.blocks_along()) + ", " +
                      triple(kernel.shape.threads_along()) + ", " + bytes + ", " + stream_ + ">>>(",
                  arguments, ");");
    }

    // The tensor map of boxes, which several kernels may ask for.
    std::string described(const TensorMap& map, CWriter& body) {
        for (const auto& [known, identifier] : described_)
            if (known == map)
                return identifier;
        const auto array = find_array(program_, map.buffer);
        const auto identifier = names_.scoped(c_identifier(map.buffer) + "_boxes"),
                   extents = names_.scoped(c_identifier(map.buffer) + "_extents"),
                   box = names_.scoped(c_identifier(map.buffer) + "_box");
        const std::vector<std::int64_t> along = constants(array.extents);
        body.line("const cuuint64_t " + extents + "[] = " + reversed_list(along) + ";");
        body.line("const cuuint32_t " + box + "[] = " + reversed_list(map.box) + ";");
        body.line("CUtensorMap " + identifier + ";");
        body.list("if (cudaError_t status = describe_boxes(",
                  {"&" + identifier, "\"" + map.buffer + "\"", identifiers_.at(map.buffer),
                   element_of(array.type), std::to_string(bytes(array.type)),
                   std::to_string(map.box.size()), extents, box,
                   map.swizzle == 0 ? "CU_TENSOR_MAP_SWIZZLE_NONE"
                                    : "CU_TENSOR_MAP_SWIZZLE_" + std::to_string(map.swizzle) + "B"},
                  "))");
        body.line("    return status;");
        described_.emplace_back(map, identifier);
        return identifier;
    }

    const lower::Program& program_;
    const DeviceMemory memory_;
    CNames& names_;
    std::map<std::string, std::string> identifiers_;
    std::vector<std::pair<TensorMap, std::string>> described_;
    std::string memory_name_, stream_;
};

} // namespace

bool asks_tma(const std::vector<Kernel>& kernels) {
    return std::any_of(kernels.begin(), kernels.end(),
                       [](const Kernel& kernel) { return !kernel.boxes.empty(); });
}

CWriter cuda_launcher(const lower::Program& program, const std::string& name,
                      const std::vector<Kernel>& kernels, CNames& names) {
    return Launcher(program, name, kernels, names).text;
}

std::string cuda_main(const lower::Program& program, const std::string& launcher, bool checks) {
    const auto bytes = device_memory(program).bytes;
    std::string call = launcher + "(";
    for (std::size_t i = 0; i < program.arguments.size(); ++i) {
        const auto& a = program.arguments[i];
        call += std::string(a.role == lower::Role::Input ? "(const " : "(") +
                c_memory_type(a.type) + " *)host_device[" + std::to_string(i) + "],\n        ";
    }
    if (bytes > 0)
        call += "host_memory, ";
    const char* unchecked =
        "        printf(\"nothing was said of what it should be: not checked\\n\");\n";
    return replaced(
        kMain,
        {{"$CALL", call + "0)"},
         {"$MEMORY",
          bytes > 0 ? "static void *host_memory; // for what the kernels hand on to each other\n"
                    : ""},
         {"$ALLOCATE", bytes > 0 ? "    host_must(cudaMalloc(&host_memory, " +
                                       std::to_string(bytes) + "), \"memory\");\n"
                                 : ""},
         {"$FREE", bytes > 0 ? "    host_must(cudaFree(host_memory), \"cudaFree\");\n" : ""},
         {"$CHECK", checks ? "        verdict = host_check(0);\n" : unchecked}});
}

} // namespace loopscope::codegen
