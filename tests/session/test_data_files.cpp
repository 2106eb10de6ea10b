// A person's files as inputs: which one a file fits, at which size, and why it fits none.

#include "app/session/data_files.h"
#include "compiler/run/array_file.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace loopscope::session::test {
namespace test_data_files {

const char* const kText = "pipeline p\nparam H = 4\nparam W = 6\ninput a[y, x]: u8[H + 2, W]\n"
                          "input b[x]: bf16[W]\ninput c[y, x]: u8[H, W]\n"
                          "stage out[y, x] = f32(a[y, x]) + f32(b[x]) + f32(c[y, x])\n"
                          "output out: [H, W]\n";

DataProgram data_program(std::map<std::string, std::int64_t> params = {}) {
    auto program = std::make_shared<Program>();
    program->text = kText;
    program->params = std::move(params);
    return {"p.loop", program};
}

std::string data_file(const std::string& name, ScalarType type, std::vector<std::int64_t> extents) {
    const auto path = loopscope::test::scratch_folder() + "/" + name;
    EXPECT_TRUE(write_array(path, make_buffer(type, std::move(extents)).value()));
    return path;
}

TEST(DataFiles, AFileIsOfTheFirstInputThatItFits) {
    const auto path = data_file("a.png", ScalarType::U8, {12, 20});
    const auto a = fitting_input(data_program({{"H", 7}}), {}, path);
    ASSERT_TRUE(a) << format(a.errors());
    EXPECT_EQ(a->name, "a");
    const auto sized = sized_for(data_program({{"H", 7}}), {{"a", *a}});
    ASSERT_TRUE(sized) << format(sized.errors());
    EXPECT_EQ(sized->params, (std::map<std::string, std::int64_t>{{"H", 10}, {"W", 20}}));
    const auto second =
        fitting_input(data_program(), {{"a", *a}}, data_file("c.png", ScalarType::U8, {10, 20}));
    ASSERT_TRUE(second) << format(second.errors());
    EXPECT_EQ(second->name, "c") << "those without a file come first";
}

TEST(DataFiles, Bf16IsReadFromItsBits) {
    auto b = fitting_input(data_program(), {}, data_file("b.npy", ScalarType::U16, {6}));
    ASSERT_TRUE(b) << format(b.errors());
    EXPECT_EQ(b->name, "b");
    EXPECT_EQ(b->type, ScalarType::BF16);
    const auto loaded = load_array(*b);
    ASSERT_TRUE(loaded) << format(loaded.errors());
    EXPECT_EQ((*loaded)->type, ScalarType::BF16);
}

// The same name and shape with other elements: what was chosen is not there any more.
TEST(DataFiles, AFileThatIsAnotherOneIsNotShown) {
    const auto b = fitting_input(data_program(), {}, data_file("b.npy", ScalarType::U16, {6}));
    ASSERT_TRUE(b) << format(b.errors());
    const std::filesystem::path path = b->file;
    const auto chosen = std::filesystem::last_write_time(path);
    const auto says_so = [&] {
        const auto loaded = load_array(*b);
        return !loaded && format(loaded.errors()).find("has changed") != std::string::npos;
    };
    for (const auto type : {ScalarType::U8, ScalarType::F32, ScalarType::F64}) {
        ASSERT_TRUE(write_array(path, make_buffer(type, {6}).value()));
        std::filesystem::last_write_time(path, chosen); // by a copy that keeps its time
        EXPECT_TRUE(says_so()) << name(type);
    }
    ASSERT_TRUE(write_array(path, make_buffer(ScalarType::U16, {6}).value()));
    std::filesystem::last_write_time(path, chosen);
    EXPECT_TRUE(load_array(*b)) << "it is what it was";
    std::filesystem::last_write_time(path, chosen + std::chrono::seconds(1));
    EXPECT_TRUE(says_so()) << "written again";
    std::filesystem::remove(path);
    EXPECT_FALSE(load_array(*b));
}

TEST(DataFiles, WhatFitsNoneIsSaidWithWhatWould) {
    const auto path = data_file("f.npy", ScalarType::F32, {6, 6});
    const auto any = fitting_input(data_program(), {}, path);
    ASSERT_FALSE(any);
    EXPECT_NE(format(any.errors()).find("f32 [6, 6], fits none of the inputs"), std::string::npos);
    EXPECT_NE(format(any.errors()).find("a: u8 [6, 6]"), std::string::npos);
    const auto named = fitting_input(data_program(), {}, path, "a");
    ASSERT_FALSE(named);
    EXPECT_NE(format(named.errors()).find("holds f32, the input `a` is u8"), std::string::npos);
    const auto flat =
        fitting_input(data_program(), {}, data_file("g.npy", ScalarType::U8, {6}), "a");
    ASSERT_FALSE(flat);
    EXPECT_NE(format(flat.errors()).find("give an array of 2 dimensions"), std::string::npos);
    const auto broken = loopscope::test::scratch_folder() + "/h.png";
    std::ofstream(broken) << "no picture";
    EXPECT_FALSE(fitting_input(data_program(), {}, broken));
    EXPECT_FALSE(fitting_input(data_program(), {}, broken + ".png"));
}

// As the specification of PNG has it, of a chunk's type and data.
std::uint32_t chunk_sum(const std::string& bytes) {
    std::uint32_t sum = 0xffffffffU;
    for (const char c : bytes) {
        sum ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit)
            sum = (sum >> 1) ^ (sum & 1 ? 0xedb88320U : 0U);
    }
    return ~sum;
}

