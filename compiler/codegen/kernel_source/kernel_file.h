#pragma once
// The parts of a file with kernels, in any language: small functions, the prelude's functions, the
// kernels, and functions for the host that compute what the results should be.

#include "compiler/codegen/c/macros.h"
#include "compiler/codegen/c/prelude_text.h"
#include "compiler/codegen/kernel_source/kernel_function.h"
#include "compiler/codegen/kernel_source/kernel_options.h"

#include <functional>
#include <memory>

namespace loopscope::codegen {

class KernelFile {
public:
    using MakeKernel = std::function<std::unique_ptr<KernelFunction>(const lower::Launch& launch)>;

    // All must outlive this. `host`: the language of the host's functions.
    KernelFile(const lower::Program& program, const KernelOptions& options, CNames& names,
               KernelHelpers& helpers, const CDialect& host);

    void add_kernels(const MakeKernel& make);
    // Adds the host's functions, after the kernels: they call the same functions as these, and have
    // the rest for themselves.
    void add_references();

    const std::string& function() const { return function_; } // the program's name
    // The functions' names, of each reference of the check.
    const std::vector<std::string>& references() const { return references_; }
    CHelpers& host_helpers() { return host_helpers_; }
    const std::vector<Kernel>& kernels() const { return kernels_; }
    // the small ones that kernels and the host may call, and the prelude's
    CWriter functions() const;
    CWriter kernels_text() const;    // with the small functions that only they may call
    CWriter references_text() const; // with the macros and functions that only the host uses
    // The host program but for its main.
    void write_host(CWriter& out);
    // Does any of the device's code have the word?
    bool says(const std::string& word) const;

private:
    const lower::Program& program_;
    const KernelOptions& options_;
    CNames& names_;
    KernelHelpers& helpers_;
    const CDialect& host_;
    CHelpers host_helpers_;
    CPrelude prelude_, host_prelude_;
    CMacros host_macros_;
    std::string function_;
    std::vector<std::string> references_;
    std::vector<Kernel> kernels_;
    CWriter kernels_text_, references_text_;
};

// "2 x 3", of x, y and z as far as they are not 1 at the end.
std::string dimensions_text(const std::array<std::int64_t, 3>& extents);
// The places of the program's buffers in one allocation: their offsets in bytes, and the size of
// all.
struct DeviceMemory {
    std::map<std::string, std::int64_t> offsets;
    std::int64_t bytes = 0;
};
DeviceMemory device_memory(const lower::Program& program);
// Refuses symbols, whose values a main cannot know.
Diagnostics check_for_main(const lower::Program& program, const std::string& language);

} // namespace loopscope::codegen
