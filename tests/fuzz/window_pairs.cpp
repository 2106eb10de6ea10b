#include "tests/fuzz/window_pairs.h"

#include "tests/fuzz/random.h"

#include <string>
#include <vector>

namespace loopscope::fuzz {

namespace {

constexpr int kWindowRows = 64, kDepth = 16; // of an instruction
constexpr double kMaxTerms = 1 << 20;        // so that a pair takes a moment

// Images, lines and places of a line that together are rows of an instruction, or its columns.
struct Tile {
    int images = 1, lines = 1, places = 1;
};

class Windows {
public:
    explicit Windows(std::uint64_t seed) : random_(seed) {}

    Pair run(std::uint64_t seed) {
        columns_ = random_.pick({64, 64, 112, 128});
        pixels_are_rows_ = columns_ == 64 || (columns_ == 128 && random_.chance(50));
        type_ = columns_ != 112 && random_.chance(30) ? "bf16" : "f16";
        tile_ = random_.pick(tiles(pixels_are_rows_ ? kWindowRows : columns_));
        is_flat_ = tile_.lines == 1 && random_.chance(40);
        groups_ = columns_ == 64 ? random_.pick({1, 1, 1, 2}) : 1;
        steps_ = random_.pick({1, 2, 4});
        blocks_ = random_.chance(40) ? 2 : 1;
        lines_ = is_flat_ ? 1 : random_.between(1, 2);
        places_ = random_.between(1, 3);
        padding_ = random_.between(0, 2);
        images_ = tile_.images + (random_.chance(70) ? 0 : random_.between(1, 2));
        height_ = extent(tile_.lines, lines_);
        width_ = extent(tile_.places, places_);
        channels_ = (pixels_are_rows_ ? columns_ : kWindowRows) * groups_;
        filters_ = channels_ + (random_.chance(70) ? 0 : 8);
        while (terms() > kMaxTerms && steps_ * blocks_ > 1)
            blocks_ > 1 ? --blocks_ : steps_ /= 2;
        filter_turned_ = random_.chance(30);
        zeros_ = random_.chance(85);
        result_ = random_.chance(30) ? "T" : "O";
        Pair pair{pipeline(), schedule(), seed};
        pair.on_device = true;
        return pair;
    }

private:
    static std::vector<Tile> tiles(int pixels) {
        if (pixels == 112)
            return {{16, 1, 7}, {8, 1, 14}, {4, 4, 7}, {1, 8, 14}};
        if (pixels == 128)
            return {{16, 1, 8}, {8, 2, 8}, {2, 1, 64}};
        return {{16, 1, 4}, {8, 1, 8}, {4, 4, 4}, {1, 8, 8}, {2, 1, 32}};
    }

    // The extent of an image of which the window takes a tile, or some more.
    int extent(int tile, int window) {
        const int more = random_.chance(50) ? 0 : random_.between(1, 3);
        const int least = tile + window - 1 - 2 * padding_;
        return (least > 1 ? least : 1) + more;
    }
    // How often the window fits.
    int fits(int extent, int window) const { return extent + 2 * padding_ - window + 1; }

    double terms() const {
        return 1.0 * images_ * fits(height_, lines_) * fits(width_, places_) * filters_ * lines_ *
               places_ * kDepth * steps_ * blocks_;
    }

    std::string two(const std::string& in_plane, const std::string& more) const {
        return is_flat_ ? more : in_plane + ", " + more;
    }
    std::string minus_padding() const {
        return padding_ > 0 ? " - " + std::to_string(padding_) : "";
    }

    std::string pipeline() {
        const auto filter = filter_turned_ ? two("r", "s, k, c") : two("r", "s, c, k");
        const auto depth = kDepth * steps_ * blocks_;
        const auto both = filter_turned_ ? std::to_string(filters_) + ", " + std::to_string(depth)
                                         : std::to_string(depth) + ", " + std::to_string(filters_);
        const auto indices = two("n, p", "q, k");
        const auto own = is_flat_ ? "n, " + indices : indices;
        auto out = "pipeline p\ninput A[n, " + two("y", "x, c") + "]: " + type_ + "[" +
                   std::to_string(images_) + ", " +
                   two(std::to_string(height_), std::to_string(width_)) + ", " +
                   std::to_string(depth) + "] boundary " + (zeros_ ? "zero" : "edge") +
                   "\ninput B[" + filter + "]: " + type_ + "[" +
                   two(std::to_string(lines_), std::to_string(places_)) + ", " + both +
                   "]\nstage O[" + own + "]: f32 = sum[" +
                   two("r in 0.." + std::to_string(lines_), "s in 0.." + std::to_string(places_)) +
                   ", c in 0.." + std::to_string(depth) + "](f32(A[n, " +
                   two("p + r" + minus_padding(), "q + s") + minus_padding() + ", c])*f32(B[" +
                   filter + "]))\n";
        if (result_ == "T")
            out += "stage T[" + own + "]: f32 = max(O[" + own + "] + f32(k), 0.0)\n";
        return out + "output " + result_ + ": [" + std::to_string(images_) + ", " +
               two(std::to_string(fits(height_, lines_)), std::to_string(fits(width_, places_))) +
               ", " + std::to_string(filters_) + "]\n";
    }

