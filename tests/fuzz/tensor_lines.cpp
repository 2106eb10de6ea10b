#include "tests/fuzz/tensor_lines.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

using TensorNames = std::vector<std::string>;

std::string listed_lines(const TensorNames& names) {
    std::string out;
    for (const auto& name : names)
        out += (out.empty() ? "" : ", ") + name;
    return out;
}

void append(TensorNames& to, const TensorNames& more) {
    to.insert(to.end(), more.begin(), more.end());
}

// The loops of an axis, from the one over blocks to the one inside of tiles; empty: there is none.
struct Parts {
    std::string block, warp, tile, inner;
};

// Elements of an axis in a block, in a warp, in an instruction.
struct Tiles {
    int block = 16, warp = 16, tile = 16;
};

class SumScript {
public:
    SumScript(const TensorSum& sum, const TensorNames& producers, ScriptLines& script,
              Random& random)
        : sum_(sum), producers_(producers), script_(script), random_(random) {}

    void run() {
        made_ = sum_.stage;
        if (sum_.result == sum_.stage && random_.chance(90) &&
            add(sum_.stage + "_sums = " + sum_.stage + ".cache_write(fragment)"))
            made_ = sum_.stage + "_sums";
        apart_ = made_ != sum_.result;
        // Products of f16 use wmma now and then: the sizes decide it, so that other pairs stay what
        // they were.
        const bool half = sum_.instruction == "mma_m16n8k16_f16";
        whole_ = half && sum_.columns.extent >= 16 &&
                 (7 * sum_.rows.extent + sum_.columns.extent) % 3 == 0;
        instruction_ = whole_ ? "wmma_m16n16k16_f16" : sum_.instruction;
        rows_ = tiles(sum_.rows, 16, random_.pick({1, 1, 2}));
        columns_ = tiles(sum_.columns, whole_ ? 16 : 8, random_.pick({1, 1, 2, 2, 3}));
        blocks();
        if (apart_) {
            const auto at = warps_.empty() ? blocks_.empty() ? "" : blocks_.back() : warps_.back();
            if (at.empty() || !add(made_ + ".compute_at(" + sum_.result + ", " + at + ")"))
                return;
            if (made_ == sum_.stage)
                add(made_ + ".scope(" +
                    random_.pick({"fragment", "fragment", "fragment", "fragment", "fragment",
                                  "fragment", "fragment", "shared"}) +
                    ")");
            products();
        }
        operands();
    }

private:
    bool add(const std::string& line) { return script_.add(line); }

    // `parts`: instructions of a warp along the axis.
    Tiles tiles(const TensorSum::Axis& axis, int tile, int parts) {
        Tiles out;
        out.tile = tile;
        auto warps = random_.pick({1, 1, 2, 2, tile == 8 ? 4 : 2});
        // A block that is larger than the extent has guards, and takes no instruction.
        while (tile * parts * warps > axis.extent && (warps > 1 || parts > 1))
            --(warps > 1 ? warps : parts);
        out.warp = tile * parts;
        out.block = out.warp * warps;
        return out;
    }

    Parts split(const std::string& stage, const TensorSum::Axis& axis, const Tiles& tiles) {
        Parts out;
        out.inner = axis.name;
        const auto& a = axis.name;
        auto one = [&](std::string& outer, const char* end, int by, const std::string& tail) {
            if (add(stage + ".split(" + a + ", " + a + end + ", " + a + ", " + std::to_string(by) +
                    tail + ")"))
                outer = a + end;
        };
        const bool divides = axis.extent % tiles.block == 0;
        const std::string tail = divides ? random_.pick({"", "", ", shift"})
                                         : random_.pick({", shift", ", shift", ", shift", ", shift",
                                                         ", shift", ", shift", ", pad", ""});
        one(out.block, "_block", tiles.block, tail);
        if (tiles.block > tiles.warp || random_.chance(15))
            one(out.warp, "_warp", tiles.warp, "");
        if (tiles.warp > tiles.tile || random_.chance(50))
            one(out.tile, "_tile", tiles.tile, "");
        return out;
    }

    TensorNames present(const TensorNames& names) const {
        TensorNames out;
        for (const auto& name : names)
            if (!name.empty())
                out.push_back(name);
        return out;
    }

    TensorNames either_order(const std::string& a, const std::string& b, int turned) {
        return random_.chance(turned) ? present({b, a}) : present({a, b});
    }

