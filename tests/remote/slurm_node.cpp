#include "tests/remote/slurm_node.h"

#include "compiler/protocol/paths.h"
#include "tests/remote/ports.h"
#include "tests/support/support.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/stat.h>
#include <unistd.h>

namespace loopscope::test {

namespace fs = std::filesystem;

namespace {

// Without accounting, cgroups or MPI, and with no pause between looks at the queue.
const char* const kSettings = R"(ClusterName=test
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
GresTypes=gpu
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,bf_interval=1
)";

std::string host_name() {
    char name[256] = {};
    ::gethostname(name, sizeof name - 1);
    const std::string whole = name;
    return whole.substr(0, whole.find('.'));
}

bool runs(const std::string& command) {
    return std::system(("(" + command + ") >/dev/null 2>&1").c_str()) == 0;
}

} // namespace

SlurmNode::SlurmNode() {
    std::string pattern = "/tmp/lsXXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    for (const auto* program : {"munged", "slurmctld", "slurmd", "sbatch"})
        if (measure::find_program(program).empty() &&
            !measure::is_program(std::string("/usr/sbin/") + program)) {
            missing_ = "there is no Slurm here (package slurm-wlm)";
            return;
        }
    if (::getuid() != 0)
        missing_ = "only root can start a Slurm";
    else if (!start())
        missing_ = "Slurm does not start: " + read_file(folder_ + "/ctld.log");
}

bool SlurmNode::start() {
    const auto at = [this](const char* name) { return folder_ + "/" + name; };
    ::chmod(folder_.c_str(), 0755);
    for (const auto* name : {"state", "spool", "munge"})
        fs::create_directory(at(name));
    ::chmod(at("munge").c_str(), 0755);
    std::ofstream(at("ctld.log"));
    std::ofstream(at("slurm.conf"))
        << kSettings << "SlurmctldHost=" << host_name()
        << "(127.0.0.1)\nAuthInfo=socket=" << at("munge/socket")
        << "\nStateSaveLocation=" << at("state") << "\nSlurmdSpoolDir=" << at("spool")
        << "\nSlurmctldPidFile=" << at("ctld.pid") << "\nSlurmdPidFile=" << at("slurmd.pid")
        << "\nSlurmctldLogFile=" << at("ctld.log") << "\nSlurmdLogFile=" << at("slurmd.log")
        << "\nSlurmctldPort=" << free_port() << "\nSlurmdPort=" << free_port()
        << "\nNodeName=" << host_name()
        << " NodeAddr=127.0.0.1 CPUs=" << std::thread::hardware_concurrency()
        << " RealMemory=1000 Gres=gpu:2 State=UNKNOWN\nPartitionName=gpu Nodes=" << host_name()
        << " Default=YES MaxTime=INFINITE State=UP\n";
    std::ofstream(at("gres.conf")) << "Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n";
    const auto munge = at("munge");
    if (!runs("dd if=/dev/urandom of=" + munge + "/key bs=1024 count=1 && chmod 400 " + munge +
              "/key && munged --force --key-file=" + munge + "/key --socket=" + munge +
              "/socket --pid-file=" + at("munge.pid") + " --log-file=" + munge +
              "/log --seed-file=" + munge + "/seed") ||
        !runs("slurmctld -f " + at("slurm.conf")) || !runs("slurmd -f " + at("slurm.conf")))
        return false;
    for (int i = 0; i < 100; ++i) {
        if (ask("sinfo -h -o %T").find("idle") != std::string::npos)
            return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
    return false;
}

SlurmNode::~SlurmNode() {
    ask("scancel -u root");
    for (const auto* pid : {"slurmd.pid", "ctld.pid", "munge.pid"})
        runs("kill $(cat " + folder_ + "/" + pid + ")");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::string SlurmNode::variables(const Settings& settings) const {
    return driver_variables(settings) + " SLURM_CONF='" + folder_ + "/slurm.conf'";
}

Outcome SlurmNode::cli(const std::vector<std::string>& arguments, const Settings& settings) const {
    return run_cli(arguments, "", variables(settings));
}

std::string SlurmNode::ask(const std::string& command) const {
    const auto file = scratch_folder() + "/said";
    static_cast<void>(std::system(
        ("SLURM_CONF='" + folder_ + "/slurm.conf' " + command + " >" + file + " 2>&1").c_str()));
    return read_file(file);
}

std::vector<std::string> SlurmNode::run_folders() const {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(cli_cache() + "/loopscope", ignored))
        if (entry.path().filename().string().starts_with("run-"))
            names.push_back(entry.path().string());
    return names;
}

int SlurmNode::jobs() const {
    const auto list = ask("squeue -h -r");
    return static_cast<int>(std::count(list.begin(), list.end(), '\n'));
}

} // namespace loopscope::test
