#pragma once
// Opaque fragments, as those of wmma: nobody knows which lane holds which element
// (IntrinsicOperand::opaque). They are loaded from memory and stored there as a whole, by
// instructions that are told where the matrix begins and how far its rows, or its columns, are
// apart (PTX ISA, "Matrix Storage for WMMA"). Otherwise each lane may change its elements of a
// result only in ways that do not depend on which elements they are: all results of one instruction
// lie in registers in the same way.

#include "core/base/result.h"
#include "core/schedule/gpu/fragments.h"
#include "core/schedule/tensor_spans.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loopscope {

// A matrix in memory that is to be loaded or stored as a whole.
struct MatrixInMemory {
    std::string source;          // a stage or an input
    std::vector<int> dimensions; // of it, per axis of the operand: along which its elements lie
    // Per dimension: the first element, counted from the first one in memory; nothing: the memory
    // folds.
    std::vector<std::optional<LinearForm>> base;
    // Per dimension: where one statement moves several matrices, they begin at multiples of this
    // beyond `base`; 0: all begin there.
    std::vector<std::int64_t> steps;
};

// The order in which the instruction takes the matrix. Errors: it does not take it so, with what
// would make it.
Result<MatrixOrder> order_in_memory(const ScheduleTree& tree, const Intrinsic& intrinsic,
                                    const IntrinsicOperand& of, const MatrixInMemory& matrix);

// A definition that computes or reads opaque fragments, from one of its loops on.
struct OpaqueWork {
    std::string name; // of the definition
    const Stage& stage;
    const Definition& definition;
    const NestLayout& plan;
    const InnerLoops& inside;
    // An index of a stage or input as a form, counted from the first element in memory; nothing: it
    // has none.
    std::function<std::optional<LinearForm>(const std::string& source, std::size_t dimension,
                                            const ExprPtr& index)>
        from;
};

// Finds what the definition's lanes do: `work` gets `whole`, and `order` where matrices are moved.
// Errors: what it computes depends on which element is which.
Status find_opaque_work(const ScheduleTree& tree,
                        const std::map<std::string, FragmentLayout>& layouts,
                        const OpaqueWork& given, LaneWork& work);

} // namespace loopscope
