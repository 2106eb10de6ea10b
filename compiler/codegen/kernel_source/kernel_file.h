#pragma once
// What a file with kernels is made of, in any language: small functions, the prelude's functions, the kernels, and the
// pipeline once more as a plain function for the host.

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

    // All must outlive this.
    KernelFile(const lower::Program& program, const KernelOptions& options, CNames& names,
               KernelHelpers& helpers);

    void add_kernels(const MakeKernel& make);
    // The reference, in a language for the host.
    void add_reference(const CDialect& dialect);

    const std::string& function() const { return function_; } // the program's name
    const std::string& reference() const {
        return reference_;
    } // the function's name; empty: there is none
    const std::vector<Kernel>& kernels() const { return kernels_; }
    CWriter functions() const;    // the small ones that both sides may call, and the prelude's
    CWriter kernels_text() const; // with the small functions that only they may call
    const CWriter& reference_text() const {
        return reference_text_;
    } // with the macros that it uses
    // Does any of the device's code have the word?
    bool says(const std::string& word) const;

private:
    const lower::Program& program_;
    const KernelOptions& options_;
    CNames& names_;
    KernelHelpers& helpers_;
    CPrelude prelude_;
    std::string function_, reference_;
    std::vector<Kernel> kernels_;
    CWriter kernels_text_, reference_text_;
};

// "2 x 3", of x, y and z as far as they are not 1 at the end.
std::string dimensions_text(const std::array<std::int64_t, 3>& extents);
// Where the program's buffers lie in one allocation: their offsets in bytes, and the size of all.
struct DeviceMemory {
    std::map<std::string, std::int64_t> offsets;
    std::int64_t bytes = 0;
};
DeviceMemory device_memory(const lower::Program& program);
// A main cannot know the values of symbols.
Diagnostics check_for_main(const lower::Program& program, const std::string& language);

} // namespace loopscope::codegen
