#pragma once
// Random loop programs as schedules make them: split loops with guards, fused and reordered loops
// of all kinds, clamped and padded reads, a producer computed in tiles, reductions with all kinds
// of axes, over triangles too, 16-bit floats, argmin and argmax, atomic stores, components that
// exchange their values. All of them are legal, and exact on inputs of small whole numbers.

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
            body += n == 0 ? pure_nest() : other_nest();
        std::string shape = "[" + text(height_) + ", " + text(width_) + "]";
        std::string out = "program random\ninput A: f32" + shape + "\ninput u: i32" + shape +
                          "\ninput h: " + half_ + shape + "\n";
        for (const auto& o : outputs_)
            out += "output " + o + "\n";
        return out + "launch random on host (A, u, h" + names_ + ") {\n" + body + "}\n";
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

    std::string other_nest() {
        switch (pick(0, 9)) {
        case 0:
        case 1: return reduction_nest();
        case 8:
        case 9: return update_nest();
        case 2: return half_nest();
        case 3: return selection_nest();
        case 4: return atomic_nest();
        case 5: return exchange_nest();
        default: return tiled_nest();
        }
    }

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

    // Relates two axes: above or below a diagonal, or beside two of them.
    std::string triangle(const Axis& a, const Axis& b) {
        auto shifted = [&](const std::string& value) {
            int by = pick(-3, 3);
            return by == 0 ? value : value + (by < 0 ? " - " : " + ") + text(std::abs(by));
        };
        auto relation = std::vector<std::string>{
            " <= ", " < ", " >= ", " > "}[static_cast<std::size_t>(pick(0, 3))];
        auto condition = shifted(a.value) + relation + shifted(b.value);
        if (chance(25))
            condition += " and " + a.value + " < " + b.value + "*2 + 5";
        return condition;
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
        switch (pick(0, 7)) {
        case 5: return "f32(h[" + y + ", " + clamped(x, width_) + "]*2.0 + 1.0)";
        case 6: return "round(exp(A[" + y + ", " + x + "]*0.1))";
        case 7: return "from_bits(f32, bits(A[" + y + ", " + x + "]) & 4294901760u32)";
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
        if (chance(25))
            step = "if " + triangle(y, k) + " {\n" + step + "}\n";
        if (chance(20)) // inside the tails' guards: both sides of an "and" are evaluated
            step = "if u[" + y.value + ", " + k.value + "] > 2 {\n" + step + "}\n";
        return nest(start.loops, start.guards,
                    out + "[" + start.value + "] = " + (integers ? "0" : "0.0") + "\n") +
               nest(joined(y, k), guards(y, k), step);
    }

    // Products of rows added to a matrix, or to a triangle of it.
    std::string update_nest() {
        auto y = axis("y", height_, false), x = axis("x", width_, false);
        auto k = axis("k", std::min({height_, width_, 9}), true);
        auto out = output("f32", "[" + text(height_) + ", " + text(width_) + "]");
        auto start = fresh("y"), along = fresh("x");
        auto place = out + "[" + y.value + ", " + x.value + "]";
        auto step = place + " = fma(A[" + y.value + ", " + k.value + "], A[" + k.value + ", " +
                    x.value + "], " + place + ")\n";
        if (chance(25)) // two statements, of which one is guarded by the data
            step += "if u[" + y.value + ", " + x.value + "] > 3 {\n" + step + "}\n";
        auto all = guards(y, x);
        all.insert(all.end(), k.guards.begin(), k.guards.end());
        if (chance(75))
            all.push_back(chance(60) ? triangle(y, x) : triangle(chance(50) ? y : x, k));
        auto loops = joined(y, x);
        loops.insert(loops.end(), k.loops.begin(), k.loops.end());
        return "for " + start + " in 0.." + text(height_) + " {\nfor " + along + " in 0.." +
               text(width_) + " {\n" + out + "[" + start + ", " + along + "] = 1.0\n}\n}\n" +
               nest(loops, all, step);
    }

    // A sum, product or extreme of 16-bit floats, each step rounded.
    std::string half_nest() {
        auto y = axis("y", height_, false), k = axis("k", width_, true);
        auto out = output(half_, "[" + text(height_) + "]");
        auto start = axis("y", height_, false);
        auto place = out + "[" + y.value + "]", term = "h[" + y.value + ", " + k.value + "]";
        auto step = std::vector<std::string>{
            place + " + " + term, term + " + " + place, place + " - " + term,
            "max(" + place + ", " + term + "*2.0)",
            "fma(" + term + ", 1.0, " + place + ")"}[static_cast<std::size_t>(pick(0, 4))];
        return nest(start.loops, start.guards, out + "[" + start.value + "] = 0.0\n") +
               nest(joined(y, k), guards(y, k), place + " = " + step + "\n");
    }

    // argmin or argmax along the rows, as build.cpp writes it.
    std::string selection_nest() {
        auto type =
            std::vector<std::string>{"f32", "i32", half_}[static_cast<std::size_t>(pick(0, 2))];
        auto source = type == "f32" ? "A" : type == "i32" ? "u" : "h";
        bool greatest = chance(50), floats = type != "i32";
        auto y = axis("y", height_, false), k = axis("k", width_, true);
        auto start = axis("y", height_, false);
        auto value = output(type, "[" + text(height_) + "]"),
             rank = output("i32", "[" + text(height_) + "]");
        auto old = value + "[" + y.value + "]", place = rank + "[" + y.value + "]";
        auto term = fresh("term"), at = fresh("rank"), take = fresh("take");
        std::string none = "-2147483648", better = term + (greatest ? " > " : " < ") + old,
                    same = term + " == " + old;
        if (floats) {
            better = "(" + better + " or " + term + " != " + term + " and not " + old +
                     " != " + old + ")";
            same = "(" + same + " or " + term + " != " + term + " and " + old + " != " + old + ")";
        }
        auto wins = "not " + at + " == " + none + " and (" + place + " == " + none + " or (" +
                    better + " or " + same + " and " + at + " < " + place + "))";
        auto worst = floats ? (greatest ? "-inf" : "inf") : greatest ? none : "2147483647";
        return nest(start.loops, start.guards,
                    value + "[" + start.value + "] = " + worst + "\n" + rank + "[" + start.value +
                        "] = " + none + "\n") +
               nest(joined(y, k), guards(y, k),
                    "let " + term + " = " + source + "[" + y.value + ", " + k.value + "]\nlet " +
                        at + " = " + k.value + "\nlet " + take + " = " + wins + "\n" + old +
                        " = select(" + take + ", " + term + ", " + old + ")\n" + place +
                        " = select(" + take + ", " + at + ", " + place + ")\n");
    }

    // A histogram whose iterations collide, in loops of any kind.
    std::string atomic_nest() {
        auto type =
            std::vector<std::string>{"i32", "f32", half_}[static_cast<std::size_t>(pick(0, 2))];
        // Sums of as many terms of up to 2 are exact.
        if (type == half_ && 2 * height_ * width_ > (half_ == "bf16" ? 256 : 2048))
            type = "f32";
        int bins = pick(1, 5);
        auto y = axis("y", height_, false), x = axis("x", width_, false);
        auto out = output(type, "[" + text(bins) + "]");
        auto start = fresh("bin");
        auto bin = chance(70) ? "u[" + y.value + ", " + x.value + "] % " + text(bins) : "0";
        auto sign =
            std::vector<std::string>{"+=", "max=", "min="}[static_cast<std::size_t>(pick(0, 2))];
        auto term = chance(50) ? "1" : type + "(u[" + y.value + ", " + x.value + "]/4)";
        return "for " + start + " in 0.." + text(bins) + " {\n" + out + "[" + start + "] = 0\n}\n" +
               nest(joined(y, x), guards(y, x),
                    "atomic " + out + "[" + bin + "] " + sign + " " + term + "\n");
    }

    // Two components that are updated from each other's old values.
    std::string exchange_nest() {
        auto y = axis("y", height_, false), x = axis("x", width_, false);
        std::string shape = "[" + text(height_) + ", " + text(width_) + "]";
        auto first = output("f32", shape), second = output(half_, shape);
        auto start = fresh("y"), along = fresh("x"), old = fresh("old");
        auto a = first + "[" + y.value + ", " + x.value + "]",
             b = second + "[" + y.value + ", " + x.value + "]";
        return "for " + start + " in 0.." + text(height_) + " {\nfor " + along + " in 0.." +
               text(width_) + " {\n" + first + "[" + start + ", " + along +
               "] = " + value(start, along) + "\n" + second + "[" + start + ", " + along +
               "] = h[" + start + ", " + along + "]\n}\n}\n" +
               nest(joined(y, x), guards(y, x),
                    "let " + old + " = " + half_ + "(" + a + ") + " + b + "\n" + a + " = f32(" + b +
                        ") - " + a + "\n" + b + " = " + old + "\n");
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
    std::string half_ = random_() % 2 ? "f16" : "bf16";
    std::vector<std::string> outputs_;
    std::string names_;
};

} // namespace loopscope::test
