// Device files: what they say comes back, and what is wrong in them is named with its place.
#include "compiler/measure/host_device.h"
#include "core/device/json_reader.h"
#include "tests/device/example.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace loopscope::device {
namespace {

using measure::load_device_file;
using nlohmann::json;
using test::errors_of;
using test::example;
using testing::HasSubstr;

std::string write(const std::string& text) {
    auto path = test::scratch_folder() + "/device.json";
    std::ofstream(path) << text;
    return path;
}

TEST(DeviceJson, RoundTripKeepsEverything) {
    auto written = to_json(example());
    auto read = from_json(written, "d.json");
    ASSERT_TRUE(read) << format(read.errors());
    EXPECT_EQ(to_json(*read), written);
    EXPECT_EQ(read->file, "d.json");
    EXPECT_EQ(read->levels, (std::vector<std::string>{"lane"}));
    EXPECT_EQ(read->scopes, (std::vector<std::string>{"scratchpad"}));
    EXPECT_EQ(read->caches[1].shared_by_cores, 2);
    EXPECT_EQ(read->caches[0].bytes_per_second->source, "measured 2026-11-20");
    EXPECT_FALSE(read->caches[1].bytes_per_second.has_value());
    EXPECT_EQ(read->flops_per_second.count(ScalarType::F64), 0u);
}

TEST(DeviceJson, UnknownFiguresHaveNoKey) {
    Device d;
    d.name = "bare";
    auto written = to_json(d);
    EXPECT_FALSE(written.contains("memory_bytes_per_second"));
    EXPECT_FALSE(written.contains("flops_per_second"));
    EXPECT_FALSE(written.contains("memory_bytes"));
}

TEST(DeviceJson, NamesUnknownKeysAndSuggests) {
    auto value = to_json(example());
    value["caches"][1]["shared_by_core"] = 2;
    EXPECT_THAT(errors_of(value),
                HasSubstr("caches[1].shared_by_core is not a key of a device file"));
    EXPECT_THAT(errors_of(value), HasSubstr("did you mean \"shared_by_cores\"?"));
}

TEST(DeviceJson, ReportsAllErrorsAtOnce) {
    auto value = to_json(example());
    value.erase("name");
    value["cores"] = 0;
    value["memory_bytes_per_second"]["value"] = -1;
    value["flops_per_second"]["f33"] = 1;
    auto errors = errors_of(value);
    EXPECT_THAT(errors, HasSubstr("name is missing"));
    EXPECT_THAT(errors, HasSubstr("cores must be a whole number from 1 to 65536, and is 0"));
    EXPECT_THAT(
        errors,
        HasSubstr(
            "memory_bytes_per_second.value must be a number from 1000.0 to 1e+18, and is -1"));
    EXPECT_THAT(errors, HasSubstr("flops_per_second.f33 is not the name of a type"));
}

TEST(DeviceJson, AFigureNeedsASource) {
    auto value = to_json(example());
    value["parallel_overhead_seconds"].erase("source");
    EXPECT_THAT(errors_of(value), HasSubstr("parallel_overhead_seconds.source is missing"));
    value["parallel_overhead_seconds"]["source"] = "";
    EXPECT_THAT(errors_of(value),
                HasSubstr("parallel_overhead_seconds.source must be a text that is not empty"));
}

TEST(DeviceJson, RefusesNumbersThatAreNot) {
    for (json bad : {json(2.5), json("4"), json(nullptr), json(-1), json(1e300),
                     json(std::uint64_t(1) << 63)}) {
        auto value = to_json(example());
        value["cores"] = bad;
        EXPECT_THAT(errors_of(value), HasSubstr("cores must be a whole number")) << bad.dump();
    }
}

TEST(DeviceJson, ChecksWhatNoSingleKeyShows) {
    auto value = to_json(example());
    value["threads"] = 2;
    EXPECT_THAT(errors_of(value), HasSubstr("threads is below the number of cores, 4"));
    value = to_json(example());
    std::swap(value["caches"][0], value["caches"][1]);
    EXPECT_THAT(errors_of(value), HasSubstr("is smaller than the level before it"));
}

TEST(DeviceJson, RefusesAnotherFormatOrKind) {
    auto value = to_json(example());
    value["format"] = "loopscope-device/2";
    EXPECT_THAT(errors_of(value), HasSubstr("this version reads \"loopscope-device/1\""));
    value = to_json(example());
    value["kind"] = "fpga";
    EXPECT_THAT(errors_of(value), HasSubstr("kind is \"fpga\"; this version describes devices of "
                                            "the kinds \"cpu\" and \"gpu\""));
    EXPECT_THAT(errors_of(json::array()), HasSubstr("the file must be an object"));
}

TEST(DeviceFile, PlacesErrorsInTheText) {
    auto value = to_json(example());
    value["caches"][1]["bytes"] = "many";
    auto path = write(value.dump(2));
    auto device = load_device_file(path);
    ASSERT_FALSE(device);
    const auto& d = device.errors().front();
    ASSERT_TRUE(d.range.file);
    EXPECT_EQ(d.range.file->text().substr(d.range.begin, d.range.end - d.range.begin), "\"many\"");
    EXPECT_EQ(d.range.file->name(), path);
}

TEST(DeviceFile, PlacesAMissingKeyAtItsObject) {
    auto value = to_json(example());
    value["caches"][0].erase("bytes");
    auto device = load_device_file(write(value.dump(2)));
    ASSERT_FALSE(device);
    const auto& d = device.errors().front();
    EXPECT_THAT(d.message, HasSubstr("caches[0].bytes is missing"));
    auto text = d.range.file->text().substr(d.range.begin, d.range.end - d.range.begin);
    EXPECT_THAT(text, HasSubstr("\"L1\""));
    EXPECT_THAT(text, Not(HasSubstr("\"L2\"")));
}

TEST(DeviceFile, SaysWhatIsNoJsonAndWhatIsNotThere) {
    auto broken = load_device_file(write("{\"name\": }"));
    ASSERT_FALSE(broken);
    EXPECT_THAT(format(broken.errors()), HasSubstr(":1:10: error: not a JSON text"));
    auto empty = load_device_file(write(""));
    ASSERT_FALSE(empty);
    EXPECT_THAT(format(empty.errors()), HasSubstr("not a JSON text"));
    auto missing = load_device_file("/nowhere/device.json");
    ASSERT_FALSE(missing);
    EXPECT_THAT(format(missing.errors()),
                HasSubstr("cannot open '/nowhere/device.json': No such file"));
    auto folder = load_device_file(test::scratch_folder());
    ASSERT_FALSE(folder);
    EXPECT_THAT(format(folder.errors()), HasSubstr("is a folder; name a file"));
}

// nlohmann's parser has an exception of its own for these, and no place in it.
TEST(DeviceFile, PlacesANumberThatIsTooLarge) {
    for (std::string number : {"1e999", "-1e999", "123456789e400"}) {
        auto device = load_device_file(write("{\"cores\": 4,\n \"x\": " + number + "}"));
        ASSERT_FALSE(device);
        const auto& d = device.errors().front();
        EXPECT_EQ(d.message, "the number " + number + " is too large");
        EXPECT_EQ(d.range.file->text().substr(d.range.begin, d.range.end - d.range.begin), number);
    }
}

TEST(DeviceFile, LocateFindsValuesBehindTrickyText) {
    std::string text = R"({"a": "x\"},{", "b": [ {"c": [1, 2]}, {"c" : 3.5e1} ], "d":true})";
    auto piece = [&](std::vector<std::string> path) {
        auto [begin, end] = locate(text, path);
        auto found = text.substr(begin, end - begin);
        return found.substr(0, found.find_last_not_of(' ') + 1);
    };
    EXPECT_EQ(piece({"a"}), R"("x\"},{")");
    EXPECT_EQ(piece({"b", "0", "c", "1"}), "2");
    EXPECT_EQ(piece({"b", "1", "c"}), "3.5e1");
    EXPECT_EQ(piece({"d"}), "true");
    EXPECT_EQ(piece({"b", "7"}), R"([ {"c": [1, 2]}, {"c" : 3.5e1} ])");
}

} // namespace
} // namespace loopscope::device
