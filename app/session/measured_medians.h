#pragma once
// What was measured on the session's device, found by what a script says: one of a file, or one
// that is shipped, has the time of the revision with the same directives.

#include <map>
#include <optional>
#include <set>
#include <string>

namespace loopscope::session {

class Session;

class MeasuredMedians {
public:
    MeasuredMedians() = default; // nothing was measured
    // What the session's document has of its pipeline as it is now. Of a device that is not here it
    // has nothing: a measurement would look like a confirmation of the estimate.
    explicit MeasuredMedians(const Session& session);

    // The newest median of a schedule, in seconds. Comments do not count, nor does the `target`
    // line: a measurement is of the device that it was made on.
    std::optional<double> of(const std::string& script) const;

private:
    struct Newest {
        std::int64_t measurement = 0;
        double seconds = 0;
    };

    std::string pipeline_, machine_;
    std::set<std::string> targets_;        // of the scripts that were measured
    std::map<std::string, Newest> by_key_; // by measurement_key
};

} // namespace loopscope::session
