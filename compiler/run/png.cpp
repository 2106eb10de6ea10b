#include "compiler/run/png.h"

#include "core/base/memory_limit.h"
#include "core/base/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

#include <png.h>

namespace loopscope {

namespace {

// The most that deflate can shrink anything to is 1:1032.
constexpr std::int64_t kMaxCompression = 1100;

struct Image {
    png_uint_32 width = 0, height = 0;
    int depth = 0, colour = 0;
    int channels() const {
        return colour == PNG_COLOR_TYPE_GRAY         ? 1
               : colour == PNG_COLOR_TYPE_GRAY_ALPHA ? 2
               : colour == PNG_COLOR_TYPE_RGB        ? 3
                                                     : 4;
    }
    std::size_t row_bytes() const {
        return std::size_t{width} * static_cast<std::size_t>(channels() * depth / 8);
    }
    std::int64_t size() const { return static_cast<std::int64_t>(row_bytes()) * height; }
};

// libpng reports errors by a longjmp. So each function that calls it between a setjmp and an error
// holds nothing that has a destructor; what must live on is in these structs, owned by the caller.
struct Messages {
    char text[200] = {};
};

void on_error(png_structp png, png_const_charp message) {
    auto* messages = static_cast<Messages*>(png_get_error_ptr(png));
    std::snprintf(messages->text, sizeof messages->text, "%s", message);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

struct Reader {
    Messages messages;
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::FILE* file = nullptr;
    std::int64_t file_bytes = 0;

    ~Reader() {
        png_destroy_read_struct(&png, &info, nullptr);
        if (file)
            std::fclose(file);
    }

    bool start() {
        png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &messages, on_error, on_warning);
        info = png ? png_create_info_struct(png) : nullptr;
        return info != nullptr;
    }

    bool read_header(Image& image) {
        if (setjmp(png_jmpbuf(png)))
            return false;
        png_init_io(png, file);
        png_set_user_limits(png, kMaxPngSide, kMaxPngSide);
        png_read_info(png, info);
        png_get_IHDR(png, info, &image.width, &image.height, &image.depth, &image.colour, nullptr,
                     nullptr, nullptr);
        return true;
    }

    bool read_rows(png_bytepp rows) {
        if (setjmp(png_jmpbuf(png)))
            return false;
        png_set_interlace_handling(png);
        png_set_swap(png); // 16-bit samples are big-endian in the file; of no effect on 8 bits
        png_read_update_info(png, info);
        png_read_image(png, rows);
        png_read_end(png, nullptr);
        return true;
    }
};

struct Writer {
    Messages messages;
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string bytes;

    ~Writer() { png_destroy_write_struct(&png, &info); }

    bool start() {
        png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &messages, on_error, on_warning);
        info = png ? png_create_info_struct(png) : nullptr;
        return info != nullptr;
    }

    static void append(png_structp png, png_bytep data, png_size_t size) {
        auto* writer = static_cast<Writer*>(png_get_io_ptr(png));
        writer->bytes.append(reinterpret_cast<const char*>(data), size);
    }

    bool write(const Image& image, png_bytepp rows) {
        if (setjmp(png_jmpbuf(png)))
            return false;
        png_set_write_fn(png, this, append, nullptr);
        png_set_user_limits(png, kMaxPngSide, kMaxPngSide);
        png_set_IHDR(png, info, image.width, image.height, image.depth, image.colour,
                     PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png, info);
        if (image.depth == 16)
            png_set_swap(png);
        png_write_image(png, rows);
        png_write_end(png, nullptr);
        return true;
    }
};

Diagnostic bad_png(const char* doing, const std::string& path, const std::string& what,
                   const std::string& remedy = {}) {
    return error(std::string("cannot ") + doing + " '" + path + "': " + what, remedy);
}

std::string side_text(const Image& image) {
    return std::to_string(image.width) + " x " + std::to_string(image.height);
}

std::vector<png_bytep> row_pointers(const Image& image, std::byte* data) {
    std::vector<png_bytep> rows(image.height);
    for (std::size_t y = 0; y < rows.size(); ++y)
        rows[y] = reinterpret_cast<png_bytep>(data) + y * image.row_bytes();
    return rows;
}

// Samples of a pixel side by side, or each channel by itself.
template <typename T> void planes_from_pixels(const T* pixels, T* planes, std::size_t count,
                                              std::size_t channels) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < channels; ++c)
            planes[c * count + i] = pixels[i * channels + c];
}

template <typename T> void pixels_from_planes(const T* planes, T* pixels, std::size_t count,
                                              std::size_t channels) {
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t c = 0; c < channels; ++c)
            pixels[i * channels + c] = planes[c * count + i];
}

// Of pixels that would have to be converted.
std::optional<Diagnostic> refusal_of_kind(const std::string& path, const Image& image) {
    if (image.colour == PNG_COLOR_TYPE_PALETTE)
        return bad_png("read", path, "it has a palette", "save it as RGB");
    if (image.depth < 8)
        return bad_png("read", path, "it has " + std::to_string(image.depth) + " bits a sample",
                       "save it with 8 or 16 bits");
    return std::nullopt;
}

