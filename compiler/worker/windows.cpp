#include "compiler/worker/windows.h"

#include "compiler/run/window.h"
#include "compiler/worker/extension.h"
#include "compiler/worker/work_count.h"
#include "core/base/hash.h"
#include "core/base/number_text.h"

#include <algorithm>

namespace loopscope::worker {

namespace {

constexpr int kWindows = 4;                 // an output
constexpr std::int64_t kMaxExtent = 4096;   // extent of one
constexpr std::int64_t kMaxElements = 4096; // of one
constexpr double kHardlyMore = 1.5;

std::vector<std::int64_t> offset_of(int number, const std::vector<std::int64_t>& whole,
                                    const std::vector<std::int64_t>& extents, Hash seed) {
    std::vector<std::int64_t> offset;
    for (std::size_t d = 0; d < whole.size(); ++d) {
        const auto most = whole[d] - extents[d];
        seed = combine(seed, static_cast<std::uint64_t>(number) * 31 + d);
        offset.push_back(
            number == 0   ? 0
            : number == 1 ? most
                          : static_cast<std::int64_t>(seed % static_cast<std::uint64_t>(most + 1)));
    }
    return offset;
}

// One window of every output.
PipelinePtr with_window(const Pipeline& whole, std::uint64_t seed, std::int64_t largest, int number,
                        std::vector<OutputWindow>& windows) {
    auto pipeline = std::make_shared<Pipeline>(whole);
    pipeline->outputs.clear();
    for (const auto& output : whole.outputs) {
        const auto extents = hints(output.extents);
        auto part = extents;
        for (auto& extent : part)
            extent = std::min(extent, largest);
        OutputWindow window{output.stage, output.stage + "@w" + std::to_string(number),
                            offset_of(number, extents, part, combine(hash_of(whole.name), seed)),
                            part};
        add_window_output(*pipeline, *whole.find(output.stage), window.stage, window.offset,
                          window.extents);
        windows.push_back(std::move(window));
    }
    pipeline->seal();
    return pipeline;
}

bool whole_fits(const Pipeline& whole, std::int64_t largest) {
    for (const auto& output : whole.outputs)
        for (const auto& extent : output.extents)
            if (extent.hint() > largest)
                return false;
    return true;
}

WindowedPipeline windowed(const Pipeline& whole, std::uint64_t seed, std::int64_t largest) {
    WindowedPipeline out;
    const int count = whole_fits(whole, largest) ? 1 : kWindows;
    for (int number = 0; number < count; ++number)
        out.pipelines.push_back(with_window(whole, seed, largest, number, out.windows));
    return out;
}

// Whole numbers take time as well: a point counts as a FLOP at the least.
Result<double> reference_work(const Pipeline& pipeline) {
    auto work = count_work(pipeline);
    if (!work)
        return work.errors();
    return std::max(work->flops, work->points);
}

Result<double> work_of_windows(const WindowedPipeline& parts) {
    double all = 0;
    for (const auto& pipeline : parts.pipelines) {
        auto work = reference_work(*pipeline);
        if (!work)
            return work.errors();
        all += *work;
    }
    return all;
}

std::int64_t largest_window(const WindowedPipeline& parts) {
    std::int64_t largest = 0;
    for (const auto& window : parts.windows) {
        std::int64_t elements = 1;
        for (auto extent : window.extents)
            elements *= extent;
        largest = std::max(largest, elements);
    }
    return largest;
}

} // namespace

Result<WindowedPipeline> with_windows(const Pipeline& pipeline, std::uint64_t seed,
                                      double most_work) {
    std::vector<std::pair<WindowedPipeline, double>> too_much;
    for (auto largest = kMaxExtent; largest > 0; largest /= 2) {
        auto out = windowed(pipeline, seed, largest);
        if (largest > 1 && largest_window(out) > kMaxElements)
            continue;
        auto work = work_of_windows(out);
        if (!work)
            return work.errors();
        if (*work <= most_work)
            return out;
        too_much.emplace_back(std::move(out), *work);
    }
    const double least = too_much.back().second;
    return std::find_if(too_much.begin(), too_much.end(),
                        [&](const auto& tried) { return tried.second <= kHardlyMore * least; })
        ->first;
}

Result<std::optional<WindowedPipeline>> windows_of_large(const Pipeline& pipeline,
                                                         std::uint64_t seed, double most_work) {
    using Windows = std::optional<WindowedPipeline>;
    auto whole = reference_work(pipeline);
    if (!whole)
        return whole.errors();
    if (*whole <= most_work)
        return Windows();
    auto parts = with_windows(pipeline, seed, most_work);
    if (!parts)
        return parts.errors();
    auto work = work_of_windows(*parts);
    if (!work)
        return work.errors();
    return *work < *whole ? Windows(std::move(*parts)) : Windows();
}

Result<std::map<std::string, Buffer>>
WindowedPipeline::cut(const std::map<std::string, Buffer>& outputs) const {
    std::map<std::string, Buffer> parts;
    for (const auto& [array, whole] : outputs) {
        const auto dot = array.find('.');
        for (const auto& window : windows) {
            if (window.output != array.substr(0, dot))
                continue;
            auto part = window_of(whole, window.offset, window.extents);
            if (!part)
                return part.errors();
            parts.emplace(window.stage + (dot == std::string::npos ? "" : array.substr(dot)),
                          std::move(*part));
        }
    }
    return parts;
}

std::string WindowedPipeline::text(const std::string& array) const {
    const auto dot = array.find('.');
    for (const auto& window : windows) {
        if (window.stage != array.substr(0, dot))
            continue;
        std::string ranges;
        for (std::size_t d = 0; d < window.offset.size(); ++d)
            ranges += (d ? ", " : "") + std::to_string(window.offset[d]) + ".." +
                      std::to_string(window.offset[d] + window.extents[d]);
        return window.output + (dot == std::string::npos ? "" : array.substr(dot)) + "[" + ranges +
               "]";
    }
    return array;
}

std::pair<std::string, std::vector<std::int64_t>>
WindowedPipeline::place(const std::string& array, std::vector<std::int64_t> index) const {
    const auto dot = array.find('.');
    for (const auto& window : windows) {
        if (window.stage != array.substr(0, dot))
            continue;
        for (std::size_t d = 0; d < index.size(); ++d)
            index[d] += window.offset[d];
        return {window.output + (dot == std::string::npos ? "" : array.substr(dot)),
                std::move(index)};
    }
    return {array, std::move(index)};
}

std::string WindowedPipeline::summary(const Pipeline& whole) const {
    double compared = 0, all = 0;
    std::string names;
    for (const auto& window : windows) {
        double elements = 1;
        for (auto extent : window.extents)
            elements *= static_cast<double>(extent);
        compared += elements;
    }
    for (const auto& output : whole.outputs) {
        double elements = 1;
        for (const auto& extent : output.extents)
            elements *= static_cast<double>(extent.hint());
        all += elements;
        names += (names.empty() ? "" : ", ") + output.stage;
    }
    return std::to_string(windows.size()) + " windows of " + names + ", in all " +
           fixed_text(compared, 0) + " of " + fixed_text(all, 0) + " elements";
}

} // namespace loopscope::worker
