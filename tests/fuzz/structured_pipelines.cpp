#include "tests/fuzz/structured_pipelines.h"

#include "core/ir/expr.h"
#include "tests/fuzz/random.h"

#include <algorithm>
#include <map>

namespace loopscope::fuzz {

namespace {

using StructuredNames = std::vector<std::string>;

struct Array {
    std::string name;
    ScalarType type = ScalarType::F32;
};

class Shapes {
public:
    explicit Shapes(std::uint64_t seed) : random_(seed) {
        type_ = random_.pick({ScalarType::F32, ScalarType::F32, ScalarType::I32, ScalarType::I16,
                              ScalarType::U8, ScalarType::F64, ScalarType::F16, ScalarType::BF16,
                              ScalarType::U16, ScalarType::I64});
    }

    std::string run(std::uint64_t seed);
    static const std::map<std::string, void (Shapes::*)()>& all();

private:
    // ---- text -----------------------------------------------------------------------------------

    Array input(const std::string& name, const std::vector<int>& extents) {
        std::string list;
        for (int e : extents)
            list += (list.empty() ? "" : ", ") + std::to_string(e);
        text_ += "input " + name + ": " + loopscope::name(type_) + "[" + list + "] boundary " +
                 random_.pick({"edge", "zero", "mirror", "reflect", "wrap"}) + "\n";
        return {name, type_};
    }

    // Most stages keep the type; some have another, and reads of them cast.
    Array stage(const std::string& name, const StructuredNames& variables, const std::string& value,
                bool keep = false) {
        Array made{name, type_};
        auto body = value;
        if (!keep && random_.chance(12)) {
            made.type = random_.pick({ScalarType::F32, ScalarType::I32, ScalarType::I16});
            body = cast(value, type_, made.type);
        }
        text_ += "stage " + element(name, variables) + ": " + loopscope::name(made.type) + " = " +
                 body + "\n";
        return made;
    }

    void output(const Array& a, const std::vector<int>& extents) {
        std::string list;
        for (int e : extents)
            list += (list.empty() ? "" : ", ") + std::to_string(e);
        text_ += "output " + a.name + ": [" + list + "]\n";
    }

    static std::string element(const std::string& name, const StructuredNames& indices) {
        std::string list;
        for (const auto& i : indices)
            list += (list.empty() ? "" : ", ") + i;
        return name + "[" + list + "]";
    }
    static std::string cast(const std::string& value, ScalarType from, ScalarType to) {
        return from == to ? value : std::string(loopscope::name(to)) + "(" + value + ")";
    }
    std::string read(const Array& a, const StructuredNames& indices) {
        return cast(element(a.name, indices), a.type, type_);
    }
    std::string typed(const std::string& value) { return cast(value, ScalarType::I32, type_); }
    static std::string shifted(const std::string& v, int by) {
        return by == 0 ? v : v + (by > 0 ? " + " : " - ") + std::to_string(std::abs(by));
    }
    int extent() { return random_.pick({1, 2, 4, 5, 7, 8, 9, 12, 13, 16, 17, 19}); }

    std::string combined(const std::string& a, const std::string& b) {
        switch (random_.below(5)) {
        case 0: return "(" + a + " - " + b + ")";
        case 1: return "max(" + a + ", " + b + ")";
        case 2: return "min(" + a + ", " + b + ")";
        default: return "(" + a + " + " + b + ")";
        }
    }

    // Taps around a point, along one axis or along all.
    std::string stencil(const Array& a, const StructuredNames& at, int radius, int along) {
        std::string sum;
        int taps = random_.between(2, 4);
        for (int t = 0; t < taps; ++t) {
            auto indices = at;
            for (std::size_t d = 0; d < at.size(); ++d)
                if (along < 0 || along == static_cast<int>(d))
                    indices[d] = shifted(at[d], random_.between(-radius, radius));
            auto tap = read(a, indices);
            if (random_.chance(30))
                tap = "(" + tap + " * " + std::to_string(random_.between(2, 3)) + ")";
            sum = sum.empty() ? tap : combined(sum, tap);
        }
        return sum;
    }

    // An index that goes up or down by two, or stays.
    std::string sampled(const std::string& v, int& downs) {
        switch (random_.below(6)) {
        case 0:
            if (++downs <= 2)
                return "2*" + v + (random_.chance(50) ? " + 1" : "");
            return v;
        case 1: return v + "/2";
        case 2: return "(" + v + " + 1)/2";
        default: return v;
        }
    }

