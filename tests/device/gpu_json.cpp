// The form of a GPU's file: what it says comes back, and what is wrong in it is named by its path.
#include "core/device/generic_gpu.h"
#include "tests/device/example.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loopscope::device {
namespace gpu_json {

using nlohmann::json;
using test::errors_of;
using testing::HasSubstr;
using testing::Not;

// Every key that a GPU's file may have, each with a value that is not the one for a missing key.
Device full_example() {
    Device d = generic_gpu();
    d.name = "example";
    d.memory_bytes = std::int64_t(40) << 30;
    d.vector_bits = 256;
    d.levels = {"lane"};
    d.scopes = {"tile"};
    auto& gpu = *d.gpu;
    gpu.levels.push_back(own_level("lane", Unit::Warp));
    gpu.scopes.push_back({"tile", Unit::Warp});
    gpu.warp_threads = 64;
    gpu.base_clock_hertz = Figure{1e9, "datasheet"};
    gpu.boost_clock_hertz = Figure{1.5e9, "datasheet"};
    gpu.dram_bytes_per_second = Figure{1e12, "datasheet"};
    gpu.l2_bytes = Figure{4e7, "datasheet"};
    gpu.l2_bytes_per_second = Figure{5e12, "datasheet"};
    gpu.shared_bytes_per_clock = Figure{128, "guide"};
    gpu.flops_per_second[ScalarType::F32] = Figure{2e13, "datasheet"};
    gpu.flops_per_second[ScalarType::I32] = Figure{1e13, "datasheet"};
    gpu.tensor_flops_per_second["tf32"] = Figure{1.5e14, "datasheet"};
    gpu.dram_latency_clocks = Figure{466.3, "measured"};
    gpu.l2_latency_clocks = Figure{261.5, "measured"};
    gpu.shared_latency_clocks = Figure{29, "measured"};
    auto& l = gpu.limits;
    l.threads_per_block = 512;
    l.threads_per_multiprocessor = 1024;
    l.warps_per_multiprocessor = 16;
    l.blocks_per_multiprocessor = 24;
    l.barriers_per_block = 8;
    l.barriers_per_multiprocessor = 32;
    l.blocks_per_cluster = 8;
    l.registers_per_multiprocessor = 131072;
    l.registers_per_block = 65536;
    l.registers_per_thread = 127;
    l.register_allocation_unit = 512;
    l.warp_allocation_granularity = 2;
    l.shared_bytes_per_block_static = 32768;
    l.shared_banks = 64;
    l.shared_bank_bytes = 8;
    l.grid_extents = {1000, 200, 30};
    l.block_extents = {512, 256, 16};
    return d;
}

json changed(const std::string& pointer, json to) {
    auto value = to_json(full_example());
    value[json::json_pointer(pointer)] = std::move(to);
    return value;
}

json without(const std::string& object, const std::string& key) {
    auto value = to_json(full_example());
    value.at(json::json_pointer(object)).erase(key);
    return value;
}

TEST(GpuJson, RoundTripKeepsEverything) {
    auto written = to_json(full_example());
    auto read = from_json(written, "d.json");
    ASSERT_TRUE(read) << format(read.errors());
    EXPECT_EQ(to_json(*read), written);
    ASSERT_TRUE(read->gpu);
    const auto& gpu = *read->gpu;
    EXPECT_EQ(gpu.capability(), (ComputeCapability{8, 0}));
    EXPECT_EQ(gpu.warp_threads, 64);
    EXPECT_EQ(gpu.limits.shared_carveouts_bytes, generic_gpu().gpu->limits.shared_carveouts_bytes);
    EXPECT_EQ(gpu.limits.block_extents, (std::array<std::int64_t, 3>{512, 256, 16}));
    EXPECT_EQ(gpu.limits.barriers_per_multiprocessor, 32);
    EXPECT_EQ(gpu.tensor_flops_per_second.at("tf32").value, 1.5e14);
    EXPECT_EQ(gpu.l2_latency_clocks->source, "measured");
    EXPECT_TRUE(gpu.has("ldmatrix"));
    EXPECT_FALSE(gpu.has("clusters"));
    EXPECT_TRUE(gpu.has_intrinsic("mma_m16n8k16_bf16"));
}

TEST(GpuJson, WhatIsLeftOutIsThatOfAllArchitectures) {
    auto value = to_json(generic_gpu());
    for (auto key : {"barriers_per_block", "register_allocation_unit",
                     "warp_allocation_granularity", "shared_bytes_per_block_static", "shared_banks",
                     "shared_bank_bytes", "grid_extents", "block_extents"})
        value["gpu"]["limits"].erase(key);
    value["gpu"].erase("warp_threads");
    value.erase("vector_bits");
    auto read = from_json(value, "d.json");
    ASSERT_TRUE(read) << format(read.errors());
    EXPECT_EQ(to_json(*read), to_json(generic_gpu()));
    for (auto key : {"barriers_per_multiprocessor", "blocks_per_cluster"})
        EXPECT_FALSE(value["gpu"]["limits"].contains(key)) << key;
    for (auto key : {"l2_bytes", "flops_per_second", "base_clock_hertz", "dram_latency_clocks"})
        EXPECT_FALSE(value["gpu"].contains(key)) << "not known: " << key;
}

TEST(GpuJson, MissingKeysAreNamedByTheirPaths) {
    for (std::string key : {"architecture", "source", "multiprocessors", "limits"})
        EXPECT_THAT(errors_of(without("/gpu", key)), HasSubstr("gpu." + key + " is missing"));
    for (std::string key :
         {"source", "threads_per_block", "threads_per_multiprocessor", "warps_per_multiprocessor",
          "blocks_per_multiprocessor", "registers_per_multiprocessor", "registers_per_block",
          "registers_per_thread", "shared_bytes_per_multiprocessor", "shared_bytes_per_block",
          "shared_allocation_unit_bytes", "shared_carveouts_bytes"})
        EXPECT_THAT(errors_of(without("/gpu/limits", key)),
                    HasSubstr("gpu.limits." + key + " is missing"));
    EXPECT_THAT(errors_of(without("", "gpu")), HasSubstr("gpu is missing"));
}

TEST(GpuJson, UnknownKeysAreErrorsWithTheNearest) {
    EXPECT_THAT(errors_of(changed("/gpu/multiprocessor", 4)),
                HasSubstr("gpu.multiprocessor is not a key of a device file; did you mean "
                          "\"multiprocessors\"?"));
    EXPECT_THAT(errors_of(changed("/gpu/limits/shared_bank", 4)),
                HasSubstr("gpu.limits.shared_bank is not a key"));
    EXPECT_THAT(errors_of(changed("/levels/0/units", "warp")),
                HasSubstr("levels[0].units is not a key"));
}

TEST(GpuJson, AProcessorsKeysAndAGpusExcludeEachOther) {
    for (std::string key : {"cores", "threads", "is_host"})
        EXPECT_THAT(errors_of(changed("/" + key, 4)),
                    HasSubstr(key + " is of devices of kind \"cpu\"; what is known of a GPU stands "
                                    "in its \"gpu\""));
    EXPECT_THAT(errors_of(changed("/caches", json::array())), HasSubstr("caches is of devices"));
    auto processor = to_json(test::example());
    processor["gpu"] = to_json(generic_gpu())["gpu"];
    EXPECT_THAT(errors_of(processor), HasSubstr("gpu is of devices of kind \"gpu\""));
}

TEST(GpuJson, ValuesAreThoseOfMachines) {
    auto refused = [&](const std::string& pointer, json bad, const std::string& message) {
        EXPECT_THAT(errors_of(changed(pointer, bad)), HasSubstr(message))
            << pointer << " " << bad.dump();
    };
    for (json bad : {json(0), json(-1), json(2.5), json("many"), json(UINT64_MAX)})
        for (std::string key :
             {"threads_per_block", "blocks_per_multiprocessor", "registers_per_block",
              "shared_bytes_per_block", "shared_allocation_unit_bytes", "barriers_per_block"})
            refused("/gpu/limits/" + key, bad,
                    "gpu.limits." + key + " must be a whole number from ");
    refused("/gpu/limits/register_allocation_unit", 300,
            "register_allocation_unit must be a power of two from 1 to 65536, and is 300");
    refused("/gpu/warp_threads", 48, "gpu.warp_threads must be a power of two");
    refused("/gpu/boost_clock_hertz/value", 1.5,
            "gpu.boost_clock_hertz.value must be a number from 1000000.0 to 100000000000.0");
    refused("/gpu/l2_latency_clocks/value", 0, "gpu.l2_latency_clocks.value must be a number from");
    refused("/gpu/l2_bytes", 4, "gpu.l2_bytes must be an object");
    for (json bad : {json(1), json::array(), json({0, 8, "x"}), json({-1})})
        refused("/gpu/limits/shared_carveouts_bytes", bad,
                "shared_carveouts_bytes must be an array of 1 to 64 whole numbers from 0 to");
    for (json bad : {json({1, 2}), json({1, 2, 3, 4}), json({1, 2, 0})})
        refused("/gpu/limits/grid_extents", bad,
                "gpu.limits.grid_extents must be an array of 3 whole numbers from 1 to");
    refused("/gpu/flops_per_second/f33", 1, "gpu.flops_per_second.f33 is not the name of a type");
    refused("/gpu/tensor_flops_per_second/a.b", 1, "tensor_flops_per_second.a.b is no name");
    refused("/gpu/tensor_flops_per_second/tf32/source", "", "tf32.source must be a text that is");
}

TEST(GpuJson, LimitsMustAgree) {
    auto refused = [&](const std::string& key, json bad, const std::string& message) {
        EXPECT_THAT(errors_of(changed("/gpu/limits/" + key, bad)),
                    HasSubstr("gpu.limits." + message));
    };
    refused("threads_per_block", 2048,
            "threads_per_block is 2048, above threads_per_multiprocessor, 1024");
    refused("warps_per_multiprocessor", 32, "warps_per_multiprocessor is not threads_per_");
    refused("registers_per_block", 262144, "registers_per_block is 262144, above registers_per_mu");
    refused("register_allocation_unit", 65536, "register_allocation_unit is 65536, above");
    refused("barriers_per_block", 64, "barriers_per_block is 64, above barriers_per_multipr");
    refused("shared_bytes_per_block_static", 200000, "shared_bytes_per_block_static is 200000, ab");
    refused("shared_bytes_per_block", 164 << 10,
            "shared_bytes_per_block is 167936, above shared_bytes_per_multiprocessor without what "
            "is reserved of a block, 166912");
    refused("shared_carveouts_bytes", {0, 8192, 8192, 167936}, "shared_carveouts_bytes is not asc");
    refused("shared_carveouts_bytes", {0, 8192}, "shared_carveouts_bytes does not end with");
    EXPECT_THAT(errors_of(changed("/gpu/base_clock_hertz/value", 2e9)),
                HasSubstr("gpu.base_clock_hertz is above boost_clock_hertz"));
}

TEST(GpuJson, ReportsAllErrorsAtOnce) {
    auto value = changed("/gpu/multiprocessors", 0);
    value["gpu"]["limits"].erase("source");
    value["gpu"]["l2_bytes"]["value"] = -1;
    value["levels"][0]["unit"] = "row";
    auto errors = errors_of(value);
    for (auto part : {"gpu.multiprocessors must be", "gpu.limits.source is missing",
                      "gpu.l2_bytes.value must be", "levels[0].unit is \"row\""})
        EXPECT_THAT(errors, HasSubstr(part));
}

TEST(GpuJson, ArchitecturesHaveANumberAndPerhapsALetter) {
    EXPECT_EQ(compute_capability("sm_75"), (ComputeCapability{7, 5}));
    EXPECT_EQ(compute_capability("sm_90a"), (ComputeCapability{9, 0}));
    EXPECT_EQ(compute_capability("sm_120f"), (ComputeCapability{12, 0}));
    EXPECT_LT(*compute_capability("sm_86"), *compute_capability("sm_90"));
    for (std::string bad : {"", "sm_", "sm_8", "sm_08", "80", "sm_80b", "sm_90aa", "sm_1000",
                            "sm_-9", "sm_99999999999", "gfx90a"}) {
        EXPECT_FALSE(compute_capability(bad)) << bad;
        if (!bad.empty()) {
            EXPECT_THAT(errors_of(changed("/gpu/architecture", bad)),
                        HasSubstr("gpu.architecture is \"" + bad + "\"; write sm_80, or sm_90a"));
        }
    }
}

TEST(GpuJson, LevelsAndScopesOfItsOwnSayWhatTheyMean) {
    auto read = from_json(to_json(full_example()), "d.json");
    ASSERT_TRUE(read) << format(read.errors());
    EXPECT_EQ(read->levels, std::vector<std::string>{"lane"}) << "what a script may name";
    EXPECT_EQ(read->scopes, std::vector<std::string>{"tile"});
    EXPECT_EQ(read->gpu->level("lane")->numbers.unit, Unit::Warp);
    EXPECT_EQ(read->gpu->scope("tile")->shared_by, Unit::Warp);
    EXPECT_EQ(read->gpu->level("block.y")->numbers.unit, Unit::Grid);
    EXPECT_EQ(read->gpu->level("cluster.x")->numbers.unit, Unit::Cluster);
    EXPECT_EQ(read->gpu->level("warp")->numbers.unit, Unit::Block);
    EXPECT_EQ(read->gpu->level("vthread")->numbers.unit, Unit::Virtual);
    EXPECT_EQ(read->gpu->scope("shared")->shared_by, Unit::Block);
    EXPECT_EQ(read->gpu->scope("register")->shared_by, Unit::Thread);
    EXPECT_EQ(read->gpu->level("tile"), nullptr);
    EXPECT_EQ(read->gpu->scope("lane"), nullptr);

    EXPECT_THAT(errors_of(changed("/levels/0/name", "warp")),
                HasSubstr("levels[0].name is \"warp\", which is there already"));
    auto twice = to_json(full_example());
    twice["scopes"].push_back(twice["scopes"][0]);
    EXPECT_THAT(errors_of(twice), HasSubstr("scopes[1].name is \"tile\", which is there already"));
    EXPECT_THAT(errors_of(changed("/scopes/0/shared_by", "virtual")),
                HasSubstr("scopes[0].shared_by is \"virtual\"; units are grid, cluster, block, "
                          "warpgroup, warp, thread"));
    EXPECT_THAT(errors_of(changed("/levels", json::array({"lane"}))),
                HasSubstr("levels[0] must be an object"));
}

TEST(GenericGpu, HasTheLimitsOfComputeCapability80AndNoFigures) {
    const auto& device = generic_gpu();
    EXPECT_EQ(errors_of(to_json(device)), "no error");
    EXPECT_EQ(device.kind, "gpu");
    const auto& gpu = *device.gpu;
    EXPECT_EQ(gpu.architecture, "sm_80");
    EXPECT_EQ(gpu.limits.threads_per_block, 1024);
    EXPECT_EQ(gpu.limits.shared_bytes_per_block, 163 << 10);
    EXPECT_TRUE(gpu.flops_per_second.empty());
    EXPECT_FALSE(gpu.dram_bytes_per_second || gpu.boost_clock_hertz || gpu.l2_bytes);
    EXPECT_EQ(gpu.levels.size(), default_levels().size());
}

} // namespace gpu_json
} // namespace loopscope::device
