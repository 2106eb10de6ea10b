#include "views/models/comparison.h"

#include "views/style/number_format.h"
#include "views/style/speed_format.h"

#include <QObject>

#include <map>

namespace loopscope::views {

namespace {

std::optional<double> rate(const model::Estimate& e) {
    return e.seconds && *e.seconds > 0 && e.flops > 0 ? std::optional(e.flops / *e.seconds)
                                                      : std::nullopt;
}

// In the order of the levels of whichever estimate names them first.
void add_traffic(std::vector<ComparedNumber>& out, const model::Estimate& before,
                 const model::Estimate& now) {
    std::vector<std::string> order;
    std::map<std::string, double> bytes[2];
    const model::Estimate* sides[] = {&before, &now};
    for (int side : {0, 1})
        for (const model::KernelEstimate& kernel : sides[side]->kernels)
            for (const model::LevelTraffic& level : kernel.traffic) {
                if (!bytes[0].count(level.level) && !bytes[1].count(level.level))
                    order.push_back(level.level);
                bytes[side][level.level] += level.bytes;
            }
    auto of = [&](int side, const std::string& level) {
        const auto found = bytes[side].find(level);
        return found == bytes[side].end() ? std::nullopt : std::optional(found->second);
    };
    for (const std::string& level : order)
        out.push_back(compared_number(
            QObject::tr("%1 traffic").arg(to_qstring(level)), of(0, level), of(1, level),
            format_bytes,
            QObject::tr("Bytes moved from %1 towards the cores.").arg(to_qstring(level))));
}

void add_kernels(std::vector<ComparedNumber>& out, const model::Estimate& before,
                 const model::Estimate& now) {
    auto of = [](const model::Estimate& e, const std::string& name) -> std::optional<double> {
        for (const model::KernelEstimate& kernel : e.kernels)
            if (kernel.name == name)
                return kernel.seconds;
        return std::nullopt;
    };
    auto add = [&](const std::string& name) {
        out.push_back(compared_number(
            QObject::tr("kernel %1").arg(to_qstring(name)), of(before, name), of(now, name),
            format_seconds,
            QObject::tr("The stage %1 at root, with all that is computed inside it.")
                .arg(to_qstring(name))));
        out.back().group = QObject::tr("Kernels");
    };
    for (const model::KernelEstimate& kernel : now.kernels)
        add(kernel.name);
    for (const model::KernelEstimate& kernel : before.kernels)
        if (!of(now, kernel.name))
            add(kernel.name);
}

// A script's directives without comments and without the spaces that mean nothing, and the line
// that each stands on.
struct Directives {
    std::string text;
    std::vector<int> lines;
    std::vector<QString> shown;
};

Directives directives_of(const std::string& script) {
    Directives out;
    int line = 0;
    for (const std::string_view whole : split_lines(script)) {
        ++line;
        const auto hash = whole.find('#');
        const QString shown =
            QString::fromUtf8(whole.data(), static_cast<qsizetype>(std::min(hash, whole.size())))
                .simplified();
        if (shown.isEmpty())
            continue;
        QString key = shown;
        out.text += key.remove(' ').toStdString() + '\n';
        out.lines.push_back(line);
        out.shown.push_back(shown);
    }
    return out;
}

} // namespace

QString whole_group() { return QObject::tr("The whole program"); }

ComparedNumber compared_number(const QString& name, std::optional<double> before,
                               std::optional<double> now, QString (*format)(double),
                               const QString& tooltip, bool less_is_better) {
    ComparedNumber n;
    n.name = name;
    n.before = before ? format(*before) : kNone;
    n.now = now ? format(*now) : kNone;
    if (before && now && *before > 0) {
        n.change = format == format_seconds ? format_time_change(*before, *now)
                                            : format_change(*before, *now);
        n.sign = change_sign(*before, *now, less_is_better);
        n.ratio = *now / *before;
    }
    n.tooltip = tooltip;
    n.group = whole_group();
    return n;
}

std::vector<ComparedNumber> compare_numbers(const model::Estimate& before,
                                            const model::Estimate& now,
                                            const MeasuredPair& measured) {
    std::vector<ComparedNumber> out;
    out.push_back(compared_number(QObject::tr("time, predicted"), before.seconds, now.seconds,
                                  format_seconds,
                                  QObject::tr("The estimate of the whole program.")));
    if (measured.before || measured.now)
        out.push_back(compared_number(
            QObject::tr("time, measured"), measured.before, measured.now, format_seconds,
            QObject::tr("The newest median of each schedule on this machine.")));
    if (rate(before) || rate(now))
        out.push_back(compared_number(
            QObject::tr("rate, predicted"), rate(before), rate(now), format_flops_per_second,
            QObject::tr("Floating-point operations a second, predicted."), false));
    out.push_back(compared_number(QObject::tr("arithmetic"), before.flops, now.flops, format_flops,
                                  QObject::tr("Operations executed, recomputation included.")));
    out.push_back(compared_number(QObject::tr("recompute factor"), before.recompute_factor,
                                  now.recompute_factor, format_factor,
                                  QObject::tr("Operations executed for each one that is needed.")));
    add_traffic(out, before, now);
    add_kernels(out, before, now);
    return out;
}

std::vector<ComparedLine> compare_scripts(const std::string& before, const std::string& now) {
    const Directives a = directives_of(before), b = directives_of(now);
    std::vector<ComparedLine> out;
    for (const DiffLine& line : line_diff(a.text, b.text).lines) {
        if (line.change == LineChange::Same)
            continue;
        const bool older = line.after < 0;
        const auto at = static_cast<std::size_t>(older ? line.before : line.after);
        const Directives& side = older ? a : b;
        out.push_back({line.change, side.lines[at], side.shown[at]});
    }
    return out;
}

} // namespace loopscope::views
