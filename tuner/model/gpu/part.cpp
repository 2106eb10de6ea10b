#include "tuner/model/gpu/part.h"

#include "tuner/model/gpu/warp_access.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope::model::gpu {

namespace {

double values_of(const Moving& moving, std::uint64_t depths) {
    double out = 1;
    for (std::size_t d = 0; d < moving.size(); ++d)
        if (depths >> std::min<std::size_t>(d, 63) & 1)
            out *= moving[d];
    return out;
}

bool holds(const Moving& moving, const std::vector<double>& trips, std::uint64_t depths) {
    for (std::size_t d = 0; d < moving.size(); ++d)
        if ((depths >> std::min<std::size_t>(d, 63) & 1) && moving[d] < trips[d])
            return true;
    return false;
}

// Greatest less least value of forms while the loops move.
class Spread {
public:
    Spread(const FormTable& forms, const Moving& moving) : forms_(forms), moving_(moving) {}

    double of(const Form& form) const {
        double sum = 0;
        for (const auto& [index, c] : form.terms)
            sum += std::abs(static_cast<double>(c)) * of(forms_.atom(index));
        return sum;
    }

    double of(const FormAtom& atom) const {
        const auto width = static_cast<double>(atom.range.greatest - atom.range.least);
        switch (atom.kind) {
        case FormAtom::Kind::Loop:
            return std::min(moving_[static_cast<std::size_t>(atom.depth)] - 1, width);
        case FormAtom::Kind::Divide: {
            const double inner = of(atom.inner), by = static_cast<double>(atom.a);
            return inner == 0 ? 0 : std::min(std::floor((inner + by - 1) / by), width);
        }
        case FormAtom::Kind::Modulo:
        case FormAtom::Kind::Clamp: return std::min(of(atom.inner), width);
        default: return std::min(values_of(moving_, atom.depths) - 1, width);
        }
    }

private:
    const FormTable& forms_;
    const Moving& moving_;
};

// What of the box of one dimension is held, as a key, and where it lies relative to that.
void add_dimension(const Work& work, const Point& point, const Access& access, std::size_t d,
                   const Moving& moving, Part& out) {
    const auto& form = access.forms[d];
    const auto& buffer = work.buffers[static_cast<std::size_t>(access.buffer)];
    const double pitch = buffer.pitch[d] * buffer.element_bytes;
    const Spread spread(work.forms, moving);
    double low = static_cast<double>(access.offsets[d].front()),
           high = static_cast<double>(access.offsets[d].back());
    bool held = false, aligned = true;
    for (const auto& [index, c] : form.terms) {
        const auto& atom = work.forms.atom(index);
        const auto factor = static_cast<double>(c);
        if (!holds(moving, point.trips, atom.depths)) {
            low += factor * static_cast<double>(c > 0 ? atom.range.least : atom.range.greatest);
            high += factor * static_cast<double>(c > 0 ? atom.range.greatest : atom.range.least);
            continue;
        }
        held = true;
        (c > 0 ? high : low) += factor * spread.of(atom);
        aligned = aligned && atom.kind == FormAtom::Kind::Loop &&
                  std::fmod(factor * pitch, kSectorBytes) == 0;
        out.held = combine(combine(out.held, static_cast<std::uint64_t>(index)),
                           static_cast<std::uint64_t>(c));
    }
    out.held = combine(out.held, d);
    out.absolute = out.absolute && !held;
    const double last = buffer.extents[d] - 1;
    if (held) {
        high = std::min(high, low + last);
    } else { // what is outside does not exist: boundaries read inside
        low = std::clamp(low, 0.0, last);
        high = std::clamp(high, low, last);
    }
    const bool innermost = d + 1 == access.forms.size();
    out.aligned = out.aligned && aligned &&
                  (innermost ? std::fmod(low * pitch, kSectorBytes) == 0
                             : high == low || std::fmod(pitch, kSectorBytes) == 0);
    out.low.push_back(low);
    out.high.push_back(high);
    out.values.push_back(
        std::min(high - low + 1, values_of(moving, work.forms.depths(form)) *
                                     static_cast<double>(access.offsets[d].size())));
}

} // namespace

Part part_of(const Work& work, const Point& point, const Access& access, const Moving& moving) {
    Part out;
    out.buffer = access.buffer;
    for (std::size_t d = 0; d < access.forms.size(); ++d)
        add_dimension(work, point, access, d, moving, out);
    out.most = std::numeric_limits<double>::infinity();
    if (access.by_data)
        out.most = access.loads * values_of(moving, access.depths);
    return out;
}

void unite(std::vector<Part>& parts, const Part& part) {
    for (auto& known : parts) {
        if (known.buffer != part.buffer || known.absolute != part.absolute ||
            (!part.absolute && known.held != part.held))
            continue;
        for (std::size_t d = 0; d < part.low.size(); ++d) {
            known.low[d] = std::min(known.low[d], part.low[d]);
            known.high[d] = std::max(known.high[d], part.high[d]);
            known.values[d] =
                std::min(known.values[d] + part.values[d], known.high[d] - known.low[d] + 1);
        }
        known.aligned = known.aligned && part.aligned;
        known.most += part.most;
        return;
    }
    parts.push_back(part);
}

double sector_bytes(const Work& work, const Part& part) {
    const auto& buffer = work.buffers[static_cast<std::size_t>(part.buffer)];
    std::size_t d = part.low.size();
    double run = 1,
           values = 1; // elements of a row: from its first to its last; of those that are named
    while (d > 0) {
        --d;
        const double extent = part.high[d] - part.low[d] + 1;
        run = buffer.pitch[d] * (extent - 1) + run;
        values *= part.values[d];
        // Full rows of memory without padding join.
        const bool joins = extent == buffer.extents[d] && d > 0 &&
                           buffer.pitch[d - 1] == buffer.pitch[d] * buffer.extents[d];
        if (!joins)
            break;
    }
    double rows = 1;
    for (std::size_t r = 0; r < d; ++r)
        rows *= part.values[r];
    const double element = buffer.element_bytes, length = run * element;
    const double sectors =
        part.aligned ? std::ceil(length / kSectorBytes)
                     : (length - std::min(element, 1.0 * kSectorBytes)) / kSectorBytes + 1;
    return std::min(rows * std::min(std::max(sectors, 1.0), values), part.most) * kSectorBytes;
}

double sector_bytes(const Work& work, const std::vector<Part>& parts) {
    double sum = 0;
    for (const auto& part : parts)
        sum += sector_bytes(work, part);
    if (parts.empty())
        return 0;
    const auto& buffer = work.buffers[static_cast<std::size_t>(parts.front().buffer)];
    return std::min(sum, std::max(buffer.bytes, 1.0 * kSectorBytes));
}

} // namespace loopscope::model::gpu
