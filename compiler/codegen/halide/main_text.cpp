#include "compiler/codegen/halide/main_text.h"

namespace loopscope::codegen {

namespace {

std::string npy_type(ScalarType t) {
    if (bytes(t) == 1)
        return is_bool(t) ? "|b1" : is_signed(t) ? "|i1" : "|u1";
    bool real = is_float(t) && t != ScalarType::BF16;
    return std::string("<") + (real ? "f" : is_signed(t) ? "i" : "u") + std::to_string(bytes(t));
}

constexpr const char* kMain = R"(
[[noreturn]] void usage(const char *program, const std::vector<ArrayFile> &arguments) {
    std::fprintf(stderr, "usage: %s", program);
    for (const ArrayFile &a : arguments)
        std::fprintf(stderr, " %s=FILE.npy", a.name.c_str());
    std::fprintf(stderr, " [--threads N] [--time RUNS] [--autoschedule PLUGIN=NAME] [--loops]\n");
    std::exit(2);
}

} // namespace

int main(int argc, char **argv) try {
    Program program;
    std::vector<ArrayFile> arguments = program.arguments();
    std::map<std::string, std::string> files;
    std::string scheduler;
    int runs = 0;
    bool show_loops = false;
    for (int i = 1; i < argc; i++) {
        std::string word = argv[i], value = i + 1 < argc ? argv[i + 1] : "";
        size_t equals = word.find('=');
        if (word == "--threads" && !value.empty()) {
            setenv("HL_NUM_THREADS", argv[++i], 1); // read when the first parallel loop starts
        } else if (word == "--time" && std::atoi(value.c_str()) > 0) {
            runs = std::atoi(argv[++i]);
        } else if (word == "--autoschedule" && value.find('=') != std::string::npos) {
            scheduler = argv[++i];
        } else if (word == "--loops") {
            show_loops = true;
        } else if (equals == std::string::npos || word[0] == '-' ||
                   !files.emplace(word.substr(0, equals), word.substr(equals + 1)).second) {
            std::fprintf(stderr, "error: %s is no NAME=FILE and no option, or is given twice\n", argv[i]);
            usage(argv[0], arguments);
        }
    }
    std::vector<Halide::Buffer<>> outputs;
    for (ArrayFile &a : arguments) {
        auto file = files.find(a.name);
        if (file == files.end()) {
            std::fprintf(stderr, "error: there is no file for %s\n", a.name.c_str());
            usage(argv[0], arguments);
        }
        a.path = file->second;
        files.erase(file);
        // Halide's first dimension is the last of the file.
        std::vector<int> sizes(a.extents.rbegin(), a.extents.rend());
        a.data = Halide::Buffer<>(a.type, sizes);
        a.data.set_min(std::vector<int>(a.mins.rbegin(), a.mins.rend()));
        if (a.input) {
            npy::read(a.path, a.npy_type, a.window, a.type.bytes(), (char *)a.data.data());
            a.input->set(a.data);
        } else {
            outputs.push_back(a.data);
        }
    }
    if (!files.empty()) {
        std::fprintf(stderr, "error: there is no array %s\n", files.begin()->first.c_str());
        usage(argv[0], arguments);
    }

    program.define();
    Halide::Target target = Halide::get_jit_target_from_environment();
    // Halide takes processors for these that lack their 16-bit floats.
    target.set_feature(Halide::Target::AVX512_SapphireRapids, false);
    if (EXACT)
        target.set_feature(Halide::Target::StrictFloat);
    Halide::Pipeline pipeline = program.pipeline();
    if (scheduler.empty()) {
        program.schedule();
    } else {
        size_t equals = scheduler.find('=');
        Halide::load_plugin(scheduler.substr(0, equals));
        program.estimates();
        pipeline.auto_schedule(scheduler.substr(equals + 1), target);
    }
    if (show_loops)
        pipeline.print_loop_nest();
    pipeline.compile_jit(target);
    Halide::Realization results(outputs);
    pipeline.realize(results, target);
    if (runs > 0) {
        std::vector<double> seconds;
        for (int i = 0; i < runs; i++) {
            auto start = std::chrono::steady_clock::now();
            pipeline.realize(results, target);
            seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
        }
        std::sort(seconds.begin(), seconds.end());
        double median = (seconds[(runs - 1) / 2] + seconds[runs / 2]) / 2;
        std::printf("median_s %.9g min_s %.9g runs %d\n", median, seconds[0], runs);
    }
    for (const ArrayFile &a : arguments)
        if (!a.input)
            npy::write(a.path, a.npy_type, a.window, a.mins, a.extents, a.type.bytes(), (const char *)a.data.data());
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
}
)";

std::string list(const Box& box, bool mins) {
    std::string out;
    for (const auto& interval : box)
        out +=
            (out.empty() ? "" : ", ") + std::to_string(mins ? interval.least : interval.extent());
    return "{" + out + "}";
}

std::string list(const std::vector<Extent>& extents) {
    std::string out;
    for (const auto& extent : extents)
        out += (out.empty() ? "" : ", ") + std::to_string(extent.constant());
    return "{" + out + "}";
}

Box box_of(const std::vector<Extent>& extents) {
    Box box;
    for (const auto& extent : extents)
        box.push_back({0, extent.constant() - 1});
    return box;
}

