#include "views/models/kernel_text.h"

#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope::views {

namespace {

QString counted(std::int64_t count, const QString& one, const QString& many) {
    return count == 1 ? QObject::tr("1 %1").arg(one)
                      : QStringLiteral("%1 %2").arg(format_count(static_cast<double>(count)), many);
}

QString of_limit(double used, double limit, bool bytes) {
    return QObject::tr("%1 of %2")
        .arg(bytes ? format_capacity(used) : format_count(used),
             bytes ? format_capacity(limit) : format_count(limit));
}

double share_of(double used, double limit) { return limit > 0 ? used / limit : 0; }

// "registers", "shared memory and registers"
QString listed_limits(const device::Occupancy& occupancy) {
    QStringList names;
    for (const auto& limit : occupancy.limits)
        if (limit.reached)
            names << to_qstring(limit.name);
    return names.join(QObject::tr(" and "));
}

bool reached(const model::gpu::KernelShape& shape, const char* limit) {
    if (!shape.occupancy)
        return false;
    const auto& limits = shape.occupancy->limits;
    return std::any_of(limits.begin(), limits.end(),
                       [&](const auto& each) { return each.reached && each.name == limit; });
}

LimitUse threads_use(const model::gpu::KernelShape& shape, const device::Gpu& gpu) {
    const auto used = static_cast<double>(shape.threads);
    const double limit = gpu.limits.threads_per_block;
    return {QObject::tr("threads of a block"), of_limit(used, limit, false),
            QObject::tr("A block has %1, in warps of %2.")
                .arg(threads_text(shape))
                .arg(gpu.warp_threads),
            share_of(used, limit), reached(shape, "warps")};
}

LimitUse cluster_use(const model::gpu::KernelShape& shape, const device::Gpu& gpu) {
    const auto used = static_cast<double>(shape.cluster_blocks());
    const double limit = gpu.limits.blocks_per_cluster;
    return {QObject::tr("blocks of a cluster"), of_limit(used, limit, false),
            QObject::tr("Blocks that run at once, on neighbouring multiprocessors: %1.")
                .arg(extents_text(shape.cluster)),
            share_of(used, limit), false};
}

LimitUse registers_use(const model::gpu::KernelShape& shape, const device::Gpu& gpu) {
    const double used =
        static_cast<double>(shape.registers) + static_cast<double>(shape.registers_spilled);
    const double limit = gpu.limits.registers_per_thread;
    QString value = of_limit(used, limit, false);
    if (!shape.registers_measured)
        value.prepend(QStringLiteral("≈ "));
    QString tip =
        shape.registers_measured
            ? QObject::tr("Registers of a thread, as NVIDIA's assembler says.")
            : QObject::tr("Registers of a thread, estimated: %1. NVIDIA's assembler decides; the "
                          "source view says how where it is found.")
                  .arg(to_qstring(shape.registers_from));
    if (shape.registers_spilled > 0)
        tip += ' ' +
               QObject::tr("About %1 of them are spilled to memory.").arg(shape.registers_spilled);
    return {QObject::tr("registers"), value, tip, share_of(used, limit),
            reached(shape, "registers")};
}

LimitUse shared_use(const model::gpu::KernelShape& shape, const device::Gpu& gpu) {
    const auto used = static_cast<double>(shape.shared_bytes),
               limit = static_cast<double>(gpu.limits.shared_bytes_per_block);
    QString tip =
        QObject::tr("Shared memory of a block; a multiprocessor has %1.")
            .arg(format_capacity(static_cast<double>(gpu.limits.shared_bytes_per_multiprocessor)));
    return {QObject::tr("shared memory"), of_limit(used, limit, true), tip, share_of(used, limit),
            reached(shape, "shared memory")};
}

LimitUse occupancy_use(const device::Occupancy& occupancy) {
    QStringList allowed;
    for (const auto& limit : occupancy.limits)
        if (limit.blocks)
            allowed << QObject::tr("%1 by %2").arg(*limit.blocks).arg(to_qstring(limit.name));
    return {QObject::tr("occupancy"),
            QObject::tr("%1, %2 of %3 warps")
                .arg(counted(occupancy.blocks, QObject::tr("block"), QObject::tr("blocks")))
                .arg(occupancy.active_warps)
                .arg(occupancy.most_warps),
            QObject::tr("Blocks that a multiprocessor runs at once: %1. Limited by %2.")
                .arg(allowed.join(QStringLiteral(", ")), listed_limits(occupancy)),
            occupancy.share(), false};
}

} // namespace