// Of more pixels than there is room for, or than the file can hold.
std::optional<Diagnostic> refusal_of_size(const std::string& path, const Image& image,
                                          std::int64_t file_bytes) {
    if (image.size() > kMaxPng)
        return bad_png("read", path,
                       side_text(image) + " pixels are more than the limit of " +
                           std::to_string(kMaxPng) + " bytes when decoded");
    if (image.size() > file_bytes * kMaxCompression)
        return bad_png("read", path,
                       "it is cut short: " + std::to_string(file_bytes) + " bytes cannot hold " +
                           side_text(image) + " pixels");
    return std::nullopt;
}

Result<Image> image_for(const std::string& path, ScalarType type,
                        const std::vector<std::int64_t>& extents) {
    Image image;
    if (type != ScalarType::U8 && type != ScalarType::U16)
        return bad_png("write", path, std::string("a PNG holds u8 or u16, not ") + name(type),
                       "cast the output to u8, or write a .npy file");
    bool planar = extents.size() == 3;
    auto channels = planar ? extents[0] : 1;
    if (extents.size() != 2 && !(planar && channels >= 2 && channels <= 4))
        return bad_png("write", path,
                       "a PNG has the shape [H, W] or [C, H, W] with C of 2 to 4, not " +
                           shape_text(extents),
                       "give the output such a shape, or write a .npy file");
    auto height = extents[planar ? 1 : 0], width = extents[planar ? 2 : 1];
    if (height < 1 || width < 1)
        return bad_png("write", path, "an image of " + shape_text(extents) + " has no pixels");
    if (height > kMaxPngSide || width > kMaxPngSide || !checked_size(type, extents, kMaxPng))
        return bad_png("write", path,
                       shape_text(extents) +
                           " is beyond the limits of an image: " + std::to_string(kMaxPngSide) +
                           " pixels a side, " + std::to_string(kMaxPng) + " bytes");
    image.width = static_cast<png_uint_32>(width);
    image.height = static_cast<png_uint_32>(height);
    image.depth = bits(type);
    constexpr int colours[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_GRAY_ALPHA, PNG_COLOR_TYPE_RGB,
                               PNG_COLOR_TYPE_RGBA};
    image.colour = colours[channels - 1];
    return image;
}

// What its header says, before anything is made for its pixels.
Result<Image> begin_reading(Reader& reader, const std::string& path) {
    const auto bytes = file_size(path);
    if (!bytes)
        return bytes.errors();
    reader.file_bytes = *bytes;
    reader.file = std::fopen(path.c_str(), "rb");
    if (!reader.file || !reader.start())
        return bad_png("read", path,
                       reader.file ? "libpng cannot be started" : std::strerror(errno));
    Image image;
    if (!reader.read_header(image))
        return bad_png("read", path,
                       std::string("it is no PNG image, or damaged: ") + reader.messages.text);
    if (auto refused = refusal_of_kind(path, image))
        return *refused;
    return image;
}

} // namespace

Result<std::int64_t> png_size(const std::string& path) {
    Reader reader;
    const auto image = begin_reading(reader, path);
    if (!image)
        return image.errors();
    return image->size();
}

Result<Buffer> read_png(const std::string& path) {
    Reader reader;
    const auto begun = begin_reading(reader, path);
    if (!begun)
        return begun.errors();
    const auto& image = *begun;
    if (auto refused = refusal_of_size(path, image, reader.file_bytes))
        return *refused;
    auto type = image.depth == 16 ? ScalarType::U16 : ScalarType::U8;
    std::vector<std::int64_t> extents = {image.height, image.width};
    auto channels = static_cast<std::size_t>(image.channels());
    if (channels > 1)
        extents.insert(extents.begin(), image.channels());
    auto pixels = make_buffer(type, extents), planes = make_buffer(type, extents);
    if (!pixels || !planes)
        return bad_png("read", path,
                       "there is not enough memory for " + side_text(image) +
                           " pixels: " + memory_limit().text());
    auto rows = row_pointers(image, pixels->data.data());
    if (!reader.read_rows(rows.data()))
        return bad_png("read", path,
                       std::string("it is damaged or cut short: ") + reader.messages.text);
    if (channels == 1)
        return pixels;
    auto count = std::size_t{image.width} * image.height;
    if (type == ScalarType::U8)
        planes_from_pixels(pixels->as<std::uint8_t>(), planes->as<std::uint8_t>(), count, channels);
    else
        planes_from_pixels(pixels->as<std::uint16_t>(), planes->as<std::uint16_t>(), count,
                           channels);
    return planes;
}

Status check_png(const std::string& path, ScalarType type,
                 const std::vector<std::int64_t>& extents) {
    auto image = image_for(path, type, extents);
    return image ? success() : Status(image.errors());
}

Status write_png(const std::string& path, const Buffer& buffer) {
    auto image = image_for(path, buffer.type, buffer.extents);
    if (!image)
        return image.errors();
    auto pixels = make_buffer(buffer.type, buffer.extents);
    if (!pixels)
        return pixels.errors();
    auto count = std::size_t{image->width} * image->height;
    auto channels = static_cast<std::size_t>(image->channels());
    if (buffer.type == ScalarType::U8)
        pixels_from_planes(buffer.as<std::uint8_t>(), pixels->as<std::uint8_t>(), count, channels);
    else
        pixels_from_planes(buffer.as<std::uint16_t>(), pixels->as<std::uint16_t>(), count,
                           channels);
    Writer writer;
    auto rows = row_pointers(*image, pixels->data.data());
    if (!writer.start() || !writer.write(*image, rows.data()))
        return bad_png("write", path, std::string("libpng: ") + writer.messages.text);
    return write_whole(path, {writer.bytes});
}

} // namespace loopscope
