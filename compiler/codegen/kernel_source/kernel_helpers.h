#pragma once
// Small functions of kernels: those of C, and atomic steps on memory that threads share.

#include "compiler/codegen/c/helpers.h"

namespace loopscope::codegen {

enum class Space { Global, Shared, Own }; // Own: private storage

class KernelHelpers : public CHelpers {
public:
    using CHelpers::CHelpers;

    // A statement by which the element at `place` becomes element op value, as one step. An element
    // of private storage is simply assigned.
    std::string atomic_statement(Op op, ScalarType type, Space space, const std::string& place,
                                 const std::string& value);

protected:
    // The language's own instruction for it, as a statement; empty: it has none.
    virtual std::string instruction(Op op, ScalarType type, const std::string& place,
                                    const std::string& value) = 0;
    // A function (place, value) that tries until no other thread came between. `combine`: a
    // function (old, value).
    virtual std::string exchange(const std::string& name, const std::string& combine,
                                 ScalarType type, Space space) = 0;

private:
    std::string combine(Op op, ScalarType type);
};

} // namespace loopscope::codegen
