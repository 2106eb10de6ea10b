#include "compiler/run/array_file.h"
#include "compiler/run/compare.h"
#include "compiler/run/numpy.h"
#include "compiler/run/random_inputs.h"
#include "tests/run/build.h"
#include "tests/support/support.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace loopscope::test {
namespace test_numpy {

namespace fs = std::filesystem;

std::string file(const std::string& content, const std::string& name = "a.npy") {
    auto path = scratch_folder() + "/" + name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
}

std::string npy(std::string dictionary, const std::string& data, char version = 1) {
    std::string content = std::string("\x93NUMPY") + version + '\0';
    content += static_cast<char>(dictionary.size() & 0xff);
    content += static_cast<char>(dictionary.size() >> 8);
    if (version > 1)
        content += std::string(2, '\0');
    return content + dictionary + data;
}

std::string header(const std::string& type, const std::string& shape,
                   const std::string& order = "False") {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
}

std::string message(const std::string& content) {
    auto b = read_numpy(file(content));
    return b ? std::string() : format(b.errors());
}

TEST(Numpy, WritesWhatNumpyWrites) {
    auto path = scratch_folder() + "/a.npy";
    ASSERT_TRUE(write_numpy(path, buffer<std::int32_t>(T::I32, {3}, {1, -2, 3})));
    std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }";
    std::string expected = npy(dictionary + std::string(117 - dictionary.size(), ' ') + "\n",
                               std::string("\1\0\0\0\xfe\xff\xff\xff\3\0\0\0", 12));
    EXPECT_EQ(read_file(path), expected);
}

TEST(Numpy, RoundTripsEveryTypeAndShape) {
    for (auto type : {T::Bool, T::I8, T::I16, T::I32, T::I64, T::U8, T::U16, T::U32, T::U64, T::F16,
                      T::F32, T::F64})
        for (const auto& shape :
             std::vector<std::vector<std::int64_t>>{{}, {1}, {0, 3}, {2, 3, 5}, {1, 1, 1, 1, 7}}) {
            auto a = random_buffer(type, shape, 3, RandomMode::Hostile).value();
            auto path = scratch_folder() + "/a.npy";
            ASSERT_TRUE(write_numpy(path, a));
            auto b = read_numpy(path);
            ASSERT_TRUE(b) << format(b.errors());
            EXPECT_EQ(b->type, type);
            EXPECT_EQ(b->extents, shape);
            EXPECT_EQ(b->data, a.data);
        }
}

TEST(Numpy, HalfTypes) {
    auto a = make_buffer(T::F16, {2}).value(), b = make_buffer(T::BF16, {2}).value();
    b.data[1] = std::byte{0x3f};
    auto folder = scratch_folder();
    ASSERT_TRUE(write_numpy(folder + "/a.npy", a) && write_numpy(folder + "/b.npy", b));
    EXPECT_EQ(read_numpy(folder + "/a.npy")->type, T::F16);
    auto back = read_numpy(folder + "/b.npy");
    EXPECT_EQ(back->type, T::U16); // raw u2
    EXPECT_EQ(back->data, b.data);
}

TEST(Numpy, ReadsVersions2And3AndLooseText) {
    std::string data("\1\2", 2);
    for (char version : {1, 2, 3}) {
        auto b = read_numpy(file(
            npy("{ \"shape\":(1,2L) ,'fortran_order':True,\n'descr' : '|u1'}", data, version)));
        ASSERT_TRUE(b) << format(b.errors());
        EXPECT_EQ(b->extents, (std::vector<std::int64_t>{1, 2}));
        b = read_numpy(
            file(npy("{ \"shape\":(2L,) ,'fortran_order':True,\n'descr' : '|u1'}", data, version)));
        ASSERT_TRUE(b) << format(b.errors());
        EXPECT_EQ(b->as<std::uint8_t>()[1], 2);
    }
    auto truth = read_numpy(file(npy(header("|b1", "(2,)"), data)));
    ASSERT_TRUE(truth);
    EXPECT_EQ(truth->data[1], std::byte{1}); // any byte but 0 is true
}

// The elements of an array as a file has them: with the first index contiguous, with the bytes of
// each the other way round.
std::string stored(const Buffer& a, bool fortran, bool big) {
    const auto size = static_cast<std::size_t>(bytes(a.type));
    const auto rank = a.extents.size();
    std::string out(a.data.size(), '\0');
    for (std::size_t element = 0; element * size < a.data.size(); ++element) {
        std::size_t place = 0, rest = element, stride = 1;
        for (std::size_t d = 0; d < rank; ++d)
            stride *= static_cast<std::size_t>(a.extents[d]);
        for (auto d = rank; d-- > 0;) { // from the last index, which counts fastest in `a`
            stride /= static_cast<std::size_t>(a.extents[d]);
            place += rest % static_cast<std::size_t>(a.extents[d]) * stride;
            rest /= static_cast<std::size_t>(a.extents[d]);
        }
        auto* to = out.data() + (fortran ? place : element) * size;
        std::memcpy(to, a.data.data() + element * size, size);
        if (big)
            std::reverse(to, to + size);
    }
    return out;
}

