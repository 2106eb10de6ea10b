#pragma once
// A launch as a kernel of OpenCL C, and its atomic steps.

#include "compiler/codegen/kernel_source/kernel_function.h"

#include <optional>
#include <set>

namespace loopscope::codegen {

class OpenclHelpers final : public KernelHelpers {
public:
    using KernelHelpers::KernelHelpers;

    // What stands behind loops and conditions with barriers inside, and is one with PoCL alone.
    std::string together();

private:
    std::string instruction(Op op, ScalarType type, const std::string& place,
                            const std::string& value) override;
    std::string exchange(const std::string& name, const std::string& combine, ScalarType type,
                         Space space) override;
};

class OpenclKernel final : public KernelFunction {
public:
    using KernelFunction::KernelFunction;

private:
    std::string head() const override;
    std::string parameter(const GlobalBuffer& buffer) const override;
    std::string thread_index(const std::string& level) const override;
    std::string shared_memory(std::int64_t bytes, std::int64_t alignment) const override;
    std::string shared_pointer(const std::string& type, const std::string& name,
                               std::int64_t offset) const override;
    std::string shared_array(const std::string& type, const std::string& name,
                             const std::string& count, std::int64_t alignment) const override;
    std::string own_array(const std::string& type, const std::string& name,
                          const std::string& count, bool in_vectors) const override;
    bool aligns_vectors() const override {
        return false;
    } // vload4 asks for no more than its elements do
    std::string copied(ScalarType type, int lanes, const std::string& to,
                       const std::string& from) override;
    bool copies_ahead() const override { return false; }
    std::string copied_ahead(int lanes, const std::string& to, const std::string& from,
                             const std::string& on) override;
    std::string barrier(const Statement& s) override;
    void before_loop(const Statement& s, std::optional<std::int64_t> unrolled) override;
    void after(const Statement& s) override;
    const std::set<const Statement*>& beside_barriers();
    std::string commit(const Statement&) override { return {}; }
    std::string wait(const Statement&) override { return {}; }
    std::string instruction(const Statement&) override { return {}; } // refused before
    std::string prefetched(const std::string& place) override;
    std::string fence() const override;
    std::string streamed(const Statement& s, const std::string& place,
                         const std::string& value) override;

    std::optional<std::set<const Statement*>> beside_barriers_;
};

} // namespace loopscope::codegen
