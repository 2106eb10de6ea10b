// estimate: seconds by a performance model, what bounds them, and the terms that led there.
#include "app/cli/command.h"
#include "app/cli/load.h"
#include "app/cli/text_table.h"
#include "app/cli/time_limit.h"
#include "app/cli/units.h"
#include "app/cli/worker.h"

#include "compiler/measure/host_device.h"
#include "tuner/model/estimate.h"

#include <nlohmann/json.hpp>

#include <optional>

namespace loopscope::cli {

using model::Estimate;
using nlohmann::json;
using Align = TextTable::Align;

namespace {

// Any model's name, before a device is looked at.
Status check_model(const Options& options) {
    std::vector<std::string> names;
    for (const auto& one : model::models())
        if (std::find(names.begin(), names.end(), one.name) == names.end())
            names.push_back(one.name);
    if (options.model.empty() || options.model == "all" ||
        std::find(names.begin(), names.end(), options.model) != names.end())
        return success();
    auto near = nearest_name(options.model, names);
    std::string list;
    for (const auto& known : names)
        list += known + ", ";
    return error("there is no model `" + options.model + "`",
                 near.empty() ? "known are: " + list + "all" : "did you mean `" + near + "`?");
}

// Those of the device's kind: a model of processors counts cores, vectors and caches, one of GPUs
// launches and their blocks.
Result<std::vector<const model::Model*>> chosen_models(const Options& options,
                                                       const device::Device& device) {
    std::vector<const model::Model*> chosen;
    std::string list;
    for (const auto* one : model::models_for(device)) {
        list += std::string(one->name) + ", ";
        if (options.model == "all" || options.model == one->name ||
            (options.model.empty() && chosen.empty()))
            chosen.push_back(one);
    }
    if (!chosen.empty())
        return chosen;
    return coded_error(measure::kCodeTarget,
                       "`" + device.name + "` is " +
                           (device.gpu ? "a GPU, and `" + options.model + "` a model of processors"
                                       : "no GPU, and `" + options.model + "` a model of GPUs"),
                       "models for it are: " + list + "all");
}

// The host's figures are measured when they are first needed: an estimate without them says
// nothing.
Status complete_figures(device::Device& device, const Console& console) {
    if (!device.is_host || measure::has_figures(device))
        return success();
    auto measured = probe_with_progress(console);
    if (!measured)
        return measured.errors();
    device = std::move(*measured);
    return success();
}

std::string term_value(const model::Term& term) {
    if (term.unit == "s")
        return seconds_text(term.value);
    if (term.unit == "bytes")
        return amount_text(term.value, "B");
    if (term.unit == "flop")
        return amount_text(term.value, "FLOP");
    return significant(term.value) + (term.unit.empty() ? "" : " " + term.unit);
}

std::vector<std::string> level_names(const Estimate& estimate) {
    std::vector<std::string> names;
    for (const auto& kernel : estimate.kernels)
        for (const auto& traffic : kernel.traffic)
            if (std::find(names.begin(), names.end(), traffic.level) == names.end())
                names.push_back(traffic.level);
    return names;
}

void print_kernels(const Estimate& estimate, std::ostream& out) {
    auto levels = level_names(estimate);
    std::vector<Align> columns{Align::Left,  Align::Right, Align::Left,
                               Align::Right, Align::Right, Align::Right};
    std::vector<std::string> header{"kernel", "time", "bound by", "arithmetic", "FLOP", "parallel"};
    for (const auto& level : levels) {
        columns.push_back(Align::Right);
        header.push_back("from " + level);
    }
    TextTable table(columns);
    table.header(header);
    for (const auto& kernel : estimate.kernels) {
        auto seconds = [&](double of) { return estimate.seconds ? seconds_text(of) : ""; };
        std::vector<std::string> row{kernel.name,
                                     seconds(kernel.seconds),
                                     kernel.bound,
                                     seconds(kernel.compute_seconds),
                                     amount_text(kernel.flops, ""),
                                     significant(kernel.parallelism, 2)};
        for (const auto& level : levels) {
            std::string cell;
            for (const auto& traffic : kernel.traffic)
                if (traffic.level == level)
                    cell = amount_text(traffic.bytes, "B") + " " + seconds_text(traffic.seconds);
            row.push_back(cell);
        }
        table.row(std::move(row));
    }
    out << "\n" << table.text();
}

std::string extents(const std::array<std::int64_t, 3>& along) {
    auto text = grouped(along[0]);
    for (std::size_t axis = 1; axis < 3; ++axis)
        if (along[axis] > 1 || (axis == 1 && along[2] > 1))
            text += " × " + grouped(along[axis]);
    return text;
}

std::string occupancy_text(const model::gpu::KernelShape& shape) {
    if (!shape.occupancy)
        return "not runnable";
    std::string by;
    for (const auto& limit : shape.occupancy->limits)
        if (limit.reached)
            by += (by.empty() ? "" : ", ") + limit.name;
    return significant(100 * shape.occupancy->share()) +
           " %: " + std::to_string(shape.occupancy->blocks) + " blocks, limited by " + by;
}

// What each launch takes of a GPU.
void print_launches(const Estimate& estimate, std::ostream& out) {
    TextTable table({Align::Left, Align::Right, Align::Right, Align::Right, Align::Right,
                     Align::Left, Align::Left});
    table.header(
        {"kernel", "blocks", "threads", "shared", "registers", "of a multiprocessor", "waves"});
    bool any = false;
    for (const auto& kernel : estimate.kernels) {
        if (!kernel.gpu)
            continue;
        any = true;
        const auto& shape = *kernel.gpu;
        std::string waves;
        if (shape.occupancy && shape.persistent)
            waves =
                grouped(shape.waves) + " turns of " + grouped(shape.launched_blocks()) + " blocks";
        else if (shape.occupancy)
            waves =
                grouped(shape.waves) + " of " + grouped(shape.blocks_at_once) + " blocks" +
                (shape.last_wave < 1 ? ", the last " + significant(100 * shape.last_wave, 2) + " %"
                                     : "");
        const auto loading =
            shape.producers > 0 ? " + " + grouped(shape.producers) + " loading" : "";
        const auto clusters =
            shape.cluster_blocks() > 1 ? " in clusters of " + extents(shape.cluster) : "";
        table.row({kernel.name, extents(shape.launched) + clusters, extents(shape.block) + loading,
                   memory_text(shape.shared_bytes),
                   (shape.registers_measured ? "" : "~") + std::to_string(shape.registers),
                   occupancy_text(shape), waves});
    }
    if (any)
        out << "\n" << table.text();
}

void print_terms(const std::vector<model::Term>& terms, std::ostream& out) {
    TextTable table({Align::Left, Align::Right, Align::Left, Align::Left});
    for (const auto& term : terms)
        table.row({term.name, term_value(term), term.formula, term.source});
    if (!table.empty())
        out << "\n" << table.text();
}

// "; 4 threads"; of a GPU all that are at work at once.
std::string parallel_text(const Estimate& estimate) {
    return "; " + grouped(estimate.threads) + (estimate.threads == 1 ? " thread" : " threads");
}

void print_estimate(const Estimate& estimate, std::ostream& out) {
    const char* described = estimate.described ? " (described; not this machine)" : "";
    if (estimate.seconds)
        out << estimate.model << " on " << estimate.device << described << ": "
            << seconds_text(*estimate.seconds) << ", bound by " << estimate.bound
            << parallel_text(estimate) << "\n";
    else
        out << estimate.model << " on " << estimate.device << described
            << ": no estimate: " << estimate.reason << "\n";
    TextTable table({Align::Left, Align::Right, Align::Left});
    table.row({"arithmetic", amount_text(estimate.flops, "FLOP"),
               estimate.seconds && estimate.flops > 0
                   ? rate_text(estimate.flops / *estimate.seconds, "FLOP/s")
                   : ""});
    table.row({"recomputed", significant(estimate.recompute_factor) + " ×",
               "of what the definitions ask for"});
    table.row({"stored", amount_text(estimate.stores, "elements"), ""});
    table.row({"compulsory", amount_text(estimate.compulsory_bytes, "B"),
               "inputs read and outputs written, once"});
    out << table.text();
    print_kernels(estimate, out);
    print_launches(estimate, out);
    print_terms(estimate.terms, out);
    for (const auto& kernel : estimate.kernels)
        if (!kernel.terms.empty() && estimate.kernels.size() > 1) {
            out << "\n" << kernel.name << ":";
            print_terms(kernel.terms, out);
        }
    for (const auto& advice : estimate.advice)
        out << "\n  " << advice;
    if (!estimate.advice.empty())
        out << "\n";
}

// More threads than the device has wait for each other.
void say_fewer_threads(const Options& options, const std::vector<Estimate>& estimates,
                       const Console& console) {
    const auto& first = estimates.front();
    if (options.threads <= first.threads)
        return;
    Diagnostic note;
    note.severity = Severity::Note;
    note.message = first.device + " runs " + std::to_string(first.threads) +
                   " threads at once: the estimate is for those";
    console.warn({note});
}

} // namespace

int run_estimate(const Options& options, const Console& console) {
    std::optional<TimeLimit> limit(std::in_place, "estimate", options.timeout_seconds);
    if (auto known = check_model(options); !known)
        return console.fail(known.errors());
    auto loaded = load_tree(options, console);
    if (!loaded)
        return console.fail(loaded.errors());
    auto models = chosen_models(options, loaded->device);
    if (!models)
        return console.fail(models.errors());
    if (auto complete = complete_figures(loaded->device, console); !complete)
        return console.fail(complete.errors());
    std::vector<Estimate> estimates;
    for (const auto* one : *models)
        estimates.push_back(
            one->estimate(*loaded->tree, loaded->device, model::EstimateOptions{options.threads}));
    limit.reset();
    if (!loaded->device.gpu) // a GPU's threads are the schedule's
        say_fewer_threads(options, estimates, console);
    if (options.json) {
        json object{{"pipeline", loaded->pipeline->name},
                    {"device", loaded->device.name},
                    {"described", !loaded->device.is_host},
                    {"estimates", json::array()}};
        for (const auto& estimate : estimates)
            object["estimates"].push_back(model::to_json(estimate));
        return console.print(object);
    }
    for (const auto& estimate : estimates) {
        if (&estimate != &estimates.front())
            console.out << "\n";
        print_estimate(estimate, console.out);
    }
    return kRight;
}

} // namespace loopscope::cli
