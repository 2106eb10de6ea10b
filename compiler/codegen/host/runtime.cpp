#include "compiler/codegen/host/runtime.h"

#include "compiler/codegen/fatal_error.h"
#include "compiler/run/large_pages.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

namespace loopscope::codegen {

namespace {

// Released blocks of one thread, kept for the next allocation of the same size: a stage computed
// inside a loop allocates the same amount in each iteration, and fresh pages cost more than the
// work on them.
class BlockPool {
public:
    ~BlockPool() { clear(); }

    void* take(std::size_t bytes) {
        for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
            if (block->second == bytes) {
                void* pointer = block->first;
                blocks_.erase(std::next(block).base());
                kept_ -= bytes;
                return pointer;
            }
        return nullptr;
    }

    void give(void* pointer, std::size_t bytes) {
        if (bytes > kKeptBytes) {
            std::free(pointer);
            return;
        }
        blocks_.emplace_back(pointer, bytes);
        kept_ += bytes;
        while (kept_ > kKeptBytes || blocks_.size() > kKeptBlocks) {
            std::free(blocks_.front().first);
            kept_ -= blocks_.front().second;
            blocks_.erase(blocks_.begin());
        }
    }

    void clear() {
        for (auto& block : blocks_)
            std::free(block.first);
        blocks_.clear();
        kept_ = 0;
    }

private:
    static constexpr std::size_t kKeptBytes = std::size_t{256} << 20;
    static constexpr std::size_t kKeptBlocks = 32;
    std::vector<std::pair<void*, std::size_t>> blocks_;
    std::size_t kept_ = 0;
};

BlockPool& pool() {
    thread_local BlockPool pool;
    return pool;
}

constexpr std::size_t kPage = 4096;

// Blocks of a page or more start at a page, smaller ones at a cache line; a coarser alignment makes
// a block large.
std::size_t block_bytes(std::int64_t bytes, std::int64_t alignment) {
    auto wanted = static_cast<std::size_t>(bytes < 1 ? 1 : bytes);
    std::size_t unit = wanted >= kPage || alignment > 64 ? kPage : 64;
    return (wanted + unit - 1) / unit * unit;
}

void* fresh_block(std::size_t size) {
    void* block = std::aligned_alloc(size % kPage == 0 ? kPage : 64, size);
    if (block)
        prefer_large_pages(block, size);
    return block;
}

extern "C" void* ls_allocate(std::int64_t bytes, std::int64_t alignment) {
    std::size_t size = block_bytes(bytes, alignment);
    if (void* kept = pool().take(size))
        return kept;
    void* fresh = fresh_block(size);
    if (!fresh) {
        pool().clear();
        fresh = fresh_block(size);
    }
    if (!fresh)
        end_process(kOutOfMemoryStatus, "out of memory: a stage's storage could not be allocated");
    return fresh;
}

extern "C" void ls_release(void* pointer, std::int64_t bytes, std::int64_t alignment) {
    pool().give(pointer, block_bytes(bytes, alignment));
}

thread_local int nesting = 0; // parallel loops that this thread is in

extern "C" void ls_parallel_for(std::int64_t begin, std::int64_t extent, LoopBody body,
                                void* closure) {
    if (extent <= 0)
        return;
    if (extent == 1 || tbb::this_task_arena::max_concurrency() == 1) {
        body(closure, begin, begin + extent);
        return;
    }
    auto work = [&] {
        tbb::parallel_for(tbb::blocked_range<std::int64_t>(begin, begin + extent),
                          [=](const tbb::blocked_range<std::int64_t>& range) {
                              ++nesting;
                              body(closure, range.begin(), range.end());
                              --nesting;
                          });
    };
    // A thread that waits for an inner loop must not begin another iteration of the outer one on
    // top of its stack.
    if (nesting > 0)
        tbb::this_task_arena::isolate(work);
    else
        work();
}

tbb::task_arena& arena_of(int threads) {
    static std::mutex mutex;
    static std::map<int, std::unique_ptr<tbb::task_arena>> arenas;
    std::lock_guard lock(mutex);
    // More threads than processors are what was asked for: TBB must be told, or it leaves them out.
    static std::unique_ptr<tbb::global_control> limit;
    static int limited = 0;
    if (threads > std::max(limited, available_threads())) {
        limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                      static_cast<std::size_t>(threads));
        limited = threads;
    }
    auto& arena = arenas[threads];
    if (!arena)
        arena = std::make_unique<tbb::task_arena>(threads);
    return *arena;
}

template <typename Function> void* address_of(Function* function) {
    return reinterpret_cast<void*>(function);
}

} // namespace

std::vector<std::pair<const char*, void*>> runtime_symbols() {
    return {{"ls_parallel_for", address_of(ls_parallel_for)},
            {"ls_allocate", address_of(ls_allocate)},
            {"ls_release", address_of(ls_release)}};
}

int available_threads() { return tbb::info::default_concurrency(); }

void run_with_threads(int threads, const std::function<void()>& work) {
    arena_of(threads > 0 ? threads : available_threads()).execute(work);
}

} // namespace loopscope::codegen
