#pragma once
// Loop programs of one launch as text, as they are printed, behind an empty line. `arrays` are the
// lines that declare what the launch takes: "input A: f32[64]\noutput B: f32[64]".

#include <sstream>
#include <string>

namespace loopscope::test {

inline std::string program_on(const std::string& place, const std::string& arrays,
                              const std::string& body) {
    std::string names;
    std::istringstream in(arrays);
    for (std::string line; std::getline(in, line);) {
        const auto from = line.find(' ') + 1;
        names += (names.empty() ? "" : ", ") + line.substr(from, line.find(':') - from);
    }
    return "\nprogram p\n" + arrays + "\nlaunch p on " + place + " (" + names + ") {\n" + body +
           "}\n";
}

inline std::string on_host(const std::string& arrays, const std::string& body) {
    return program_on("host", arrays, body);
}

inline std::string on_device(const std::string& arrays, const std::string& body) {
    return program_on("device", arrays, body);
}

} // namespace loopscope::test
