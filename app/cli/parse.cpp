// Longer than files are here: all verbs with their options, which several of them share.
#include "app/cli/parse.h"

#include "compiler/measure/requests.h"
#include "compiler/protocol/protocol.h"
#include "core/base/output_forms.h"
#include "core/base/result.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <cmath>
#include <sstream>

namespace loopscope::cli {

namespace {

constexpr std::size_t kHelpWidth = 100;

const char* const kFooter = "Exit status: 0 done and right; 1 the result is wrong (check); 2 the "
                            "input is bad; 3 the target or device is not there; "
                            "4 a resource or time limit, or a worker that ended before it "
                            "answered; 70 a bug in loopscope-cli, please report it. "
                            "Diagnostics go to standard error. --json prints "
                            "one object on standard output; `VERB --help` lists its keys.";

// --json's keys, by verb: stable.
const char* const kShowKeys =
    "--json: pipeline, params {name: value}, stages [name, kind (input|stage), types, index, box "
    "[[least, extent]], reads, "
    "definitions [kind, …], group, output; of inputs: extents, boundary], outputs [stage, extents]";
const char* const kTreeKeys =
    "--json: pipeline, hash, nodes [id, kind, axis, extent, binding, children, …]";
const char* const kCheckKeys =
    "--json: status (right|wrong), max_abs_error, max_ulp (null: not "
    "finite), seed, threads, device (of cuda and opencl), method, reassociates, "
    "approximates, whole_numbers (equal|differ|not compared), "
    "conclusive (false: too little was compared to show some output to "
    "be wrong), "
    "first_difference, difference (the same: array, at, is, reference), windows (only parts of "
    "large outputs were compared), outputs [name, type, extents, status, allowed "
    "(greatest |out - ref| within its bounds; null: every bit), "
    "unbounded (elements without finite bounds), different, "
    "max_abs_error, max_ulp], seconds_compile, "
    "seconds_run, seconds_reference, warnings (where there are some)";
const char* const kRunKeys =
    "--json: pipeline, params {name: value}, inputs and outputs [name, "
    "file, type, extents], seconds, "
    "threads, device (of cuda and opencl), warnings (where there are some)";
const char* const kEstimateKeys = "--json: pipeline, device, estimates [model, seconds (null: no "
                                  "estimate, and reason says why), bound, kernels [name, "
                                  "seconds, bound, …], …]";
const char* const kMeasureKeys =
    "--json: median_s, min_s, ci95_s [low, high] (null below six samples), samples, gflops (FLOPs "
    "of the definitions as "
    "written, recomputation not counted), gbytes_per_s (inputs read and outputs written, once), "
    "threads, device, seed, flops, "
    "flops_exact, bytes, executions_per_sample, seconds_compile, check (with --check, and of GPUs; "
    "where it found the result wrong, median_s is null), "
    "warnings (where there are some); of cuda also: architecture, kernels [name, grid, block, "
    "registers, local_bytes, shared_bytes, …], cache, graph (executions were replayed as a graph), "
    "clocks {before, after} (null: not known)";
const char* const kEmitKeys = "--json: as, text, lines [id of the tree's node that each line comes "
                              "from, or null], warnings (where "
                              "there are some)";
const char* const kDevicesKeys =
    "--json: devices [name, description, kind, cores, threads, "
    "vector_bits, features, memory_bytes, caches [name, bytes, …], "
    "memory_bytes_per_second {value, source}, flops_per_second {type: "
    "{value, source}}, …, file; of kind \"gpu\" gpu {architecture, "
    "multiprocessors, limits, …} in place of cores and caches]; "
    "figures that are not known have no key; gpus [ordinal, name, pci, architecture, "
    "multiprocessors, limits {…}, ceilings {flops_per_second, "
    "tensor_flops_per_second, copy_bytes_per_second, …} (where they "
    "were measured), …]: those attached; opencl [name, platform, version, kind, "
    "units, clock_hertz, most_items, item_extents and local_bytes (of a block), memory_bytes, "
    "largest_memory, doubles, long_atomics, rounds, denormals]: what "
    "--target opencl can run on, the first of them, opencl:1 on the second; opencl_none: why there "
    "is no such device "
    "(where there is none). What could not be found out is said behind the answer, on standard "
    "error; a machine without a GPU or OpenCL, or an installation without "
    "loopscope-opencl-worker, is no failure";

const char* const kBundleKeys =
    "--json: folder, jobs [as in manifest.json]; of --results: results {gpu, jobs [name, status "
    "(right|wrong|failed), errors, checks, kernels, times [cache, median_s, gflops, "
    "gbytes_per_s, …]]}, peer (empty without --peer)";

// Broken between words, so that no line is longer than `kHelpWidth`.
std::string wrapped(const std::string& text) {
    std::string result;
    std::size_t length = 0;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        bool fits = length == 0 || length + 1 + word.size() <= kHelpWidth;
        result += length == 0 ? "" : fits ? " " : "\n";
        length = fits && length > 0 ? length + 1 + word.size() : word.size();
        result += word;
    }
    return result;
}

// "NAME=VALUE" in two parts; false if either is empty.
bool divide(const std::string& text, std::string& name, std::string& value) {
    auto at = text.find('=');
    if (at == std::string::npos || at == 0 || at + 1 == text.size())
        return false;
    name = text.substr(0, at);
    value = text.substr(at + 1);
    return true;
}

// Adds to a map of names; a name given twice is a mistake that no one wants resolved in silence.
template <typename Value> void insert_once(std::map<std::string, Value>& map,
                                           const std::string& option, const std::string& name,
                                           Value value) {
    if (!map.emplace(name, std::move(value)).second)
        throw CLI::ValidationError(option, name + " is given twice");
}

// The whole of a text as a number; false if it is none, or does not fit.
template <typename Value> bool read_number(const std::string& text, Value& value) {
    auto end = text.data() + text.size();
    auto [stop, failed] = std::from_chars(text.data(), end, value);
    return failed == std::errc() && stop == end;
}

CLI::Validator checked(bool (*good)(const std::string&), const char* rule) {
    return CLI::Validator(
        [good, rule](std::string& text) {
            return good(text) ? std::string() : "`" + text + "`: must be " + rule;
        },
        "");
}

// Not a NaN and not an infinity, which compare with everything or nothing.
CLI::Validator positive_number() {
    return checked(
        [](const std::string& text) {
            double value = 0;
            return read_number(text, value) && std::isfinite(value) && value > 0;
        },
        "a positive number");
}

CLI::Validator number_from_zero() {
    return checked(
        [](const std::string& text) {
            double value = 0;
            return read_number(text, value) && std::isfinite(value) && value >= 0;
        },
        "0 or a positive number");
}

CLI::Validator seed_number() {
    return checked(
        [](const std::string& text) {
            std::uint64_t value = 0;
            return read_number(text, value);
        },
        "a whole number from 0 to 18446744073709551615");
}

void add_params(CLI::App& app, Options& options) {
    app.add_option_function<std::vector<std::string>>(
           "--param",
           [&options](const std::vector<std::string>& texts) {
               for (const auto& text : texts) {
                   std::string name, digits;
                   std::int64_t value = 0;
                   if (!divide(text, name, digits) || !read_number(digits, value))
                       throw CLI::ValidationError("--param", "`" + text + "` is not NAME=INTEGER");
                   insert_once(options.params, "--param", name, value);
               }
           },
           "sets a param of the pipeline, as H=64; may be repeated")
        ->type_name("N=V")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_files(CLI::App& app, const char* name, std::map<std::string, std::string>& files,
               const char* help) {
    app.add_option_function<std::vector<std::string>>(
           name,
           [&files, name](const std::vector<std::string>& texts) {
               for (const auto& text : texts) {
                   std::string array, file;
                   if (!divide(text, array, file))
                       throw CLI::ValidationError(name, "`" + text + "` is not NAME=FILE");
                   insert_once(files, name, array, file);
               }
           },
           help)
        ->type_name("NAME=FILE")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_pipeline(CLI::App& app, Options& options) {
    app.add_option("pipeline", options.file, "the pipeline, a .loop file")
        ->required()
        ->type_name("P.loop");
    add_params(app, options);
}

void add_schedule(CLI::App& app, Options& options) {
    app.add_option("-s,--schedule", options.schedule,
                   "the schedule, a .sched file; without one every stage is at root with its loops "
                   "in order")
        ->type_name("S.sched");
}

void add_json(CLI::App& app, Options& options) {
    app.add_flag("--json", options.json, "one JSON object; keys below");
}

void add_device(CLI::App& app, Options& options) {
    app.add_option("--device", options.device, "a device's name, or its JSON file")
        ->capture_default_str()
        ->type_name("NAME");
}

void add_execution(CLI::App& app, Options& options) {
    app.add_option(
           "--target", options.target,
           "where it runs: cpu; cuda, a GPU, of several cuda:1 the second; simt, the interpreter "
           "of GPU programs; or opencl, a device that OpenCL has here, opencl:1 the second")
        ->capture_default_str()
        ->type_name("T");
    app.add_option("--threads", options.threads,
                   "threads of parallel loops; without it, one for each processor")
        ->check(CLI::Range(1, measure::kMaxThreads))
        ->type_name("N");
    app.add_option("--timeout", options.timeout_seconds,
                   "seconds after which the worker is ended (status 4)")
        ->check(positive_number())
        ->capture_default_str()
        ->type_name("SECONDS");
    app.add_option(
           "--kernel-timeout", options.kernel_seconds,
           "of cuda: seconds after which a kernel is taken to hang, and its worker is ended; "
           "without it, 20")
        ->check(positive_number())
        ->type_name("SECONDS");
}

const char* const kOnHelp =
    "a GPU elsewhere: ssh:HOST, as ssh takes it, with ssh:HOST/1 for the second there; or "
    "slurm:PARTITION, on this machine's cluster or, with ,ssh:LOGIN, on another's";

CLI::Option* add_on(CLI::App& app, Options& options, const char* help) {
    return app.add_option("--on", options.on, help)->type_name("PLACE");
}

void add_seed(CLI::App& app, Options& options) {
    app.add_option("--seed", options.seed, "of the random inputs")
        ->check(seed_number())
        ->capture_default_str()
        ->type_name("N");
}

CLI::App* add_verb(CLI::App& app, const char* name, const char* help, const char* keys) {
    auto verb = app.add_subcommand(name, help);
    if (keys)
        verb->footer(wrapped(keys));
    return verb;
}

void add_bundle(CLI::App& app, Options& options) {
    auto bundle = add_verb(app, "bundle",
                           "packs GPU kernels, inputs and expected results for loopscope-agent on "
                           "another machine, or shows its results",
                           kBundleKeys);
    bundle->add_option("folder", options.file, "the bundle to make: a folder")->type_name("FOLDER");
    bundle
        ->add_option("--job", options.bundle_jobs,
                     "a job: its name, a pipeline, a schedule and params, as "
                     "small=matmul.loop,matmul.gpu.sched,M=512; may be repeated")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("NAME=FILES");
    bundle
        ->add_option("--jobs", options.jobs_file,
                     "a list of jobs: {\"jobs\": [{\"name\", \"pipeline\", \"schedule\", "
                     "\"params\", \"peer\"}]}, files beside it")
        ->type_name("FILE.json");
    bundle
        ->add_option("--arch", options.architectures,
                     "architectures to compile for, as sm_80,sm_90a; without it the one of the "
                     "schedule's `target`, else sm_80")
        ->delimiter(',')
        ->type_name("SM,…");
    add_on(*bundle, options,
           "runs the jobs of a bundle that is there already on a GPU elsewhere (as of `measure`; "
           "with slurm:PARTITION as many at once as there are free GPUs)");
    bundle
        ->add_option("--out", options.output_file,
                     "of --on: where the results go, after each job; a file of the same bundle "
                     "keeps those that it has, and the others are run")
        ->type_name("FILE");
    bundle
        ->add_option("--cache", options.cache,
                     "of --on: times with what executions leave in the L2 cache, with an emptied "
                     "one, or both; without it, both")
        ->check(CLI::IsMember({"warm", "cold", "both"}))
        ->type_name("STATE");
    bundle
        ->add_option("--budget", options.budget_seconds,
                     "of --on: seconds of timing at most, for each time; without it, 2")
        ->check(positive_number())
        ->type_name("SECONDS");
    bundle
        ->add_option("--kernel-timeout", options.kernel_seconds,
                     "of --on: seconds after which a kernel is taken to hang; without it, 20")
        ->check(positive_number())
        ->type_name("SECONDS");
    bundle->add_flag("--with-agent", options.with_agent, "puts loopscope-agent into the folder");
    bundle
        ->add_option("--results", options.results_file,
                     "shows what `loopscope-agent run` has written, and makes no bundle")
        ->type_name("FILE");
    bundle
        ->add_option("--peer", options.peer_file,
                     "of --results: what the bundle's peer.py has written")
        ->type_name("FILE");
    bundle
        ->add_option("--timeout", options.timeout_seconds,
                     "seconds for each job, after which the worker is ended")
        ->check(positive_number())
        ->capture_default_str();
    add_seed(*bundle, options), add_json(*bundle, options);
}

void add_verbs(CLI::App& app, Options& options) {
    auto show = add_verb(app, "show", "the pipeline's graph", kShowKeys);
    add_pipeline(*show, options);
    auto dot = show->add_flag("--dot", options.dot, "in Graphviz' language");
    show->add_flag("--json", options.json, "one JSON object; keys below")->excludes(dot);

    auto tree = add_verb(app, "tree", "the schedule tree, with extents and storage", kTreeKeys);
    add_pipeline(*tree, options), add_schedule(*tree, options), add_device(*tree, options),
        add_json(*tree, options);

    auto check = add_verb(
        app, "check",
        "compiles, runs on random inputs, and compares with the reference interpreter", kCheckKeys);
    add_pipeline(*check, options), add_schedule(*check, options), add_execution(*check, options);
    add_on(*check, options, kOnHelp)->excludes("--target");
    add_seed(*check, options), add_json(*check, options);
    check
        ->add_option(
            "--tolerance", options.tolerance,
            "greatest |out - ref| where the schedule reassociates or approximates, in place of the "
            "bounds that follow from n u sum|terms|")
        ->check(number_from_zero());

    auto run =
        add_verb(app, "run", "runs on your own data: .npy and .png files in and out", kRunKeys);
    add_pipeline(*run, options), add_schedule(*run, options), add_execution(*run, options),
        add_json(*run, options);
    add_on(*run, options, kOnHelp)->excludes("--target");
    add_files(*run, "--input", options.inputs,
              "an input's array; its shape sets params that are whole extents");
    add_files(*run, "--output", options.outputs,
              "where an output's array goes, a tuple's parts as C.0=FILE; the ending chooses the "
              "format");

    auto estimate =
        add_verb(app, "estimate", "seconds by a performance model, what bounds them, and why",
                 kEstimateKeys);
    add_pipeline(*estimate, options), add_schedule(*estimate, options),
        add_device(*estimate, options);
    estimate->add_option("--model", options.model, "a model's name, or all")->type_name("M");
    estimate->add_option("--threads", options.threads, "threads; without it, the device's cores")
        ->check(CLI::Range(1, measure::kMaxThreads));
    estimate
        ->add_option("--timeout", options.timeout_seconds,
                     "seconds after which it is given up (status 4)")
        ->check(positive_number())
        ->capture_default_str()
        ->type_name("SECONDS");
    add_json(*estimate, options);

    auto measure =
        add_verb(app, "measure", "compiles and times it in a worker process", kMeasureKeys);
    add_pipeline(*measure, options), add_schedule(*measure, options),
        add_execution(*measure, options);
    add_on(*measure, options, kOnHelp)->excludes("--target");
    add_seed(*measure, options), add_json(*measure, options);
    measure
        ->add_option("--budget", options.budget_seconds, "seconds of timing at most; without it, 5")
        ->check(positive_number())
        ->type_name("SECONDS");
    measure->add_flag("--check", options.check_first,
                      "checks the result against the reference first, and times no wrong one; of "
                      "GPUs always");
    measure
        ->add_option("--cache", options.cache,
                     "of cuda: warm, what executions leave in the L2 cache stays; or cold, it is "
                     "emptied before each; without it, warm")
        ->check(CLI::IsMember({"warm", "cold"}))
        ->type_name("STATE");

    auto emit =
        add_verb(app, "emit", "source: the program at one step of its compilation", kEmitKeys);
    add_pipeline(*emit, options), add_schedule(*emit, options), add_json(*emit, options);
    emit->add_option("--as", options.as,
                     names_of_forms() + ", or after:PASS (`after:help` lists the passes)")
        ->capture_default_str()
        ->type_name("FORM");
    emit->add_option("--arch", options.arch,
                     "of " + names_of_forms(has_architecture) +
                         ": the GPU's architecture, as sm_90; without it the one that the "
                         "script's `target` has, else sm_80")
        ->type_name("SM");
    emit->add_option("--target", options.emit_target,
                     "what " + names_of_forms(has_target) +
                         " and after:PASS are lowered for: cpu; simt: a GPU; auto: a GPU where "
                         "the schedule binds loops to its levels")
        ->check(CLI::IsMember({"auto", "cpu", "simt", "cuda", "opencl"}))
        ->capture_default_str()
        ->type_name("NAME");
    emit->add_flag(
        "--main", options.with_main,
        "of " + names_of_forms(has_main) +
            ": with a main that reads inputs and writes outputs as .npy files; where it is given "
            "none that of kernels checks and times them");
    emit->add_option("-o", options.output_file, "the file to write, in place of standard output")
        ->type_name("FILE");
    emit->add_option("--timeout", options.timeout_seconds,
                     "seconds after which the worker is ended")
        ->check(positive_number());

    auto devices = add_verb(app, "devices", "this machine, and those described", kDevicesKeys);
    add_json(*devices, options);
    add_on(*devices, options, "the GPUs of another machine (as of `measure`), and nothing else");
    devices->add_flag("--probe", options.probe,
                      "measures the peaks of this machine and its GPUs anew and keeps them");

    add_bundle(app, options);

    auto lint = add_verb(app, "lint", "diagnostics only", nullptr);
    add_pipeline(*lint, options), add_schedule(*lint, options);

    auto format = add_verb(app, "format", "the canonical text of a .loop or .sched file", nullptr);
    format->add_option("file", options.file, "a .loop or .sched file")
        ->required()
        ->type_name("FILE");
    add_params(*format, options);

    auto expand = add_verb(app, "expand",
                           "a schedule whose recipes, such as tensor_core(), are written out: the "
                           "lines that each stands for on its target",
                           nullptr);
    add_pipeline(*expand, options);
    expand->add_option("-s,--schedule,schedule", options.schedule, "the schedule, a .sched file")
        ->required()
        ->type_name("S.sched");
    add_device(*expand, options);
}

bool refuse_other_versions(int argc, const char* const* argv, const Console& console) {
    if (argc > 1 && std::string_view(argv[1]) == "tune") {
        console.err << "error: `tune` is not in this version; write the schedule by hand, and use "
                       "`estimate` and `measure`\n";
        return true;
    }
    return false;
}

// The first argument is the verb, unless it is an option; the grammar would call a wrong one a
// missing subcommand.
bool refuse_unknown_verb(int argc, const char* const* argv, const Console& console) {
    if (argc < 2 || argv[1][0] == '-')
        return false;
    std::vector<std::string> verbs;
    std::string list;
    for (const auto& command : commands()) {
        if (std::string_view(argv[1]) == command.name)
            return false;
        verbs.emplace_back(command.name);
        list += (list.empty() ? "" : ", ") + verbs.back();
    }
    auto near = nearest_name(argv[1], verbs);
    console.fail(
        {error("there is no verb `" + std::string(argv[1]) + "`",
               (near.empty() ? "" : "did you mean `" + near + "`? ") + ("the verbs are " + list))});
    return true;
}

} // namespace

std::variant<Invocation, int> parse(int argc, const char* const* argv, const Console& console) {
    if (refuse_other_versions(argc, argv, console) || refuse_unknown_verb(argc, argv, console))
        return kBadInput;
    Options options;
    CLI::App app{"Loopscope's command line: shows, estimates, compiles, checks and measures tensor "
                 "and image pipelines.",
                 "loopscope-cli"};
    app.set_version_flag("--version", std::string("loopscope-cli ") + measure::kProgramVersion);
    app.footer(wrapped(kFooter));
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    add_verbs(app, options);
    try {
        app.parse(argc, const_cast<char**>(argv));
    } catch (const CLI::ParseError& failure) {
        return app.exit(failure, console.out, console.err) == 0 ? kRight : kBadInput;
    }
    const auto* verb = app.get_subcommands().front();
    if (const auto* device = verb->get_option_no_throw("--device"))
        options.device_given = device->count() > 0;
    for (const auto& command : commands())
        if (verb->get_name() == command.name)
            return Invocation{&command, std::move(options)};
    return kBadInput;
}

} // namespace loopscope::cli
