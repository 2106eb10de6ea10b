#include "app/cli/cli.h"

#include "app/cli/parse.h"

#include <cerrno>
#include <cstring>

namespace loopscope::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> all{
        {"show", run_show},     {"tree", run_tree},         {"check", run_check},
        {"run", run_run},       {"estimate", run_estimate}, {"measure", run_measure},
        {"emit", run_emit},     {"devices", run_devices},   {"lint", run_lint},
        {"format", run_format}, {"expand", run_expand},     {"bundle", run_bundle},
    };
    return all;
}

namespace {

// What a script reads from standard output must be whole, or the status must say that it is not.
int written(int status, const Console& console) {
    // Printing is the last that a verb does: where it failed already, errno is still that
    // failure's.
    if (console.out)
        errno = 0;
    if (console.out.flush())
        return status;
    console.err << "error: cannot write standard output: "
                << (errno ? std::strerror(errno) : "a part of it is lost") << "\n";
    return kLimitReached;
}

int dispatch(int argc, const char* const* argv, const Console& console) {
    auto parsed = parse(argc, argv, console);
    if (auto status = std::get_if<int>(&parsed))
        return *status;
    const auto& invocation = std::get<Invocation>(parsed);
    return invocation.command->run(invocation.options, console);
}

} // namespace

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err, bool progress) {
    Console console{out, err, progress};
    return written(dispatch(argc, argv, console), console);
}

} // namespace loopscope::cli
