// Pairs for GPUs that once failed because work was taken for that of other threads than had it.

#include "tests/fuzz/gpu_regressions.h"

using namespace loopscope::fuzz;

namespace test_gpu_regressions_of_threads {

// Threads that reduce together are at one iteration of what is around them; where that is divided
// among them they were not: a barrier stood in a condition, or none at all.
TEST(GpuRegressions, AReductionOfThreadsInWorkThatTheyDivide) {
    const std::string pipeline = R"(pipeline p
input a: i32[4, 6]
stage c[y]: i32 = sum[k in 0..6](a[y, k])
stage r[y]: i32 = c[y]*2
stage o[y]: i32 = r[y] - r[0]
output o: [4]
)";
    const std::string reduction =
        "c.scope(local)\nr.scope(shared)\nc.split(k, ko, ki, 2)\nc.bind(ki, thread.x)\n";
    expect_not_runnable(
        pipeline,
        "o.split(y, yo, yi, 4)\no.bind(yo, block.x)\nr.compute_at(o, yo)\n"
        "c.compute_at(r, y)\n" +
            reduction,
        "c/ki reduces over thread.x inside of r, whose iterations are divided among "
        "all threads");
    // What the refusal proposes.
    expect_agreement(pipeline, "o.split(y, yo, yi, 4)\no.bind(yo, block.x)\nr.compute_at(o, yo)\n"
                               "c.compute_at(o, yo)\n" +
                                   reduction);
    expect_agreement(pipeline, "o.split(y, yo, yi, 4)\no.bind(yo, block.x)\nr.compute_at(o, yo)\n"
                               "r.bind(y, thread.y)\nc.compute_at(r, y)\n" +
                                   reduction);
}

// A sum that each thread has for itself, in the loops of what the block computes once: one thread
// had it, or one virtual thread.
TEST(GpuRegressions, LoopsSharedByWorkOfTheBlockAndOfEachThread) {
    const std::string pipeline = R"(pipeline p
stage e[y, x]: i32 = y + x
stage s[y]: i32 = sum[k in 0..14](e[y, k])
stage o[y, x]: i32 = min(e[y, x], s[y])
output o: [1, 2]
)";
    for (const std::string level : {"vthread", "thread.x"})
        for (const std::string merged :
             {"s.reverse_compute_at(e, y)\n", "s.compute_with(e, y)\n"}) {
            const auto placed = "o.split(x, g0, g1, 2)\no.split(g1, g2, g3, 1)\no.bind(g2, " +
                                level + ")\ns.compute_at(o, g3)\ne.compute_at(o, g3)\n";
            expect_not_runnable(pipeline, placed + "e.scope(shared)\n" + merged,
                                "s is computed in the loops of e: s in local memory, by each "
                                "thread for itself, and e in shared memory, once for the block");
            expect_not_runnable(pipeline, placed + "s.scope(shared)\n" + merged,
                                "none would have the whole");
            // What the refusal proposes.
            expect_agreement(pipeline, placed + merged);
            expect_agreement(pipeline, placed + "e.scope(shared)\n");
        }
}

// Memory that is each virtual thread's own, read by work of all threads: of no virtual thread in
// particular.
TEST(GpuRegressions, WorkOfAllReadsWhatVirtualThreadsHave) {
    expect_agreement(R"(pipeline p
input a: i32[8]
stage s4[y]: i32 = a[y]*3
stage s5[y]: i32 = s4[y] - s4[0]
stage s6[y]: i32 = s5[7 - y] + s4[y]
output s6: [8]
)",
                     "s6.split(y, yo, yi, 4)\ns6.split(yi, yv, ys, 2)\ns6.bind(yo, thread.x)\n"
                     "s6.bind(yv, vthread)\ns5.compute_at(s6, ys)\ns5.scope(shared)\n"
                     "s4.compute_at(s6, yv)\n");
    expect_agreement(R"(pipeline p
input a: i32[1, 9]
stage s[y]: i32 = a[0, y]
stage best[y]: (i32, i32) = argmin[k in 0..9](min(a[0, k], s[y]))
stage looked[y, x]: i32 = best[y].1
output looked: [4, 3]
)",
                     "looked.split(y, y0, y1, 2)\nlooked.bind(y0, vthread)\n"
                     "best.compute_at(looked, x)\nbest.scope(shared)\ns.compute_at(looked, x)\n");
}

// Memory that a block's threads share because of the bindings around it, and no word of the script:
// points that a shifted tail computes twice were two threads'.
TEST(GpuRegressions, AShiftedTailInMemoryThatABlockSharesUnsaid) {
    expect_agreement(R"(pipeline p
input a: i32[8] boundary edge
stage p1[y, x]: i32 = a[x] + y
stage o[y, x]: i32 = min(p1[y, x], p1[y, x - 1])
output o: [1, 6]
)",
                     "o.split(x, g0, g1, 3)\no.reorder(g0, y)\no.bind(g0, block.x)\n"
                     "o.bind(g1, thread.x)\np1.compute_at(o, y)\np1.vectorize(x, 3, shift)\n");
}

