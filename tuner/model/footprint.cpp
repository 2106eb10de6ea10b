#include "tuner/model/footprint.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

namespace loopscope::model {

namespace {

// One access at one level: per dimension the closed interval that it covers, the number of
// different values in it, and by how far it moves when the loop outside advances by one.
struct Part {
    int buffer = 0;
    std::uint64_t key = 0;
    bool aligned = false; // every run begins at a line
    std::size_t rank = 0;
    double most = 0; // elements: what data decide names at most one an execution
    std::array<double, kMaxRank> low{}, high{}, values{}, step{};
};

class Footprints {
public:
    Footprints(const Work& work, double line) : work_(work), line_(line) {
        for (const auto& point : work.points)
            for (const auto& access : point.accesses)
                streams_ = streams_ || access.streams;
    }

    std::vector<NodeFootprints> run() {
        std::vector<NodeFootprints> out(work_.nodes.size());
        for (std::size_t n = 0; n < work_.nodes.size(); ++n) {
            const auto& node = work_.nodes[n];
            if (node.node->kind == TreeKind::Storage)
                continue;
            out[n].all = footprint(node, node.depth, -1);
            if (node.node->kind == TreeKind::Loop)
                out[n].body = footprint(node, node.depth + 1, node.depth);
        }
        return out;
    }

private:
    Footprint footprint(const WorkNode& node, int level, int loop) {
        all_.clear();
        written_.clear();
        cached_.clear();
        streaming_.clear();
        for (int p = node.first_point; p < node.last_point; ++p) {
            const auto& point = work_.points[static_cast<std::size_t>(p)];
            if (point.points <= 0)
                continue;
            for (const auto& access : point.accesses) {
                auto box = part(point, access, level, loop);
                unite(all_, box);
                if (access.write)
                    unite(written_, box);
                if (streams_ && !access.streams)
                    unite(cached_, box);
                if (access.streams)
                    streaming_.insert(access.buffer);
            }
        }
        Footprint out;
        auto by_buffer = [](const Part& a, const Part& b) { return a.buffer < b.buffer; };
        std::stable_sort(all_.begin(), all_.end(), by_buffer);
        for (std::size_t i = 0; i < all_.size();) {
            Touch touch;
            touch.buffer = all_[i].buffer;
            const auto& buffer = work_.buffers[static_cast<std::size_t>(touch.buffer)];
            for (; i < all_.size() && all_[i].buffer == touch.buffer; ++i) {
                add(all_[i], buffer, touch.bytes, touch.lines, touch.next_lines);
                add_rows(all_[i], buffer, touch);
            }
            double ignored = 0;
            touch.streams = streaming_.count(touch.buffer) > 0;
            if (touch.streams) {
                touch.lines = touch.next_lines = 0;
                for (const auto& c : cached_)
                    if (c.buffer == touch.buffer)
                        add(c, buffer, ignored, touch.lines, touch.next_lines);
            }
            for (const auto& w : written_)
                if (w.buffer == touch.buffer)
                    add(w, buffer, ignored, touch.written_lines, touch.next_written);
            double most = std::ceil(buffer.bytes / line_) * line_;
            touch.bytes = std::min(touch.bytes, buffer.held_bytes);
            if (buffer.copies > 1 && rotates(node, touch.buffer))
                touch.bytes *= buffer.copies;
            for (double* lines :
                 {&touch.lines, &touch.written_lines, &touch.next_lines, &touch.next_written})
                *lines = std::min(*lines, most);
            out.lines += touch.lines;
            out.touches.push_back(touch);
        }
        return out;
    }

    // The loop that takes one copy after another has the stage and its readers inside.
    bool rotates(const WorkNode& node, int buffer) const {
        bool own = false, others = false;
        for (int p = node.first_point; p < node.last_point; ++p) {
            const auto& point = work_.points[static_cast<std::size_t>(p)];
            for (const auto& access : point.accesses)
                if (access.buffer == buffer)
                    (access.write ? own : others) = true;
        }
        return own && others;
    }