    std::string split(const std::string& axis, int by, int extent) const {
        return result_ + ".split(" + axis + ", " + axis + "_block, " + axis + ", " +
               std::to_string(by) + (extent % by == 0 ? ")\n" : ", shift)\n");
    }

    std::string schedule() {
        const bool deep = tile_.lines > 1;
        const std::string sums = result_ == "O" ? "sums" : "O", to = result_;
        std::string out = "schedule for p\n";
        if (result_ == "O")
            out += "sums = O.cache_write(fragment)\n";
        out += split("n", tile_.images, images_) +
               (deep ? split("p", tile_.lines, fits(height_, lines_)) : "") +
               split("q", tile_.places, fits(width_, places_)) + split("k", channels_, filters_) +
               to + ".split(k, k_group, k, " + std::to_string(channels_ / groups_) + ")\n";
        const std::string p = is_flat_ ? "" : deep ? "p_block, " : "p, ";
        const std::string inside = deep ? "n, p, q, k" : "n, q, k";
        out += to + ".reorder(n_block, " + p + "q_block, k_block, k_group, " + inside + ")\n";
        if (!is_flat_)
            out += to + ".fuse(" + p + "q_block, pixels)\n";
        out += to + ".bind(n_block, block.z)\n" + to + ".bind(" +
               (is_flat_ ? "q_block" : "pixels") + ", block.y)\n" + to +
               ".bind(k_block, block.x)\n" + to + ".bind(k_group, warpgroup)\n" + sums +
               ".compute_at(" + to + ", k_group)\n";
        if (result_ == "T")
            out += "O.scope(fragment)\n";
        out += sums + ".split(c, c_step, c, 16)\n" + sums + ".split(c_step, c_block, c_step, " +
               std::to_string(steps_) + ")\n" + sums + ".reorder(" + two("r", "s, c_block, ") +
               (is_flat_ || deep ? "" : "p, ") + "c_step, " + inside + ", c)\n";
        std::string level = "c_block";
        if (random_.chance(70)) {
            if (!is_flat_)
                out += sums + ".fuse(r, s, place)\n";
            out += sums + ".fuse(" + (is_flat_ ? "s" : "place") + ", c_block, terms)\n";
            level = "terms";
        }
        if (random_.chance(70))
            out += sums + ".unroll(c_step)\n";
        out +=
            sums + ".tensorize(n, wgmma_m64n" + std::to_string(columns_) + "k16_" + type_ + ")\n";
        const auto copies = random_.between(1, 5);
        for (const std::string name : {"A", "B"}) {
            const auto of = name + "_block";
            out += of + " = " + sums + ".cache_read(" + name + ", shared)\n" + of + ".compute_at(" +
                   sums + ", " + level + ")\n";
            if (random_.chance(75))
                out += of + ".vectorize(" + (name == "A" || filter_turned_ ? "c" : "k") + ", 8)\n";
            out += of + ".swizzle()\n";
            if (copies > 1) {
                out += of + ".pipeline(" + std::to_string(copies) + ")\n";
                if (zeros_ && random_.chance(55)) // the edge again is nothing that the TMA brings
                    out += of + ".specialize(1)\n";
            }
        }
        return out;
    }

    Random random_;
    std::string type_, result_;
    Tile tile_;
    int columns_ = 64, groups_ = 1, steps_ = 1, blocks_ = 1, lines_ = 1, places_ = 1, padding_ = 0;
    int images_ = 1, height_ = 1, width_ = 1, channels_ = 64, filters_ = 64;
    bool pixels_are_rows_ = true, is_flat_ = false, filter_turned_ = false, zeros_ = true;
};

} // namespace

Pair random_window_pair(std::uint64_t seed) { return Windows(seed).run(seed); }

} // namespace loopscope::fuzz
