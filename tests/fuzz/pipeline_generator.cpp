// Longer than files are here: one recursive grammar, whose rules draw from the same scope and the
// same random numbers.
#include "tests/fuzz/pipeline_generator.h"

#include "core/ir/functions.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/structured_pipelines.h"

#include <algorithm>

#include <string>
#include <vector>

namespace loopscope::fuzz {

namespace {

using RandomNames = std::vector<std::string>;

const std::vector<ScalarType> kTypes = {
    ScalarType::I8,  ScalarType::I16, ScalarType::I32,  ScalarType::I64, ScalarType::U8,
    ScalarType::U16, ScalarType::U32, ScalarType::U64,  ScalarType::F32, ScalarType::F32,
    ScalarType::F32, ScalarType::F64, ScalarType::Bool, ScalarType::F16, ScalarType::BF16};

struct Source {
    std::string name;
    ScalarType type;
    int rank;
    bool bounded; // an input without a boundary: indices must be kept inside by the reader
    std::vector<int> extents;
    std::vector<ScalarType> more = {}; // of a tuple: the types of its further components
};

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_(seed) {}

    std::string run(std::uint64_t seed) {
        text_ = "pipeline fuzz_" + std::to_string(seed) + "\n";
        int inputs = random_.between(1, 2);
        for (int i = 0; i < inputs; ++i)
            input(i);
        int stages = random_.between(1, 5);
        for (int i = 0; i < stages; ++i)
            stage("s" + std::to_string(i));
        output(sources_.back());
        if (stages > 1 && random_.chance(20)) {
            const auto& other =
                sources_[static_cast<std::size_t>(inputs + random_.below(stages - 1))];
            output(other);
        }
        return text_;
    }

private:
    void input(int i) {
        Source s{"in" + std::to_string(i), random_.pick(kTypes), random_.between(1, 3), false, {}};
        std::string extents;
        for (int d = 0; d < s.rank; ++d) {
            s.extents.push_back(random_.between(1, 13));
            extents += (d ? ", " : "") + std::to_string(s.extents.back());
        }
        text_ += "input " + s.name + ": " + name(s.type) + "[" + extents + "]";
        static const RandomNames boundaries = {"edge", "zero",     "mirror", "reflect",
                                               "wrap", "constant", "none"};
        auto boundary = random_.pick(boundaries);
        if (boundary == "constant")
            text_ += " boundary constant(" + literal(s.type) + ")";
        else if (boundary != "none")
            text_ += " boundary " + boundary;
        s.bounded = boundary == "none";
        text_ += "\n";
        sources_.push_back(s);
    }

    void output(const Source& s) {
        text_ += "output " + s.name + ": [";
        for (int d = 0; d < s.rank; ++d)
            text_ += (d ? ", " : "") + std::to_string(random_.between(1, 19));
        text_ += "]\n";
    }

    // ---- stages ---------------------------------------------------------------------------------

    void stage(const std::string& name) {
        static const RandomNames all = {"y", "x", "c"};
        int rank = random_.pick({1, 2, 2, 2, 3});
        variables_.assign(all.begin(), all.begin() + rank);
        axes_.clear();
        Source s{name, random_.pick(kTypes), rank, false,
                 std::vector<int>(static_cast<std::size_t>(rank), 0)};
        switch (random_.below(8)) {
        case 0:
        case 1: pure(s); break;
        case 2: reduction(s); break;
        case 3: scan(s); break;
        case 4: histogram(s); break;
        case 5: selection(s); break;
        case 6: tuple(s); break;
        default: updated(s); break;
        }
        sources_.push_back(s);
    }

    std::string head(const Source& s) {
        std::string out = s.name + "[";
        for (std::size_t d = 0; d < variables_.size(); ++d)
            out += (d ? ", " : "") + variables_[d];
        return out + "]";
    }

    void pure(const Source& s) {
        text_ += "stage " + head(s) + ": " + name(s.type) + " = " + expression(s.type, 3) + "\n";
    }

