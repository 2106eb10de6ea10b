#pragma once
// The arrays of one execution: a caller's inputs in, windows of the outputs out.

#include "compiler/codegen/host/host_program.h"
#include "compiler/run/buffer.h"

#include <map>

namespace loopscope::worker {

class Execution {
public:
    // `inputs` by name, of the types and extents that the program asks for, must outlive the
    // execution. Errors: an input is missing; memory that the system does not have.
    static Result<Execution> prepare(const lower::Program& program,
                                     const std::map<std::string, Buffer>& inputs);

    const std::vector<void*>& pointers() const { return pointers_; }
    // Fills all that the program writes with a pattern, so that what a run leaves out cannot look
    // right by chance.
    void poison();
    // The caller's windows of the outputs, by name.
    Result<std::map<std::string, Buffer>> outputs(const lower::Program& program) const;

private:
    std::map<std::string, Buffer> written_; // whole, as the program sees them
    std::vector<void*> pointers_;
};

} // namespace loopscope::worker
