// All directives, a line each, in the order of menus and of the language reference.

#include "core/schedule/directives/atomic.h"
#include "core/schedule/directives/bind.h"
#include "core/schedule/directives/cache_read.h"
#include "core/schedule/directives/cache_write.h"
#include "core/schedule/directives/compute_at.h"
#include "core/schedule/directives/compute_root.h"
#include "core/schedule/directives/compute_with.h"
#include "core/schedule/directives/contract.h"
#include "core/schedule/directives/fast_math.h"
#include "core/schedule/directives/fuse.h"
#include "core/schedule/directives/gpu_tile.h"
#include "core/schedule/directives/inline.h"
#include "core/schedule/directives/non_temporal.h"
#include "core/schedule/directives/pad_storage.h"
#include "core/schedule/directives/parallel.h"
#include "core/schedule/directives/persistent.h"
#include "core/schedule/directives/pipeline.h"
#include "core/schedule/directives/prefetch.h"
#include "core/schedule/directives/reorder.h"
#include "core/schedule/directives/reorder_storage.h"
#include "core/schedule/directives/rfactor.h"
#include "core/schedule/directives/scope.h"
#include "core/schedule/directives/serial.h"
#include "core/schedule/directives/specialize.h"
#include "core/schedule/directives/split.h"
#include "core/schedule/directives/store_at.h"
#include "core/schedule/directives/store_root.h"
#include "core/schedule/directives/swizzle.h"
#include "core/schedule/directives/tensor_core.h"
#include "core/schedule/directives/tensorize.h"
#include "core/schedule/directives/tile.h"
#include "core/schedule/directives/unroll.h"
#include "core/schedule/directives/vectorize.h"

#include <algorithm>

namespace loopscope {

namespace {

template <typename D> std::unique_ptr<Directive> make() { return std::make_unique<D>(); }

} // namespace

const std::vector<DirectiveKind>& directive_kinds() {
    static const std::vector<DirectiveKind> kinds = {
        {"split", make<Split>},
        {"tile", make<Tile>},
        {"fuse", make<Fuse>},
        {"reorder", make<Reorder>},
        {"serial", make<Serial>},
        {"parallel", make<Parallel>},
        {"unroll", make<Unroll>},
        {"vectorize", make<Vectorize>},
        {"bind", make<Bind>},
        {"gpu_tile", make<GpuTile>},
        {"persistent", make<Persistent>},
        {"tensorize", make<Tensorize>},
        {"tensor_core", make<TensorCore>},
        {"inline", make<Inline>},
        {"compute_root", make<ComputeRoot>},
        {"compute_at", make<ComputeAt>},
        {"compute_with", make<ComputeWith>},
        {"store_root", make<StoreRoot>},
        {"store_at", make<StoreAt>},
        {"pipeline", make<PipelineStage>},
        {"specialize", make<Specialize>},
        {"scope", make<Scope>},
        {"cache_read", make<CacheRead>},
        {"cache_write", make<CacheWrite>},
        {"reorder_storage", make<ReorderStorage>},
        {"pad_storage", make<PadStorage>},
        {"swizzle", make<Swizzle>},
        {"contract", make<Contract>},
        {"rfactor", make<RFactor>},
        {"atomic", make<Atomic>},
        {"fast_math", make<FastMath>},
        {"non_temporal", make<NonTemporal>},
        {"prefetch", make<PrefetchSource>},
    };
    return kinds;
}

std::unique_ptr<Directive> create_directive(const std::string& verb) {
    for (const auto& kind : directive_kinds())
        if (verb == kind.verb)
            return kind.create();
    return nullptr;
}

} // namespace loopscope
