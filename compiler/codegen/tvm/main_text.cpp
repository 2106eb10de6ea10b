#include "compiler/codegen/tvm/main_text.h"

#include "compiler/codegen/tvm/dialect.h"

namespace loopscope::codegen {

const char* tvm_imports() {
    return R"(
import sys
import time

import numpy as np
import tvm
from tvm import s_tir, tirx
from tvm.script import tirx as T

)";
}

namespace {

std::string tuple(const std::vector<std::int64_t>& numbers) {
    std::string out;
    for (auto number : numbers)
        out += std::to_string(number) + ",";
    return "(" + out + ")";
}

} // namespace

std::string tvm_main_text(const ForeignProgram& program, const std::string& function,
                          const std::map<std::string, std::vector<std::string>>& buffers) {
    std::string table;
    for (const auto& stage : program.pipeline->stages) {
        const auto* output = program.pipeline->find_output(stage.name);
        if (!stage.is_input && !output)
            continue;
        std::vector<std::int64_t> shape, first, window;
        for (const auto& extent : stage.is_input ? stage.extents : output->extents)
            window.push_back(extent.constant());
        shape = window;
        first.resize(shape.size());
        if (!stage.is_input) {
            const auto& box = program.boxes.at(stage.name);
            for (std::size_t d = 0; d < box.size(); ++d) {
                shape[d] = box[d].extent();
                first[d] = -box[d].least;
            }
        }
        for (std::size_t c = 0; c < stage.types.size(); ++c)
            table += "    (\"" + stage.name +
                     (stage.types.size() > 1 ? "." + std::to_string(c) : "") + "\", " +
                     (stage.is_input ? "True" : "False") + ", \"" + tvm_type(stage.types[c]) +
                     "\", " + tuple(shape) + ", " + tuple(first) + ", " + tuple(window) + "),\n";
    }
    (void)buffers;
    return "\n\n# Name, is it an input, type (bfloat16: its bits), shape, and where in it the "
           "window "
           "begins that the file has.\n"
           "ARRAYS = [\n" +
           table + "]\n" + R"(

def main():
    global sch
    files, runs, target = {}, 0, "llvm"
    words = sys.argv[1:]
    while words:
        word = words.pop(0)
        if word == "--time" and words:
            runs = int(words.pop(0))
        elif word == "--target" and words:
            target = words.pop(0)
        elif word == "--inexact":
            pass  # was seen when the functions were made
        elif "=" in word:
            files.update([word.split("=", 1)])
        else:
            sys.exit("error: %s is no NAME=FILE and no option" % word)
    missing = [a[0] for a in ARRAYS if a[0] not in files]
    if missing:
        sys.exit("error: there is no file for " + ", ".join(missing))
    sch = s_tir.Schedule()" +
           function + R"()
    schedule()
    # The plain target is of a processor without fused multiply-adds: with them LLVM fuses what it sees, and results differ.
    run = tvm.compile(sch.mod, target=target)
    arguments = []
    for name, is_input, t, shape, first, window in ARRAYS:
        if is_input:
            array = np.load(files[name])
            if array.shape != shape or array.dtype != np.dtype(t):
                sys.exit("error: %s is %s %s, but should be %s %s" % (files[name], array.dtype, array.shape, t, shape))
        else:
            array = np.zeros(shape, t)
        arguments.append(tvm.runtime.tensor(np.ascontiguousarray(array)))
    run(*arguments)
    if runs > 0:
        seconds = []
        for _ in range(runs):
            start = time.perf_counter()
            run(*arguments)
            seconds.append(time.perf_counter() - start)
        print("median_s %.9g min_s %.9g runs %d" % (np.median(seconds), min(seconds), runs))
    for argument, (name, is_input, t, shape, first, window) in zip(arguments, ARRAYS):
        if not is_input:
            whole = argument.numpy()
            np.save(files[name], np.ascontiguousarray(whole[tuple(slice(a, a + n) for a, n in zip(first, window))]))
    if refused:
        print("%d lines of the schedule are left out" % len(refused), file=sys.stderr)


if __name__ == "__main__":
    main()
)";
}

} // namespace loopscope::codegen
