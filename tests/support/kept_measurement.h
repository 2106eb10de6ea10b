#pragma once
// A measurement in a session's document, as if its schedule had been measured on its device.

#include "app/session/session.h"
#include "app/session/worker_tasks.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {

inline void keep_measurement(session::Session& session, double seconds) {
    session::Measurement m;
    m.revision = session.document()->current().id;
    m.device = session.tasks().machine();
    m.key = session.measurement_key_on(m.device);
    m.json = nlohmann::json{{"median_s", seconds}, {"min_s", seconds}, {"ci95_s", nullptr},
                            {"gflops", nullptr},   {"samples", 3},     {"gbytes_per_s", nullptr},
                            {"threads", 1},        {"device", "here"}}
                 .dump();
    session.add_measurement(m);
}

} // namespace loopscope::test
