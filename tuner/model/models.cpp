#include "tuner/model/models.h"

#include <nlohmann/json.hpp>

namespace loopscope::model {

const std::vector<Model>& models() {
    static const std::vector<Model> all = {bottleneck_model(),
                                           roofline_model()}; // the first is the default
    return all;
}

const Model* find_model(const std::string& name) {
    for (const auto& model : models())
        if (name == model.name)
            return &model;
    return nullptr;
}

nlohmann::json to_json(const Estimate& e) {
    nlohmann::json out;
    out["model"] = e.model;
    out["device"] = e.device;
    out["described"] = e.described;
    out["threads"] = e.threads;
    out["seconds"] = e.seconds ? nlohmann::json(*e.seconds) : nlohmann::json(nullptr);
    if (!e.reason.empty())
        out["reason"] = e.reason;
    out["bound"] = e.bound;
    out["flops"] = e.flops;
    out["useful_flops"] = e.useful_flops;
    out["recompute_factor"] = e.recompute_factor;
    out["stores"] = e.stores;
    out["compulsory_bytes"] = e.compulsory_bytes;
    out["kernels"] = nlohmann::json::array();
    for (const auto& k : e.kernels) {
        auto traffic = nlohmann::json::array();
        for (const auto& t : k.traffic)
            traffic.push_back({{"level", t.level},
                               {"bytes", t.bytes},
                               {"seconds", t.seconds},
                               {"intensity", t.intensity}});
        nlohmann::json kernel = {{"name", k.name},     {"node", k.node.text()},
                                 {"flops", k.flops},   {"bound", k.bound},
                                 {"traffic", traffic}, {"parallelism", k.parallelism}};
        kernel["seconds"] = e.seconds ? nlohmann::json(k.seconds) : nlohmann::json(nullptr);
        kernel["compute_seconds"] =
            e.seconds ? nlohmann::json(k.compute_seconds) : nlohmann::json(nullptr);
        out["kernels"].push_back(std::move(kernel));
    }
    out["terms"] = nlohmann::json::array();
    for (const auto& t : e.terms)
        out["terms"].push_back({{"name", t.name},
                                {"value", t.value},
                                {"unit", t.unit},
                                {"formula", t.formula},
                                {"source", t.source}});
    out["stage_recompute"] = e.stage_recompute;
    out["nodes"] = nlohmann::json::array();
    for (const auto& [id, n] : e.nodes) {
        nlohmann::json node = {{"id", id.text()},
                               {"flops", n.flops},
                               {"stores", n.stores},
                               {"trips", n.trips},
                               {"footprint_bytes", n.footprint_bytes}};
        if (e.seconds) {
            node["seconds_own"] = n.seconds_own;
            node["seconds_subtree"] = n.seconds_subtree;
        }
        out["nodes"].push_back(std::move(node));
    }
    out["advice"] = e.advice;
    return out;
}

} // namespace loopscope::model
