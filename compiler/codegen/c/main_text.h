#pragma once
// A main for an exported program: .npy files in, .npy files out. Its parts are text that both C and
// C++ take: mains of programs for devices are made of them too.

#include "compiler/lower/program.h"

#include <string>

namespace loopscope::codegen {

// C text: a strict reader and a writer of .npy, a table of the arguments, main. `function`: what it
// calls. Types and shapes must be exactly the program's; bf16 is u2 there, as compiler/run/numpy.h
// has it.
std::string main_text(const lower::Program& program, const std::string& function);

// struct npy_argument, the reader and the writer.
std::string arrays_text();
// A table of arrays, without data.
std::string array_table(const std::vector<lower::Argument>& arrays, const std::string& name);
// Functions of the table "npy_arguments": names of files from the command line, and memory.
std::string files_text();
// The call of a function with the data of a table, in which its arrays begin at the number `first`.
std::string call_text(const lower::Program& program, const std::string& function,
                      const std::string& table, std::size_t first = 0);

} // namespace loopscope::codegen
