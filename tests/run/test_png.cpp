#include "compiler/run/compare.h"
#include "compiler/run/png.h"
#include "compiler/run/random_inputs.h"
#include "tests/run/build.h"
#include "tests/support/support.h"

#include <fstream>

#include <zlib.h>

namespace loopscope::test {
namespace test_png {

// A PNG encoder of its own, from the specification: what libpng writes cannot vouch for what it
// reads.
std::string big_endian(std::uint32_t value) {
    return {static_cast<char>(value >> 24), static_cast<char>(value >> 16),
            static_cast<char>(value >> 8), static_cast<char>(value)};
}

std::string chunk(const std::string& name, const std::string& data) {
    auto body = name + data;
    auto crc =
        crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
    return big_endian(static_cast<std::uint32_t>(data.size())) + body +
           big_endian(static_cast<std::uint32_t>(crc));
}

std::string deflated(const std::string& data) {
    uLongf size = compressBound(data.size());
    std::string out(size, '\0');
    compress(reinterpret_cast<Bytef*>(out.data()), &size,
             reinterpret_cast<const Bytef*>(data.data()), data.size());
    return out.substr(0, size);
}

// `rows`: each with its filter byte.
std::string png(std::uint32_t width, std::uint32_t height, char depth, char colour,
                const std::string& rows, const std::string& extra = {}) {
    auto header = big_endian(width) + big_endian(height) + depth + colour + std::string(3, '\0');
    return "\x89PNG\r\n\x1a\n" + chunk("IHDR", header) + extra + chunk("IDAT", deflated(rows)) +
           chunk("IEND", "");
}

std::string file(const std::string& content) {
    auto path = scratch_folder() + "/a.png";
    std::ofstream(path, std::ios::binary) << content;
    return path;
}

std::string message(const std::string& content) {
    auto b = read_png(file(content));
    return b ? std::string() : format(b.errors());
}

TEST(Png, ReadsGrey) {
    // Second row filtered "up": 10 and 20 more than the row above.
    auto b = read_png(file(png(2, 2, 8, 0, std::string("\0\1\2\2\x0a\x14", 6))));
    ASSERT_TRUE(b) << format(b.errors());
    EXPECT_EQ(b->extents, (std::vector<std::int64_t>{2, 2}));
    EXPECT_TRUE(compare(*b, buffer<std::uint8_t>(T::U8, {2, 2}, {1, 2, 11, 22})).equal);
}

TEST(Png, ReadsColoursAsPlanes) {
    auto rgb = read_png(file(png(2, 1, 8, 2, std::string("\0\1\2\3\4\5\6", 7))));
    ASSERT_TRUE(rgb);
    EXPECT_TRUE(compare(*rgb, buffer<std::uint8_t>(T::U8, {3, 1, 2}, {1, 4, 2, 5, 3, 6})).equal);
    auto rgba = read_png(file(png(1, 1, 8, 6, std::string("\0\1\2\3\4", 5))));
    ASSERT_TRUE(rgba);
    EXPECT_TRUE(compare(*rgba, buffer<std::uint8_t>(T::U8, {4, 1, 1}, {1, 2, 3, 4})).equal);
    auto grey_alpha = read_png(file(png(1, 1, 8, 4, std::string("\0\1\2", 3))));
    ASSERT_TRUE(grey_alpha);
    EXPECT_TRUE(compare(*grey_alpha, buffer<std::uint8_t>(T::U8, {2, 1, 1}, {1, 2})).equal);
}

TEST(Png, Reads16BitsBigEndian) {
    auto b = read_png(file(png(2, 1, 16, 0, std::string("\0\x12\x34\0\1", 5))));
    ASSERT_TRUE(b);
    EXPECT_TRUE(compare(*b, buffer<std::uint16_t>(T::U16, {1, 2}, {0x1234, 1})).equal);
}

TEST(Png, SamplesAreTakenAsStored) {
    // A gamma and a transparent colour change nothing.
    auto extra = chunk("gAMA", big_endian(45455)) + chunk("tRNS", std::string("\0\1", 2));
    auto b = read_png(file(png(2, 1, 8, 0, std::string("\0\1\xc8", 3), extra)));
    ASSERT_TRUE(b) << format(b.errors());
    EXPECT_TRUE(compare(*b, buffer<std::uint8_t>(T::U8, {1, 2}, {1, 200})).equal);
}

TEST(Png, RoundTrips) {
    for (auto type : {T::U8, T::U16})
        for (const auto& shape : std::vector<std::vector<std::int64_t>>{
                 {1, 1}, {17, 5}, {2, 3, 4}, {3, 20, 30}, {4, 1, 9}}) {
            auto a = random_buffer(type, shape, 5, RandomMode::FullRange).value();
            auto path = scratch_folder() + "/a.png";
            ASSERT_TRUE(write_png(path, a));
            auto b = read_png(path);
            ASSERT_TRUE(b) << format(b.errors());
            EXPECT_EQ(b->type, type);
            EXPECT_EQ(b->extents, shape);
            EXPECT_EQ(b->data, a.data);
        }
}

TEST(Png, RefusesWhatItWouldHaveToConvert) {
    EXPECT_NE(message(png(8, 1, 1, 0, std::string("\0\xff", 2))).find("1 bits"), std::string::npos);
    EXPECT_NE(
        message(png(1, 1, 8, 3, std::string("\0\0", 2), chunk("PLTE", "abc"))).find("palette"),
        std::string::npos);
    auto refused = [](const Buffer& b) {
        return format(write_png(scratch_folder() + "/a.png", b).errors());
    };
    EXPECT_NE(refused(make_buffer(T::F32, {2, 2}).value()).find("not f32"), std::string::npos);
    EXPECT_NE(refused(make_buffer(T::U8, {5, 2, 2}).value()).find("[5, 2, 2]"), std::string::npos);
    EXPECT_NE(refused(make_buffer(T::U8, {4}).value()).find("[4]"), std::string::npos);
    EXPECT_NE(refused(make_buffer(T::U8, {0, 4}).value()).find("no pixels"), std::string::npos);
    EXPECT_NE(refused(make_buffer(T::U8, {1, 1'000'001}).value()).find("limits"),
              std::string::npos);
}

TEST(Png, HostileFilesAreErrors) {
    EXPECT_NE(message("").find("no PNG"), std::string::npos);
    EXPECT_NE(message(std::string(1000, 'x')).find("no PNG"), std::string::npos);
    std::string row("\0\1\2", 3);
    EXPECT_NE(message(png(900000, 900000, 8, 6, row)).find("limit"), std::string::npos);
    EXPECT_NE(message(png(30000, 30000, 8, 0, row)).find("cut short"), std::string::npos);
    EXPECT_FALSE(message(png(2000000000, 2000000000, 8, 0, row)).empty());
    EXPECT_FALSE(message(png(0, 4, 8, 0, row)).empty());
    EXPECT_FALSE(message(png(2, 2, 8, 0, row)).empty()); // one row of two
    EXPECT_NE(format(read_png("/nonexistent/a.png").errors()).find("No such file"),
              std::string::npos);
}

TEST(Png, AHeaderSaysHowLargeAnImageIs) {
    const std::string row("\0\1\2", 3);
    auto size = [&](const std::string& content) { return png_size(file(content)); };
    EXPECT_EQ(size(png(2, 1, 8, 0, row)).value(), 2);
    EXPECT_EQ(size(png(60000, 60000, 8, 0, row)).value(), 3'600'000'000);
    EXPECT_EQ(size(png(60000, 60000, 16, 6, row)).value(), 28'800'000'000);
    EXPECT_FALSE(size(png(1, 1, 8, 3, std::string("\0\0", 2), chunk("PLTE", "abc"))));
    EXPECT_FALSE(size("no picture"));
    EXPECT_FALSE(png_size(scratch_folder())) << "a folder";
}

TEST(Png, EveryCutAndEveryChangedByteIsAnErrorOrAnImage) {
    auto whole = png(2, 2, 8, 2, std::string("\0\1\2\3\4\5\6\0\1\2\3\4\5\6", 14));
    for (std::size_t n = 0; n + 12 < whole.size(); ++n)
        EXPECT_FALSE(read_png(file(whole.substr(0, n)))) << n;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        auto changed = whole;
        changed[i] = static_cast<char>(changed[i] ^ 0x55);
        auto b = read_png(file(changed));
        EXPECT_TRUE(!b || b->data.size() == 12u) << i;
    }
}

} // namespace test_png
} // namespace loopscope::test