    // The result's loops: blocks, warps, tiles. Where the sum is the result, it also computes
    // there.
    void blocks() {
        const auto& out = sum_.result;
        const auto i = split(out, sum_.rows, rows_), j = split(out, sum_.columns, columns_);
        TensorNames others;
        for (const auto& axis : sum_.others)
            others.push_back(axis.name);
        TensorNames kept; // of a warp
        if (!others.empty() && random_.chance(20)) {
            kept = {others.back()};
            others.pop_back();
            kept_ = kept;
        }
        blocks_ = others;
        append(blocks_, present({i.block, j.block}));
        warps_ = either_order(i.warp, j.warp, 20);
        auto tiles = either_order(i.tile, j.tile, 30);
        auto order = blocks_;
        append(order, warps_);
        append(order, kept);
        if (!apart_)
            append(order, sums(false));
        append(order, tiles);
        append(order, either_order(i.inner, j.inner, 15));
        if (!apart_)
            order.push_back(sum_.depth.name);
        add(out + ".reorder(" + listed_lines(order) + ")");
        while (others.size() > 1) { // blocks have three axes
            const auto one = "fused" + std::to_string(static_cast<int>(others.size()));
            if (!add(out + ".fuse(" + others[0] + ", " + others[1] + ", " + one + ")"))
                break;
            others.erase(others.begin());
            others.front() = one;
        }
        if (!others.empty())
            add(out + ".bind(" + others[0] + ", block.z)");
        bind(out, i.block, "block.y");
        bind(out, j.block, "block.x");
        const bool both = !i.warp.empty() && !j.warp.empty();
        const bool turned = random_.chance(20);
        bind(out, i.warp, both ? turned ? "warp.y" : "warp.x" : "warp");
        bind(out, j.warp, both ? turned ? "warp.x" : "warp.y" : "warp");
        append(tiles, kept);
        for (const auto& loop : tiles)
            if (random_.chance(70))
                add(out + ".unroll(" + loop + ")");
        if (!apart_)
            instruct(i.inner, j.inner, order);
    }

    void bind(const std::string& stage, const std::string& loop, const std::string& level) {
        if (!loop.empty() && random_.chance(97))
            add(stage + ".bind(" + loop + ", " + level + ")");
    }

    // Splits what is summed over, and gives its loops outside of the instruction.
    TensorNames sums(bool own) {
        const auto stage = own ? made_ : sum_.result;
        const auto& k = sum_.depth.name;
        const int steps = sum_.depth.extent / sum_.step;
        std::string step, block;
        if (sum_.depth.extent > sum_.step || random_.chance(30))
            if (add(stage + ".split(" + k + ", " + k + "_step, " + k + ", " +
                    std::to_string(sum_.step) + ")"))
                step = k + "_step";
        if (!step.empty() && steps > 1 && random_.chance(60)) {
            const int by = steps % 2 == 0 && random_.chance(75) ? 2 : steps;
            if (add(stage + ".split(" + step + ", " + k + "_block, " + step + ", " +
                    std::to_string(by) + ")"))
                block = k + "_block";
        }
        TensorNames out;
        for (const auto& axis : sum_.terms)
            out.push_back(axis.name);
        if (!block.empty())
            out.insert(out.begin() + random_.below(static_cast<int>(out.size()) + 1), block);
        if (!step.empty())
            out.push_back(step);
        return out;
    }

    // The sum's own nest, in the memory of a warp.
    void products() {
        auto around = sums(true);
        Parts i, j;
        i.inner = sum_.rows.name;
        j.inner = sum_.columns.name;
        for (auto* part : {&i, &j}) {
            const auto& tiles = part == &i ? rows_ : columns_;
            const auto& a = part->inner;
            if ((tiles.warp > tiles.tile || random_.chance(50)) &&
                add(made_ + ".split(" + a + ", " + a + "_tile, " + a + ", " +
                    std::to_string(tiles.tile) + ")"))
                part->tile = a + "_tile";
        }
        const auto tiles = either_order(i.tile, j.tile, 30);
        auto order = around;
        if (random_.chance(12)) { // sums of one tile after the other
            order = tiles;
            append(order, around);
        } else {
            append(order, tiles);
        }
        TensorNames others;
        for (const auto& axis : sum_.others)
            others.push_back(axis.name);
        order.insert(order.begin() + random_.below(static_cast<int>(order.size()) + 1),
                     others.begin(), others.end());
        const auto outside = order;
        append(order, either_order(i.inner, j.inner, 15));
        order.insert(order.end() - random_.pick({0, 0, 0, 1, 2}), sum_.depth.name);
        add(made_ + ".reorder(" + listed_lines(order) + ")");
        for (const auto& loop : outside)
            if (random_.chance(std::find(tiles.begin(), tiles.end(), loop) != tiles.end() ? 75
                                                                                          : 35))
                add(made_ + ".unroll(" + loop + ")");
        order_ = outside;
        for (const auto& loop : order)
            if (std::find(outside.begin(), outside.end(), loop) == outside.end()) {
                add(made_ + ".tensorize(" + loop + ", " + instruction_ + ")");
                break;
            }
    }

    // The same where no cache stands between.
    void instruct(const std::string& rows, const std::string& columns, const TensorNames& order) {
        order_.clear();
        for (const auto& loop : order) {
            if (loop == rows || loop == columns) {
                add(made_ + ".tensorize(" + loop + ", " + instruction_ + ")");
                return;
            }
            order_.push_back(loop);
        }
    }

    // ---- operands -------------------------------------------------------------------------------

    struct Plan {
        bool shared = true, fragment = true;
    };
    Plan plan() {
        const int kind = random_.below(100);
        return kind < 50   ? Plan{true, true}
               : kind < 70 ? Plan{true, false}
               : kind < 88 ? Plan{false, true}
                           : Plan{false, false};
    }

