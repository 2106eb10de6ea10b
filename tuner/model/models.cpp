#include "tuner/model/models.h"

#include <nlohmann/json.hpp>

namespace loopscope::model {

const std::vector<Model>& models() {
    static const std::vector<Model> all = {
#define MODEL(name) name##_model(),
#include "tuner/model/models.def"
#undef MODEL
    };
    return all;
}

const Model* find_model(const std::string& name) {
    for (const auto& model : models())
        if (name == model.name)
            return &model;
    return nullptr;
}

std::vector<const Model*> models_for(const device::Device& device) {
    const std::string kind = device.gpu ? "gpu" : "cpu";
    std::vector<const Model*> out;
    for (const auto& model : models())
        if (model.kind == kind)
            out.push_back(&model);
    return out;
}

const Model* find_model(const std::string& name, const device::Device& device) {
    for (const auto* model : models_for(device))
        if (name == model->name)
            return model;
    return nullptr;
}

namespace {

nlohmann::json json_of(const std::vector<Term>& terms) {
    auto out = nlohmann::json::array();
    for (const auto& t : terms)
        out.push_back({{"name", t.name},
                       {"value", t.value},
                       {"unit", t.unit},
                       {"formula", t.formula},
                       {"source", t.source}});
    return out;
}

// {"grid", "launched" (fewer blocks where loops are persistent), "block", "cluster", "blocks",
// "threads", "producers" (of them: only load), "shared_bytes", "registers", "registers_measured",
// "registers_spilled", "registers_from", "blocks_per_multiprocessor" (null: not runnable),
// "occupancy", "limited_by", "waves", "last_wave", "imbalance", "refusals"}
nlohmann::json json_of(const gpu::KernelShape& s) {
    nlohmann::json out = {{"grid", s.grid},
                          {"launched", s.launched},
                          {"block", s.block},
                          {"cluster", s.cluster},
                          {"blocks", s.blocks},
                          {"threads", s.threads},
                          {"producers", s.producers},
                          {"shared_bytes", s.shared_bytes},
                          {"registers", s.registers},
                          {"registers_measured", s.registers_measured},
                          {"registers_spilled", s.registers_spilled},
                          {"registers_from", s.registers_from},
                          {"blocks_per_multiprocessor", nullptr},
                          {"refusals", s.refusals}};
    if (!s.occupancy)
        return out;
    out["blocks_per_multiprocessor"] = s.occupancy->blocks;
    out["occupancy"] = s.occupancy->share();
    out["limited_by"] = nlohmann::json::array();
    for (const auto& limit : s.occupancy->limits)
        if (limit.reached)
            out["limited_by"].push_back(limit.name);
    out["waves"] = s.waves;
    out["last_wave"] = s.last_wave;
    out["imbalance"] = s.imbalance;
    return out;
}

} // namespace

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
        nlohmann::json kernel = {{"name", k.name},
                                 {"node", k.node.text()},
                                 {"flops", k.flops},
                                 {"integer_operations", k.integer_operations},
                                 {"bound", k.bound},
                                 {"traffic", traffic},
                                 {"parallelism", k.parallelism}};
        kernel["seconds"] = e.seconds ? nlohmann::json(k.seconds) : nlohmann::json(nullptr);
        kernel["compute_seconds"] =
            e.seconds ? nlohmann::json(k.compute_seconds) : nlohmann::json(nullptr);
        if (k.gpu) {
            kernel["gpu"] = json_of(*k.gpu);
            kernel["terms"] = json_of(k.terms);
        }
        out["kernels"].push_back(std::move(kernel));
    }
    out["terms"] = json_of(e.terms);
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