    Part part(const Point& point, const Access& access, int level, int loop) {
        const auto& buffer = work_.buffers[static_cast<std::size_t>(access.buffer)];
        Part out;
        out.buffer = access.buffer;
        out.rank = access.forms.size();
        out.key = kHashSeed;
        // Loops outside a buffer's memory do not move it.
        int held = std::max(level, buffer.depth);
        bool moves = loop >= buffer.depth;
        double line_elements = line_ / buffer.element_bytes;
        bool aligned = line_elements >= 1;
        for (std::size_t d = 0; d < out.rank; ++d) {
            const auto& form = access.forms[d];
            auto span = work_.forms.span(form, held);
            const auto& offsets = access.offsets[d];
            out.low[d] = span.low + static_cast<double>(offsets.front());
            out.high[d] = span.high + static_cast<double>(offsets.back());
            if (buffer.folds && leaves(form, offsets, buffer.extents[d])) {
                out.low[d] = 0;
                out.high[d] = buffer.extents[d] - 1;
                span.key = combine(kHashSeed, 1);
                // absolute: what is outside does not exist (boundaries read inside)
            } else if (span.key == kHashSeed) {
                out.low[d] = std::clamp(out.low[d], 0.0, buffer.extents[d] - 1);
                out.high[d] = std::clamp(out.high[d], out.low[d], buffer.extents[d] - 1);
            } else {
                out.high[d] = std::min(out.high[d], out.low[d] + buffer.extents[d] - 1);
            }
            out.key = combine(out.key, span.key);
            out.step[d] = moves ? work_.forms.signed_step(form, loop) : 0;
            out.values[d] = values(point, form, held) * static_cast<double>(offsets.size());
            double pitch = d + 1 == out.rank ? 1 : buffer.pitch[d];
            aligned = aligned && multiple_of(form, held, pitch, line_elements) &&
                      (d + 1 == out.rank
                           ? std::fmod(out.low[d], line_elements) == 0
                           : out.high[d] == out.low[d] || std::fmod(pitch, line_elements) == 0);
        }
        out.aligned = aligned;
        out.most = std::numeric_limits<double>::infinity();
        if (access.by_data) {
            out.most = access.loads;
            for (auto d = static_cast<std::size_t>(held); d < point.trips.size(); ++d)
                if (access.depths & (std::uint64_t{1} << std::min<std::size_t>(d, 63)))
                    out.most *= point.trips[d];
        }
        return out;
    }

    // May an index lie outside of its dimension, anywhere in the program?
    bool leaves(const Form& form, const std::vector<std::int64_t>& offsets, double extent) const {
        auto range = work_.forms.range(form);
        return range.least + offsets.front() < 0 ||
               static_cast<double>(range.greatest + offsets.back()) >= extent;
    }

    // Is what stands still in a form, times the pitch, a whole number of lines?
    bool multiple_of(const Form& form, int held, double pitch, double line_elements) const {
        for (const auto& [index, c] : form.terms) {
            const auto& atom = work_.forms.atom(index);
            bool stands = (atom.depths & ((held >= 63 ? ~std::uint64_t{0}
                                                      : (std::uint64_t{1} << held) - 1))) != 0;
            if (stands && (atom.kind != FormAtom::Kind::Loop ||
                           std::fmod(static_cast<double>(c) * pitch, line_elements) != 0))
                return false;
        }
        return true;
    }

    double values(const Point& point, const Form& form, int held) const {
        auto depths = work_.forms.depths(form);
        double n = 1;
        for (std::size_t d = static_cast<std::size_t>(held); d < point.trips.size(); ++d)
            if (depths & (std::uint64_t{1} << std::min<std::size_t>(d, 63)))
                n *= point.trips[d];
        return n;
    }

