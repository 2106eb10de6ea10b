#include "tests/schedule/scheduling.h"

#include <nlohmann/json.hpp>

namespace loopscope::test {
namespace test_pad_storage {

nlohmann::json storage(const Applied& applied, const std::string& id) {
    EXPECT_EQ(refusal(applied), "applied");
    auto tree = build_tree(applied.state);
    EXPECT_TRUE(tree.ok());
    std::function<nlohmann::json(const nlohmann::json&)> find = [&](const nlohmann::json& nodes) {
        for (const auto& node : nodes) {
            if (node["id"] == id)
                return node;
            if (auto below = find(node["children"]); !below.is_null())
                return below;
        }
        return nlohmann::json();
    };
    return find(to_json(**tree)["nodes"]);
}

TEST(PadStorage, AddsElementsAlongAnIndex) {
    auto plain = storage(scheduled(chain(), ""), "a/@storage");
    auto height = plain["region"][0]["extent"].get<std::int64_t>(),
         width = plain["region"][1]["extent"].get<std::int64_t>();
    EXPECT_EQ(plain["bytes"], height * width * 4);
    auto padded = storage(scheduled(chain(), "a.pad_storage(x, 8)\n"), "a/@storage");
    EXPECT_EQ(padded["region"], plain["region"]);
    EXPECT_EQ(padded["bytes"], height * (width + 8) * 4);
    EXPECT_EQ(padded["layout"], "y, x + 8");
    EXPECT_EQ(padded["storage_extents"], (nlohmann::json{height, width + 8}));
    auto both = storage(scheduled(chain(), "a.pad_storage(x, 8)\na.reorder_storage(x, y)\n"
                                           "a.pad_storage(y, 1)\n"),
                        "a/@storage");
    EXPECT_EQ(both["layout"], "x + 8, y + 1");
    EXPECT_EQ(both["storage_order"], (nlohmann::json{1, 0}));
    EXPECT_EQ(both["bytes"], (height + 1) * (width + 8) * 4);
}

TEST(PadStorage, TheLastLineForAnIndexHolds) {
    auto applied = scheduled(chain(), "a.pad_storage(x, 8)\na.pad_storage(x, 3)\n");
    EXPECT_EQ(applied.state.find("a")->storage_padding, (std::vector<std::int64_t>{0, 3}));
    applied = scheduled(chain(), "a.pad_storage(x, 8)\na.pad_storage(x, 0)\n");
    EXPECT_TRUE(applied.state.find("a")->storage_padding.empty());
}

TEST(PadStorage, Refusals) {
    EXPECT_EQ(
        refusal(matmul(), "A.pad_storage(k, 1)\n"),
        "1:1 A is an input: it lies in memory as the caller has it; a copy may lie otherwise: "
        "B = S.cache_read(A, local)");
    EXPECT_EQ(
        refusal(chain(), "out.pad_storage(x, 8)\n"),
        "1:1 out is an output: it lies in memory as the caller has it; lay out a stage that it "
        "reads, or a copy of one by cache_read");
    EXPECT_EQ(refusal(chain(), "a.pad_storage(z, 8)\n"),
              "1:15 a has no index z; its indices are y, x");
    EXPECT_EQ(refusal(chain(), "a.pad_storage(x, -1)\n"),
              "1:18 '-1' is no whole number from 0; write S.pad_storage(dimension, elements)");
    EXPECT_EQ(refusal(chain(), "a.pad_storage(x, native)\n"),
              "1:18 'native' is no whole number from 0; write S.pad_storage(dimension, elements)");
    EXPECT_EQ(refusal(chain(), "a.pad_storage(x, 99999999999)\n"),
              "1:18 a padding of 99999999999 is out of range; from 0 to 1048576 elements");
    EXPECT_EQ(refusal(chain(), "a.pad_storage(x)\n"),
              "1:16 pad_storage needs a number here; write S.pad_storage(dimension, elements)");
}

// A cube of 2^60 elements that padding makes larger than 2^62 bytes.
TEST(PadStorage, TheSizeIsLimited) {
    auto p = std::make_shared<Pipeline>(*chain());
    for (auto& stage : p->stages)
        if (stage.name == "a")
            stage.types = {ScalarType::F32};
    p->outputs[0].extents = {Extent(std::int64_t{1} << 30), Extent((std::int64_t{1} << 30) - 16)};
    p->seal();
    auto applied = scheduled(p, "a.pad_storage(x, 1048576)\n");
    EXPECT_EQ(refusal(applied),
              "1:1 the storage of a would have more than 2^62 bytes; pad it by less");
}

TEST(PadStorage, RoundTrip) {
    expect_round_trip("a.pad_storage(x, 8)");
    expect_round_trip("a.pad_storage(x, 0)");
}

} // namespace test_pad_storage
} // namespace loopscope::test