    void reduction(Source& s) {
        RandomNames ops = {"sum", "prod", "min", "max", "sum"};
        if (s.type == ScalarType::Bool)
            ops = {"any", "all"};
        auto op = random_.pick(ops);
        auto ranges = reduction_axes();
        std::string body;
        if (random_.chance(60) && s.type != ScalarType::Bool) {
            const auto right = expression(s.type, 1), left = expression(s.type, 1);
            body = left + " * " + right;
        } else {
            body = expression(s.type, 2);
        }
        text_ +=
            "stage " + head(s) + ": " + name(s.type) + " = " + op + ranges + "(" + body + ")\n";
    }

    // "[k in 0..5, l in 1..3 where …]"
    std::string reduction_axes() {
        std::string ranges;
        int axes = random_.between(1, 2);
        for (int a = 0; a < axes; ++a) {
            axes_.push_back(a ? "l" : "k");
            int begin = random_.pick({0, 0, 0, -1, 1});
            ranges += (a ? ", " : "") + axes_.back() + " in " + std::to_string(begin) + ".." +
                      std::to_string(begin + random_.between(random_.chance(5) ? 0 : 1, 6));
        }
        std::string where = random_.chance(25) ? " where " + expression(ScalarType::Bool, 2) : "";
        return "[" + ranges + where + "]";
    }

    void selection(Source& s) {
        if (s.type == ScalarType::Bool)
            s.type = ScalarType::BF16;
        s.more = {ScalarType::I32};
        auto ranges = reduction_axes();
        const auto body = expression(s.type, 2);
        text_ += "stage " + head(s) + ": (" + name(s.type) +
                 ", i32) = " + random_.pick({"argmin", "argmax"}) + ranges + "(" + body + ")\n";
    }

    // Components that may be updated from each other's old values.
    void tuple(Source& s) {
        int count = random_.between(2, 3);
        while (static_cast<int>(s.more.size()) + 1 < count)
            s.more.push_back(random_.pick(kTypes));
        std::string types = name(s.type), values = expression(s.type, 2);
        for (auto type : s.more) {
            types += std::string(", ") + name(type);
            values += ", " + expression(type, 2);
        }
        text_ += "stage " + head(s) + ": (" + types + ") = (" + values + ")\n";
        if (random_.chance(40))
            return;
        std::string range;
        if (random_.chance(50)) {
            axes_ = {random_.pick(variables_)};
            range = " over " + axes_[0] + " in 0.." + std::to_string(random_.between(1, 9));
        }
        std::string right;
        for (int c = 0; c < count; ++c) {
            auto type = component_type(s, c);
            auto old = component(s, head(s), random_.below(count), type);
            const auto added = expression(type, 1);
            const std::string op = type == ScalarType::Bool ? random_.pick({" and ", " or "})
                                                            : random_.pick({" + ", " - "});
            right += (c ? ", (" : "(") + old + op + added + ")";
        }
        text_ += "update " + head(s) + " = (" + right + ")" + range + "\n";
    }

    static ScalarType component_type(const Source& s, int c) {
        return c == 0 ? s.type : s.more[static_cast<std::size_t>(c - 1)];
    }

    // A component of an element, as the type.
    static std::string component(const Source& s, const std::string& element, int c, ScalarType t) {
        auto e = s.more.empty() ? element : element + "." + std::to_string(c);
        auto type = component_type(s, c);
        return type == t ? e : std::string(name(t)) + "(" + e + ")";
    }