QString extents_text(const std::array<std::int64_t, 3>& extents) {
    std::size_t last = 2;
    while (last > 0 && extents[last] == 1)
        --last;
    QStringList parts;
    for (std::size_t d = 0; d <= last; ++d)
        parts << format_count(static_cast<double>(extents[d]));
    return parts.join(QStringLiteral(" × "));
}

QString threads_text(const model::gpu::KernelShape& shape) {
    const auto text = shape.threads == 1 ? QObject::tr("1 thread")
                                         : QObject::tr("%1 threads").arg(extents_text(shape.block));
    return shape.producers == 0 ? text
                                : QObject::tr("%1 + %2 loading").arg(text).arg(shape.producers);
}

QString block_text(const model::gpu::KernelShape& shape, int warp_threads) {
    const std::int64_t warps = (shape.threads + warp_threads - 1) / warp_threads;
    return QObject::tr("%1 · %2").arg(threads_text(shape),
                                      counted(warps, QObject::tr("warp"), QObject::tr("warps")));
}

QString blocks_text(const model::gpu::KernelShape& shape) {
    if (shape.blocks == 1)
        return QObject::tr("1 block");
    const auto text = QObject::tr("%1 blocks").arg(extents_text(shape.grid));
    return shape.cluster_blocks() == 1
               ? text
               : QObject::tr("%1 in clusters of %2").arg(text, extents_text(shape.cluster));
}

QString launch_text(const model::gpu::KernelShape& shape, int warp_threads) {
    if (!shape.bound)
        return QObject::tr("one thread does all of it");
    if (shape.persistent && shape.launched_blocks() < shape.blocks)
        return QObject::tr("%1 blocks of %2, which take %3 iterations in turn")
            .arg(extents_text(shape.launched), block_text(shape, warp_threads),
                 extents_text(shape.grid));
    const bool clusters = shape.cluster_blocks() > 1;
    return (clusters ? QObject::tr("%1, of %2") : QObject::tr("%1 of %2"))
        .arg(blocks_text(shape), block_text(shape, warp_threads));
}

QString kernels_text(const model::Estimate& estimate, const std::string& stage, int warp_threads) {
    std::vector<const model::gpu::KernelShape*> shapes;
    for (const auto& kernel : estimate.kernels)
        if (kernel.gpu && kernel.node.stage == stage)
            shapes.push_back(&*kernel.gpu);
    if (shapes.empty())
        return {};
    if (shapes.size() == 1)
        return QObject::tr("kernel of %1").arg(launch_text(*shapes.front(), warp_threads));
    return QObject::tr("%1 kernels, the first of %2")
        .arg(shapes.size())
        .arg(launch_text(*shapes.front(), warp_threads));
}

std::vector<LimitUse> limit_uses(const model::gpu::KernelShape& shape, const device::Gpu& gpu) {
    std::vector<LimitUse> out{threads_use(shape, gpu), registers_use(shape, gpu),
                              shared_use(shape, gpu)};
    if (shape.cluster_blocks() > 1)
        out.push_back(cluster_use(shape, gpu));
    if (!shape.occupancy)
        return out;
    out.push_back(occupancy_use(*shape.occupancy));
    const QString limits = listed_limits(*shape.occupancy);
    if (!limits.isEmpty())
        out.push_back({QObject::tr("limited by"), limits,
                       QObject::tr("More blocks on a multiprocessor would need more of it."), 0,
                       true});
    if (shape.waves > 0 && shape.persistent)
        out.push_back(
            {QObject::tr("iterations"),
             shape.waves == 1 ? QObject::tr("1 a block")
                              : QObject::tr("%1 a block, the last of %2 of them")
                                    .arg(format_count(static_cast<double>(shape.waves)),
                                         format_share(shape.last_wave)),
             QObject::tr(
                 "%1 blocks stay and take %2 iterations in turn: there are no waves, but in "
                 "the last turn a part of them is idle.")
                 .arg(format_count(static_cast<double>(shape.launched_blocks())),
                      format_count(static_cast<double>(shape.blocks))),
             shape.last_wave, false});
    else if (shape.waves > 0)
        out.push_back(
            {QObject::tr("waves"),
             shape.waves == 1 ? QObject::tr("1, %1 full").arg(format_share(shape.last_wave))
                              : QObject::tr("%1, the last %2")
                                    .arg(format_count(static_cast<double>(shape.waves)),
                                         format_share(shape.last_wave)),
             QObject::tr("All multiprocessors run %1 blocks at once, of %2; the last wave leaves a "
                         "part of them idle.")
                 .arg(format_count(static_cast<double>(shape.blocks_at_once)),
                      format_count(static_cast<double>(shape.blocks))),
             shape.last_wave, false});
    return out;
}

} // namespace loopscope::views
