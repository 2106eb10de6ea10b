#include "compiler/run/numpy.h"

#include "core/base/whole_file.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <set>

namespace loopscope {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxHeader = 65536;
constexpr std::size_t kMaxDimensions = 32;

struct Header {
    std::string type;
    bool fortran_order = false;
    std::vector<std::int64_t> shape;
};

// Reads the Python dictionary of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (3,
// 4), }. Anything else fails; `trouble` then says what.
class HeaderParser {
public:
    explicit HeaderParser(std::string_view text) : text_(text) {}

    std::optional<Header> parse() {
        Header header;
        bool has_type = false, has_order = false, has_shape = false;
        std::set<std::string> seen;
        if (!take('{'))
            return fail("a dictionary is missing");
        while (!take('}')) {
            std::string key;
            if (!string(key) || !take(':'))
                return fail("a key is missing");
            // Which of two values would count, readers do not agree on.
            if (!seen.insert(key).second)
                return fail("'" + key.substr(0, 40) + "' is there twice");
            if (key == "descr")
                has_type = type(header.type);
            else if (key == "fortran_order")
                has_order = boolean(header.fortran_order);
            else if (key == "shape")
                has_shape = shape(header.shape);
            else
                return fail("unknown key '" + key.substr(0, 40) + "'");
            if (!trouble_.empty())
                return std::nullopt;
            if (!take(',') && !next_is('}'))
                return fail("a comma is missing");
        }
        skip_space();
        if (!text_.empty())
            return fail("something follows the dictionary");
        if (!has_type || !has_order || !has_shape)
            return fail("'descr', 'fortran_order' and 'shape' are needed");
        return header;
    }

    const std::string& trouble() const { return trouble_; }

private:
    std::nullopt_t fail(const std::string& why) {
        if (trouble_.empty())
            trouble_ = why;
        return std::nullopt;
    }

    void skip_space() {
        while (!text_.empty() &&
               (text_[0] == ' ' || text_[0] == '\n' || text_[0] == '\t' || text_[0] == '\r'))
            text_.remove_prefix(1);
    }

    bool next_is(char c) {
        skip_space();
        return !text_.empty() && text_[0] == c;
    }

    bool take(char c) {
        if (!next_is(c))
            return false;
        text_.remove_prefix(1);
        return true;
    }

    bool word(std::string_view w) {
        skip_space();
        if (text_.substr(0, w.size()) != w)
            return false;
        text_.remove_prefix(w.size());
        return true;
    }

    bool string(std::string& out) {
        skip_space();
        if (text_.empty() || (text_[0] != '\'' && text_[0] != '"'))
            return false;
        auto end = text_.find(text_[0], 1);
        if (end == std::string_view::npos)
            return false;
        out = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return true;
    }

    bool type(std::string& out) {
        if (string(out))
            return true;
        fail("'descr' is no simple type (an array of structures?)");
        return false;
    }

    bool boolean(bool& out) {
        out = word("True");
        if (out || word("False"))
            return true;
        fail("'fortran_order' is neither True nor False");
        return false;
    }

    bool shape(std::vector<std::int64_t>& out) {
        if (!take('(')) {
            fail("'shape' is no tuple");
            return false;
        }
        while (!take(')')) {
            std::int64_t extent = 0;
            if (out.size() == kMaxDimensions || !number(extent) || (!take(',') && !next_is(')'))) {
                fail("'shape' is damaged or has more than " + std::to_string(kMaxDimensions) +
                     " dimensions");
                return false;
            }
            out.push_back(extent);
        }
        return true;
    }

