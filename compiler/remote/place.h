#pragma once
// Where a GPU is that is not attached to this machine, as people write it: the values of --on, and
// the targets of devices.

#include "core/base/result.h"

#include <string>

namespace loopscope::remote {

struct Place {
    enum class Kind { Ssh, Slurm } kind = Kind::Ssh;
    // As ssh takes it: an alias of its configuration, or USER@HOST. Empty: this machine, which of
    // the two only Slurm can mean.
    std::string host;
    std::string partition; // of Slurm
    int gpu = 0;           // of ssh: which one there, as its driver counts

    std::string text() const;    // as it is written: "ssh:gpu1/1", "slurm:gpu,ssh:login"
    std::string machine() const; // without the GPU's number
};

bool is_place(const std::string& text); // begins as one

// Of "ssh:HOST", "ssh:HOST/N" with the number of one GPU of several there, "slurm:PARTITION" or
// "slurm:PARTITION,ssh:LOGIN". Errors: another text; a name that ssh or Slurm could take for an
// option or a shell for a command.
Result<Place> read_place(const std::string& text);

} // namespace loopscope::remote