// A small image whose header claims another size; `more` bytes stand behind it.
std::string claiming(const std::string& name, std::uint32_t width, std::uint32_t height,
                     std::size_t more = 0) {
    constexpr std::size_t kType = 12, kWidth = 16, kHeight = 20, kSum = 29; // of its first chunk
    const auto path = data_file(name, ScalarType::U8, {2, 2});
    auto bytes = loopscope::test::read_file(path);
    const auto put = [&](std::size_t at, std::uint32_t value) {
        for (std::size_t i = 0; i < 4; ++i)
            bytes[at + i] = static_cast<char>(value >> (24 - 8 * i));
    };
    put(kWidth, width);
    put(kHeight, height);
    put(kSum, chunk_sum(bytes.substr(kType, kSum - kType)));
    std::ofstream(path, std::ios::binary) << bytes << std::string(more, '\0');
    return path;
}

// Before there is memory for any of its pixels: decoded, these would be found to be damaged.
TEST(DataFiles, AnImageIsTooLargeByItsHeaderAlone) {
    EXPECT_TRUE(read_array(claiming("right.png", 2, 2))) << "the checksum is right";
    for (const auto& path :
         {claiming("huge.png", 60'000, 60'000), claiming("large.png", 20'000, 20'000, 400'000)}) {
        const auto any = fitting_input(data_program(), {}, path);
        ASSERT_FALSE(any) << path;
        const auto said = format(any.errors());
        EXPECT_NE(said.find("256 MiB"), std::string::npos) << said;
    }
}

TEST(DataFiles, FilesMustAgreeOnASize) {
    DataFiles files;
    files["a"] = *fitting_input(data_program(), {}, data_file("a.png", ScalarType::U8, {12, 20}));
    const auto c =
        fitting_input(data_program(), files, data_file("c.png", ScalarType::U8, {11, 20}), "c");
    EXPECT_FALSE(c) << "H is 10 by the one and 11 by the other";
}

TEST(DataFiles, WhatIsTooLargeToBeShownSaysSo) {
    DataArray array;
    array.name = "out";
    array.type = ScalarType::F32;
    array.extents = {1 << 20, 1 << 20};
    array.seed = 1;
    const auto loaded = load_array(array);
    ASSERT_FALSE(loaded);
    EXPECT_NE(format(loaded.errors()).find("256 MiB"), std::string::npos);
}

} // namespace test_data_files
} // namespace loopscope::session::test
