#include "app/session/opening.h"

#include "app/session/gpu_script.h"
#include "app/session/handed_on.h"
#include "app/session/script_target.h"
#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/language/schedule_parser.h"

#include <filesystem>
#include <optional>

namespace loopscope::session {

namespace fs = std::filesystem;

namespace {

Result<Scheduled> scheduled_on(const DevicePtr& device, const PipelinePtr& pipeline,
                               const std::string& script, const std::string& name = "schedule") {
    ApplyContext at;
    at.device = device.get();
    at.intrinsics = &declared_intrinsics();
    return schedule_script(pipeline, script, at, name);
}

// A GPU is named by the script, any other machine by the document.
bool named_by_script(const device::Device& asked, const OpenOptions& options) {
    return asked.gpu && asked.name == options.device;
}

// What a document means. `known`: what its script means on its device, where that was found out
// already.
Result<OpenedDocument> read(std::unique_ptr<Document> document, PipelinePtr pipeline,
                            std::optional<Scheduled> known, const DocumentDevice& devices) {
    OpenedDocument out;
    const auto& source = document->source();
    out.pipeline = std::move(pipeline);
    out.script = document->current().script;
    // The document's device; one that is not here any more is said, and the host stands in.
    const auto target = target_of(out.script);
    auto own = devices.find(source.device);
    auto device = target.empty() ? own : devices.find(target);
    out.own_device = own ? *own : devices.host();
    out.device = device ? *device : devices.host();
    if (!device)
        out.missing_device = target.empty() ? source.device : target;
    auto scheduled = known ? Result<Scheduled>(std::move(*known))
                           : scheduled_on(out.device, out.pipeline, out.script);
    if (!scheduled) {
        // Another device, or a version with other rules: the document opens all the same, with the
        // default schedule, and its script as a draft that shows the errors. No revision is
        // touched.
        out.refused = std::move(out.script);
        out.script = default_script(*out.pipeline);
        scheduled = scheduled_on(out.device, out.pipeline, out.script);
        if (!scheduled)
            return scheduled.errors();
    }
    out.scheduled = std::move(*scheduled);
    out.document = std::move(document);
    return out;
}

} // namespace

Result<PipelinePtr> pipeline_of(const Program& program, const std::string& name) {
    LoadOptions load;
    load.params = program.params;
    auto loaded = load_pipeline(std::make_shared<SourceFile>(name, program.text), load);
    if (!loaded)
        return loaded.errors();
    return loaded->pipeline;
}

Result<ScheduleFile> read_schedule_file(const std::string& path) {
    auto text = read_source_file(path, FileKind::Regular);
    if (!text)
        return text.errors();
    auto parsed = parse_schedule(*text);
    if (!parsed)
        return parsed.errors();
    const auto beside = fs::path(path).parent_path() / (parsed->pipeline + ".loop");
    return ScheduleFile{(*text)->text(), parsed->pipeline, beside.string()};
}

Result<OpenedDocument> open_document(const std::string& path, bool on_a_copy,
                                     const DocumentDevice& devices,
                                     const RecoveryFolder& recovery) {
    auto document =
        on_a_copy ? Document::open_copy(path, recovery.new_place(fs::path(path).stem().string()))
                  : Document::open(path);
    if (!document)
        return document.errors();
    auto pipeline = pipeline_of(*(*document)->program(), (*document)->pipeline_name());
    if (!pipeline)
        return pipeline.errors();
    auto carried = carried_devices((*document)->source(), path);
    if (!carried)
        return carried.errors();
    auto with_carried = devices;
    with_carried.carry(*carried);
    auto opened = read(std::move(*document), std::move(*pipeline), {}, with_carried);
    if (opened) {
        opened->carried = std::move(*carried);
        opened->untitled = on_a_copy || recovery.holds(path);
        opened->copy_of = on_a_copy ? path : std::string();
    }
    return opened;
}

std::string script_for(const OpenOptions& options, const device::Device& asked,
                       const std::string& script) {
    return options.device.empty()
               ? script
               : with_target(script, named_by_script(asked, options) ? options.device : "");
}

Result<OpenedDocument> open_pipeline(const std::string& path, const OpenOptions& options,
                                     const DocumentDevice& devices,
                                     const RecoveryFolder& recovery) {
    auto text = read_source_file(path, FileKind::Regular);
    if (!text)
        return text.errors();
    const auto program = std::make_shared<const Program>(Program{(*text)->text(), options.params});
    auto pipeline = pipeline_of(*program, (*text)->name());
    if (!pipeline)
        return pipeline.errors();
    auto asked = devices.find(options.device);
    if (!asked)
        return asked.errors();
    std::error_code failed;
    DocumentSource source;
    source.program = program;
    source.pipeline_file = fs::absolute(path, failed).lexically_normal().string();
    source.device =
        named_by_script(**asked, options) || options.device.empty() ? "host" : options.device;
    source.script = script_for(options, **asked, default_script(**pipeline));
    std::optional<Scheduled> known;
    DevicePtr chosen;
    if (!options.schedule_file.empty()) {
        auto script = read_source_file(options.schedule_file, FileKind::Regular);
        if (!script)
            return script.errors();
        source.script = script_for(options, **asked, (*script)->text());
        if (options.device.empty())
            chosen = gpu_for(source.script, *pipeline, devices);
        if (chosen)
            source.script = with_target(source.script, chosen->name);
        const auto target = target_of(source.script);
        auto device = target.empty() ? asked : devices.find(target);
        if (!device)
            return device.errors();
        auto scheduled = scheduled_on(*device, *pipeline, source.script, options.schedule_file);
        if (!scheduled)
            return scheduled.errors();
        known = std::move(*scheduled);
        source.script_name = fs::path(options.schedule_file).filename().string();
    }
    auto document = Document::create(recovery.new_place(fs::path(path).stem().string()), source);
    if (!document)
        return document.errors();
    auto opened = read(std::move(*document), std::move(*pipeline), std::move(known), devices);
    if (opened) {
        opened->untitled = true;
        opened->chosen_gpu = std::move(chosen);
        if (!options.schedule_file.empty())
            opened->schedule_file = fs::absolute(options.schedule_file, failed).string();
    }
    return opened;
}

} // namespace loopscope::session