std::string tuple(const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (auto extent : shape)
        text += std::to_string(extent) + ",";
    return text + ")";
}

TEST(Numpy, ReadsBothOrdersOfBytesAndOfIndices) {
    const std::vector<std::pair<T, std::string>> types = {
        {T::Bool, "b1"}, {T::I8, "i1"},  {T::I16, "i2"}, {T::I32, "i4"},
        {T::I64, "i8"},  {T::U8, "u1"},  {T::U16, "u2"}, {T::U32, "u4"},
        {T::U64, "u8"},  {T::F16, "f2"}, {T::F32, "f4"}, {T::F64, "f8"}};
    for (const auto& [type, descr] : types)
        for (const auto& shape : std::vector<std::vector<std::int64_t>>{
                 {}, {5}, {0, 3}, {3, 0}, {2, 3}, {3, 1, 4}, {2, 3, 5, 2}})
            for (bool fortran : {false, true})
                for (bool big : {false, true}) {
                    SCOPED_TRACE(descr + tuple(shape) + (fortran ? " Fortran" : " C") +
                                 (big ? " big" : " little"));
                    const auto a = random_buffer(type, shape, 7, RandomMode::Hostile).value();
                    const auto content = npy(
                        header((big ? ">" : "<") + descr, tuple(shape), fortran ? "True" : "False"),
                        stored(a, fortran, big));
                    const auto b = read_numpy(file(content));
                    ASSERT_TRUE(b) << format(b.errors());
                    EXPECT_EQ(b->type, type);
                    EXPECT_EQ(b->extents, shape);
                    EXPECT_EQ(b->data, a.data);
                    if (!a.data.empty()) {
                        EXPECT_NE(message(content.substr(0, content.size() - 1)).find("cut short"),
                                  std::string::npos);
                    }
                    EXPECT_NE(message(content + "x").find("too long"), std::string::npos);
                }
}

// As NumPy writes them: numpy.save of numpy.asfortranarray([[1, 2, 3], [4, 5, 6]], dtype='>i2').
TEST(Numpy, FortranOrderIsNumPys) {
    const auto b = read_numpy(
        file(npy(header(">i2", "(2, 3)", "True"), std::string("\0\1\0\4\0\2\0\5\0\3\0\6", 12))));
    ASSERT_TRUE(b) << format(b.errors());
    EXPECT_EQ(std::vector<std::int16_t>(b->as<std::int16_t>(), b->as<std::int16_t>() + 6),
              (std::vector<std::int16_t>{1, 2, 3, 4, 5, 6}));
}

TEST(Numpy, RefusesWithAReason) {
    std::string four(4, '\0');
    EXPECT_NE(message("").find("no .npy file"), std::string::npos);
    EXPECT_NE(message("PK\3\4 not an array").find("no .npy file"), std::string::npos);
    EXPECT_NE(message(npy(header("|f4", "(1,)"), four)).find("'|f4'"), std::string::npos);
    EXPECT_NE(message(npy(header("|O", "(1,)"), four)).find("'|O'"), std::string::npos);
    EXPECT_NE(message(npy(header("<c8", "(1,)"), four)).find("'<c8'"), std::string::npos);
    EXPECT_NE(
        message(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", four))
            .find("structures"),
        std::string::npos);
    EXPECT_NE(message(npy(header("<f4", "(2,)"), four)).find("cut short"), std::string::npos);
    EXPECT_NE(message(npy(header("<f4", "()"), four + "x")).find("too long"), std::string::npos);
    EXPECT_NE(message(npy(header("<f4", "(1,)"), four, 9)).find("version"), std::string::npos);
    EXPECT_NE(message(npy("{'descr': '<f4', 'shape': (1,)}", four)).find("needed"),
              std::string::npos);
    EXPECT_NE(message(npy("{'descr': '<f4', 'other': 3}", four)).find("'other'"),
              std::string::npos);
    EXPECT_NE(
        message(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,)}", four))
            .find("'shape' is there twice"),
        std::string::npos);
    EXPECT_NE(format(read_numpy("/nonexistent/a.npy").errors()).find("No such file"),
              std::string::npos);
    EXPECT_NE(format(read_numpy(scratch_folder()).errors()).find("regular"), std::string::npos);
}