    // A recurrence along the last axis, forwards or backwards.
    void scan(Source& s) {
        pure(s);
        auto axis = variables_.back();
        int n = random_.between(2, 12), step = random_.between(1, 2);
        axes_ = {axis};
        std::string left = s.name + "[", before = s.name + "[";
        for (std::size_t d = 0; d < variables_.size(); ++d) {
            bool last = d + 1 == variables_.size();
            left += (d ? ", " : "") + variables_[d];
            before += (d ? ", " : "") + variables_[d] + (last ? " - " + std::to_string(step) : "");
        }
        std::string mixed = s.type == ScalarType::Bool
                                ? "(" + before + "] and " + expression(s.type, 1) + ")"
                                : "(" + before + "] + " + expression(s.type, 1) + ")";
        text_ += "update " + left + "] = " + mixed + " over " + axis + " in " +
                 std::to_string(step) + ".." + std::to_string(step + n) + "\n";
    }

    void histogram(Source& s) {
        if (s.type == ScalarType::Bool)
            s.type = ScalarType::I32;
        text_ += "stage " + head(s) + ": " + name(s.type) + " = " + literal(s.type) + "\n";
        if (random_.chance(45))
            return scattered(s);
        axes_ = {"r"};
        auto saved = variables_;
        int bins = random_.between(2, 9);
        std::string left = s.name + "[";
        // The last index depends on data, mostly; the others stay free. The bin is computed from r
        // and the free variables.
        variables_.pop_back();
        const auto bin = random_.chance(40) ? wide_index("r") : expression(ScalarType::I32, 1);
        for (std::size_t d = 0; d < saved.size(); ++d)
            left +=
                (d ? ", " : "") +
                (d + 1 == saved.size() ? "i32(" + bin + ") % " + std::to_string(bins) : saved[d]);
        auto op = random_.pick({"+=", "max=", "min=", "*=", "="});
        const auto end = std::to_string(random_.between(1, 9));
        text_ +=
            "update " + left + "] " + op + " " + expression(s.type, 1) + " over r in 0.." + end;
        if (random_.chance(30))
            text_ += " where " + expression(ScalarType::Bool, 1);
        else if (random_.chance(20))
            text_ += " where " + own_condition(component(s, left + "]", 0, ScalarType::I32), "r");
        text_ += "\n";
        variables_ = saved;
    }

    // Iterations write elements that only their own arithmetic tells: often each another one,
    // though no index says so plainly.
    void scattered(Source& s) {
        axes_ = {"r"};
        std::string ranges = "r in 0.." + std::to_string(random_.between(2, 13));
        if (random_.chance(40)) {
            axes_.push_back("q");
            ranges += ", q in 0.." + std::to_string(random_.between(1, 5));
        }
        auto element = [&](const std::string& last) {
            std::string out = s.name + "[";
            for (std::size_t d = 0; d + 1 < variables_.size(); ++d)
                out += variables_[d] + ", ";
            return out + last + "]";
        };
        const auto left = element(machine_index());
        auto value = expression(s.type, 1);
        if (random_.chance(35))
            value = "(" + component(s, element(machine_index()), 0, s.type) + " + " + value + ")";
        text_ += "update " + left + " " + random_.pick({"+=", "max=", "=", "="}) + " " + value +
                 " over " + ranges + "\n";
    }

    // An index of the axes in machine arithmetic: shifts, masks, remainders and casts, with few
    // values.
    std::string machine_index() {
        const auto n = [&](int least, int greatest) {
            return std::to_string(random_.between(least, greatest));
        };
        std::string e = axes_.front();
        if (axes_.size() > 1)
            e = random_.pick({"(r << 3 | q)", "(r*8 ^ q)", "(q << 4) + r", "(r + q)",
                              "(r << 2) + q", "(r ^ q*16)", "r", "q"});
        if (variables_.size() > 1 && random_.chance(15))
            e = "(" + e + " + " + variables_.front() + ")";
        for (int steps = random_.between(1, 3); steps-- > 0;)
            switch (random_.below(11)) {
            case 0: e = "(" + e + " << " + n(0, 2) + ")"; break;
            case 1: e = "(" + e + " >> " + n(0, 2) + ")"; break;
            case 2:
            case 3: e = "(" + e + " ^ " + n(0, 40) + ")"; break;
            case 4: e = "(" + e + " & " + n(1, 63) + ")"; break;
            case 5: e = "(" + e + " | " + n(1, 40) + ")"; break;
            case 6: e = "i32(u8(" + e + " + " + n(200, 260) + "))"; break;
            case 7: {
                // In an order of their own: compilers evaluate the parts of a sum as they like.
                const auto factor = n(1, 9), term = n(100, 130);
                e = "i32(i8(" + e + "*" + factor + " + " + term + "))";
                break;
            }
            case 8: e = "i32(u8(" + e + ")*" + n(1, 11) + "u8)"; break;
            case 9: {
                const auto factor = n(1, 9), term = n(0, 9), divisor = n(2, 32);
                e = "((" + e + "*" + factor + " + " + term + ") % " + divisor + ")";
                break;
            }
            default: e = "(" + n(0, 40) + " + ~" + e + ")"; break;
            }
        return "(" + e + ") % 256"; // few elements, however far the steps went
    }

