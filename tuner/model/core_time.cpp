#include "tuner/model/core_time.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace loopscope::model {

namespace {

// held in no register across iterations
constexpr double kStreamed = std::numeric_limits<double>::infinity();

// The loads and stores of one access: per evaluation, and how many registers their values fill.
struct Registers {
    bool read = false, write = false;
    double instructions = 0;
    double held = 0;
    double bytes = 0; // of one instruction
    bool gather = false;
};

class PointTimer {
public:
    PointTimer(const Work& work, const Point& point, const device::Device& device, int threads)
        : work_(work), p_(point), device_(device), threads_(threads) {}

    PointTime run(double slot) {
        PointTime t;
        double own = 1; // executions of the body by the point's own loops, vector loops as one
        for (std::size_t l = static_cast<std::size_t>(p_.own); l < p_.loops.size(); ++l)
            (kind(l) == LoopKind::Vectorized ? t.lanes : own) *= p_.trips[l];
        // Iterations that a guard drops evaluate nothing; a vector runs if any of its lanes does.
        t.evaluations = std::min(own * p_.stage_executions, p_.points);
        if (p_.points <= 0)
            return t;
        // Under a `where` a scalar evaluates what holds, and so does a vector whose lanes agree.
        // Another is masked and evaluates all.
        t.asked_depth = asked_depth();
        if (!asks_lanes())
            t.share = p_.taken / p_.points;
        t.arithmetic_slots = arithmetic(p_.operations, t.lanes) + handling(t.lanes);
        memory(t, own);
        chain(t);
        double each = std::max(t.arithmetic_slots, t.chain_slots / t.chains);
        double asked = arithmetic(p_.condition, asks_lanes() ? t.lanes : 1);
        for (std::size_t l = p_.loops.size(); l-- > t.asked_depth;)
            asked /= kind(l) == LoopKind::Vectorized ? 1 : p_.trips[l];
        t.compute_seconds = t.evaluations * (t.share * each + asked) * slot;
        t.threads = point_threads();
        return t;
    }

private:
    const WorkNode& loop(std::size_t l) const {
        return work_.nodes[static_cast<std::size_t>(p_.loops[l])];
    }
    LoopKind kind(std::size_t l) const { return loop(l).node->loop_kind; }
    bool moves(const Access& a, std::size_t l) const {
        return a.depths & (std::uint64_t{1} << std::min<std::size_t>(l, 63));
    }

    // Does the loop take the access elsewhere as data decide?
    static bool by_data(const Access& a, std::size_t l) {
        return a.data_depths & (std::uint64_t{1} << std::min<std::size_t>(l, 63));
    }

    double instructions(double lanes, int width_bits) const {
        return lanes <= 1 ? 1 : std::ceil(lanes * width_bits / device_.vector_bits);
    }

    // A condition is asked outside of the loops that do not change it: of those at this depth and
    // beyond.
    std::size_t asked_depth() const {
        auto l = p_.loops.size();
        while (l > static_cast<std::size_t>(p_.own) && !changes_condition(l - 1))
            --l;
        return l;
    }
    bool changes_condition(std::size_t l) const {
        return p_.condition_depths & (std::uint64_t{1} << std::min<std::size_t>(l, 63));
    }
    // Do the lanes of a vector differ in whether the condition holds?
    bool asks_lanes() const {
        for (std::size_t l = static_cast<std::size_t>(p_.own); l < p_.loops.size(); ++l)
            if (kind(l) == LoopKind::Vectorized && p_.trips[l] > 1 && changes_condition(l))
                return true;
        return false;
    }

    double arithmetic(const Operations& operations, double lanes) const {
        double slots = 0;
        for (int w = 0; w < 4; ++w) {
            auto i = static_cast<std::size_t>(w);
            slots += (operations.arithmetic[i] + kDivisionSlots * operations.divisions[i]) *
                     instructions(lanes, width_bits(w));
        }
        return slots;
    }

    // The cost of elements that do not lie side by side, and of indices that a boundary brings
    // inside.
    double handling(double lanes) const {
        double slots = 0;
        for (const auto& a : p_.accesses) {
            auto r = registers(a);
            if (r.gather)
                slots += kGatherSlots * r.instructions;
            if (lanes <= 1)
                slots += kBoundarySlots * a.clamped;
        }
        return slots;
    }

