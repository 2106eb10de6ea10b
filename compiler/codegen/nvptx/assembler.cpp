#include "compiler/codegen/nvptx/assembler.h"

#include "compiler/codegen/nvptx/tool_run.h"
#include "compiler/protocol/paths.h"
#include "compiler/protocol/worker_client.h"

#include <cstdlib>
#include <sstream>
#include <string_view>

namespace loopscope::codegen {

namespace {

Diagnostic no_tool(const std::string& tool) {
    return coded_error(measure::kCodeNoToolkit, "there is no " + tool + " here",
                       "install NVIDIA's CUDA toolkit, or say where it is with CUDA_HOME");
}

// What the tool says of itself, its lines one after another.
Diagnostic refusal(const std::string& tool, const ToolEnd& end) {
    auto text = end.output;
    while (!text.empty() && text.back() == '\n')
        text.pop_back();
    return coded_error(
        "refused-by-tool",
        tool + " refused the code" +
            (text.empty() ? " (status " + std::to_string(end.status) + ")" : ":\n" + text));
}

// The number before a word: "12 bytes stack frame". 0: the line has no such word.
std::int64_t number_before(const std::string& line, const std::string& word) {
    auto at = line.find(" " + word);
    if (at == std::string::npos)
        return 0;
    auto begin = line.find_last_not_of("0123456789", at - 1);
    return std::atoll(line.c_str() + (begin == std::string::npos ? 0 : begin + 1));
}

std::string between(const std::string& line, const std::string& prefix, char end) {
    auto at = line.find(prefix);
    if (at == std::string::npos)
        return {};
    at += prefix.size();
    return line.substr(at, line.find(end, at) - at);
}

// "ptxas info    : (C7520) Potential Performance Loss: …": numbered, as no line of a report is.
bool is_advice(const std::string& line) {
    return line.rfind("ptxas info", 0) == 0 && line.find(": (C") != std::string::npos;
}

// What `ptxas -v` prints: for each kernel that it is compiled, then properties of functions by
// name, then what it uses.
Assembly read_report(const std::string& output) {
    Assembly assembly;
    std::string function;
    std::istringstream in(output);
    for (std::string line; std::getline(in, line);) {
        if (auto kernel = between(line, "Compiling entry function '", '\''); !kernel.empty())
            assembly.kernels.push_back({kernel});
        else if (auto name = between(line, "Function properties for ", '\n'); !name.empty())
            function = name;
        else if (line.rfind("ptxas warning", 0) == 0 || is_advice(line))
            assembly.warnings += line + "\n";
        if (assembly.kernels.empty())
            continue;
        auto& kernel = assembly.kernels.back();
        if (line.find("bytes stack frame") != std::string::npos && function == kernel.name) {
            kernel.stack_bytes = number_before(line, "bytes stack frame");
            kernel.spill_stores = number_before(line, "bytes spill stores");
            kernel.spill_loads = number_before(line, "bytes spill loads");
        }
        if (line.find(": Used ") != std::string::npos) {
            kernel.registers = static_cast<int>(number_before(line, "registers"));
            kernel.shared_bytes = number_before(line, "bytes smem");
        }
    }
    return assembly;
}

} // namespace

std::string find_cuda_tool(const std::string& tool) {
    if (const char* home = std::getenv("CUDA_HOME"); home && *home)
        if (auto path = std::string(home) + "/bin/" + tool; measure::is_program(path))
            return path;
    if (auto path = measure::find_program(tool); !path.empty())
        return path;
    const auto usual = "/usr/local/cuda/bin/" + tool;
    return measure::is_program(usual) ? usual : "";
}

Result<Assembly> assemble(const std::string& ptx, const std::string& architecture,
                          std::string* cubin, double seconds) {
    const auto tool = find_cuda_tool("ptxas");
    if (tool.empty())
        return no_tool("ptxas");
    auto directory = PrivateDirectory::make();
    if (!directory)
        return directory.errors();
    if (auto written = directory->write("kernels.ptx", ptx); !written)
        return written.errors();
    auto end = run_tool(tool,
                        {"-v", "-arch=" + architecture, directory->file("kernels.ptx"), "-o",
                         directory->file("kernels.cubin")},
                        *directory, seconds);
    if (!end)
        return end.errors();
    if (end->status != 0)
        return refusal("ptxas", *end);
    if (cubin) {
        auto code = directory->read("kernels.cubin");
        if (!code)
            return code.errors();
        *cubin = std::move(*code);
    }
    return read_report(end->output);
}

Result<std::string> disassemble(const std::string& cubin, double seconds) {
    const auto tool = find_cuda_tool("nvdisasm");
    if (tool.empty())
        return no_tool("nvdisasm");
    auto directory = PrivateDirectory::make();
    if (!directory)
        return directory.errors();
    if (auto written = directory->write("kernels.cubin", cubin); !written)
        return written.errors();
    auto end = run_tool(tool, {"-c", directory->file("kernels.cubin")}, *directory, seconds);
    if (!end)
        return end.errors();
    if (end->status != 0)
        return refusal("nvdisasm", *end);
    return end->output;
}

} // namespace loopscope::codegen
