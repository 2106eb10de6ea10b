// Blocks of a cluster: their barrier, and those that share a copy. A block's rank in its cluster is
// what PTX counts by (%cluster_ctarank): x fastest, then y, then z.

#include "compiler/codegen/nvptx/device_emitter.h"
#include "compiler/lower/gpu/multicast.h"

#include <llvm/IR/IntrinsicsNVPTX.h>

#include <string>

namespace loopscope::codegen {

using llvm::Value;
namespace Intrinsic = llvm::Intrinsic;

namespace {
std::uint32_t narrow(std::int64_t n) { return static_cast<std::uint32_t>(n); }
} // namespace

// What threads have done before they arrive is seen behind it by all of the cluster (PTX ISA,
// "barrier.cluster": release, acquire).
void DeviceEmitter::cluster_barrier() {
    b_.CreateIntrinsic(Intrinsic::nvvm_barrier_cluster_arrive, {}, {});
    b_.CreateIntrinsic(Intrinsic::nvvm_barrier_cluster_wait, {}, {});
}

Value* DeviceEmitter::cluster_coordinate(std::size_t axis) {
    const auto& dimension = shape_.cluster[axis];
    if (dimension.extent == 1)
        return b_.getInt32(0);
    return convert(b_, dimension.type, ScalarType::I32, variables_.at(dimension.variable).value);
}

Value* DeviceEmitter::rank_in_cluster(const std::array<Value*, 3>& coordinates) {
    const auto& cluster = shape_.cluster;
    auto* rank = b_.CreateMul(coordinates[2], b_.getInt32(narrow(cluster[1].extent)));
    rank = b_.CreateMul(b_.CreateAdd(rank, coordinates[1]), b_.getInt32(narrow(cluster[0].extent)));
    return b_.CreateAdd(rank, coordinates[0]);
}

// The rank among the blocks that differ from this one along the level alone, counted x fastest.
Value* DeviceEmitter::rank_of_sharer(const std::string& level, Value* number) {
    const auto along = lower::shared_along(level);
    std::array<Value*, 3> coordinates{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        auto* extent = b_.getInt32(narrow(shape_.cluster[axis].extent));
        coordinates[axis] = along[axis] ? b_.CreateURem(number, extent) : cluster_coordinate(axis);
        if (along[axis])
            number = b_.CreateUDiv(number, extent);
    }
    return rank_in_cluster(coordinates);
}

// This block's own among them.
Value* DeviceEmitter::number_of_sharer(const std::string& level) {
    const auto along = lower::shared_along(level);
    Value* number = b_.getInt32(0);
    for (std::size_t axis = 3; axis-- > 0;)
        if (along[axis])
            number =
                b_.CreateAdd(b_.CreateMul(number, b_.getInt32(narrow(shape_.cluster[axis].extent))),
                             cluster_coordinate(axis));
    return number;
}

// A bit for each of them, of 16.
Value* DeviceEmitter::mask_of_sharers(const std::string& level) {
    const auto along = lower::shared_along(level);
    std::array<std::int64_t, 3> strides{1, shape_.cluster[0].extent,
                                        shape_.cluster[0].extent * shape_.cluster[1].extent};
    std::uint32_t bits = 1; // of the sharers of a block at 0
    std::array<Value*, 3> apart{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        apart[axis] = along[axis] ? b_.getInt32(0) : cluster_coordinate(axis);
        const auto of_one = bits;
        for (std::int64_t at = 1; along[axis] && at < shape_.cluster[axis].extent; ++at)
            bits |= of_one << (at * strides[axis]);
    }
    return b_.CreateTrunc(b_.CreateShl(b_.getInt32(bits), rank_in_cluster(apart)), b_.getInt16Ty());
}

} // namespace loopscope::codegen
