#include "tests/document/afternoon.h"

namespace loopscope::session::test {

std::string work_in(const Document& d) {
    std::string text = std::to_string(d.current().id);
    for (const auto& r : d.revisions())
        text += "|" + std::to_string(r.parent) + "," + r.name + "," + r.script;
    for (const auto& m : d.measurements())
        text += "|" + m.json;
    return text + "|" + d.state("draft") + "|" + d.source().device;
}

namespace {

Status as_status(const Result<std::int64_t>& result) {
    return result ? success() : Status(result.errors());
}

} // namespace

std::vector<Step> afternoon() {
    std::vector<Step> all;
    const auto revision = [&](std::size_t size) {
        all.push_back([size, n = all.size()](Document& d) {
            return as_status(d.add_revision(std::string(size, static_cast<char>('a' + n % 26)),
                                            "edit " + std::to_string(n), "s/x"));
        });
    };
    revision(10);
    revision(9000); // several pages
    all.push_back([](Document& d) { return d.amend_revision(d.current().id, "amended"); });
    all.push_back([](Document& d) { return d.go_to(2); });
    revision(100);
    all.push_back([](Document& d) { return d.rename(2, "first try"); });
    all.push_back([](Document& d) {
        Measurement m;
        m.key = "k";
        m.revision = 2;
        m.json = "{\"median_s\": 1}";
        return as_status(d.add_measurement(m));
    });
    all.push_back([](Document& d) { return d.set_state("draft", "half a li"); });
    all.push_back([](Document& d) { return d.set_device("a100"); });
    for (int n = 0; n < 6; ++n)
        revision(3000);
    return all;
}

} // namespace loopscope::session::test