    // ---- shapes ---------------------------------------------------------------------------------

    void chain() {
        const int rank = random_.pick({1, 2, 2, 2, 3}), stages = random_.between(4, 8);
        const StructuredNames all = {"y", "x", "c"}, v(all.begin(), all.begin() + rank);
        std::vector<int> size;
        for (int d = 0; d < rank; ++d)
            size.push_back(random_.between(3, rank == 3 ? 6 : 12));
        std::vector<Array> made{input("a", size)};
        int downs = 0;
        for (int s = 0; s < stages; ++s) {
            const auto from = made.back();
            auto at = v;
            if (random_.chance(20)) {
                auto& index = at[static_cast<std::size_t>(random_.below(rank))];
                index = sampled(index, downs);
            }
            const int along = random_.chance(60) ? random_.below(rank) : -1;
            auto value = stencil(from, at, random_.between(0, 2), along);
            if (made.size() > 2 && random_.chance(35)) // past the stage before
                value =
                    combined(value, stencil(made[made.size() - 2], v, random_.between(0, 1), -1));
            made.push_back(stage("s" + std::to_string(s), v, value));
            if (random_.chance(12))
                text_ += "update " + element(made.back().name, v) +
                         " += " + cast(read(from, v), type_, made.back().type) + "\n";
        }
        std::vector<int> out;
        for (int d = 0; d < rank; ++d)
            out.push_back(rank == 3 ? random_.between(1, 7) : extent());
        output(made.back(), out);
        if (random_.chance(15))
            output(made[made.size() - 2], out);
    }

    void blurs() {
        auto from = input("a", {random_.between(3, 12), random_.between(3, 12)});
        const int pairs = random_.between(2, 3);
        for (int i = 0; i < pairs; ++i) {
            from = stage("bx" + std::to_string(i), {"y", "x"},
                         stencil(from, {"y", "x"}, random_.between(1, 2), 1));
            from = stage("by" + std::to_string(i), {"y", "x"},
                         stencil(from, {"y", "x"}, random_.between(1, 2), 0));
        }
        output(from, {extent(), extent()});
    }

    void pyramid() {
        const int levels = random_.between(2, 3);
        std::vector<Array> down{input("g0", {random_.between(4, 12), random_.between(4, 12)})};
        for (int l = 1; l < levels; ++l) {
            const auto& from = down.back();
            auto across =
                stage("dx" + std::to_string(l), {"y", "x"},
                      combined(read(from, {"y", "2*x"}),
                               read(from, {"y", random_.chance(50) ? "2*x + 1" : "2*x - 1"})));
            down.push_back(
                stage("g" + std::to_string(l), {"y", "x"},
                      combined(read(across, {"2*y", "x"}), read(across, {"2*y + 1", "x"}))));
        }
        auto up = down.back();
        for (int l = levels - 1; l-- > 0;) {
            auto across = stage("ux" + std::to_string(l), {"y", "x"},
                                combined(read(up, {"y", "x/2"}), read(up, {"y", "(x + 1)/2"})));
            auto wide = combined(read(across, {"y/2", "x"}), read(across, {"(y + 1)/2", "x"}));
            up = stage("u" + std::to_string(l), {"y", "x"},
                       combined(wide, read(down[static_cast<std::size_t>(l)], {"y", "x"})));
        }
        output(up, {extent(), extent()});
    }

    void siblings() {
        auto a = input("a", {random_.between(3, 12), random_.between(3, 12)});
        std::vector<Array> made;
        const int count = random_.between(2, 3);
        for (int i = 0; i < count; ++i)
            made.push_back(
                stage("d" + std::to_string(i), {"y", "x"}, stencil(a, {"y", "x"}, 1, i % 2), true));
        std::string value;
        for (std::size_t i = 0; i < made.size(); ++i) {
            auto product = stage("p" + std::to_string(static_cast<int>(i)), {"y", "x"},
                                 "(" + read(made[i], {"y", "x"}) + " * " +
                                     read(made[(i + 1) % made.size()], {"y", "x"}) + ")",
                                 true);
            auto box = stencil(product, {"y", "x"}, random_.between(0, 1), -1);
            value = value.empty() ? box : combined(value, box);
        }
        auto out = stage("o", {"y", "x"}, value);
        const int height = extent(), width = extent();
        output(out, {height, width});
        if (random_.chance(40))
            output(made[0], {height, width});
    }