    bool number(std::int64_t& out) {
        skip_space();
        std::size_t digits = 0;
        while (digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9')
            ++digits;
        if (digits == 0 || digits > 18)
            return false;
        out = std::stoll(std::string(text_.substr(0, digits)));
        text_.remove_prefix(digits);
        if (!text_.empty() && text_[0] == 'L') // written by Python 2
            text_.remove_prefix(1);
        return true;
    }

    std::string_view text_;
    std::string trouble_;
};

struct TypeName {
    ScalarType type;
    const char* letter_and_size;
};
constexpr TypeName kTypeNames[] = {
    {ScalarType::Bool, "b1"}, {ScalarType::I8, "i1"},  {ScalarType::I16, "i2"},
    {ScalarType::I32, "i4"},  {ScalarType::I64, "i8"}, {ScalarType::U8, "u1"},
    {ScalarType::U16, "u2"},  {ScalarType::U32, "u4"}, {ScalarType::U64, "u8"},
    {ScalarType::F16, "f2"},  {ScalarType::F32, "f4"}, {ScalarType::F64, "f8"},
};

std::string numpy_name(ScalarType type) {
    if (type == ScalarType::BF16)
        return "<u2";
    for (const auto& known : kTypeNames)
        if (known.type == type)
            return (bytes(type) == 1 ? "|" : "<") + std::string(known.letter_and_size);
    return {};
}

Diagnostic bad_array(const std::string& path, const std::string& what,
                     const std::string& remedy = {}) {
    return error("cannot read '" + path + "': " + what, remedy);
}

struct ElementForm {
    ScalarType type;
    bool big_endian;
};

Result<ElementForm> element_form(const std::string& path, const std::string& text) {
    for (const auto& known : kTypeNames) {
        if (text.size() != 3 || text.substr(1) != known.letter_and_size)
            continue;
        const bool single = bytes(known.type) == 1;
        if (text[0] == '<' || text[0] == '=' || (text[0] == '|' && single))
            return ElementForm{known.type, false};
        if (text[0] == '>')
            return ElementForm{known.type, !single};
    }
    return bad_array(
        path,
        "its type '" + text.substr(0, 40) +
            "' is not one of bool, integers of 8 to 64 bits, f2, f4, f8",
        "save it as one of these, for example a.astype('<f4'); a bf16 array as a.view('<u2')");
}

// The text of the header; `data` is set to where the elements begin.
Result<std::string> header_text(const std::string& path, std::ifstream& in, std::int64_t size,
                                std::int64_t& data) {
    char start[12] = {};
    in.read(start, 8);
    if (!in || std::string_view(start, kMagic.size()) != kMagic)
        return bad_array(path, "it is no .npy file");
    int version = start[6];
    if (version < 1 || version > 3)
        return bad_array(path, "its version " + std::to_string(version) + " is not known",
                         "save it with numpy.save");
    int length_bytes = version == 1 ? 2 : 4;
    in.read(start + 8, length_bytes);
    std::size_t length = 0;
    for (int i = length_bytes; i-- > 0;)
        length = length * 256 + static_cast<unsigned char>(start[8 + i]);
    if (!in || length > kMaxHeader || static_cast<std::int64_t>(length) > size - 8 - length_bytes)
        return bad_array(path,
                         "its header is damaged: a length of " + std::to_string(length) + " bytes");
    std::string text(length, ' ');
    in.read(text.data(), static_cast<std::streamsize>(length));
    data = 8 + length_bytes + static_cast<std::int64_t>(length);
    if (!in)
        return bad_array(path, "its header cannot be read");
    return text;
}

std::string header_for(const Buffer& buffer) {
    std::string shape = "(";
    for (auto extent : buffer.extents)
        shape += std::to_string(extent) + ", ";
    if (buffer.extents.size() > 1)
        shape.resize(shape.size() - 2);
    // "(5,)"
    else if (buffer.extents.size() == 1)
        shape.pop_back();
    std::string dictionary = "{'descr': '" + numpy_name(buffer.type) +
                             "', 'fortran_order': False, 'shape': " + shape + "), }";
    // Padded so that the elements start at a multiple of 64 bytes, as the format asks.
    bool long_header = dictionary.size() > 60000;
    std::size_t fixed = kMagic.size() + 2 + (long_header ? 4 : 2);
    std::size_t total = (fixed + dictionary.size() + 1 + 63) / 64 * 64;
    dictionary += std::string(total - fixed - dictionary.size() - 1, ' ') + "\n";
    std::string header(kMagic);
    header += long_header ? '\2' : '\1';
    header += '\0';
    for (int i = 0; i < (long_header ? 4 : 2); ++i)
        header += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
    return header + dictionary;
}

} // namespace

namespace {

void swap_bytes(Buffer& buffer) {
    const auto size = static_cast<std::size_t>(bytes(buffer.type));
    for (std::size_t at = 0; at < buffer.data.size(); at += size)
        std::reverse(buffer.data.begin() + static_cast<std::ptrdiff_t>(at),
                     buffer.data.begin() + static_cast<std::ptrdiff_t>(at + size));
}

// `given`: elements of an array of these extents, the first index contiguous. Writes them with the
// last one contiguous.
void from_fortran_order(const Buffer& given, Buffer& out) {
    const auto size = static_cast<std::size_t>(bytes(given.type));
    std::vector<std::size_t> strides, index(out.extents.size(), 0); // in bytes of `given`
    std::size_t stride = size, from = 0;
    for (auto extent : out.extents) {
        strides.push_back(stride);
        stride *= static_cast<std::size_t>(extent);
    }
    for (std::size_t to = 0; to < out.data.size(); to += size) {
        std::memcpy(out.data.data() + to, given.data.data() + from, size);
        for (auto d = index.size(); d-- > 0;) {
            from += strides[d];
            if (++index[d] < static_cast<std::size_t>(out.extents[d]))
                break;
            from -= index[d] * strides[d];
            index[d] = 0;
        }
    }
}

} // namespace

Result<Buffer> read_numpy(const std::string& path) {
    auto size = file_size(path);
    if (!size)
        return size.errors();
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return bad_array(path, "it cannot be opened");
    std::int64_t data = 0;
    auto text = header_text(path, in, *size, data);
    if (!text)
        return text.errors();
    HeaderParser parser(*text);
    auto header = parser.parse();
    if (!header)
        return bad_array(path, "its header is damaged: " + parser.trouble());
    const auto form = element_form(path, header->type);
    if (!form)
        return form.errors();
    const auto type = form->type;
    auto needed = checked_size(type, header->shape);
    if (!needed)
        return bad_array(path, needed.errors()[0].message);
    if (*needed != *size - data)
        return bad_array(path, std::string("it is ") +
                                   (*needed > *size - data ? "cut short" : "too long") + ": " +
                                   name(type) + shape_text(header->shape) + " takes " +
                                   std::to_string(*needed) + " bytes, and " +
                                   std::to_string(*size - data) + " are there");
    auto buffer = make_buffer(type, header->shape);
    if (!buffer)
        return bad_array(path, buffer.errors()[0].message);
    in.read(reinterpret_cast<char*>(buffer->data.data()), static_cast<std::streamsize>(*needed));
    if (!in)
        return bad_array(path, "its elements cannot be read");
    if (form->big_endian)
        swap_bytes(*buffer);
    if (type == ScalarType::Bool)
        for (auto& byte : buffer->data)
            byte = byte == std::byte{0} ? std::byte{0} : std::byte{1};
    if (!header->fortran_order || header->shape.size() < 2)
        return buffer;
    auto ordered = make_buffer(type, header->shape);
    if (!ordered)
        return bad_array(path, ordered.errors()[0].message);
    from_fortran_order(*buffer, *ordered);
    return ordered;
}

Status write_numpy(const std::string& path, const Buffer& buffer) {
    auto header = header_for(buffer);
    return write_whole(
        path, {header, {reinterpret_cast<const char*>(buffer.data.data()), buffer.data.size()}});
}

} // namespace loopscope
