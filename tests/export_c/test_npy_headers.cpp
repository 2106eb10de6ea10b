// Headers of .npy files, which differ in spaces and commas by who wrote them, as exported programs
// of both languages read them.
#include "tests/export_c/export_support.h"

#include "compiler/codegen/halide/main_text.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace loopscope;
using namespace loopscope::test;

namespace {

std::string path(const std::string& name) { return (scratch() / name).string(); }

// An array of six numbers, 2 by 3 or in one row.
std::string npy_file(const std::string& dictionary) {
    auto header = dictionary;
    header.append((64 - (10 + header.size() + 1) % 64) % 64, ' ');
    header += '\n';
    std::string bytes = "\x93NUMPY\1";
    bytes += '\0';
    bytes += static_cast<char>(header.size());
    bytes += static_cast<char>(header.size() >> 8);
    std::ofstream(path("headers.npy"), std::ios::binary)
        << bytes << header << std::string(6 * sizeof(float), '\0');
    return path("headers.npy");
}

struct Reader {
    std::string of_matrix, of_row; // commands that take a file after them
};

Reader c_reader() {
    auto build = [](const std::string& name, const std::string& text) {
        auto tree = tree_of(text, "");
        codegen::COptions options;
        options.with_main = true;
        auto source = codegen::c_source(lowered_for_c(*tree), options);
        EXPECT_TRUE(source.ok());
        std::ofstream(path(name + ".c")) << source->text;
        std::string said;
        EXPECT_EQ(
            run_command("gcc -std=c11 -o " + path(name) + " " + path(name + ".c") + " -lm", said),
            0)
            << said;
        return path(name) + " s=" + path(name + "_s.npy") + " a=";
    };
    return {build("matrix", "pipeline p\ninput a[i, j]: f32[2, 3]\nstage s[i, j] = a[i, j]\n"
                            "output s: [2, 3]\n"),
            build("row", "pipeline p\ninput a[i]: f32[6]\nstage s[i] = a[i]\noutput s: [6]\n")};
}

// What reads the files of an exported Halide program, alone: it needs no Halide.
Reader halide_reader() {
    std::ofstream(path("reader.cpp"))
        << "#include <cstring>\n#include <fstream>\n#include <iostream>\n#include <stdexcept>\n"
           "#include <string>\n#include <vector>\n"
        << codegen::halide_npy_text()
        << "int main(int, char **argv) {\n    char to[24];\n"
           "    std::vector<int> shape{6};\n    if (argv[1][0] == 'm')\n        shape = {2, 3};\n"
           "    try {\n        npy::read(argv[2], \"<f4\", shape, 4, to);\n"
           "    } catch (const std::exception &failure) {\n        std::cerr << failure.what() << "
           "'\\n';\n"
           "        return 1;\n    }\n}\n";
    std::string said;
    EXPECT_EQ(run_command("g++ -std=c++17 -o " + path("reader") + " " + path("reader.cpp"), said),
              0)
        << said;
    return {path("reader") + " matrix ", path("reader") + " row "};
}

void expect_reads(const Reader& reader) {
    auto said_of = [](const std::string& command, const std::string& shape,
                      const std::string& last) {
        auto file = npy_file("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + last);
        std::string said;
        int status = run_command(command + file, said);
        return status == 0 ? "" : "status " + std::to_string(status) + ": " + said;
    };
    for (std::string last : {", }", ",}", "}", " , } "}) {
        for (std::string shape : {"(2, 3)", "(2,3)", "(2, 3,)", "( 2 , 3 , )"})
            EXPECT_EQ(said_of(reader.of_matrix, shape, last), "") << shape << last;
        for (std::string shape : {"(6,)", "(6, )", "( 6 , )"})
            EXPECT_EQ(said_of(reader.of_row, shape, last), "") << shape << last;
    }
    for (std::string shape : {"(3, 2)", "(2, 3, 1)", "(2, 33)", "(6,)", "()", "(2,, 3)"})
        EXPECT_NE(said_of(reader.of_matrix, shape, "}").find("status 1: "), std::string::npos)
            << shape;
}

TEST(NpyHeaders, OfAnyWriterAreReadByExportedC) { expect_reads(c_reader()); }

TEST(NpyHeaders, OfAnyWriterAreReadByExportedHalide) { expect_reads(halide_reader()); }

} // namespace