TEST(Numpy, HostileHeadersTakeNoMemory) {
    for (const char* order : {"False", "True"})
        for (const char* type : {">f8", "<f8"})
            for (const char* shape : {"(1000000, 1000000)", "(0, 99999999999999999)",
                                      "(4611686018427387904, 4)", "(1, 1, 1)"})
                EXPECT_EQ(message(npy(header(type, shape, order), "")).empty(),
                          std::string(shape).starts_with("(0"))
                    << shape;
    EXPECT_NE(
        message(npy(header("<f8", "(99999999999999999, 99999999999999999)"), "")).find("2^62"),
        std::string::npos);
    EXPECT_NE(message(npy(header("<f8", "(1000000, 1000000)"), "")).find("cut short"),
              std::string::npos);
    EXPECT_FALSE(message(npy(header("<f8", "(9999999999999999999999,)"), "")).empty());
    EXPECT_FALSE(message(npy(header("<f8", "(-1,)"), "")).empty());
    std::string many = "(";
    for (int i = 0; i < 1000; ++i)
        many += "1, ";
    EXPECT_NE(message(npy(header("<f8", many + ")"), std::string(8, '\0'))).find("dimensions"),
              std::string::npos);
    EXPECT_NE(message(std::string("\x93NUMPY\2\0\xff\xff\xff\x7f", 12)).find("length"),
              std::string::npos);
}

TEST(Numpy, EveryCutAndEveryChangedByteIsAnErrorOrAnArray) {
    for (const char* order : {"False", "True"})
        for (const char* type : {"<i2", ">i2"}) {
            auto whole = npy(header(type, "(2, 3)", order), std::string(12, '\1'));
            for (std::size_t n = 0; n < whole.size(); ++n)
                EXPECT_FALSE(read_numpy(file(whole.substr(0, n)))) << n;
            for (std::size_t i = 0; i + 12 < whole.size(); ++i) {
                auto changed = whole;
                changed[i] = static_cast<char>(changed[i] ^ 0x15);
                auto b = read_numpy(file(changed));
                EXPECT_TRUE(!b || b->data.size() == 12u) << i;
            }
        }
}

TEST(ArrayFile, GoesByTheEnding) {
    auto folder = scratch_folder();
    auto a = buffer<std::uint8_t>(T::U8, {2, 2}, {1, 2, 3, 4});
    for (const char* name : {"a.npy", "a.NPY", "a.png", "b.c.PNG"}) {
        auto path = folder + "/" + name;
        ASSERT_TRUE(write_array(path, a)) << name;
        EXPECT_TRUE(compare(*read_array(path), a).equal) << name;
    }
    EXPECT_EQ(read_file(folder + "/a.png").substr(1, 3), "PNG");
    EXPECT_NE(format(read_array(folder + "/a.jpg").errors()).find(".npy"), std::string::npos);
    EXPECT_FALSE(write_array(folder + "/a", a));
}

TEST(ArrayFile, AFailedWriteLeavesTheOldFileAndNothingElse) {
    auto folder = scratch_folder();
    auto path = folder + "/a.png";
    ASSERT_TRUE(write_array(path, buffer<std::uint8_t>(T::U8, {1, 1}, {9})));
    EXPECT_FALSE(write_array(path, buffer<float>(T::F32, {1, 1}, {1})));
    EXPECT_EQ(read_array(path)->as<std::uint8_t>()[0], 9);
    ASSERT_TRUE(write_array(path, buffer<std::uint8_t>(T::U8, {1, 1}, {7})));
    EXPECT_EQ(read_array(path)->as<std::uint8_t>()[0], 7);
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
    EXPECT_FALSE(write_array(folder + "/no/such/folder.npy", make_buffer(T::U8, {1}).value()));
    // A full disk, by the device that always is.
    fs::create_symlink("/dev/full", folder + "/full.npy");
    auto full = write_array(folder + "/full.npy", make_buffer(T::U8, {1}).value());
    ASSERT_FALSE(full);
    EXPECT_NE(format(full.errors()).find("No space"), std::string::npos);
}

TEST(ArrayFile, FollowsLinks) {
    auto folder = scratch_folder();
    auto a = buffer<std::uint8_t>(T::U8, {1, 1}, {9});
    ASSERT_TRUE(write_array(folder + "/real.npy", make_buffer(T::U8, {3}).value()));
    fs::create_symlink(folder + "/real.npy", folder + "/link.npy");
    ASSERT_TRUE(write_array(folder + "/link.npy", a));
    EXPECT_TRUE(fs::is_symlink(folder + "/link.npy"));
    EXPECT_TRUE(compare(*read_array(folder + "/real.npy"), a).equal);
}

} // namespace test_numpy
} // namespace loopscope::test
