#pragma once
// What a verb of a worker may use while it works: progress, Cancel, and errors with their codes.

#include "compiler/protocol/worker_client.h"
#include "core/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace loopscope::worker {

class Context {
public:
    Context(std::function<void(const measure::Progress&)> report, const std::atomic<bool>& cancel)
        : report_(std::move(report)), cancel_(&cancel) {}

    void progress(const std::string& stage, const std::string& text, double fraction = -1) const {
        report_({stage, text, fraction});
    }
    // Asked between steps; a verb that sees it returns cancelled_error().
    bool cancelled() const { return *cancel_; }
    const std::atomic<bool>* cancel_flag() const { return cancel_; }

private:
    std::function<void(const measure::Progress&)> report_;
    const std::atomic<bool>* cancel_;
};

inline Diagnostic cancelled_error() { return coded_error(measure::kCodeCancelled, "cancelled"); }

// A verb takes a request's arguments and gives its result.
struct Verb {
    const char* name;
    Result<nlohmann::json> (*serve)(const nlohmann::json& arguments, const Context& context);
};

} // namespace loopscope::worker