    // A recurrence, and reads of it where the data say.
    void scan() {
        const int n = random_.between(4, 17), step = random_.between(1, 2);
        auto a = input("a", {random_.between(3, 9), random_.between(3, 12)});
        auto s = stage("s", {"y", "x"}, read(a, {"y", "x"}), true);
        text_ += "update s[y, x] = (s[y, x - " + std::to_string(step) + "] + " +
                 stencil(a, {"y", "x"}, 1, -1) + ") over x in " + std::to_string(step) + ".." +
                 std::to_string(step + n) + "\n";
        if (random_.chance(40)) // and back
            text_ +=
                "update s[y, x] = (s[y, x] - s[y, x + 1]) over x in 0.." + std::to_string(n) + "\n";
        auto g = stage("g", {"y", "x"},
                       combined(read(s, {"y", "clamp(i32(" + read(a, {"x", "y"}) + "), 0, " +
                                                  std::to_string(n) + ")"}),
                                read(s, {"y", "x"})));
        auto o = stage("o", {"y", "x"}, stencil(g, {"y", "x"}, 1, random_.below(2)));
        output(o, {extent(), extent()});
    }

    void histogram() {
        const int bins = random_.between(3, 16), rows = random_.between(2, 9),
                  columns = random_.between(2, 9);
        auto a = input("a", {rows, columns});
        text_ += "stage h[b]: i32 = 0\n";
        const std::string added = random_.pick({"1", "r + c", "1 - r"});
        text_ += "update h[i32(" + read(a, {"r", "c"}) + ") % " + std::to_string(bins) + "] " +
                 random_.pick({"+=", "+=", "max=", "min="}) + " " + added + " over r in 0.." +
                 std::to_string(rows) + ", c in 0.." + std::to_string(columns) + "\n";
        text_ += "stage p[b]: i32 = h[b]\n";
        text_ += "update p[b] = (p[b - 1] + h[b]) over b in 1.." + std::to_string(bins) + "\n";
        auto o = stage(
            "o", {"y", "x"},
            combined(typed("p[i32(" + read(a, {"y", "x"}) + ") % " + std::to_string(bins) + "]"),
                     read(a, {"y", "x"})));
        if (random_.chance(50))
            o = stage("q", {"y", "x"}, stencil(o, {"y", "x"}, 1, -1));
        output(o, {extent(), extent()});
    }

    std::string product(const Array& a, const Array& b, const std::string& k) {
        return "sum[" + k + " in 0.." + std::to_string(inner_) + "](" + read(a, {"i", k}) + " * " +
               read(b, {k, "j"}) + ")";
    }

    void matmul() {
        inner_ = random_.between(2, 16);
        auto a = input("a", {random_.between(2, 12), inner_}), b = input("b", {inner_, 12});
        if (random_.chance(40))
            a = stage("pre", {"i", "k"}, combined(read(a, {"i", "k"}), read(a, {"i", "k + 1"})),
                      true);
        auto c = a;
        if (random_.chance(30)) {
            text_ += "stage c[i, j]: " + std::string(name(type_)) + " = " +
                     combined(read(a, {"i", "j"}), read(b, {"j", "i"})) +
                     "\nupdate c[i, j] += " + read(a, {"i", "k"}) + " * " + read(b, {"k", "j"}) +
                     " over k in 0.." + std::to_string(inner_) + "\n";
            c = {"c", type_};
        } else {
            c = stage("c", {"i", "j"}, product(a, b, "k"), true);
        }
        if (random_.chance(40))
            c = stage("d", {"i", "j"}, product(c, b, "l"), true);
        if (random_.chance(60))
            c = stage("post", {"i", "j"},
                      "max(" + combined(read(c, {"i", "j"}), read(b, {"0", "j"})) + ", 0)");
        output(c, {extent(), extent()});
    }

