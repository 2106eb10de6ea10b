#include "tuner/model/traffic.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_set>

namespace loopscope::model {

namespace {

class CacheTraffic {
public:
    CacheTraffic(const Work& work, const std::vector<NodeFootprints>& footprints,
                 const device::CacheLevel& cache, int threads)
        : work_(work), footprints_(footprints), threads_(threads) {
        sharers_ = std::clamp(cache.shared_by_cores, 1, std::max(threads, 1));
        shared_ = sharers_ >= threads;
        double ours = kCacheShare * static_cast<double>(cache.bytes);
        alone_ = ours;
        per_thread_ = ours / sharers_;
        line_ = std::max(cache.line_bytes, 1);
        ways_ = cache.ways;
        way_bytes_ = ways_ > 0 ? cache.bytes / ways_ : 0;
        together_ = ours * std::max(1.0, static_cast<double>(threads) / sharers_);
        parallel_.assign(work.nodes.size(), false);
        for (std::size_t n = work.nodes.size(); n-- > 0;)
            if (const auto& node = work.nodes[n]; parallel_[n] || is_parallel(node)) {
                parallel_[n] = true;
                if (node.parent >= 0)
                    parallel_[static_cast<std::size_t>(node.parent)] = true;
            }
    }

    std::vector<Flows> run() {
        std::vector<Flows> out;
        sequence(work_.nodes[0], false, &out);
        return out;
    }

private:
    static bool is_parallel(const WorkNode& node) {
        return node.node->kind == TreeKind::Loop && node.node->loop_kind == LoopKind::Parallel;
    }

    // Do rows of a buffer lie so far apart that they fall into a few sets, and push each other out?
    // Rows whose distance has a large divisor in common with the size of a way begin at few places
    // of it.
    bool collides(const Footprint& footprint) const {
        return way_bytes_ > 0 &&
               std::any_of(footprint.touches.begin(), footprint.touches.end(), [&](const Touch& t) {
                   if (t.rows <= ways_ || t.row_pitch < line_)
                       return false;
                   auto pitch = static_cast<std::int64_t>(t.row_pitch);
                   auto places = static_cast<double>(way_bytes_ / std::gcd(way_bytes_, pitch));
                   double row = std::ceil(std::max(t.row_bytes, 1.0) / line_) * line_;
                   double reached =
                       std::min(static_cast<double>(way_bytes_), std::min(places, t.rows) * row);
                   return t.rows * row > reached * ways_ &&
                          t.rows * row <= static_cast<double>(way_bytes_) * ways_;
               });
    }

    // Inside a parallel loop: one thread's part. Outside, where it holds one: all caches together.
    // Else a whole one.
    double capacity(std::size_t n, bool inside_parallel) const {
        return inside_parallel ? per_thread_ : parallel_[n] ? together_ : alone_;
    }

    // What the iterations of a parallel loop that run at once in one cache touch: each its own, and
    // once what they share.
    double together(const WorkNode& loop, const Footprint& body) const {
        double sum = 0;
        for (const auto& t : body.touches) {
            bool own_memory = work_.buffers[static_cast<std::size_t>(t.buffer)].depth > loop.depth;
            double moved = own_memory ? t.lines : std::min(t.lines, t.next_lines - t.lines);
            sum += t.lines + (std::min<double>(sharers_, loop.extent) - 1) * moved;
        }
        return sum;
    }

    static Flows once(const Footprint& footprint) {
        Flows out;
        for (const auto& t : footprint.touches)
            out.push_back({t.buffer, t.lines, t.written_lines});
        return out;
    }

    // `runs` runs of consecutive iterations, n in all, each iteration fitting the cache.
    static Flows sliding(const Footprint& body, double n, double runs) {
        Flows out;
        double per_run = n / runs - 1;
        for (const auto& t : body.touches)
            out.push_back(
                {t.buffer, runs * (t.lines + per_run * std::min(t.lines, t.next_lines - t.lines)),
                 runs * (t.written_lines +
                         per_run * std::min(t.written_lines, t.next_written - t.written_lines))});
        return out;
    }

    Flows node(std::size_t n, bool inside_parallel) {
        const auto& w = work_.nodes[n];
        const auto& footprint = footprints_[n];
        double capacity = this->capacity(n, inside_parallel);
        // over several private caches
        bool spread = !inside_parallel && parallel_[n] && threads_ > 1 && !shared_;
        if (footprint.all.lines <= capacity && !spread &&
            (w.node->kind != TreeKind::Loop || !collides(footprint.all)))
            return once(footprint.all);
        if (w.node->kind == TreeKind::Compute)
            return once(footprint.all);
        if (w.node->kind != TreeKind::Loop)
            return sequence(w, inside_parallel, nullptr);
        bool cut = is_parallel(w) && !inside_parallel && threads_ > 1;
        double n_iterations = std::max(w.extent, 1.0);
        double runs = cut && !shared_ ? std::min<double>(threads_, n_iterations) : 1;
        double working = cut ? together(w, footprint.body) : footprint.body.lines;
        if (working <= (cut ? alone_ : capacity) && !collides(footprint.body))
            return sliding(footprint.body, n_iterations, runs);
        auto body = sequence(w, inside_parallel || is_parallel(w), nullptr);
        for (auto& flow : body) {
            flow.in *= n_iterations;
            flow.out *= n_iterations;
        }
        return body;
    }