std::string argument_line(const std::string& name, const std::string& pointer, ScalarType type,
                          const Box& box, const std::vector<Extent>& window) {
    return "            {\"" + name + "\", " + pointer + ", " + halide_type(type) + ", \"" +
           npy_type(type) + "\", " + list(box, false) + ", " + list(box, true) + ", " +
           list(window) + ", {}, {}},\n";
}

} // namespace

const char* halide_npy_text() {
    return R"(
// --- NumPy's .npy files ------------------------------------------------------------------------------------------

namespace npy {

[[noreturn]] inline void fail(const std::string &path, const std::string &what) {
    throw std::runtime_error("error: " + path + ": " + what);
}

inline std::string header(const std::string &type, const std::vector<int> &shape) {
    std::string tuple;
    for (size_t d = 0; d < shape.size(); d++)
        tuple += std::to_string(shape[d]) + (d + 1 < shape.size() ? ", " : shape.size() == 1 ? "," : "");
    return "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + tuple + "), }";
}

// Headers differ by writers: in spaces, and in commas after a last entry or extent.
inline std::string normalised(const std::string &text) {
    std::string out;
    for (char c : text) {
        if (c == ' ' || c == '\n')
            continue;
        if ((c == ')' || c == '}') && !out.empty() && out.back() == ',')
            out.pop_back();
        out += c;
    }
    return out;
}

// The file must have the type and shape exactly, in C's order.
inline void read(const std::string &path, const std::string &type, const std::vector<int> &shape, size_t size, char *to) {
    std::ifstream in(path, std::ios::binary);
    unsigned char start[12] = {};
    if (!in)
        fail(path, "cannot be read");
    in.read((char *)start, 10);
    if (!in || std::memcmp(start, "\x93NUMPY", 6) != 0 || start[6] < 1 || start[6] > 3)
        fail(path, "is no .npy file");
    size_t length = start[8] | size_t(start[9]) << 8;
    if (start[6] > 1) {
        in.read((char *)start + 10, 2);
        length |= size_t(start[10]) << 16 | size_t(start[11]) << 24;
    }
    std::string found(length <= 65536 ? length : 0, ' ');
    in.read(&found[0], std::streamsize(found.size()));
    auto wanted = normalised(header(type, shape)), got = normalised(found);
    if (!in || got != wanted)
        fail(path, "the header is " + got + ", but should be " + wanted);
    for (int extent : shape)
        size *= size_t(extent);
    in.read(to, std::streamsize(size));
    if (!in || in.get() != EOF)
        fail(path, "does not hold what its header says");
}

// The window of `shape` elements from 0 on of an array that begins at `mins`.
inline void write(const std::string &path, const std::string &type, const std::vector<int> &shape,
                  const std::vector<int> &mins, const std::vector<int> &extents, size_t size, const char *from) {
    std::string text = header(type, shape);
    text.append((64 - (10 + text.size() + 1) % 64) % 64, ' ');
    text += '\n';
    const char start[10] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, char(text.size() & 255), char(text.size() >> 8)};
    std::ofstream out(path, std::ios::binary);
    out.write(start, 10);
    out.write(text.data(), std::streamsize(text.size()));
    std::vector<int> index(shape.size());
    size_t count = 1;
    for (int extent : shape)
        count *= size_t(extent);
    size_t row = shape.empty() ? 1 : size_t(shape.back());
    for (size_t done = 0; done < count; done += row) {
        size_t at = 0;
        for (size_t d = 0; d < shape.size(); d++)
            at = at * size_t(extents[d]) + size_t(index[d] - mins[d]);
        out.write(from + at * size, std::streamsize(row * size));
        for (size_t d = shape.size() > 1 ? shape.size() - 1 : 0; d-- > 0;) {
            if (++index[d] < shape[d])
                break;
            index[d] = 0;
        }
    }
    out.close();
    if (!out)
        fail(path, "cannot be written");
}

} // namespace npy
)";
}

std::string halide_main_text(const ForeignProgram& program, const HalideAlgorithm& algorithm) {
    std::string arguments, estimates;
    for (const auto& stage : program.pipeline->stages)
        if (stage.is_input) {
            const auto& name = algorithm.inputs.at(stage.name);
            auto box = box_of(stage.extents);
            arguments += argument_line(stage.name, "&" + name, stage.types[0], box, stage.extents);
            estimates += "        " + name + ".set_estimates(" + halide_region(box) + ");\n";
        }
    std::string funcs;
    for (const auto& output : program.pipeline->outputs) {
        const auto* stage = program.find(output.stage);
        const auto& name = algorithm.stages.at(output.stage).result;
        funcs += (funcs.empty() ? "" : ", ") + name;
        const auto& types = stage->stage.types;
        for (std::size_t c = 0; c < types.size(); ++c)
            arguments += argument_line(types.size() > 1 ? output.stage + "." + std::to_string(c)
                                                        : output.stage,
                                       "nullptr", types[c], stage->box, output.extents);
        estimates += "        " + name + ".set_estimates(" + halide_region(stage->box) + ");\n";
    }
    return "\n    Pipeline pipeline() { return Pipeline(std::vector<Func>{" + funcs +
           "}); }\n\n    // Inputs, then outputs. What is computed may be more than its window "
           "from 0 on, which is the "
           "result.\n    std::vector<ArrayFile> arguments() {\n        return {\n" +
           arguments + "        };\n    }\n\n    void estimates() {\n" + estimates + "    }\n};\n" +
           kMain;
}

} // namespace loopscope::codegen