    void convolution() {
        const int stride = random_.between(1, 2), height = random_.between(1, 3),
                  width = random_.between(1, 3), channels = random_.between(1, 3);
        auto a = input("a", {channels, random_.between(4, 9), random_.between(4, 9)}),
             w = input("w", {2, channels, height, width});
        auto along = [&](const std::string& v, const std::string& k) {
            return (stride > 1 ? std::to_string(stride) + "*" : "") + v + " + " + k;
        };
        auto c = stage("c", {"o", "y", "x"},
                       "sum[ci in 0.." + std::to_string(channels) + ", ky in 0.." +
                           std::to_string(height) + ", kx in 0.." + std::to_string(width) + "](" +
                           read(a, {"ci", along("y", "ky"), along("x", "kx")}) + " * " +
                           read(w, {"o", "ci", "ky", "kx"}) + ")",
                       true);
        auto o = stage("r", {"o", "y", "x"}, "max(" + read(c, {"o", "y", "x"}) + ", 0)");
        if (random_.chance(50))
            o = stage("p", {"o", "y", "x"},
                      combined(read(o, {"o", "2*y", "x"}), read(o, {"o", "2*y + 1", "x"})));
        output(o, {random_.between(1, 3), random_.between(1, 7), extent()});
    }

    // Results of rows, which each of their elements needs.
    void rows() {
        const int n = random_.between(2, 17);
        auto a = input("a", {random_.between(2, 9), n});
        auto m = stage("m", {"y"},
                       "max[k in 0.." + std::to_string(n) + "](" + read(a, {"y", "k"}) + ")", true);
        auto e =
            stage("e", {"y", "x"}, "(" + read(a, {"y", "x"}) + " - " + read(m, {"y"}) + ")", true);
        auto s = stage("s", {"y"},
                       "sum[k in 0.." + std::to_string(n) + "](" + read(e, {"y", "k"}) + ")", true);
        auto o = stage("o", {"y", "x"},
                       combined(read(e, {"y", "x"}),
                                "(" + read(s, {"y"}) + random_.pick({" / ", " * "}) + "3)"));
        if (random_.chance(40)) {
            text_ += "stage best[y]: (" + std::string(name(o.type)) +
                     ", i32) = " + random_.pick({"argmax", "argmin"}) + "[k in 0.." +
                     std::to_string(n) + "](" + element(o.name, {"y", "k"}) + ")\n";
            o = stage("looked", {"y", "x"}, read(o, {"y", "best[y].1 + x"}));
        }
        output(o, {extent(), random_.between(1, n)});
    }

    // Sweeps over a grid, each reading what the one before left around a point.
    void sweeps() {
        const int n = random_.between(4, 12), count = random_.between(2, 4);
        auto from = input("a", {n, n});
        for (int i = 0; i < count; ++i) {
            auto s = stage("s" + std::to_string(i), {"y", "x"}, read(from, {"y", "x"}), true);
            const auto around = stencil(from, {"y", "x"}, 1, -1);
            text_ += "update " + element(s.name, {"y", "x"}) + " " +
                     random_.pick({"=", "+=", "max=", "="}) + " " + around + " over y in 1.." +
                     std::to_string(n - 1) + ", x in 1.." + std::to_string(n - 1) + "\n";
            from = s;
        }
        output(from, {extent(), extent()});
    }

    Random random_;
    ScalarType type_;
    std::string text_;
    int inner_ = 0;
};

const std::map<std::string, void (Shapes::*)()>& Shapes::all() {
    static const std::map<std::string, void (Shapes::*)()> shapes = {
        {"chain", &Shapes::chain},     {"blurs", &Shapes::blurs},
        {"pyramid", &Shapes::pyramid}, {"siblings", &Shapes::siblings},
        {"scan", &Shapes::scan},       {"histogram", &Shapes::histogram},
        {"matmul", &Shapes::matmul},   {"convolution", &Shapes::convolution},
        {"rows", &Shapes::rows},       {"sweeps", &Shapes::sweeps},
    };
    return shapes;
}

std::string Shapes::run(std::uint64_t seed) {
    // Chains are what placements, windows and pipelines stack up in.
    const auto shape = random_.chance(30) ? "chain" : random_.pick(pipeline_shapes());
    (this->*all().at(shape))();
    return "pipeline fuzz_" + shape + "_" + std::to_string(seed) + "\n" + text_;
}

} // namespace

std::string structured_pipeline(std::uint64_t seed) { return Shapes(seed ^ 0x57ac).run(seed); }

const std::vector<std::string>& pipeline_shapes() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> out;
        for (const auto& [name, make] : Shapes::all())
            out.push_back(name);
        return out;
    }();
    return names;
}

} // namespace loopscope::fuzz
