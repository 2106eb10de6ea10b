#include "app/session/data_runs.h"

#include "app/session/gpus_elsewhere.h"
#include "app/session/program_arguments.h"
#include "app/session/session.h"
#include "compiler/run/array_file.h"
#include "compiler/run/pipeline_inputs.h"
#include "views/style/number_format.h"

#include <nlohmann/json.hpp>

#include <QTemporaryDir>

namespace loopscope::session {

using nlohmann::json;

namespace {

constexpr std::uint64_t kSeed = 1; // that of a check

LookedAt look_at(const std::optional<DataArray>& array) {
    LookedAt looked;
    if (!array)
        return looked;
    looked.array = *array;
    auto read = load_array(*array);
    if (read)
        looked.buffer = std::move(*read);
    else
        looked.failure = QString::fromStdString(format(read.errors())).trimmed();
    return looked;
}

Status write_output(const DataArray& output, const std::string& path) {
    auto array = read_array(output.file);
    if (!array)
        return array.errors();
    if (output.type == ScalarType::BF16)
        array->type = ScalarType::BF16;
    return write_array(path, *array);
}

// The arrays that hold a stage: of a tuple one for each part.
void add_arrays(const Stage& stage, const std::string& folder, std::vector<DataArray>& arrays) {
    for (std::size_t c = 0; c < stage.types.size(); ++c) {
        DataArray array;
        array.name = stage.types.size() == 1 ? stage.name : stage.name + "." + std::to_string(c);
        array.type = stage.types[c];
        array.file = folder + "/" + std::to_string(arrays.size()) + ".npy";
        arrays.push_back(std::move(array));
    }
}

json files_of(const std::vector<DataArray>& arrays) {
    json files = json::object();
    for (const auto& array : arrays)
        if (!array.file.empty())
            files[array.name] = array.file;
    return files;
}

DataArray array_from(const json& one) {
    DataArray array;
    array.name = one.at("name").get<std::string>();
    parse_scalar_type(one.at("type").get<std::string>(), array.type);
    array.extents = one.at("extents").get<std::vector<std::int64_t>>();
    array.begin = one.value("begin", std::vector<std::int64_t>());
    array.file = one.value("file", "");
    if (one.contains("seed"))
        array.seed = one["seed"].get<std::uint64_t>();
    return array;
}

} // namespace

DataRuns::DataRuns(Session& session, WorkerTasks& tasks)
    : session_(session),
      tasks_(tasks),
      reads_(
          [](const Offer& offer, const views::CancelToken& token) {
              Taken taken;
              auto files = offer.files;
              for (const auto& [path, wanted] : offer.paths) {
                  if (token.cancelled())
                      break;
                  auto input = fitting_input(offer.program, files, path, wanted);
                  if (input) {
                      files[input->name] = *input;
                      taken.inputs.push_back(std::move(*input));
                  } else {
                      taken.errors.insert(taken.errors.end(), input.errors().begin(),
                                          input.errors().end());
                  }
              }
              return taken;
          },
          [this](const Offer& offer, const Taken& taken) {
              if (!session_.is_open() || session_.opening() != offer.opening)
                  return;
              offered_.clear();
              for (const auto& input : taken.inputs)
                  files_[input.name] = input;
              refuse(taken.errors);
          }),
      looks_(
          [](const Look& look, const views::CancelToken&) {
              return Looked{look_at(look.input), look_at(look.output)};
          },
          [this](const Look&, const Looked& answer) { emit looked(answer.input, answer.output); }),
      saves_([](const Saving& saving) { return write_output(saving.output, saving.path); }) {
    for (views::LatestJobBase* job : std::initializer_list<views::LatestJobBase*>{&reads_, &looks_})
        connect(job, &views::LatestJobBase::failed, this,
                [this](const QString& text) { session_.say(text, true); });
    connect(&session_, &Session::released, this, &DataRuns::forget_all);
    connect(&session_, &Session::programChanged, this, &DataRuns::follow_program);
    connect(&session_, &Session::treeChanged, this, &DataRuns::changed);
    connect(&session_, &Session::deviceChanged, this, &DataRuns::changed);
}

DataRuns::~DataRuns() = default;

void DataRuns::forget_all() {
    reads_.cancel();
    offered_.clear();
    looks_.cancel();
    files_.clear();
    result_.reset();
    refusal_.clear();
}

// A file stays with its input, where that takes such an array at some size; what does not fit any
// more is said when it is run.
void DataRuns::follow_program() {
    const auto pipeline = session_.pipeline();
    if (!pipeline)
        return;
    std::erase_if(files_, [&](const auto& each) {
        const auto* stage = pipeline->find(each.first);
        return !stage || !stage->is_input || stage->types.front() != each.second.type ||
               stage->extents.size() != each.second.extents.size();
    });
    emit changed();
}

DataProgram DataRuns::program() const {
    return {session_.document()->pipeline_name(), session_.document()->program()};
}

std::vector<DataArray> DataRuns::inputs() const {
    std::vector<DataArray> all;
    if (!session_.is_open())
        return all;
    const auto seeds = input_seeds(*session_.pipeline(), kSeed);
    const bool as_ran = result_ && !stale();
    for (const auto& stage : session_.pipeline()->stages) {
        if (!stage.is_input)
            continue;
        DataArray array;
        if (const auto file = files_.find(stage.name); file != files_.end()) {
            array = file->second;
        } else {
            array.name = stage.name;
            array.type = stage.types.front();
            array.extents = hints(stage.extents);
            array.seed = seeds.at(stage.name);
        }
        if (as_ran)
            for (const auto& ran : result_->inputs)
                if (ran.name == stage.name) {
                    const auto written = array.file == ran.file ? array.written : std::nullopt;
                    array = ran;
                    array.written = written;
                }
        all.push_back(std::move(array));
    }
    return all;
}

std::vector<std::string> DataRuns::stages() const {
    std::vector<std::string> names;
    if (session_.is_open())
        for (const auto& stage : session_.pipeline()->stages)
            if (!stage.is_input)
                names.push_back(stage.name);
    return names;
}

void DataRuns::offer(const QStringList& paths, const std::string& input) {
    if (!session_.is_open() || paths.isEmpty())
        return;
    for (const auto& path : paths) // behind those that are being read
        offered_.emplace_back(path.toStdString(), input);
    refusal_.clear();
    reads_.request({program(), files_, offered_, session_.opening()});
    emit offered();
    emit changed();
}

void DataRuns::forget(const std::string& input) {
    if (files_.erase(input))
        refuse({});
}

void DataRuns::refuse(const Diagnostics& errors) {
    QStringList lines;
    for (const auto& each : errors)
        lines << QString::fromStdString(each.message +
                                        (each.remedy.empty() ? "" : "; " + each.remedy));
    refusal_ = lines.join('\n');
    emit changed();
}

DataSource DataRuns::source_now(const std::string& stage) const {
    DataSource source;
    source.program = session_.document()->program();
    source.files = files_;
    if (stage.empty()) {
        source.script = session_.script();
        source.device = session_.device()->target + session_.device()->name;
    }
    return source;
}

bool DataRuns::stale() const {
    if (!result_ || !session_.is_open())
        return false;
    const auto now = source_now(result_->stage);
    const auto& then = result_->source;
    return !(*now.program == *then.program) || now.script != then.script ||
           now.device != then.device || now.files != then.files;
}

void DataRuns::run() { start({}); }
void DataRuns::run_stage(const std::string& stage) { start(stage); }

void DataRuns::start(const std::string& stage) {
    if (!session_.is_open())
        return;
    DataResult wanted;
    wanted.stage = stage;
    wanted.source = source_now(stage);
    wanted.device = session_.device();
    auto folder = std::make_shared<QTemporaryDir>();
    if (!folder->isValid())
        return refuse({error("no folder for the result: " + folder->errorString().toStdString(),
                             "make room on the disk")});
    const auto path = folder->path().toStdString();
    wanted.folder = std::move(folder);
    const auto& pipeline = *session_.pipeline();
    if (stage.empty()) {
        for (const auto& output : pipeline.outputs)
            add_arrays(*pipeline.find(output.stage), path, wanted.outputs);
    } else if (const auto* found = pipeline.find(stage)) {
        add_arrays(*found, path, wanted.outputs);
    }
    refusal_.clear();
    auto run = arrays_run(wanted);
    run.done = [this, wanted, opening = session_.opening()](const Result<json>& answer) {
        if (!session_.is_open() || session_.opening() != opening)
            return;
        if (answer)
            take(wanted, *answer);
        else if (answer.errors().front().code != measure::kCodeCancelled)
            refuse(answer.errors());
    };
    tasks_.run(std::move(run));
    emit changed();
}

// By the present schedule where the device is at hand; a stage alone by its definition, here.
WorkerTasks::ArraysRun DataRuns::arrays_run(const DataResult& wanted) const {
    const auto device = session_.device();
    const bool by_schedule = wanted.stage.empty() && (!device->gpu || device->is_here());
    auto arguments = program_arguments(*session_.document(), session_.script(), *device);
    if (!by_schedule) {
        arguments.erase("schedule");
        arguments.erase("vector_bits");
    }
    arguments["target"] = by_schedule && device->gpu ? device->target : "cpu";
    arguments["seed"] = kSeed;
    arguments["random"] = true;
    arguments["outputs"] = files_of(wanted.outputs);
    if (!wanted.stage.empty())
        arguments["stage"] = wanted.stage;
    WorkerTasks::ArraysRun run;
    run.text = wanted.stage.empty() ? "running on the inputs" : "computing " + wanted.stage;
    if (by_schedule && device->gpu)
        run.elsewhere = session_.gpus_elsewhere().client(device->target);
    run.arguments = [arguments, program = program(), files = files_]() -> Result<json> {
        auto all = arguments;
        auto paths = json::object();
        if (!files.empty()) {
            auto sized = sized_for(program, files);
            if (!sized)
                return sized.errors();
            all["params"] = sized->params;
        }
        for (const auto& [input, array] : files)
            paths[input] = array.file;
        all["inputs"] = std::move(paths);
        return all;
    };
    return run;
}

void DataRuns::take(const DataResult& wanted, const json& answer) {
    auto result = std::make_shared<DataResult>(wanted);
    result->outputs.clear();
    for (const auto& one : answer.at("inputs"))
        result->inputs.push_back(array_from(one));
    for (const auto& asked : wanted.outputs) // in the pipeline's order
        for (const auto& one : answer.at("outputs"))
            if (one.at("name") == asked.name)
                result->outputs.push_back(array_from(one));
    result->summary = summary_of(*result, answer);
    result_ = std::move(result);
    refuse({});
}

QString DataRuns::summary_of(const DataResult& of, const json& answer) const {
    const auto& device = of.device;
    const auto where = answer.contains("device")
                           ? QString::fromStdString(answer["device"].get<std::string>())
                           : tr("this machine's processor");
    const bool described = device->gpu && !device->is_here();
    auto text = !of.stage.empty() ? tr("%1 by its definition, whatever the schedule says, on %2")
                                        .arg(QString::fromStdString(of.stage), where)
                : described ? tr("The default schedule, on %2: %1 is described, and not at hand")
                                  .arg(QString::fromStdString(device->name), where)
                            : tr("The schedule, on %1").arg(where);
    if (answer.contains("seconds"))
        text += tr(", in %1").arg(views::format_seconds(answer["seconds"].get<double>()));
    QStringList sizes;
    for (const auto& param : session_.pipeline()->params)
        if (const auto value = answer.at("params").value(param.name, param.value);
            value != param.value)
            sizes << QStringLiteral("%1 = %2").arg(QString::fromStdString(param.name)).arg(value);
    if (!sizes.isEmpty())
        text += tr("; at the size of the files: %1").arg(sizes.join(QStringLiteral(", ")));
    return text;
}

void DataRuns::look(const DataArray* input, const DataArray* output) {
    Look look;
    if (input)
        look.input = *input;
    if (output)
        look.output = *output;
    if (result_)
        look.folder = result_->folder;
    looks_.request(std::move(look));
}

void DataRuns::save(const DataResult& of, const DataArray& output, const QString& path) {
    saves_.ask({{output, path.toStdString(), of.folder}},
               [this](const Saving& saving, const Status& status) {
                   if (status)
                       session_.say(tr("Saved %1").arg(QString::fromStdString(saving.path)), false);
                   else
                       session_.report(status.errors());
               });
}

} // namespace loopscope::session