    // One evaluation's view of an access: a vector along contiguous elements, one value for all
    // lanes, or lane by lane.
    Registers registers(const Access& a) const {
        const auto& buffer = work_.buffers[static_cast<std::size_t>(a.buffer)];
        double lanes = 1,
               // of the vector along the last dimension; values that other vector loops add
            replicas = 1;
        bool contiguous = true, moved = false;
        for (std::size_t l = p_.loops.size(); l-- > static_cast<std::size_t>(p_.own);) {
            if (kind(l) != LoopKind::Vectorized || !moves(a, l))
                continue;
            auto last = a.forms.size() - 1;
            bool along = !moved && !by_data(a, l) &&
                         work_.forms.signed_step(a.forms[last], static_cast<int>(l)) == 1;
            for (std::size_t d = 0; along && d < last; ++d)
                along = work_.forms.signed_step(a.forms[d], static_cast<int>(l)) == 0;
            (moved ? replicas : lanes) *= p_.trips[l];
            contiguous = contiguous && (moved || along);
            moved = true;
        }
        Registers r;
        r.read = a.read;
        r.write = a.write;
        int width = static_cast<int>(buffer.element_bytes * 8);
        double vectors = instructions(lanes, width);
        r.gather = moved && !contiguous;
        r.held = a.loads * vectors * replicas;
        r.instructions = r.gather ? a.loads * lanes * replicas : r.held;
        r.bytes = r.gather ? buffer.element_bytes : lanes * buffer.element_bytes / vectors;
        return r;
    }

    // Loads and stores that are left when values stay in registers: across loops that do not move
    // them, as long as all such values fit; a loop that moves them, and is not unrolled, cannot
    // keep them (registers have no index).
    void memory(PointTime& t, double own) {
        std::vector<Registers> list;
        for (const auto& a : p_.accesses)
            list.push_back(registers(a));
        double file = device_.vector_bits >= 512 ? 32 : 16;
        for (std::size_t l = p_.loops.size(); l-- > static_cast<std::size_t>(p_.own);) {
            if (kind(l) == LoopKind::Vectorized)
                continue;
            double n = p_.trips[l];
            bool unrolled = kind(l) == LoopKind::Unrolled;
            double live = 0;
            for (std::size_t i = 0; i < list.size(); ++i) {
                const auto& a = p_.accesses[i];
                bool moved = moves(a, l);
                double more = moved ? distinct(a, l, n) : 1;
                // What is read once, and not again by a neighbour, passes through a register.
                bool passes = list[i].held == kStreamed || by_data(a, l) ||
                              (moved && (!unrolled || (!a.write && more == n)));
                live += passes ? 1 : list[i].held * more;
            }
            bool fits = live <= file;
            for (std::size_t i = 0; i < list.size(); ++i) {
                auto& r = list[i];
                const auto& a = p_.accesses[i];
                bool moved = moves(a, l);
                if (moved && unrolled && r.held != kStreamed && !by_data(a, l)) {
                    double more = distinct(a, l, n);
                    r.instructions *= fits && r.held == r.instructions ? more : n;
                    r.held *= more;
                } else if (moved || r.held == kStreamed || !fits) {
                    r.instructions *= n;
                    r.held = kStreamed;
                }
            }
        }
        // Executions of the nest, less what guards and conditions drop.
        double share = own > 0 ? t.evaluations * t.share / own : 0;
        for (const auto& r : list) {
            double count = r.instructions * share;
            t.loads += r.read ? count : 0;
            t.stores += r.write ? count : 0;
            double both = count * ((r.read ? 1 : 0) + (r.write ? 1 : 0));
            t.register_bytes += both * r.bytes;
            t.gathers += r.gather ? both : 0;
        }
    }

    // By how much an unrolled loop multiplies the different elements that an access names:
    // neighbours overlap.
    double distinct(const Access& a, std::size_t l, double n) const {
        double factor = 1;
        for (std::size_t d = 0; d < a.forms.size(); ++d) {
            double step = work_.forms.step(a.forms[d], static_cast<int>(l));
            if (step == 0)
                continue;
            double width = static_cast<double>(a.offsets[d].back() - a.offsets[d].front()) + 1;
            bool dense = static_cast<double>(a.offsets[d].size()) == width && !along_vector(a, d);
            factor *= dense ? std::min(n, (width + step * (n - 1)) / width) : n;
        }
        return std::min(factor, n);
    }

