#include "app/cli/cli.h"

#include "app/cli/parse.h"

namespace loopscope::cli {

const std::vector<Command>& commands() {
    static const std::vector<Command> all{
        {"show", run_show},     {"tree", run_tree},         {"check", run_check},
        {"run", run_run},       {"estimate", run_estimate}, {"measure", run_measure},
        {"emit", run_emit},     {"devices", run_devices},   {"lint", run_lint},
        {"format", run_format},
    };
    return all;
}

int run(int argc, const char* const* argv, std::ostream& out, std::ostream& err, bool progress) {
    Console console{out, err, progress};
    auto parsed = parse(argc, argv, console);
    if (auto status = std::get_if<int>(&parsed))
        return *status;
    const auto& invocation = std::get<Invocation>(parsed);
    return invocation.command->run(invocation.options, console);
}

} // namespace loopscope::cli