    // Children one after another. `each`, if given, gets every child's own flows.
    Flows sequence(const WorkNode& parent, bool inside_parallel, std::vector<Flows>* each) {
        Flows sum;
        std::vector<std::size_t> done;
        std::unordered_set<int> touched; // buffers, by what is done
        for (int c : parent.children) {
            auto child = static_cast<std::size_t>(c);
            if (work_.nodes[child].node->kind == TreeKind::Storage)
                continue;
            Flows flows = node(child, inside_parallel);
            reuse(flows, child, done, touched, inside_parallel);
            done.push_back(child);
            for (const auto& t : footprints_[child].all.touches)
                touched.insert(t.buffer);
            if (each)
                each->push_back(flows);
            add(sum, flows);
        }
        return sum;
    }

    // Takes off what nodes that ran before left in the cache: the most recent first, while all that
    // was touched since still fits. A loop that is too large as a whole still finds what its first
    // iteration needs.
    void reuse(Flows& flows, std::size_t child, const std::vector<std::size_t>& done,
               const std::unordered_set<int>& touched, bool inside_parallel) const {
        // What nobody touched is nowhere left; without the others there is nothing to look for.
        auto open = std::count_if(flows.begin(), flows.end(),
                                  [&](const Flow& flow) { return touched.count(flow.buffer) > 0; });
        if (open == 0)
            return;
        double room = capacity(child, inside_parallel);
        const auto& footprints = footprints_[child];
        bool loop = work_.nodes[child].node->kind == TreeKind::Loop;
        const auto& own = footprints.all.lines > room && loop ? footprints.body : footprints.all;
        since_.clear();
        double sum = own.lines;
        for (const auto& t : own.touches)
            since_.emplace_back(t.buffer, t.lines);
        std::vector<bool> found(flows.size(), false);
        for (std::size_t k = done.size(); k-- > 0 && open > 0;) {
            const auto& before = footprints_[done[k]].all;
            for (const auto& t : before.touches) {
                auto at = std::find_if(since_.begin(), since_.end(),
                                       [&](const auto& s) { return s.first == t.buffer; });
                if (at == since_.end()) {
                    since_.emplace_back(t.buffer, t.lines);
                    sum += t.lines;
                } else if (t.lines > at->second) {
                    sum += t.lines - at->second;
                    at->second = t.lines;
                }
            }
            if (sum > room)
                return;
            for (std::size_t f = 0; f < flows.size(); ++f) {
                const auto* left = before.find(flows[f].buffer);
                if (found[f] || !left)
                    continue;
                const auto* needs = own.find(flows[f].buffer);
                flows[f].in -= std::min({flows[f].in, left->lines, needs ? needs->lines : 0.0});
                if (!left->streams && !(needs && needs->streams))
                    flows[f].out -= std::min(
                        {flows[f].out, left->written_lines, needs ? needs->written_lines : 0.0});
                found[f] = true;
                --open;
            }
        }
    }

    static void add(Flows& sum, const Flows& more) {
        for (const auto& flow : more) {
            auto at = std::lower_bound(sum.begin(), sum.end(), flow.buffer,
                                       [](const Flow& f, int b) { return f.buffer < b; });
            if (at != sum.end() && at->buffer == flow.buffer) {
                at->in += flow.in;
                at->out += flow.out;
            } else {
                sum.insert(at, flow);
            }
        }
    }

    const Work& work_;
    const std::vector<NodeFootprints>& footprints_;
    int threads_, sharers_ = 1;
    bool shared_ = false; // one such cache serves all threads
    double alone_ = 0, per_thread_ = 0, together_ = 0;
    double line_ = 64;
    int ways_ = 0; // 0: unknown
    std::int64_t way_bytes_ = 0;
    std::vector<bool> parallel_;                        // the node is, or holds, a parallel loop
    mutable std::vector<std::pair<int, double>> since_; // buffer, lines: scratch of `reuse`
};

} // namespace

double total(const Flows& flows) {
    double sum = 0;
    for (const auto& flow : flows)
        sum += flow.in + flow.out;
    return sum;
}

std::vector<Flows> cache_traffic(const Work& work, const std::vector<NodeFootprints>& footprints,
                                 const device::CacheLevel& cache, int threads) {
    return CacheTraffic(work, footprints, cache, threads).run();
}

void limit_traffic(std::vector<Flows>& outer, const std::vector<Flows>& inner) {
    for (std::size_t k = 0; k < outer.size() && k < inner.size(); ++k)
        for (auto& flow : outer[k]) {
            auto asked = std::lower_bound(inner[k].begin(), inner[k].end(), flow.buffer,
                                          [](const Flow& f, int b) { return f.buffer < b; });
            bool none = asked == inner[k].end() || asked->buffer != flow.buffer;
            flow.in = std::min(flow.in, none ? 0.0 : asked->in);
            flow.out = std::min(flow.out, none ? 0.0 : asked->out);
        }
}

std::vector<int> kernel_nodes(const Work& work) {
    std::vector<int> out;
    for (int c : work.nodes[0].children)
        if (work.nodes[static_cast<std::size_t>(c)].node->kind == TreeKind::Stage)
            out.push_back(c);
    return out;
}

} // namespace loopscope::model