    // A condition of an axis, and of the stage itself at an element.
    std::string own_condition(const std::string& element, const std::string& axis) {
        const auto m = std::to_string(random_.between(1, 4));
        switch (random_.below(4)) {
        case 0: return axis + " < " + m + " and " + element + " > 3";
        case 1: return element + " % 2 == 0";
        case 2: return "i32(i64(" + axis + ")*4294967296) == 0 and " + axis + " < " + m;
        default: return "(" + axis + "*1073741824) % 4 <= " + m;
        }
    }

    // Updates without collisions: every point on its own, or over a range of one axis.
    void updated(Source& s) {
        pure(s);
        int count = random_.between(1, 2);
        if (variables_.size() > 1 && random_.chance(12))
            diagonal(s);
        for (int u = 0; u < count; ++u) {
            axes_.clear();
            auto op =
                s.type == ScalarType::Bool ? "=" : random_.pick({"=", "+=", "*=", "max=", "min="});
            std::string left = head(s);
            std::string over;
            if (random_.chance(50)) {
                auto axis = random_.pick(variables_);
                axes_ = {axis};
                int begin = random_.between(0, 3);
                over = " over " + axis + " in " + std::to_string(begin) + ".." +
                       std::to_string(begin + random_.between(random_.chance(6) ? 0 : 1, 9));
                if (random_.chance(30)) {
                    axes_.push_back("r");
                    over += ", r in 0.." + std::to_string(random_.between(1, 3));
                }
            }
            std::string where =
                random_.chance(25) ? " where " + expression(ScalarType::Bool, 1) : "";
            if (where.empty() && random_.chance(10) && !axes_.empty() && !is_float(s.type) &&
                s.type != ScalarType::Bool)
                where = " where " +
                        own_condition(component(s, left, 0, ScalarType::I32), axes_.front());
            if (!where.empty() && over.empty())
                where.clear();
            text_ +=
                "update " + left + " " + op + " " + expression(s.type, 2) + over + where + "\n";
        }
    }

    // S[y, y] += …: a free variable repeated in a position that is not its own.
    void diagonal(const Source& s) {
        auto all = variables_;
        variables_.pop_back();
        axes_.clear();
        std::string left = s.name + "[";
        for (std::size_t d = 0; d < all.size(); ++d)
            left += (d ? ", " : "") + (d + 1 == all.size() ? all[d - 1] : all[d]);
        text_ += "update " + left + "] = " + expression(s.type, 1) + "\n";
        variables_ = all;
    }

    // ---- expressions ----------------------------------------------------------------------------

    std::string literal(ScalarType t) {
        if (t == ScalarType::Bool)
            return random_.pick({"true", "false"});
        if (is_float(t)) {
            static const RandomNames values = {"0.5",  "1.0",   "3.0",   "0.1",
                                               "2.75", "-1.25", "100.0", "0.0"};
            auto v = random_.pick(values);
            return v[0] == '-' ? "(-" + v.substr(1) + name(t) + ")" : v + name(t);
        }
        int v = random_.between(0, 9);
        return random_.chance(20) && is_signed(t) ? "(-" + std::to_string(v) + name(t) + ")"
                                                  : std::to_string(v) + name(t);
    }

