// All directives, a line each, in the order of menus and of the language reference: its verb, what it is about (loops, unless
// something else is said), and its title in menus (the verb's words, unless others are said).

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
#include <cctype>

namespace loopscope {

namespace {

template <typename D> std::unique_ptr<Directive> make() { return std::make_unique<D>(); }

} // namespace

const std::vector<DirectiveKind>& directive_kinds() {
    using Section = DirectiveSection;
    static const std::vector<DirectiveKind> kinds = {
        {"split", make<Split>},
        {"tile", make<Tile>},
        {"fuse", make<Fuse>, Section::Loop, "Fuse with the loop inside"},
        {"reorder", make<Reorder>},
        {"serial", make<Serial>},
        {"parallel", make<Parallel>},
        {"unroll", make<Unroll>},
        {"vectorize", make<Vectorize>, Section::Loop, "Vectorise"},
        {"bind", make<Bind>, Section::Target, "Bind to a level"},
        {"gpu_tile", make<GpuTile>, Section::Target, "Tile for blocks and threads"},
        {"persistent", make<Persistent>, Section::Target, "Persistent blocks"},
        {"tensorize", make<Tensorize>, Section::Target, "Tensorise"},
        {"tensor_core", make<TensorCore>, Section::Target, "Tensor cores"},
        {"inline", make<Inline>, Section::Place},
        {"compute_root", make<ComputeRoot>, Section::Place, "Compute at root"},
        {"compute_at", make<ComputeAt>, Section::Place, "Move to a loop"},
        {"compute_with", make<ComputeWith>, Section::Place, "Share loops with"},
        {"store_root", make<StoreRoot>, Section::Place, "Store at root"},
        {"store_at", make<StoreAt>, Section::Place, "Store at a loop"},
        {"pipeline", make<PipelineStage>, Section::Place},
        {"specialize", make<Specialize>, Section::Target, "Specialise warps"},
        {"scope", make<Scope>, Section::Memory},
        {"cache_read", make<CacheRead>, Section::Place, "Copy what it reads"},
        {"cache_write", make<CacheWrite>, Section::Place, "Write through a cache"},
        {"reorder_storage", make<ReorderStorage>, Section::Memory},
        {"pad_storage", make<PadStorage>, Section::Memory},
        {"swizzle", make<Swizzle>, Section::Memory, "Swizzle banks"},
        {"contract", make<Contract>, Section::Arithmetic, "Contract to fma"},
        {"rfactor", make<RFactor>, Section::Arithmetic, "Factor the reduction"},
        {"atomic", make<Atomic>, Section::Arithmetic},
        {"fast_math", make<FastMath>, Section::Arithmetic},
        {"non_temporal", make<NonTemporal>, Section::Memory, "Stream its stores"},
        {"prefetch", make<PrefetchSource>, Section::Memory},
    };
    return kinds;
}

std::string DirectiveKind::title() const {
    std::string title = words ? words : verb;
    std::replace(title.begin(), title.end(), '_', ' ');
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
    return title;
}

const DirectiveKind* find_directive_kind(const std::string& verb) {
    for (const auto& kind : directive_kinds())
        if (verb == kind.verb)
            return &kind;
    return nullptr;
}

std::unique_ptr<Directive> create_directive(const std::string& verb) {
    const auto* kind = find_directive_kind(verb);
    return kind ? kind->create() : nullptr;
}

} // namespace loopscope