    bool along_vector(const Access& a, std::size_t d) const {
        for (std::size_t l = static_cast<std::size_t>(p_.own); l < p_.loops.size(); ++l)
            if (kind(l) == LoopKind::Vectorized &&
                work_.forms.step(a.forms[d], static_cast<int>(l)) != 0)
                return true;
        return false;
    }

    // A reduction, or a scan, whose innermost loop carries the value: each step waits for the one
    // before.
    void chain(PointTime& t) const {
        bool scan = false;
        if (p_.role == ComputeRole::Update)
            for (const auto& a : p_.accesses)
                scan = scan || (a.read && work_.buffers[static_cast<std::size_t>(a.buffer)].name ==
                                              p_.stage->stage.name);
        if ((p_.role != ComputeRole::Step && !scan) || p_.accesses.empty() ||
            p_.accesses.back().by_data)
            return;
        const auto& result = p_.accesses.back();
        double chains = registers(result).held;
        for (std::size_t l = p_.loops.size(); l-- > static_cast<std::size_t>(p_.own);) {
            if (kind(l) == LoopKind::Vectorized)
                continue;
            bool reduction = loop(l).node->reduction;
            if (kind(l) == LoopKind::Unrolled) {
                chains *= reduction ? 1 : p_.trips[l];
                continue;
            }
            if (!reduction)
                return;
            bool in_memory = moves(result, l);
            // A scan that assigns: a product and a sum, as in a recurrence.
            double latency = p_.step_latency > 0 ? p_.step_latency : 2 * kLatencySlots;
            t.chain_slots = latency + (in_memory ? kForwardSlots : 0);
            // Slots of one evaluation of all its vectors: as many chains run side by side as there
            // are accumulators.
            t.chain_slots *= registers(result).held;
            t.chains = std::max(chains, 1.0);
            return;
        }
    }

    double point_threads() const {
        double iterations = 1;
        bool parallel = false;
        for (std::size_t l = 0; l < p_.loops.size(); ++l)
            if (kind(l) == LoopKind::Parallel) {
                iterations *= p_.trips[l];
                parallel = true;
            }
        return parallel ? balanced_threads(iterations, threads_) : 1;
    }

    const Work& work_;
    const Point& p_;
    const device::Device& device_;
    int threads_;
};

} // namespace

std::optional<double> slot_seconds(const device::Device& device) {
    for (auto type : {ScalarType::F32, ScalarType::F64})
        if (auto it = device.flops_per_second.find(type);
            it != device.flops_per_second.end() && it->second.value > 0)
            return 2.0 * device.lanes(type) / it->second.value;
    return std::nullopt;
}

double balanced_threads(double iterations, int threads) {
    if (iterations <= 1 || threads <= 1)
        return 1;
    return iterations / std::ceil(iterations / threads);
}

PointTime point_time(const Work& work, const Point& point, const device::Device& device,
                     double slot, int threads) {
    return PointTimer(work, point, device, threads).run(slot);
}

std::vector<double> loop_seconds(const Work& work, const std::vector<PointTime>& times,
                                 double slot) {
    std::vector<double> out(work.nodes.size(), 0);
    for (std::size_t n = 0; n < work.nodes.size(); ++n) {
        const auto& node = work.nodes[n];
        auto kind = node.node->loop_kind;
        if (node.node->kind != TreeKind::Loop || kind == LoopKind::Vectorized ||
            kind == LoopKind::Unrolled)
            continue;
        bool waits = node.last_point == node.first_point + 1;
        double share = 1; // of the loop's executions, those that a condition outside of it lets run
        if (waits) {
            const auto& t = times[static_cast<std::size_t>(node.first_point)];
            if (static_cast<std::size_t>(node.depth) >= t.asked_depth)
                share = t.share;
            const auto& point = work.points[static_cast<std::size_t>(node.first_point)];
            waits = point.loops.back() == static_cast<int>(n) &&
                    t.chain_slots / t.chains >= t.arithmetic_slots + kLoopSlots;
        }
        if (!waits)
            out[n] = share * node.trips * node.extent * kLoopSlots * slot;
    }
    return out;
}

} // namespace loopscope::model