    RandomNames scope() {
        RandomNames all = variables_;
        for (const auto& a : axes_)
            if (std::find(all.begin(), all.end(), a) == all.end())
                all.push_back(a);
        return all;
    }

    // An index along one dimension: shifted, strided, up- or down-sampled, constant, or from data.
    std::string index(const Source& s, int d) {
        auto all = scope();
        std::string v = all.empty() ? "0" : random_.pick(all);
        if (d < static_cast<int>(variables_.size()) && random_.chance(60))
            v = variables_[static_cast<std::size_t>(d)];
        std::string e;
        switch (random_.below(14)) {
        case 0:
        case 1: e = v + " + " + std::to_string(random_.between(1, 3)); break;
        case 2:
        case 3: e = v + " - " + std::to_string(random_.between(1, 3)); break;
        case 4: e = "2*" + v + " + " + std::to_string(random_.below(2)); break;
        case 5: e = v + "/2"; break;
        case 6: e = all.size() > 1 ? v + " + " + random_.pick(all) : v; break;
        case 7: e = std::to_string(random_.below(3)); break;
        case 8: e = "(" + v + " + 1)/3 - 1"; break;
        case 9: {
            const auto& data = random_.pick(sources_);
            if (data.rank == 1 && !data.bounded && data.type != ScalarType::Bool) {
                e = "clamp(" + component(data, data.name + "[" + v + "]", 0, ScalarType::I32) +
                    ", 0, " + std::to_string(random_.between(1, 6)) + ")";
                break;
            }
            e = v;
            break;
        }
        case 10: e = std::to_string(random_.between(2, 6)) + " - " + v; break;
        case 11: {
            auto t_name = "at" + std::to_string(++lets_);
            e = "(let " + t_name + " = 2*" + v + " - 3 in " + t_name + " + 1)";
            break;
        }
        case 12: e = wide_index(v); break;
        default: e = v; break;
        }
        if (s.bounded)
            e = "clamp(" + e + ", 0, " +
                std::to_string(s.extents[static_cast<std::size_t>(d)] - 1) + ")";
        return e;
    }

    // A remainder, fixed point, or what leaves i32 or wraps on the way.
    std::string wide_index(const std::string& v) {
        const auto m = std::to_string(random_.between(2, 7));
        switch (random_.below(10)) {
        case 0: return v + " % " + m;
        case 1: return "(" + m + " - 2*" + v + ") % 11";
        case 2: return "i32(i64(" + v + ")*6442450944 / 4294967296)";
        case 3: return "i32((i64(" + v + ")*3221225472 + 2147483648) / 4294967296)";
        case 4: return "(" + v + "*3000000)/4000000";
        case 5: return "(" + v + "*1073741824) % " + m;
        case 6: return "i32((i64(" + v + ")*4611686018427387904) % " + m + ")";
        case 7: return "i32(u32(" + v + ")*3000000000 % " + m + ")";
        case 8: return "i32(clamp(i64(" + v + ")*2147483648, 0, 8589934592) / 2147483648)";
        default: return "i32(max(i64(" + v + ")*35184372088832, 7) / 35184372088832)";
        }
    }

    std::string read(ScalarType t) {
        const auto& s = random_.chance(60) ? sources_.back() : random_.pick(sources_);
        std::string e = s.name + "[";
        for (int d = 0; d < s.rank; ++d)
            e += (d ? ", " : "") + index(s, d);
        e += "]";
        return component(s, e, random_.below(static_cast<int>(s.more.size()) + 1), t);
    }

    std::string leaf(ScalarType t) {
        int choice = random_.below(10);
        auto all = scope();
        if (choice < 7)
            return read(t);
        if (choice < 8 && !all.empty())
            return t == ScalarType::I32 ? random_.pick(all)
                                        : std::string(name(t)) + "(" + random_.pick(all) + ")";
        return literal(t);
    }

