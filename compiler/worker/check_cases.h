#pragma once
// The cases of a check: inputs of some kind, and the reference's results for them. For a large
// result on a GPU, parts of it (windows.h).

#include "compiler/run/pipeline_inputs.h"
#include "compiler/worker/check.h"
#include "compiler/worker/exactness.h"
#include "compiler/worker/tolerance.h"
#include "compiler/worker/windows.h"

#include <optional>

namespace loopscope::worker {

class CheckCases {
public:
    // All of it must outlive the cases. Errors: an index that cannot be bounded.
    static Result<CheckCases> create(const LoadedProgram& loaded, const CheckRequest& request,
                                     const Context& context);

    const Marks& marks() const { return marks_; }
    // How an output's array is judged (Tolerance::judge), and what the bounds are made of.
    std::optional<Judgement> judge(const std::string& array, const Buffer& actual,
                                   const Buffers& evaluated) const;
    std::optional<std::pair<const Buffer*, const Buffer*>> bounds(const std::string& array,
                                                                  const Buffers& evaluated) const;
    std::string tolerance_text() const { return parts_.front().tolerance.text(); }
    // Every bit counts: the schedule changes no order, and approximates nothing.
    bool in_bits() const { return marks_.reassociated.empty() && marks_.approximated.empty(); }
    // The parts that are compared; nothing: everything.
    const std::optional<WindowedPipeline>& windows() const { return windows_; }
    // The compared part of a run's outputs, by the names that expectations have.
    Result<Buffers> compared(Buffers outputs) const;

    // A part of an output that is compared: all of it, or a window.
    struct OutputPart {
        std::string array;  // as expectations name it
        std::string output; // as a run names it
        std::vector<std::int64_t> offset, extents;
    };
    std::vector<OutputPart> parts_of_outputs() const;

    // The seeds of random_buffer by which `inputs` makes each.
    std::map<std::string, std::uint64_t> input_seeds() const {
        return loopscope::input_seeds(*parts_.front().pipeline, request_.seed);
    }
    Result<Buffers> inputs(RandomMode mode) const {
        return random_inputs(*parts_.front().pipeline, request_.seed, mode);
    }
    // The results that a schedule which must keep every bit has to give.
    Result<Buffers> expected_bits(const Buffers& inputs);
    // With the enclosures that `judge` judges by.
    Result<Buffers> expected_reals(const Buffers& inputs);

    // Small whole numbers, for which the sums are exact in any order.
    struct WholeNumbers {
        enum class Status { Compared, NotExact, Approximated } status = Status::NotExact;
        RandomMode mode = RandomMode::SmallWhole; // Compared only, as the others
        Buffers inputs, expected;
    };
    Result<WholeNumbers> whole_numbers();

    double seconds_reference() const { return seconds_reference_; }

private:
    CheckCases(const LoadedProgram& loaded, const CheckRequest& request, const Context& context,
               std::optional<WindowedPipeline> windows);
    // A pipeline that the reference evaluates: the whole one, or a windows' pipeline, whose outputs
    // have different names.
    struct Part {
        PipelinePtr pipeline;
        Tolerance tolerance;
    };
    Status reference(const Pipeline& pipeline, const Buffers& inputs,
                     const DefinitionSet& contracted, Buffers& results);
    Result<Exactness> expected_whole(const Buffers& inputs, Buffers& results);

    const CheckRequest& request_;
    const Context& context_;
    std::optional<WindowedPipeline> windows_;
    Marks marks_;
    std::vector<Part> parts_;
    double seconds_reference_ = 0;
};

} // namespace loopscope::worker
