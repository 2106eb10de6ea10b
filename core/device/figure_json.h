#pragma once
// Figures as JSON; those that are unknown have no key.

#include "core/device/figure.h"
#include "core/ir/type.h"

#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <string>

namespace loopscope::device {

inline nlohmann::json figure_json(const Figure& figure) {
    return {{"value", figure.value}, {"source", figure.source}};
}

inline void put(nlohmann::json& object, const char* key, const std::optional<Figure>& figure) {
    if (figure)
        object[key] = figure_json(*figure);
}

inline void put(nlohmann::json& object, const char* key,
                const std::map<ScalarType, Figure>& figures) {
    for (const auto& [type, figure] : figures)
        object[key][name(type)] = figure_json(figure);
}

inline void put(nlohmann::json& object, const char* key,
                const std::map<std::string, Figure>& figures) {
    for (const auto& [name, figure] : figures)
        object[key][name] = figure_json(figure);
}

} // namespace loopscope::device
