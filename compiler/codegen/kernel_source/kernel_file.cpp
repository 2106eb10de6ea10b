#include "compiler/codegen/kernel_source/kernel_file.h"

#include "compiler/codegen/c/function.h"
#include "compiler/codegen/c/main_text.h"
#include "compiler/codegen/kernel_source/host_check.h"
#include "compiler/codegen/kernel_source/host_text.h"
#include "core/base/result.h"

#include <algorithm>

namespace loopscope::codegen {

namespace {

constexpr std::int64_t kBufferAlignment = 256; // as the driver aligns what it allocates

std::int64_t aligned(std::int64_t bytes) {
    return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

void write(const std::vector<std::string>& definitions, CWriter& out) {
    for (const auto& definition : definitions) {
        out.blank();
        out.verbatim(definition);
    }
}

std::int64_t size_of(const lower::DeviceBuffer& buffer) {
    std::int64_t size = bytes(buffer.type);
    for (const auto& extent : buffer.extents)
        size *= std::max<std::int64_t>(extent.hint(), 1);
    return size;
}

} // namespace

KernelFile::KernelFile(const lower::Program& program, const KernelOptions& options, CNames& names,
                       KernelHelpers& helpers, const CDialect& host)
    : program_(program),
      options_(options),
      names_(names),
      helpers_(helpers),
      host_(host),
      host_helpers_(names, host, &helpers),
      prelude_(names, helpers),
      host_prelude_(names, host_helpers_, &prelude_),
      function_(names.external(program.name)) {}

void KernelFile::add_kernels(const MakeKernel& make) {
    for (const auto& launch : program_.launches) {
        if (!launch.body)
            continue;
        auto name = names_.external(program_.name + "_" + launch.name);
        auto function = make(launch);
        auto text = function->print(name);
        for (const auto& [called, type] : function->called())
            prelude_.add(called, type);
        kernels_.push_back(function->kernel());
        const auto& kernel = kernels_.back();
        kernels_text_.blank();
        kernels_text_.line(
            "// " + launch.name + ": " + dimensions_text(kernel.shape.blocks_along()) +
            " blocks of " + dimensions_text(kernel.shape.threads_along()) + " threads" +
            (kernel.shape.cluster_blocks() > 1
                 ? ", numbered by clusters of " + dimensions_text(kernel.shape.cluster_along())
                 : "") +
            (kernel.shared_bytes > 0
                 ? ", each block with " + std::to_string(kernel.shared_bytes) + " bytes of its own"
                 : "") +
            ".");
        kernels_text_.append(text);
    }
}

void KernelFile::add_references() {
    const auto& references = options_.check.references;
    for (std::size_t i = 0; i < references.size(); ++i) {
        const auto number = references.size() > 1 ? "_" + std::to_string(i) : "";
        references_.push_back(names_.external(program_.name + "_reference" + number));
        CFunction function(names_, host_helpers_, host_macros_, host_);
        auto text = function.print(references[i].program, references_.back());
        for (const auto& [called, type] : function.called())
            host_prelude_.add(called, type);
        references_text_.blank();
        comment_parts(references[i], references_text_);
        // Without origins: its stages are not those of the schedule's tree.
        references_text_.verbatim(text.text());
    }
}

CWriter KernelFile::functions() const {
    CWriter out;
    write(helpers_.definitions(Side::Both), out);
    out.append(prelude_.text());
    return out;
}

CWriter KernelFile::references_text() const {
    CWriter out;
    if (!references_.empty()) {
        out.blank();
        out.line("// --- What the results should be "
                 "---------------------------------------------------------------------------------"
                 "----");
    }
    write(host_helpers_.definitions(), out);
    out.append(host_prelude_.text());
    out.verbatim(macro_text(host_macros_));
    out.append(references_text_);
    return out;
}

CWriter KernelFile::kernels_text() const {
    CWriter out;
    write(helpers_.definitions(Side::Device), out);
    out.append(kernels_text_);
    return out;
}

void KernelFile::write_host(CWriter& out) {
    out.append(references_text());
    out.verbatim(arrays_text() + array_table(program_.arguments, "npy_arguments") + files_text());
    out.blank();
    out.line("#define HOST_PROGRAM \"" + function() + "\"");
    out.verbatim(host_text(program_, host_helpers()));
    if (options_.checks())
        out.verbatim(check_text(program_, options_.check, references()));
}

bool KernelFile::says(const std::string& word) const {
    return functions().text().find(word) != std::string::npos ||
           kernels_text().text().find(word) != std::string::npos;
}

std::string dimensions_text(const std::array<std::int64_t, 3>& extents) {
    std::string text = std::to_string(extents[0]);
    if (extents[1] > 1 || extents[2] > 1)
        text += " x " + std::to_string(extents[1]);
    if (extents[2] > 1)
        text += " x " + std::to_string(extents[2]);
    return text;
}

// As planned, where all are; else one behind the other.
DeviceMemory device_memory(const lower::Program& program) {
    const bool planned = std::all_of(program.buffers.begin(), program.buffers.end(),
                                     [](const auto& buffer) { return buffer.offset >= 0; });
    DeviceMemory memory;
    for (const auto& buffer : program.buffers) {
        const auto offset = planned ? buffer.offset : memory.bytes;
        memory.offsets[buffer.buffer] = offset;
        memory.bytes = std::max(memory.bytes, offset + aligned(size_of(buffer)));
    }
    return memory;
}

Diagnostics check_for_main(const lower::Program& program, const std::string& language) {
    if (program.symbols.empty())
        return {};
    return {error(language + ": a main cannot know the value of " + program.symbols[0],
                  "leave out --main")};
}

} // namespace loopscope::codegen
