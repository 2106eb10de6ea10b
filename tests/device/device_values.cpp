// What a device file may say: values that a machine can have, and texts that a terminal can show.
#include "compiler/measure/host_device.h"
#include "tests/device/example.h"
#include "tests/support/support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace loopscope::device {
namespace device_values {

using nlohmann::json;
using test::errors_of;
using test::example;
using testing::HasSubstr;

// A person's file: with errors that only such a one has.
Result<Device> read_file(const json& value) {
    auto path = test::scratch_folder() + "/device.json";
    std::ofstream(path) << value.dump(2);
    return measure::load_device_file(path);
}

std::string errors_of_file(const json& value) {
    auto device = read_file(value);
    return device ? "no error" : format(device.errors());
}

// `to` is moved: a copy of what is nested deeply takes more stack than a program with a sanitizer
// has.
json changed(const char* pointer, json to) {
    auto value = to_json(example());
    value[json::json_pointer(pointer)] = std::move(to);
    return value;
}

TEST(DeviceValues, VectorsAreAPowerOfTwoOfBits) {
    for (int bits : {64, 128, 256, 512, 1024, 2048})
        EXPECT_EQ(errors_of(changed("/vector_bits", bits)), "no error") << bits;
    // Beyond 32 bits nothing may be cut off: 2^32 + 256 is not 256.
    for (json bad :
         {json(0), json(32), json(96), json(384), json(4096), json(std::int64_t(1) << 31),
          json((std::int64_t(1) << 32) + 256), json(UINT64_MAX), json(-256)})
        EXPECT_THAT(
            errors_of(changed("/vector_bits", bad)),
            HasSubstr("vector_bits must be a power of two from 64 to 2048, and is " + bad.dump()));
}

TEST(DeviceValues, CountsAndSizesAreThoseOfMachines) {
    const std::int64_t beyond = std::int64_t(1) << 62;
    for (json bad : {json(0), json(-1), json(beyond)}) {
        auto refused = [&](const char* pointer, const std::string& rule) {
            EXPECT_THAT(errors_of(changed(pointer, bad)),
                        HasSubstr(rule + ", and is " + bad.dump()))
                << pointer;
        };
        refused("/cores", "cores must be a whole number from 1 to 65536");
        refused("/threads", "threads must be a whole number from 1 to 1048576");
        refused("/memory_bytes",
                "memory_bytes must be a whole number from 1024 to 1125899906842624");
        refused("/caches/0/bytes",
                "caches[0].bytes must be a whole number from 64 to 1099511627776");
        refused("/caches/0/ways", "caches[0].ways must be a whole number from 1 to 65536");
        refused("/caches/1/shared_by_cores",
                "caches[1].shared_by_cores must be a whole number from 1 to 65536");
        refused("/caches/0/line_bytes",
                "caches[0].line_bytes must be a power of two from 8 to 4096");
    }
    EXPECT_THAT(errors_of(changed("/caches/0/line_bytes", 48)),
                HasSubstr("must be a power of two from 8 to 4096, and is 48"));
    EXPECT_THAT(errors_of_file(changed("/caches/0/ways", 1024)),
                HasSubstr("caches[0] has fewer bytes than a line in each of its ways"));
    EXPECT_THAT(errors_of(changed("/caches", json::array({1, 2, 3, 4, 5, 6, 7, 8, 9}))),
                HasSubstr("caches has 9 elements, and may have 8"));
}

TEST(DeviceValues, FiguresAreThoseOfMachines) {
    for (json bad : {json(0), json(-1), json(1e308), json(1e-308), json("fast"), json(nullptr)}) {
        auto refused = [&](const char* pointer, const std::string& rule) {
            EXPECT_THAT(errors_of(changed(pointer, bad)),
                        HasSubstr(rule + ", and is " + bad.dump()))
                << pointer;
        };
        for (auto key : {"/memory_bytes_per_second/value", "/caches/0/bytes_per_second/value",
                         "/caches/1/bytes_per_second_all/value", "/flops_per_second/f32/value",
                         "/flops_per_second_all/f64/value"})
            refused(key, ".value must be a number from 1000.0 to 1e+18");
        refused("/parallel_overhead_seconds/value",
                "parallel_overhead_seconds.value must be a number from 1e-12 to 100.0");
    }
}

TEST(DeviceValues, ErrorsShowTheBeginningOfALongValue) {
    EXPECT_THAT(errors_of(changed("/cores", std::string(1000, 'x'))),
                HasSubstr("and is \"" + std::string(39, 'x') + " …"));
    json deep = 1;
    for (int i = 0; i < 100000; ++i)
        deep = json::array({std::move(deep)});
    EXPECT_THAT(errors_of(changed("/cores", std::move(deep))), HasSubstr("and is an array"));
}

// Escapes, also of one character (U+009B), and what turns the direction of text.
TEST(DeviceValues, TextsGiveATerminalNothingToActOn) {
    auto value = changed("/name", "a\x1b[31mb");
    value["description"] = "two\nlines \xC2\x9B";
    value["caches"][0]["name"] = "L1\x07";
    value["caches"][0]["source"] = "\xE2\x80\xAE"
                                   "ecruos";
    value["features"] = {"avx2\r"};
    auto device = read_file(value);
    ASSERT_TRUE(device) << format(device.errors());
    EXPECT_EQ(device->name, "a [31mb");
    EXPECT_EQ(device->description, "two lines  ");
    EXPECT_EQ(device->caches[0].name, "L1 ");
    EXPECT_EQ(device->caches[0].source, " ecruos");
    EXPECT_EQ(device->features, (std::vector<std::string>{"avx2 "}));
    EXPECT_THAT(errors_of(changed("/name", "\x1b\x07")),
                HasSubstr("name must be a text that is not empty"));
}

TEST(DeviceValues, ThisMachineIsNotDescribedByAFile) {
    auto named = changed("/name", "host");
    EXPECT_THAT(errors_of_file(named),
                HasSubstr("name is \"host\", which stands for this machine; call the device"));
    EXPECT_EQ(errors_of(named), "no error") << "the probe's own description";
    EXPECT_THAT(errors_of_file(changed("/is_host", true)),
                HasSubstr("is_host is true, and a file"));
}

} // namespace device_values
} // namespace loopscope::device
