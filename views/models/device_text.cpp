#include "views/models/device_text.h"

#include "tuner/model/estimate.h"
#include "views/models/snapshots.h"
#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

#include <algorithm>
#include <optional>

namespace loopscope::views {

namespace {

using Ceilings = std::vector<model::Ceiling>;

// Of all operations whose ceilings are called so, those at full rate stand first.
std::optional<double> operations(const Ceilings& ceilings, const std::string& name) {
    const auto found = std::find_if(ceilings.begin(), ceilings.end(), [&](const auto& ceiling) {
        return !ceiling.bandwidth && ceiling.name.starts_with(name);
    });
    return found == ceilings.end() ? std::nullopt : std::optional(found->value);
}

// Memory is the last of the levels.
std::optional<double> memory(const Ceilings& ceilings, const std::string& name) {
    const bool known =
        !ceilings.empty() && ceilings.back().bandwidth && ceilings.back().name.starts_with(name);
    return known ? std::optional(ceilings.back().value) : std::nullopt;
}

QString vectors(const device::Device& device) {
    const std::pair<const char*, QString> names[] = {{"avx512f", QStringLiteral("AVX-512")},
                                                     {"avx2", QStringLiteral("AVX2")},
                                                     {"avx", QStringLiteral("AVX")},
                                                     {"sse4.2", QStringLiteral("SSE4.2")},
                                                     {"neon", QStringLiteral("NEON")}};
    const auto& has = device.features;
    for (const auto& [feature, name] : names)
        if (std::find(has.begin(), has.end(), feature) != has.end())
            return name;
    return QObject::tr("vectors of %1 bits").arg(device.vector_bits);
}

void add_rates(const std::optional<double>& floats, const std::optional<double>& bytes,
               QStringList& parts) {
    if (!floats && !bytes) {
        parts << QObject::tr("peaks not known");
        return;
    }
    parts << (floats ? QObject::tr("f32 %1").arg(format_flops_per_second(*floats))
                     : QObject::tr("f32 not known"));
    parts << (bytes ? QObject::tr("memory %1").arg(format_bytes_per_second(*bytes))
                    : QObject::tr("memory not known"));
}

QStringList of_gpu(const device::Device& device, const Ceilings& ceilings) {
    QStringList parts;
    if (const auto tensor = operations(ceilings, "f16 tensor cores"))
        parts << QObject::tr("f16 tensor cores %1").arg(format_flops_per_second(*tensor));
    add_rates(operations(ceilings, "f32 FMA"), memory(ceilings, "DRAM"), parts);
    if (ceilings.empty())
        parts.prepend(device.gpu->multiprocessors == 1
                          ? QObject::tr("1 unit")
                          : QObject::tr("%1 units").arg(device.gpu->multiprocessors));
    return parts;
}

QStringList of_processor(const device::Device& device, const Ceilings& ceilings) {
    QStringList parts{device.cores == 1 ? QObject::tr("1 core")
                                        : QObject::tr("%1 cores").arg(device.cores),
                      vectors(device)};
    add_rates(operations(ceilings, "f32 FMA"), memory(ceilings, "memory"), parts);
    return parts;
}

} // namespace

QString good_for(const device::Device& device) {
    const auto ceilings = model::roofline_ceilings(device, 0); // of all cores
    return (device.gpu ? of_gpu(device, ceilings) : of_processor(device, ceilings))
        .join(QStringLiteral(", "));
}

QString shortened(const QString& name, int characters) {
    if (name.size() <= characters)
        return name;
    const auto end = (characters - 1) / 2;
    return name.left(characters - 1 - end) + QChar(0x2026) + name.right(end);
}

} // namespace loopscope::views