    std::string expression(ScalarType t, int depth) {
        if (depth == 0)
            return leaf(t);
        auto sub = [&](ScalarType type) {
            return expression(type, depth - 1 - (random_.chance(30) && depth > 1 ? 1 : 0));
        };
        auto binary = [&](ScalarType type, std::initializer_list<const char*> operators) {
            const auto right = sub(type);
            const std::string op =
                operators.size() == 1 ? *operators.begin() : random_.pick(operators);
            return "(" + sub(type) + op + right + ")";
        };
        if (t == ScalarType::Bool) {
            if (random_.chance(25))
                return leaf(t);
            if (random_.chance(25))
                return random_.chance(30) ? "(not " + sub(t) + ")" : binary(t, {" and ", " or "});
            ScalarType operand = random_.pick(kTypes);
            if (operand == ScalarType::Bool)
                operand = ScalarType::I16;
            return binary(operand, {" < ", " <= ", " > ", " >= ", " == ", " != "});
        }
        if (is_float(t) && random_.chance(8))
            return function(t, sub);
        if (is_unsigned(t) && bits(t) >= 16 && random_.chance(10))
            return "bits(" + sub(float_of(t)) + ")";
        if (is_float(t) && random_.chance(15)) { // what contract() fuses
            const auto b = sub(t), a = sub(t);
            const std::string op = random_.pick({" + ", " - "});
            return "(" + sub(t) + op + a + " * " + b + ")";
        }
        switch (random_.below(is_float(t) ? 11 : 14)) {
        case 0:
        case 1: return binary(t, {" + "});
        case 2: return binary(t, {" - "});
        case 3:
        case 4: return binary(t, {" * "});
        case 5: return binary(t, {" / "});
        case 6: {
            const auto arguments = binary(t, {", "});
            return random_.pick({"min", "max"}) + arguments;
        }
        case 7: {
            const auto otherwise = sub(t), then = sub(t);
            return "select(" + expression(ScalarType::Bool, depth - 1) + ", " + then + ", " +
                   otherwise + ")";
        }
        case 8: {
            auto t_name = "t" + std::to_string(++lets_);
            return "(let " + t_name + " = " + sub(t) + " in " + t_name + " + " + t_name + ")";
        }
        case 9: return random_.chance(50) ? "abs(" + sub(t) + ")" : "(-" + sub(t) + ")";
        case 10:
            if (is_float(t)) {
                const auto argument = sub(t);
                return random_.pick({"sqrt(abs(", "floor((", "ceil((", "round(("}) + argument +
                       "))";
            }
            return binary(t, {" % "});
        case 11: return binary(t, {" & ", " | ", " ^ "});
        case 12: return binary(t, {" << ", " >> "});
        default: return "(~" + sub(t) + ")";
        }
    }

    // A float type with the bits of an unsigned one, and the reverse.
    ScalarType float_of(ScalarType t) {
        if (bits(t) == 16)
            return random_.chance(50) ? ScalarType::F16 : ScalarType::BF16;
        return bits(t) == 32 ? ScalarType::F32 : ScalarType::F64;
    }
    static ScalarType unsigned_of(ScalarType t) {
        return bits(t) == 16 ? ScalarType::U16 : bits(t) == 32 ? ScalarType::U32 : ScalarType::U64;
    }

    template <typename Sub> std::string function(ScalarType t, const Sub& sub) {
        switch (random_.below(5)) {
        case 0: {
            const auto c = sub(t), b = sub(t);
            return "fma(" + sub(t) + ", " + b + ", " + c + ")";
        }
        case 1: return "from_bits(" + std::string(name(t)) + ", " + sub(unsigned_of(t)) + ")";
        case 2: {
            const auto exponent = sub(t);
            return "pow(" + sub(t) + ", " + exponent + ")";
        }
        default: {
            const auto argument = "(" + sub(t) + ")";
            return random_.pick({"exp", "log", "tanh", "erf", "sin", "cos", "rsqrt"}) + argument;
        }
        }
    }

