#include "app/cli/load.h"

#include "app/cli/overwrite.h"
#include "compiler/measure/host_device.h"
#include "compiler/measure/targets.h"
#include "core/language/lexer.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_syntax.h"

namespace loopscope::cli {

namespace {

// The text of a file for a worker. Requests are JSON, which holds no other bytes than UTF-8: what
// is none is refused here, as the languages do, with its place.
Result<SourceFilePtr> read_text(const std::string& file, FileKind kind) {
    auto source = read_source_file(file, kind);
    if (source && find_invalid_utf8((*source)->text()) != std::string_view::npos)
        return lex(*source).errors;
    return source;
}

// The first word that is no comment: "pipeline" of a .loop file, "schedule" of a .sched file.
std::string first_word(const std::string& text) {
    std::size_t at = text.rfind("\xef\xbb\xbf", 0) == 0 ? 3 : 0;
    while ((at = text.find_first_not_of(" \t\r\n", at)) != std::string::npos && text[at] == '#')
        at = text.find('\n', at);
    return at == std::string::npos ? "" : text.substr(at, text.find_first_of(" \t\r\n", at) - at);
}

// The two kinds of files are easily swapped, and what a parser would say of the other kind helps
// nobody.
Status check_is_pipeline(const SourceFile& file) {
    if (first_word(file.text()) != "schedule")
        return success();
    return error(file.name() + " is a schedule, and this place takes a pipeline",
                 "give the .loop file first, and the schedule by -s");
}
Status check_is_schedule(const SourceFile& file) {
    if (first_word(file.text()) != "pipeline")
        return success();
    return error(file.name() + " is a pipeline, and -s takes a schedule",
                 "give a .sched file by -s, or leave -s out");
}

// The device that a script's `target` line names; an error points at the name.
Result<device::Device> find_target(const SourceFilePtr& source, const std::string& name) {
    auto device = measure::find_device(name);
    if (device || !source)
        return device;
    auto errors = device.errors();
    for (const auto& statement : read_schedule(source).statements)
        if (statement.kind == ScheduleStatement::Kind::Target)
            errors.front().range = statement.name_range;
    return errors;
}

// The script of `-s`, which is given.
Result<SourceFilePtr> script_text(const Options& options) {
    if (auto automatic = refuse_automatic(options); !automatic)
        return automatic.errors();
    auto script = read_text(options.schedule, options.kind);
    if (!script)
        return script;
    auto kind = check_is_schedule(**script);
    return kind ? script : kind.errors();
}

// The file of the device that a script's `target` line names; empty: the line or the file is not
// there. A name that is no device's is a mistake for every verb; whether a program can run there is
// the worker's to say.
Result<std::string> target_file(const SourceFilePtr& source) {
    auto schedule = parse_schedule(source);
    // its errors are the worker's to report, with those of the pipeline
    if (!schedule || schedule->target.empty())
        return std::string{};
    auto device = find_target(source, schedule->target);
    return device ? Result<std::string>(device->file) : device.errors();
}

} // namespace

Result<SourceFilePtr> read_pipeline(const Options& options) {
    auto source = read_source_file(options.file, options.kind);
    if (!source)
        return source;
    auto kind = check_is_pipeline(**source);
    return kind ? source : kind.errors();
}

Result<PipelinePtr> load_pipeline(const Options& options, const Console& console) {
    LoadOptions load;
    load.params = options.params;
    auto source = read_pipeline(options);
    if (!source)
        return source.errors();
    auto loaded = loopscope::load_pipeline(*source, load);
    if (!loaded)
        return loaded.errors();
    console.warn(loaded->warnings);
    return loaded->pipeline;
}

Result<PartialSchedule> load_schedule(const Options& options, const Pipeline& pipeline) {
    if (options.schedule.empty()) {
        PartialSchedule none;
        none.schedule.pipeline = pipeline.name;
        return none;
    }
    auto script = script_text(options);
    if (!script)
        return script.errors();
    return parse_lines(*script, &pipeline);
}

Status refuse_automatic(const Options& options) {
    if (options.schedule != "auto")
        return success();
    return error("`-s auto` is not in this version",
                 "name a .sched file, or leave `-s` out for the default schedule");
}

Result<device::Device> load_device(const Options& options, const PartialSchedule& script) {
    const auto& schedule = script.schedule;
    bool by_script = !options.device_given && !schedule.target.empty();
    auto device = by_script ? find_target(schedule.source, schedule.target)
                            : measure::find_device(options.device, FileKind::Any);
    if (device)
        return device;
    auto errors = script.errors; // what is refused of the other lines only the device could say
    errors.insert(errors.end(), device.errors().begin(), device.errors().end());
    return errors;
}

Result<LoadedTree> load_tree(const Options& options, const Console& console) {
    auto pipeline = load_pipeline(options, console);
    if (!pipeline)
        return pipeline.errors();
    auto schedule = load_schedule(options, **pipeline);
    if (!schedule)
        return schedule.errors();
    auto device = load_device(options, *schedule);
    if (!device)
        return device.errors();
    auto tree = schedule_tree(*pipeline, *schedule, ApplyContext{&*device});
    if (!tree)
        return tree.errors();
    return LoadedTree{*pipeline, std::move(schedule->schedule), std::move(*device),
                      std::move(*tree)};
}

Result<measure::ProgramText> program_text(const Options& options) {
    auto pipeline = read_text(options.file, options.kind);
    if (!pipeline)
        return pipeline.errors();
    if (auto kind = check_is_pipeline(**pipeline); !kind)
        return kind.errors();
    measure::ProgramText program;
    program.name = options.file;
    program.text = (*pipeline)->text();
    program.params = options.params;
    std::string device_file;
    if (!options.schedule.empty()) {
        auto script = script_text(options);
        if (!script)
            return script.errors();
        auto target = target_file(*script);
        if (!target)
            return target.errors();
        device_file = *target;
        program.has_schedule = true;
        program.schedule_name = options.schedule;
        program.schedule = (*script)->text();
    }
    if (auto kept = check_overwrites(options, device_file); !kept)
        return kept.errors();
    return program;
}

Status check_target(const Options& options) {
    const auto target = measure::read_target(options.target);
    return target ? success() : Status(target.errors());
}

} // namespace loopscope::cli
