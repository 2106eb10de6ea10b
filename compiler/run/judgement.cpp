#include "compiler/run/judgement.h"

#include "compiler/run/float_values.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope {

namespace {

// Elements as they compare: floats, bools and what f64 holds as f64, other integers as they are.
template <typename T> class Judging {
public:
    using Read = T (*)(const Buffer&, std::int64_t);

    Judging(Read read, T least, T greatest) : read_(read), least_(least), greatest_(greatest) {}

    Judgement within(const Buffer& actual, const Buffer& reference, const Buffer& low,
                     const Buffer& high) const {
        Judgement all;
        all.elements = actual.count();
        T greatest_low = least_, least_high = greatest_; // what lies between passes everywhere
        double widest = 0, greatest = 0;
        for (std::int64_t i = 0; i < all.elements; ++i) {
            const T from = read_(low, i), to = read_(high, i), wanted = read_(reference, i);
            if (!(from <= to) || (from == least_ && to == greatest_)) {
                ++all.unbounded;
                continue;
            }
            const T value = read_(actual, i);
            if (!(from <= value && value <= to) && all.beyond++ == 0)
                all.first = i;
            const double away = std::max(distance(from, wanted), distance(to, wanted));
            if (std::isinf(away)) {
                ++all.unbounded;
                continue;
            }
            all.allowed = std::max(all.allowed, away);
            widest = std::max(widest, distance(from, to));
            greatest_low = std::max(greatest_low, from);
            least_high = std::min(least_high, to);
            if (const double size = distance(wanted, T(0)); std::isfinite(size))
                greatest = std::max(greatest, size);
        }
        const bool one_passes = greatest_low <= least_high;
        all.excludes_nothing = all.unbounded == all.elements
                                   ? all.elements > 0
                                   : one_passes && widest > 0 && widest >= greatest / 100;
        return all;
    }

private:
    static double distance(T a, T b) {
        return a == b ? 0 : std::fabs(static_cast<double>(a) - static_cast<double>(b));
    }

    const Read read_;
    const T least_, greatest_;
};

template <typename T> T whole(const Buffer& buffer, std::int64_t i) { return buffer.as<T>()[i]; }

template <typename T>
Judgement judge_whole(const Buffer& actual, const Buffer& reference, const Buffer& low,
                      const Buffer& high) {
    using Limits = std::numeric_limits<T>;
    return Judging<T>(&whole<T>, Limits::min(), Limits::max()).within(actual, reference, low, high);
}

} // namespace

Judgement judge_within(const Buffer& actual, const Buffer& reference, const Buffer& low,
                       const Buffer& high) {
    switch (actual.type) {
    case ScalarType::I64: return judge_whole<std::int64_t>(actual, reference, low, high);
    case ScalarType::U64: return judge_whole<std::uint64_t>(actual, reference, low, high);
    default: break;
    }
    const bool floats = is_float(actual.type), boolean = is_bool(actual.type);
    // Between infinite ends lies any float.
    const double infinity = std::numeric_limits<double>::infinity();
    const double least_one = floats    ? -infinity
                             : boolean ? 0
                                       : static_cast<double>(least(actual.type));
    const double greatest_one = floats    ? infinity
                                : boolean ? 1
                                          : static_cast<double>(greatest(actual.type));
    return Judging<double>(&element_value, least_one, greatest_one)
        .within(actual, reference, low, high);
}

Judgement judge_by(double tolerance, const Buffer& actual, const Buffer& reference) {
    Judgement all;
    all.elements = actual.count();
    all.allowed = tolerance;
    for (std::int64_t i = 0; i < actual.count(); ++i) {
        const double a = element_value(actual, i), b = element_value(reference, i);
        const bool same = a == b || (std::isnan(a) && std::isnan(b));
        if (!same && !(std::fabs(a - b) <= tolerance) && all.beyond++ == 0)
            all.first = i;
    }
    const double greatest = greatest_magnitude(reference);
    all.excludes_nothing = greatest > 0 && tolerance >= greatest;
    return all;
}

} // namespace loopscope
