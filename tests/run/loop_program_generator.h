#pragma once
// Random loop programs as schedules make them: split loops with guards, fused and reordered loops of all kinds, clamped
// and padded reads, a producer computed in tiles, reductions with all kinds of axes. All of them are legal, and exact
// on inputs of small whole numbers.

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace loopscope::test {

class LoopProgramGenerator {
public:
    explicit LoopProgramGenerator(unsigned seed) : random_(seed) {}

    std::string program() {
        height_ = pick(3, 21);
        width_ = pick(3, 30);
        std::string body;
        int nests = pick(1, 3);
        for (int n = 0; n < nests; ++n)
            body += n == 0 ? pure_nest() : pick(0, 1) ? reduction_nest() : tiled_nest();
        std::string shape = "[" + text(height_) + ", " + text(width_) + "]";
        std::string out = "program random\ninput A: f32" + shape + "\ninput u: i32" + shape + "\n";
        for (const auto& o : outputs_)
            out += "output " + o + "\n";
        return out + "launch random on host (A, u" + names_ + ") {\n" + body + "}\n";
    }

private:
    struct Loop {
        std::string name;
        int trips = 1;
        bool reduction = false;
    };
    struct Axis {
        std::string value; // in loop variables
        std::vector<Loop> loops;
        std::vector<std::string> guards;
    };

    int pick(int least, int greatest) {
        return std::uniform_int_distribution<int>(least, greatest)(random_);
    }
    bool chance(int percent) { return pick(1, 100) <= percent; }
    static std::string text(int n) { return std::to_string(n); }
    std::string fresh(const std::string& base) { return base + text(++names_used_); }

    Axis axis(const std::string& base, int extent, bool reduction) {
        Axis a;
        auto name = fresh(base);
        a.loops = {{name, extent, reduction}};
        a.value = name;
        int splits = pick(0, 2);
        for (int s = 0; s < splits; ++s) {
            int factor = std::vector<int>{2, 3, 4, 5, 8}[static_cast<std::size_t>(pick(0, 4))];
            auto& last = a.loops.back();
            if (last.trips < factor)
                break;
            auto outer = fresh(base + "o"), inner = fresh(base + "i");
            auto sum = outer + "*" + text(factor) + " + " + inner;
            auto at = a.value.find(last.name);
            a.value.replace(at, last.name.size(), "(" + sum + ")");
            for (auto& g : a.guards)
                if (auto place = g.find(last.name); place != std::string::npos)
                    g.replace(place, last.name.size(), "(" + sum + ")");
            if (last.trips % factor)
                a.guards.push_back(sum + " < " + text(last.trips));
            int trips = (last.trips + factor - 1) / factor;
            last = {outer, trips, reduction};
            a.loops.push_back({inner, factor, reduction});
        }
        return a;
    }

    // Loops of all axes in any order and of all kinds, around `statement`.
    std::string nest(std::vector<Loop> loops, const std::vector<std::string>& guards,
                     const std::string& statement) {
        std::shuffle(loops.begin(), loops.end(), random_);
        std::string open, close;
        for (const auto& loop : loops) {
            int kind = pick(0, 9);
            std::string prefix;
            if (kind <= 1 && !loop.reduction)
                prefix = "parallel ";
            else if (kind <= 4 && loop.trips <= 16)
                prefix = "vectorised ";
            else if (kind <= 6 && loop.trips <= 8)
                prefix = "unrolled ";
            open += prefix + "for " + loop.name + " in 0.." + text(loop.trips) + " {\n";
            close += "}\n";
        }
        std::string condition;
        for (const auto& g : guards)
            condition += (condition.empty() ? "" : " and ") + g;
        if (!condition.empty()) {
            open += "if " + condition + " {\n";
            close += "}\n";
        }
        return open + statement + close;
    }

    static std::vector<Loop> joined(const Axis& a, const Axis& b) {
        auto loops = a.loops;
        loops.insert(loops.end(), b.loops.begin(), b.loops.end());
        return loops;
    }
    static std::vector<std::string> guards(const Axis& a, const Axis& b) {
        auto all = a.guards;
        all.insert(all.end(), b.guards.begin(), b.guards.end());
        return all;
    }

    std::string clamped(const std::string& value, int extent) {
        int by = pick(-2, 2);
        auto moved = by == 0 ? value : value + (by < 0 ? " - " : " + ") + text(std::abs(by));
        return "min(max(" + moved + ", 0), " + text(extent - 1) + ")";
    }

    std::string read(const std::string& y, const std::string& x) {
        switch (pick(0, 4)) {
        case 0: return "A[" + y + ", " + x + "]";
        case 1: return "A[" + clamped(y, height_) + ", " + clamped(x, width_) + "]";
        case 2: return "select(" + x + " > 0, A[" + y + ", max(" + x + " - 1, 0)], 0.0)";
        case 3: return "f32(u[" + clamped(y, height_) + ", " + x + "] % 5)";
        default: return "A[(" + y + ")/2, (" + x + ") % " + text(std::max(1, width_ / 2)) + "]";
        }
    }

    std::string value(const std::string& y, const std::string& x) {
        std::string sum = read(y, x);
        int terms = pick(0, 3);
        for (int t = 0; t < terms; ++t)
            sum += std::vector<std::string>{" + ", " - ",
                                            " + 2.0*"}[static_cast<std::size_t>(pick(0, 2))] +
                   read(y, x);
        if (chance(20))
            sum = let(sum);
        return sum;
    }

    std::string let(const std::string& value) {
        auto t = fresh("t");
        return "(let " + t + " = " + value + " in " + t + "*2.0 - " + t + ")";
    }

    std::string output(const std::string& type, const std::string& shape) {
        auto name = fresh("out");
        outputs_.push_back(name + ": " + type + shape);
        names_ += ", " + name;
        return name;
    }

    std::string pure_nest() {
        auto y = axis("y", height_, false), x = axis("x", width_, false);
        auto out = output("f32", "[" + text(height_) + ", " + text(width_) + "]");
        std::string statement;
        auto yt = y.value, xt = x.value;
        if (chance(50)) {
            xt = fresh("x.let");
            statement += "let " + xt + " = " + x.value + "\n";
        }
        statement += out + "[" + yt + ", " + xt + "] = " + value(yt, xt) + "\n";
        if (chance(25)) { // an update where a condition on the data holds
            statement += "if u[" + yt + ", " + xt + "] > 3 {\n" + out + "[" + yt + ", " + xt +
                         "] = " + out + "[" + yt + ", " + xt + "] + A[" + yt + ", 0]\n}\n";
        }
        return nest(joined(y, x), guards(y, x), statement);
    }

    std::string reduction_nest() {
        bool integers = chance(40);
        auto y = axis("y", height_, false), k = axis("k", width_, true);
        auto out = output(integers ? "i32" : "f32", "[" + text(height_) + "]");
        auto start = axis("y", height_, false);
        auto place = out + "[" + y.value + "]";
        auto term =
            integers ? "u[" + y.value + ", " + k.value + "]" : "(" + value(y.value, k.value) + ")";
        std::string combined = place + " + " + term;
        if (integers)
            combined = std::vector<std::string>{
                combined, "max(" + place + ", " + term + ")", place + " ^ " + term,
                term + " + " + place, place + " - " + term}[static_cast<std::size_t>(pick(0, 4))];
        else if (chance(30))
            combined = "fma(" + read(y.value, k.value) + ", 2.0, " + place + ")";
        auto step = place + " = " + combined + "\n";
        if (chance(20)) // inside the tails' guards: both sides of an "and" are evaluated
            step = "if u[" + y.value + ", " + k.value + "] > 2 {\n" + step + "}\n";
        return nest(start.loops, start.guards,
                    out + "[" + start.value + "] = " + (integers ? "0" : "0.0") + "\n") +
               nest(joined(y, k), guards(y, k), step);
    }

    // A producer of the rows that a tile of the consumer needs, computed at the tile's loop.
    std::string tiled_nest() {
        int factor = pick(2, 5);
        int tiles = (height_ + factor - 1) / factor;
        auto tile = fresh("tile"), min = fresh("tmp.min"), tmp = fresh("tmp"), row = fresh("row"),
             line = fresh("line");
        auto out = output("f32", "[" + text(height_) + ", " + text(width_) + "]");
        auto c = axis("c", width_, false), x = axis("x", width_, false);
        auto producer_row = "min(max(" + min + " + " + row + ", 0), " + text(height_ - 1) + ")";
        auto produce = nest(
            [&] {
                auto l = c.loops;
                l.push_back({row, factor + 2, false});
                return l;
            }(),
            c.guards,
            tmp + "[" + row + ", " + c.value + "] = " + value(producer_row, c.value) + "\n");
        auto y = tile + "*" + text(factor) + " + " + line;
        auto local = [&](int d) {
            return tmp + "[" + y + " + " + text(d) + " - " + min + " - 1, " + x.value + "]";
        };
        auto all = x.guards;
        if (height_ % factor)
            all.push_back(y + " < " + text(height_));
        auto consume = nest(
            [&] {
                auto l = x.loops;
                l.push_back({line, factor, false});
                return l;
            }(),
            all,
            out + "[" + y + ", " + x.value + "] = " + local(0) + " + " + local(1) + " + " +
                local(2) + "\n");
        std::string kind = chance(50) ? "parallel " : chance(20) && tiles <= 8 ? "unrolled " : "";
        return kind + "for " + tile + " in 0.." + text(tiles) + " {\nlet " + min + " = " + tile +
               "*" + text(factor) + " - 1\nallocate " + tmp + ": f32[" + text(factor + 2) + ", " +
               text(width_) + "] in host\n" + produce + consume + "}\n";
    }

    std::mt19937 random_;
    int height_ = 0, width_ = 0, names_used_ = 0;
    std::vector<std::string> outputs_;
    std::string names_;
};

} // namespace loopscope::test