    // The loops that copies may be computed at: those summed over, or, where there is none, the
    // outermost or the last.
    std::string place(bool outer) {
        TensorNames over;
        const auto reducing = script_.loops(made_, 0, true);
        for (const auto& loop : order_)
            if (std::find(reducing.begin(), reducing.end(), loop) != reducing.end())
                over.push_back(loop);
        if (over.empty())
            over = order_;
        if (over.empty())
            return {};
        if (random_.chance(15))
            return random_.pick(over);
        if (!outer)
            return over.back();
        return over.size() > 1 ? over[over.size() - 2] : over.back();
    }

    void operands() {
        if (made_.empty())
            return;
        const auto outer = place(true), inner = place(false);
        const auto common = plan();
        const auto stages = random_.pick({1, 2, 2, 3, 3, 4}), parts = random_.pick({1, 1, 2, 2, 3});
        for (const auto& source : sum_.operands) {
            const auto mine = random_.chance(85) ? common : plan();
            auto from = source;
            computed(source, outer);
            if (mine.shared) {
                const auto copy = source + "_" + made_ + "_block";
                if (add(copy + " = " + made_ + ".cache_read(" + from + ", shared)")) {
                    from = copy;
                    moved(source);
                }
            }
            if (mine.fragment) {
                const auto copy = source + "_" + made_ + "_part";
                if (add(copy + " = " + made_ + ".cache_read(" + from + ", fragment)")) {
                    at(copy, inner);
                    if (parts > 1 && random_.chance(80))
                        pipelines_.push_back(copy + ".pipeline(" + std::to_string(parts) + ")");
                }
            }
            if (from != source) {
                at(from, outer);
                wide(from);
                if (stages > 1 && random_.chance(92))
                    pipelines_.insert(pipelines_.begin(),
                                      from + ".pipeline(" + std::to_string(stages) + ")");
            }
        }
        for (const auto& line : pipelines_)
            add(line);
    }

    void at(const std::string& copy, const std::string& loop) {
        if (loop.empty() || !add(copy + ".compute_at(" + made_ + ", " + loop + ")"))
            if (!blocks_.empty())
                add(copy + ".compute_at(" + sum_.result + ", " + blocks_.back() + ")");
    }

    // A copy into shared memory: bytes at once, rows apart.
    void wide(const std::string& copy) {
        const auto last = script_.state().declared(copy).variables.back();
        const int most = 16 / sum_.operand_bytes;
        if (random_.chance(70)) {
            const auto width = std::to_string(random_.pick({most, most, most, most / 2, 2}));
            add(copy + ".vectorize(" + last + ", " + width + random_.pick({"", "", ", shift"}) +
                ")");
        }
        if (random_.chance(60))
            add(copy + ".pad_storage(" + last + ", " +
                std::to_string(whole_ ? random_.pick({2 * most, 2 * most, 2 * most, 1, 2})
                                      : random_.pick({most, most, most, 1, 2})) +
                ")");
        if (random_.chance(6))
            add(copy + ".unroll(" + random_.pick(script_.loops(copy, 0, false)) + ")");
    }

    bool is_computed(const std::string& source) const {
        return std::find(producers_.begin(), producers_.end(), source) != producers_.end();
    }

    // An operand that is computed: where it is used, or by blocks of its own.
    void computed(const std::string& source, const std::string& loop) {
        if (!is_computed(source))
            return;
        const int kind = random_.below(3);
        if (kind == 0 && !loop.empty() &&
            add(source + ".compute_at(" + made_ + ", " + loop + ")")) {
            add(source + ".scope(shared)");
        } else if (kind == 1) {
            const auto last = script_.loops(source, 0, false).back();
            if (add(source + ".split(" + last + ", " + last + "_b, " + last + "_t, 8)") &&
                add(source + ".bind(" + last + "_b, block.x)"))
                add(source + ".bind(" + last + "_t, thread.x)");
        }
    }

    // … or in its copy, to which element-wise work moves (ALCOP, Fig. 5, case 2).
    void moved(const std::string& source) {
        if (is_computed(source) && random_.chance(50))
            add(source + ".inline()");
    }

    const TensorSum& sum_;
    const TensorNames& producers_;
    ScriptLines& script_;
    Random& random_;
    std::string made_;  // the stage that the instruction computes
    bool apart_ = true; // from the result
    Tiles rows_, columns_;
    bool whole_ = false; // matrices: of an instruction that takes such
    std::string instruction_;
    TensorNames blocks_, warps_, kept_; // loops of the result
    TensorNames order_;                 // loops of the sum around the instruction
    TensorNames pipelines_;             // lines that come last
};

} // namespace

void schedule_tensor_program(const TensorProgram& program, ScriptLines& script, Random& random) {
    for (auto sum = program.sums.rbegin(); sum != program.sums.rend(); ++sum)
        SumScript(*sum, program.producers, script, random).run();
}

} // namespace loopscope::fuzz