    static void unite(std::vector<Part>& parts, const Part& part) {
        for (auto& known : parts) {
            if (known.buffer != part.buffer || known.key != part.key)
                continue;
            for (std::size_t d = 0; d < part.rank; ++d) {
                known.low[d] = std::min(known.low[d], part.low[d]);
                known.high[d] = std::max(known.high[d], part.high[d]);
                known.values[d] += part.values[d];
                if (std::abs(part.step[d]) > std::abs(known.step[d]))
                    known.step[d] = part.step[d];
            }
            known.aligned = known.aligned && part.aligned;
            known.most += part.most;
            return;
        }
        parts.push_back(part);
    }

    void add(const Part& part, const Buffer& buffer, double& bytes, double& lines,
             double& next_lines) const {
        double elements = 1, extents[kMaxRank], next[kMaxRank];
        for (std::size_t d = 0; d < part.rank; ++d) {
            extents[d] = part.high[d] - part.low[d] + 1;
            elements *= std::min(extents[d], part.values[d]);
            next[d] = std::min(extents[d] + std::abs(part.step[d]), buffer.extents[d]);
        }
        double own = lines_of(part, buffer, extents);
        bytes += std::min(elements, part.most) * buffer.element_bytes;
        lines += own;
        // The hull of two iterations, but never more than twice one: a jump leaves a gap that is
        // not touched.
        next_lines += std::clamp(lines_of(part, buffer, next), own, 2 * own);
    }

    static void add_rows(const Part& part, const Buffer& buffer, Touch& touch) {
        double run = buffer.element_bytes;
        for (std::size_t d = part.rank; d-- > 0;) {
            double extent = std::min(part.high[d] - part.low[d] + 1, std::max(part.values[d], 1.0));
            double pitch = buffer.pitch[d] * buffer.element_bytes;
            if (pitch > run && extent > 1) {
                if (extent > touch.rows) {
                    touch.rows = extent;
                    touch.row_bytes = run;
                    touch.row_pitch = pitch;
                }
                return;
            }
            run = std::max(run, pitch * extent);
        }
    }

    // Whole lines of a box: rows of the last dimension, joined with the next as long as they are
    // full. A run that begins anywhere crosses, on average, into one line more than its length
    // says.
    double lines_of(const Part& part, const Buffer& buffer, const double* extents) const {
        std::size_t d = part.rank;
        double run = 1, values = 1;
        while (d > 0) {
            --d;
            run = buffer.pitch[d] * extents[d];
            values *= std::min(part.values[d] *
                                   std::max(1.0, extents[d] / (part.high[d] - part.low[d] + 1)),
                               extents[d]);
            bool padded = d > 0 && buffer.pitch[d - 1] != buffer.pitch[d] * buffer.extents[d];
            if (extents[d] < buffer.extents[d] || padded)
                break;
        }
        double rows = 1;
        for (std::size_t r = 0; r < d; ++r)
            rows *= std::min(extents[r],
                             std::max(part.values[r], 1.0) *
                                 std::max(1.0, extents[r] / (part.high[r] - part.low[r] + 1)));
        double length = run * buffer.element_bytes;
        double lines = part.aligned ? length / line_ : (length - buffer.element_bytes) / line_ + 1;
        return std::min(rows * std::min(std::max(lines, 1.0), values), part.most) * line_;
    }

    const Work& work_;
    double line_;
    bool streams_ = false;                     // some access does
    std::vector<Part> all_, written_, cached_; // `cached_`: of programs in which something streams
    std::set<int> streaming_;
};

} // namespace

const Touch* Footprint::find(int buffer) const {
    auto it = std::lower_bound(touches.begin(), touches.end(), buffer,
                               [](const Touch& t, int b) { return t.buffer < b; });
    return it != touches.end() && it->buffer == buffer ? &*it : nullptr;
}

std::vector<NodeFootprints> footprints(const Work& work, double line_bytes) {
    return Footprints(work, line_bytes).run();
}

} // namespace loopscope::model
