// A JSON text to a value, with the place of what is wrong in it.
#include "core/device/json_reader.h"

namespace loopscope::device {

using nlohmann::json;

namespace {

constexpr int kNumberOverflow = 406; // nlohmann's number of that exception

// Only looks for an error. The parser tells its handler the place of every one; the exceptions that
// it throws otherwise have a place for some only.
class ErrorFinder : public nlohmann::json_sax<json> {
public:
    std::optional<Diagnostic> error_in(const SourceFilePtr& text) {
        text_ = text;
        json::sax_parse(text->text(), this);
        return found_;
    }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }

    // `read`: how many bytes were read when the last one of `token` showed that something is wrong.
    bool parse_error(std::size_t read, const std::string& token,
                     const json::exception& failure) override {
        const auto size = text_->text().size();
        if (failure.id == kNumberOverflow) {
            auto begin = read - std::min(read, token.size());
            found_ = error("the number " + token + " is too large", "leave out what is not known",
                           {text_, begin, std::min(read, size)});
        } else {
            auto place = std::min(read > 0 ? read - 1 : 0, size);
            found_ = error("not a JSON text",
                           "a device file is a JSON object (resources/devices/README.md)",
                           {text_, place, place});
        }
        return false;
    }

private:
    SourceFilePtr text_;
    std::optional<Diagnostic> found_;
};

} // namespace

Result<json> parse_json(const SourceFilePtr& text) {
    if (auto wrong = ErrorFinder().error_in(text))
        return *wrong;
    return json::parse(text->text());
}

} // namespace loopscope::device
