#include "core/schedule/directives/tensor_core.h"

#include "core/schedule/levels.h"
#include "core/schedule/nest.h"

namespace loopscope {

const char* TensorCore::summary() const { return "Computes a matrix product on tensor cores."; }

void TensorCore::visit_fields(FieldVisitor&) {}

Status TensorCore::apply(ScheduleState& state, const ApplyContext& context) const {
    if (auto nest = Nest::open(state, receiver); !nest)
        return at("receiver", nest.errors());
    return refuse("receiver", no_tensor_cores(context),
                  "split the loops of " + receiver.text() + " to the shape of an intrinsic, then " +
                      receiver.text() + ".tensorize(…), as mma_m16n8k16_f16");
}

std::string TensorCore::describe() const { return "tensor cores for " + receiver.text(); }

} // namespace loopscope
