#include "tests/prelude/documented.h"

#include "tests/support/support.h"

#include <sstream>
#include <stdexcept>

namespace loopscope::prelude_test {

std::string functions_page() {
    return test::read_file(test::source_path("resources/help/functions.md"));
}

std::vector<Row> documented() {
    std::vector<Row> rows;
    std::istringstream page(functions_page());
    for (std::string line; std::getline(page, line);) {
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, '|');) {
            auto begin = cell.find_first_not_of(" `"), end = cell.find_last_not_of(" `");
            cells.push_back(begin == std::string::npos ? "" : cell.substr(begin, end - begin + 1));
        }
        ScalarType type;
        if (cells.size() < 7 || !parse_scalar_type(cells[2], type))
            continue;
        rows.push_back({cells[1], type, std::stod(cells[3]), std::stoull(cells[4]),
                        std::stod(cells[5]), std::stoull(cells[6])});
    }
    return rows;
}

double documented_error(const std::string& function, ScalarType type) {
    static const auto rows = documented();
    for (const auto& r : rows)
        if (r.function == function && r.type == type)
            return r.error;
    throw std::logic_error("resources/help/functions.md has no row for " + function);
}

} // namespace loopscope::prelude_test