    Random random_;
    std::string text_;
    std::vector<Source> sources_;
    RandomNames variables_, axes_;
    int lets_ = 0;
};

} // namespace

std::string random_pipeline(std::uint64_t seed) {
    return Random(seed ^ 0x5a9e).chance(40) ? structured_pipeline(seed) : Generator(seed).run(seed);
}

namespace {

// What of the language the expression uses.
void count_index(const ExprPtr& index, Features& features) {
    visit(index, [&](const Expr& e) {
        if (e.kind == ExprKind::Binary && e.op >= Op::ShiftLeft && e.op <= Op::BitOr)
            ++features[std::string("index ") + symbol(e.op)];
        if (e.kind == ExprKind::Cast && bits(e.type) < 32 && !is_float(e.type))
            ++features["index cast"];
        return e.kind != ExprKind::Load;
    });
}

void count_features(const ExprPtr& e, Features& features) {
    visit(e, [&](const Expr& x) {
        ++features[std::string("type ") + name(x.type)];
        if (x.kind == ExprKind::Call)
            ++features[x.name];
        if (x.kind == ExprKind::Fma)
            ++features["fma"];
        if (x.kind == ExprKind::Reinterpret)
            ++features[is_float(x.type) ? "from_bits" : "bits"];
        if (x.kind == ExprKind::Let)
            ++features["let"];
        return true;
    });
}

} // namespace

void count_features(const Pipeline& pipeline, Features& features) {
    for (const auto& shape : pipeline_shapes())
        if (pipeline.name.starts_with("fuzz_" + shape + "_"))
            ++features["shape " + shape];
    for (const auto& stage : pipeline.stages) {
        if (stage.is_input)
            ++features[std::string("boundary ") + name(stage.boundary.kind)];
        if (stage.types.size() > 1)
            ++features["tuple"];
        for (const auto& definition : stage.definitions) {
            if (definition.kind == DefinitionKind::Reduction)
                ++features[name(definition.reduction)];
            if (definition.kind == DefinitionKind::Update)
                ++features[name(definition.update)];
            if (definition.condition)
                ++features["where"];
            for (const auto& index : definition.left)
                count_index(index, features);
            for (const auto& value : definition.values)
                count_features(value, features);
        }
    }
}

std::vector<std::string> missing_features(const Features& features) {
    std::vector<std::string> wanted{"tuple",   "fma",     "bits",     "from_bits",
                                    "let",     "where",   "index <<", "index >>",
                                    "index &", "index ^", "index |",  "index cast"};
    for (auto type : kTypes)
        wanted.push_back(std::string("type ") + name(type));
    for (const auto& shape : pipeline_shapes())
        wanted.push_back("shape " + shape);
    wanted.insert(wanted.end(), prelude_names().begin(), prelude_names().end());
    for (auto op : {ReductionOp::Sum, ReductionOp::Product, ReductionOp::Min, ReductionOp::Max,
                    ReductionOp::Any, ReductionOp::All, ReductionOp::ArgMin, ReductionOp::ArgMax})
        wanted.push_back(name(op));
    for (auto op :
         {UpdateOp::Assign, UpdateOp::Add, UpdateOp::Multiply, UpdateOp::Max, UpdateOp::Min})
        wanted.push_back(name(op));
    for (auto kind :
         {BoundaryKind::None, BoundaryKind::Edge, BoundaryKind::Zero, BoundaryKind::Constant,
          BoundaryKind::Mirror, BoundaryKind::Reflect, BoundaryKind::Wrap})
        wanted.push_back(std::string("boundary ") + name(kind));
    std::erase_if(wanted, [&](const std::string& feature) { return features.count(feature) != 0; });
    return wanted;
}

} // namespace loopscope::fuzz
