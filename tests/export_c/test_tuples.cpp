// Tuples of which a part is not read: a variable that is set but not used is a warning, and the
// tests allow none.
#include "tests/export_c/export_support.h"

#include <gtest/gtest.h>

using namespace loopscope;
using namespace loopscope::test;

TEST(Tuples, ComponentsThatNobodyReads) {
    const char* stages[] = {
        "stage t[i] = (a[i], i)\n",
        "stage t[i] = argmax[k in 0..20](a[k] * a[i])\n",
        "stage t[i] = (a[i], i)\nupdate t[i] += (a[r], r) over r in 3..9\n",
    };
    std::vector<std::string> sources;
    std::vector<CompileJob> jobs;
    std::vector<lower::Program> programs;
    std::vector<Buffers> wanted, inputs;
    for (const char* component : {"0", "1"})
        for (const char* stage : stages)
            for (const char* schedule : {"", "schedule for p\nt.vectorize(i, 4)\n"}) {
                auto tree =
                    tree_of("pipeline p\ninput a[i]: f32[20] boundary edge\n" + std::string(stage) +
                                "stage s[i] = t[19 - i]." + component + "\noutput s: [20]\n",
                            schedule);
                programs.push_back(lowered_for_c(*tree));
                inputs.push_back(random_inputs_of(*tree->pipeline, 5));
                wanted.push_back(run_jit(lowered_for_jit(*tree), inputs.back()));
                auto source = codegen::c_source(programs.back());
                ASSERT_TRUE(source.ok()) << format(source.errors());
                sources.push_back(source->text + call_wrapper(programs.back(), source->function));
            }
    for (const auto& source : sources)
        jobs.push_back({&source, &compilers().front()});
    auto objects = shared_objects(jobs);
    for (std::size_t p = 0; p < programs.size(); ++p)
        expect_equal(run_object(objects[p], "p", programs[p], inputs[p]), wanted[p], sources[p]);
}
