#include "compiler/run/buffer_text.h"

#include "compiler/run/float_values.h"
#include "core/base/number_text.h"

namespace loopscope {

std::string element_text(const Buffer& buffer, std::int64_t position) {
    switch (buffer.type) {
    case ScalarType::F16: return general_text(element_value(buffer, position), 5);
    case ScalarType::BF16: return general_text(element_value(buffer, position), 4);
    case ScalarType::F32: return general_text(buffer.as<float>()[position], 9);
    case ScalarType::F64: return general_text(buffer.as<double>()[position], 17);
    case ScalarType::I8: return std::to_string(buffer.as<std::int8_t>()[position]);
    case ScalarType::I16: return std::to_string(buffer.as<std::int16_t>()[position]);
    case ScalarType::I32: return std::to_string(buffer.as<std::int32_t>()[position]);
    case ScalarType::I64: return std::to_string(buffer.as<std::int64_t>()[position]);
    case ScalarType::U16: return std::to_string(buffer.as<std::uint16_t>()[position]);
    case ScalarType::U32: return std::to_string(buffer.as<std::uint32_t>()[position]);
    case ScalarType::U64: return std::to_string(buffer.as<std::uint64_t>()[position]);
    default: return std::to_string(buffer.as<std::uint8_t>()[position]);
    }
}

std::vector<std::int64_t> index_of_position(const std::vector<std::int64_t>& extents,
                                            std::int64_t position) {
    std::vector<std::int64_t> index(extents.size());
    for (auto d = extents.size(); d-- > 0;) {
        index[d] = position % extents[d];
        position /= extents[d];
    }
    return index;
}

std::string index_text(const std::vector<std::int64_t>& index) {
    std::string text;
    for (auto each : index)
        text += (text.empty() ? "" : ", ") + std::to_string(each);
    return "[" + text + "]";
}

std::string index_text(const Buffer& buffer, std::int64_t position) {
    return index_text(index_of_position(buffer.extents, position));
}

} // namespace loopscope
