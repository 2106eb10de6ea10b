#include "app/cli/gpus.h"

#include "app/cli/text_table.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include "compiler/measure/gpu_devices.h"

namespace loopscope::cli {

using nlohmann::json;

namespace {

void keep(const json& gpu, const Console& console) {
    if (auto kept = measure::keep_ceilings(gpu); !kept)
        console.err << "warning: the figures are not kept: " << format(kept.errors());
}

void print_limits(const json& gpu, std::ostream& out) {
    const auto& l = gpu.at("limits");
    out << "  of a block: " << grouped(l.at("threads_per_block")) << " threads, "
        << memory_text(l.at("shared_bytes_per_block")) << " of shared memory ("
        << memory_text(l.at("shared_bytes_per_block_static")) << " without asking), "
        << grouped(l.at("registers_per_block"))
        << " registers\n  of a multiprocessor: " << grouped(l.at("threads_per_multiprocessor"))
        << " threads, " << l.at("blocks_per_multiprocessor") << " blocks, "
        << grouped(l.at("registers_per_multiprocessor")) << " registers, "
        << memory_text(l.at("shared_bytes_per_multiprocessor")) << " of shared memory\n";
}

void print_ceilings(const json& gpu, std::ostream& out) {
    if (!gpu.contains("ceilings")) {
        out << "  ceilings: not measured yet; `loopscope-cli devices --probe"
            << (gpu.contains("place") ? " --on " + gpu["place"].get<std::string>() : "")
            << "` does\n";
        return;
    }
    const auto& c = gpu["ceilings"];
    using Align = TextTable::Align;
    TextTable table({Align::Left, Align::Right});
    auto unit = [](const std::string& type) { return type.starts_with("i") ? "OP/s" : "FLOP/s"; };
    for (const auto& [type, rate] : c.at("flops_per_second").items())
        table.row({type + " multiply-adds", rate_text(rate, unit(type))});
    const auto instruction = c.value("tensor_instruction", "");
    for (const auto& [type, rate] : c.at("tensor_flops_per_second").items())
        table.row({type + " tensor cores, by " + (type == "f64" ? "mma.sync" : instruction),
                   rate_text(rate, unit(type))});
    table.row({"copy, read and written", rate_text(c.at("copy_bytes_per_second"), "B/s")});
    table.row({"copy within the L2", rate_text(c.at("l2_copy_bytes_per_second"), "B/s")});
    out << table.text() << "  figures: measured\n";
}

std::string target_of(const json& gpu) {
    return gpu.value("target", "cuda:" + gpu.at("ordinal").dump());
}

// Of an answer to `gpus`: what was measured is kept, or what was kept is shown.
void take_figures(AttachedGpus& gpus, const Options& options, const Console& console) {
    for (auto& gpu : gpus.list)
        if (options.probe && gpu.contains("ceilings"))
            keep(gpu, console);
        else
            measure::read_kept_ceilings(gpu);
    // Scripts can name them from now on (gpu_devices.h).
    Diagnostics left_out;
    measure::devices_of_gpus(gpus.list, left_out);
    for (const auto& reason : left_out)
        console.err << "warning: " << format({reason});
}

} // namespace

Result<AttachedGpus> attached_gpus(const Options& options, const Console& console) {
    if (options.probe)
        console.err << "measuring GPUs, if there are any\n" << std::flush;
    auto answer = ask_worker("gpus", {{"measure", options.probe}}, options, console);
    AttachedGpus gpus;
    if (!answer) {
        if (exit_status(answer.errors()) != kNoTarget)
            return answer.errors();
        gpus.none = answer.errors().front().message;
        return gpus;
    }
    gpus.list = answer->at("gpus");
    take_figures(gpus, options, console);
    return gpus;
}

Result<AttachedGpus> gpus_elsewhere(const Options& options, const Console& console) {
    auto answer = ask_elsewhere("gpus", {{"measure", options.probe}}, options, console);
    if (!answer)
        return answer.errors();
    AttachedGpus gpus;
    gpus.list = answer->at("gpus");
    take_figures(gpus, options, console);
    return gpus;
}

void print_gpus(const AttachedGpus& gpus, std::ostream& out) {
    if (!gpus.none.empty())
        out << "\nno GPU to run on (--target cuda): " << gpus.none << "\n";
    for (const auto& gpu : gpus.list) {
        out << "\n"
            << target_of(gpu) << ": " << gpu.at("name").get<std::string>() << "\n  "
            << gpu.at("architecture").get<std::string>() << ", " << gpu.at("multiprocessors")
            << " multiprocessors, " << rate_text(gpu.at("clock_hertz"), "Hz") << ", "
            << memory_text(gpu.at("memory_bytes")) << " of memory, "
            << memory_text(gpu.at("l2_bytes")) << " of L2\n";
        print_limits(gpu, out);
        print_ceilings(gpu, out);
    }
}

} // namespace loopscope::cli
