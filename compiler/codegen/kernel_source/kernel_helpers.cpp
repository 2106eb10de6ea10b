#include "compiler/codegen/kernel_source/kernel_helpers.h"

namespace loopscope::codegen {

std::string KernelHelpers::combine(Op op, ScalarType type) {
    // "atomic_add_f32" without its first word.
    auto name = "combine" + atomic_name(op, type).substr(6);
    const std::string memory = c_memory_type(type);
    auto step = atomic_step(op, type);
    return use(name, "static inline " + memory + " " + name + "(" + memory + " old, " + memory +
                         " value) {\n    return " + step + ";\n}\n");
}

std::string KernelHelpers::atomic_statement(Op op, ScalarType type, Space space,
                                            const std::string& place, const std::string& value) {
    if (space == Space::Own)
        return place + " = " + combine(op, type) + "(" + place + ", " + value + ");";
    if (auto text = instruction(op, type, place, value); !text.empty())
        return text;
    auto combined = combine(op, type);
    return exchange(atomic_name(op, type), combined, type, space) + "(&" + place + ", " + value +
           ");";
}

} // namespace loopscope::codegen