// Memory of each thread's own, inside of a loop that has fewer threads than the block: others read
// theirs, which nothing had written, where all of them compute what the block shares.
TEST(GpuRegressions, WorkOfAllReadsWhatSomeThreadsHave) {
    const std::string pipeline = R"(pipeline p
input a: i32[8]
stage s4[y]: i32 = a[y]*3
stage s5[y]: i32 = s4[y] - s4[0]
stage s6[y]: i32 = s5[1 - y] + s5[3 - y] + s4[y]
stage s7[y]: i32 = s6[0] + s6[1] + y
output s7: [8]
)";
    const std::string lines =
        "s7.split(y, yo, yi, 4)\ns7.bind(yo, block.x)\ns7.bind(yi, thread.x)\n"
        "s6.compute_at(s7, yo)\ns6.scope(shared)\ns6.bind(y, thread.x)\n"
        "s5.compute_at(s6, y)\ns5.scope(shared)\n";
    expect_not_runnable(pipeline, lines + "s4.compute_at(s6, y)\n",
                        "s5 is computed by the threads of a block, 4 along thread.x, and reads s4, "
                        "which is memory of each thread's own inside of s6/y: 2 of them have it");
    // What the refusal proposes.
    expect_agreement(pipeline, lines + "s4.compute_at(s6, y)\ns4.scope(shared)\n");
    expect_agreement(pipeline, lines + "s4.compute_at(s7, yo)\n");
    // As many threads as have it take part, or all have it.
    expect_agreement(pipeline, lines + "s5.split(y, g0, g1, 2)\ns5.bind(g1, thread.x)\n"
                                       "s4.compute_at(s6, y)\n");
}

// What each thread has for itself, computed in one loop with what the block has once: one thread
// had it.
TEST(GpuRegressions, EachThreadsOwnBesideWhatAllBlocksSee) {
    const std::string pipeline = R"(pipeline p
input a: i32[6]
stage s5[y]: i32 = a[y]*3
stage s6[y]: i32 = s5[y] + 1
stage s7[y]: i32 = s6[0] + s6[y]
output s7: [6]
)";
    const std::string bound = "s7.split(y, yo, yi, 2)\ns7.bind(yi, thread.x)\n";
    const std::string inside = "s6.compute_at(s7, yo)\ns5.compute_at(s6, y)\n";
    for (const std::string placed :
         {"s5.store_root()\n", "s6.store_root()\n", "s5.store_root()\ns6.scope(local)\n",
          "s5.scope(shared)\n", "s6.scope(shared)\n"})
        expect_agreement(pipeline, bound + inside + placed);
}

// A reduction across threads over nothing has no loop that threads are numbered by: all of them
// wrote the result.
TEST(GpuRegressions, AReductionAcrossThreadsOverNothing) {
    const std::string bound = "o.bind(x, thread.x)\ns.bind(l, thread.x)\n";
    const std::string inside = "s.compute_at(o, y)\ns.scope(shared)\n";
    for (const std::string ranges : {"l in 0..0", "k in 0..3, l in 0..0"}) {
        const auto sum = "pipeline p\ninput a: i32[4]\nstage s[y]: i32 = sum[" + ranges +
                         "](a[y + l])\nstage o[y, x]: i32 = s[y] + x\noutput o: [4, 2]\n";
        const auto least = "pipeline p\ninput a: i32[4]\nstage s[y]: (i32, i32) = argmin[" +
                           ranges +
                           "](a[y + l])\nstage o[y, x]: i32 = s[y].1 + x\noutput o: [4, 2]\n";
        for (const auto& pipeline : {sum, least})
            for (const auto& lines : {bound, bound + inside})
                expect_agreement(pipeline, lines);
    }
}

// An index that wraps in few bits was taken for one that does not: a barrier was missing.
TEST(GpuRegressions, AnIndexOfFewBitsThatWraps) {
    for (const std::string index : {"u8(r + 256)", "i8(r + 256)"})
        expect_agreement("pipeline p\nstage s[y, x]: i32 = x\nupdate s[y, " + index +
                             "] += 7 over r in 0..3\n"
                             "stage o[y, x]: i32 = min[l in 0..4](s[y, l])\noutput o: [1, 2]\n",
                         "o.bind(x, thread.x)\ns.compute_at(o, y)\ns.scope(shared)\n");
}

// Copies that share loops, of which one binds an inner loop: the other divided the outer one among
// all threads.
TEST(GpuRegressions, SharedLoopsOfWhichOneCopyBindsOne) {
    const std::string pipeline = R"(pipeline p
input a: i32[4, 6]
input b: i32[4, 6]
stage s[y, x]: i32 = sum[k in 0..6](a[x, k]*b[3 - x, k] + y)
output s: [4, 4]
)";
    for (const std::string bound : {"as.bind(d1, thread.x)\n", "bs.bind(d1, thread.x)\n"})
        for (const std::string merged : {"as.compute_with(bs, d0)\n", "bs.compute_with(as, d0)\n"})
            expect_agreement(pipeline, "s.bind(x, thread.x)\nas = s.cache_read(a, shared)\n"
                                       "bs = s.cache_read(b, shared)\nas.compute_at(s, y)\n"
                                       "bs.compute_at(s, y)\n" +
                                           bound + merged);
}

} // namespace test_gpu_regressions_of_threads
