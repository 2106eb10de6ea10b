#include "tests/fuzz/tensor_programs.h"

#include "tests/fuzz/random.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

using TensorAxis = TensorSum::Axis;
using Axes = std::vector<TensorAxis>;

// What an instruction takes: types of operands and of sums, and how deep it is.
struct Numbers {
    const char* type;
    const char* sum;
    const char* instruction;
    int step, bytes;
};

constexpr Numbers kHalf{"f16", "f32", "mma_m16n8k16_f16", 16, 2};
constexpr Numbers kBrain{"bf16", "f32", "mma_m16n8k16_bf16", 16, 2};
constexpr Numbers kBytes{"i8", "i32", "mma_m16n8k32_s8", 32, 1};
constexpr Numbers kTensor{"f32", "f32", "mma_m16n8k8_tf32", 8, 4};

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const auto& part : parts)
        out += (out.empty() ? "" : ", ") + part;
    return out;
}

std::vector<std::string> names(const Axes& axes) {
    std::vector<std::string> out;
    for (const auto& axis : axes)
        out.push_back(axis.name);
    return out;
}

// One dimension of an operand: its name there, the index that the sum reads at, and how many
// elements that needs.
struct Dimension {
    std::string name, index;
    int extent = 1;
};

class Writer {
public:
    explicit Writer(std::uint64_t seed) : random_(seed) {}

    TensorProgram run() {
        numbers_ = random_.pick({kHalf, kHalf, kHalf, kBrain, kBytes, kTensor});
        const int shape = random_.below(100);
        if (shape < 25)
            convolution();
        else if (shape < 40 && is_half())
            two_products();
        else
            product();
        std::string text = "pipeline p\n";
        if (numbers_.bytes == 4)
            text += "def tf32(x) = from_bits(f32, (bits(x) + 4096) & 0xffffe000)\n";
        program_.text = text + inputs_ + stages_ + outputs_;
        return std::move(program_);
    }

private:
    bool is_half() const { return numbers_.bytes == 2; }
    bool whole() const { return numbers_.bytes == 1; }

    // ---- sizes ----------------------------------------------------------------------------------

    int rows() {
        const int odd = random_.between(16, 40);
        return random_.pick({16, 16, 32, 32, odd, odd, odd});
    }
    int columns() {
        const int odd = random_.between(8, 28);
        return random_.pick({8, 16, 16, 24, odd, odd, odd});
    }
    // What is summed over is seldom no multiple: then no instruction fits.
    int depth() {
        if (random_.chance(5))
            return random_.between(numbers_.step, 3 * numbers_.step);
        return numbers_.step * random_.pick({1, 2, 2, 3, whole() ? 2 : 4});
    }

    // ---- text -----------------------------------------------------------------------------------

    std::string declared(const std::string& name, const char* type,
                         const std::vector<Dimension>& dimensions, const std::string& boundary) {
        std::vector<std::string> variables, extents;
        for (const auto& d : dimensions) {
            variables.push_back(d.name);
            extents.push_back(std::to_string(d.extent));
        }
        return "input " + name + "[" + joined(variables) + "]: " + type + "[" + joined(extents) +
               "]" + (boundary.empty() ? "" : " boundary " + boundary) + "\n";
    }

    static std::string element(const std::string& name, const std::vector<Dimension>& dimensions) {
        std::vector<std::string> indices;
        for (const auto& d : dimensions)
            indices.push_back(d.index);
        return name + "[" + joined(indices) + "]";
    }

    // The dimension of an operand that an axis moves along.
    Dimension along(const TensorAxis& axis, bool bounded) {
        if (!random_.chance(15))
            return {axis.name, axis.name, axis.extent};
        const int by = random_.pick({1, 2, 3, 8});
        if (bounded && random_.chance(50))
            return {axis.name, axis.name + " - " + std::to_string(by), axis.extent};
        return {axis.name, axis.name + " + " + std::to_string(by), axis.extent + by};
    }

    // … an axis that chooses the matrix.
    Dimension chosen(const TensorAxis& axis) {
        const auto& name = axis.name;
        switch (random_.below(8)) {
        case 0: return {name, name + "/2", (axis.extent + 1) / 2};
        case 1: return {name, "2*" + name + " + 1", 2 * axis.extent};
        default: return {name, name, axis.extent};
        }
    }

    std::string boundary(int percent) {
        return random_.chance(percent) ? random_.pick({"zero", "zero", "edge", "wrap"}) : "";
    }

    // Some operands are computed out of what is given.
    std::string operand(const std::string& name, std::vector<Dimension> dimensions,
                        const std::string& bounded) {
        if (!random_.chance(12) || !bounded.empty()) {
            inputs_ += declared(name, numbers_.type, dimensions, bounded);
            return name;
        }
        const auto raw = name + "0", made = name + "1";
        inputs_ += declared(raw, numbers_.type, dimensions, "");
        std::vector<std::string> variables;
        for (const auto& d : dimensions)
            variables.push_back(d.name);
        const auto from = raw + "[" + joined(variables) + "]";
        stages_ += "stage " + made + "[" + joined(variables) + "]: " + numbers_.type + " = " +
                   (random_.chance(50) ? "max(" + from + ", -" + from + ")" : from + " + " + from) +
                   "\n";
        program_.producers.push_back(made);
        return made;
    }

    std::string widened(const std::string& value) const {
        return std::string(numbers_.bytes == 4 ? "tf32" : numbers_.sum) + "(" + value + ")";
    }

    // The stage with the sum; operands are given as they are read.
    void sum(TensorSum& s, const std::vector<std::string>& read) {
        s.instruction = numbers_.instruction;
        s.step = numbers_.step;
        s.operand_bytes = numbers_.bytes;
        auto free = s.others;
        free.push_back(s.rows);
        free.push_back(s.columns);
        if (random_.chance(15))
            std::swap(free[free.size() - 1], free[free.size() - 2]);
        auto over = s.terms;
        over.push_back(s.depth);
        std::vector<std::string> ranges;
        for (const auto& axis : over)
            ranges.push_back(axis.name + " in 0.." + std::to_string(axis.extent));
        const bool turned = random_.chance(30);
        stages_ += "stage " + s.stage + "[" + joined(names(free)) + "]: " + numbers_.sum +
                   " = sum[" + joined(ranges) + "](" + widened(read[turned ? 1 : 0]) + "*" +
                   widened(read[turned ? 0 : 1]) + ")\n";
        s.result = s.stage;
        free_ = free;
    }

    // What is computed of the sum, or nothing; `needed`: its type is that of operands.
    void epilogue(TensorSum& s, bool needed = false) {
        if (!needed && random_.chance(45))
            return;
        const auto sum = s.stage + "[" + joined(names(free_)) + "]";
        auto value = sum;
        for (int i = random_.below(3); i > 0; --i)
            value = changed(value, s);
        const std::string type = needed || random_.chance(50) ? numbers_.type : numbers_.sum;
        if (whole() && type == numbers_.type)
            value = "clamp((" + value + ")/64, -128, 127)";
        auto order = free_;
        if (random_.chance(12))
            std::swap(order[order.size() - 1], order[order.size() - 2]);
        s.result = s.stage + "_out";
        stages_ += "stage " + s.result + "[" + joined(names(order)) + "]: " + type + " = " +
                   (type == numbers_.sum ? value : type + "(" + value + ")") + "\n";
        free_ = order;
    }

    std::string changed(const std::string& value, const TensorSum& s) {
        const auto more = "e" + std::to_string(inputs_made_++);
        switch (random_.below(5)) {
        case 0: return "max(" + value + ", 0)";
        case 1: return "(" + value + ")*3";
        case 2: { // one number a column, or a row
            const auto& axis = random_.chance(70) ? s.columns : s.rows;
            inputs_ += declared(more, numbers_.type, {{axis.name, axis.name, axis.extent}}, "");
            return value + " + " + typed(more + "[" + axis.name + "]");
        }
        case 3: { // an array as large as the sum
            std::vector<Dimension> all;
            for (const auto& axis : free_)
                all.push_back({axis.name, axis.name, axis.extent});
            inputs_ += declared(more, numbers_.type, all, "");
            return value + " + " + typed(element(more, all));
        }
        default: return "select(" + value + " > 0, " + value + ", -(" + value + "))";
        }
    }
    std::string typed(const std::string& value) const {
        return std::string(numbers_.sum) + "(" + value + ")";
    }

    void output(const TensorSum& s) {
        std::vector<std::string> extents;
        for (const auto& axis : free_)
            extents.push_back(std::to_string(axis.extent));
        outputs_ += "output " + s.result + ": [" + joined(extents) + "]\n";
    }

    // ---- shapes ---------------------------------------------------------------------------------

    // An operand's dimensions: the matrices', then the two of the instruction, in either order; now
    // and then anyhow.
    std::vector<Dimension> laid_out(std::vector<Dimension> others, Dimension first,
                                    Dimension second) {
        if (random_.chance(40))
            std::swap(first, second);
        others.push_back(std::move(first));
        others.push_back(std::move(second));
        if (random_.chance(12))
            for (auto rest = others.size(); rest > 1; --rest)
                std::swap(others[rest - 1],
                          others[static_cast<std::size_t>(random_.below(static_cast<int>(rest)))]);
        return others;
    }

    std::vector<Dimension> matrix(const TensorAxis& free, const TensorAxis& deep) {
        const auto first = along(free, false);
        const auto second = along(deep, false);
        return laid_out({}, first, second);
    }

    std::vector<Dimension> matrices(const Axes& others, int percent) {
        std::vector<Dimension> out;
        for (const auto& axis : others)
            if (random_.chance(percent))
                out.push_back(chosen(axis));
        return out;
    }

    void product() {
        TensorSum s;
        s.stage = "c";
        s.rows = {"i", rows()};
        s.columns = {"j", columns()};
        s.depth = {"k", depth()};
        if (random_.chance(35))
            s.others.push_back({"b", random_.between(1, 3)});
        if (random_.chance(8))
            s.others.push_back({"h", 2});
        if (random_.chance(8))
            s.terms.push_back({"l", random_.between(1, 3)});
        auto inner = s.others;
        inner.insert(inner.end(), s.terms.begin(), s.terms.end());
        std::vector<std::string> read;
        for (const bool left : {true, false}) {
            const auto bounded = boundary(12);
            const auto free = along(left ? s.rows : s.columns, !bounded.empty());
            const auto deep = along(s.depth, !bounded.empty());
            const auto all = laid_out(matrices(inner, left ? 90 : 60), free, deep);
            s.operands.push_back(operand(left ? "A" : "B", all, bounded));
            read.push_back(element(s.operands.back(), all));
        }
        sum(s, read);
        epilogue(s);
        output(s);
        program_.sums.push_back(std::move(s));
    }

    // The second one takes the first one's result, rounded, as its left matrix.
    void two_products() {
        TensorSum first;
        first.stage = "c";
        first.rows = {"i", rows()};
        first.columns = {"j", numbers_.step * random_.pick({1, 2})};
        first.depth = {"k", numbers_.step * random_.pick({1, 2})};
        const auto a = matrix(first.rows, first.depth), b = matrix(first.columns, first.depth);
        first.operands = {operand("A", a, ""), operand("B", b, "")};
        sum(first, {element(first.operands[0], a), element(first.operands[1], b)});
        epilogue(first, true);
        std::vector<Dimension> between;
        for (const auto& axis : free_)
            between.push_back({axis.name, axis.name, axis.extent});
        if (random_.chance(25))
            output(first);
        TensorSum second;
        second.stage = "d";
        second.rows = first.rows;
        second.columns = {"l", columns()};
        second.depth = first.columns;
        const auto c = matrix(second.columns, second.depth);
        second.operands = {first.result, operand("C", c, "")};
        sum(second, {element(first.result, between), element(second.operands[1], c)});
        epilogue(second);
        output(second);
        program_.sums = {std::move(first), std::move(second)};
    }

    // Windows of one or two dimensions, channels last or first. Rows of the product are pictures,
    // or, where the window moves by one, points of a row.
    void convolution() {
        TensorSum s;
        s.stage = "c";
        const bool two = random_.chance(50), of_pictures = two || random_.chance(40);
        const int window = random_.between(1, 3), stride = of_pictures ? random_.between(1, 2) : 1;
        const int padding = random_.chance(60) ? random_.below(2) : 0;
        const int points = of_pictures ? random_.between(1, 4) : random_.between(16, 24);
        const TensorAxis pictures{"n",
                                  of_pictures ? random_.between(16, 20) : random_.between(1, 2)};
        s.columns = {"f", columns()};
        s.depth = {"c0", numbers_.step * random_.pick({1, 1, 2})};
        s.rows = of_pictures ? pictures : TensorAxis{"q", points};
        if (!of_pictures)
            s.others.push_back(pictures);
        std::vector<Dimension> source{{"n", "n", pictures.extent}}, filter;
        auto slide = [&](const std::string& point, const std::string& tap, const std::string& at) {
            const auto moved =
                (stride > 1 ? std::to_string(stride) + "*" : "") + point + " + " + tap;
            source.push_back({at, padding > 0 ? moved + " - " + std::to_string(padding) : moved,
                              stride * (points - 1) + window - 2 * padding});
            filter.push_back({tap, tap, window});
            s.terms.push_back({tap, window});
        };
        if (two) {
            s.others.push_back({"p", points});
            slide("p", "r", "y");
        }
        if (of_pictures)
            s.others.push_back({"q", points});
        slide("q", "s", "x");
        for (auto& d : source)
            d.extent = std::max(d.extent, 1);
        source.push_back({"c0", "c0", s.depth.extent});
        if (random_.chance(15))
            std::swap(source[source.size() - 1], source[source.size() - 2]);
        filter.push_back({"c0", "c0", s.depth.extent});
        filter.push_back({"f", "f", s.columns.extent});
        if (random_.chance(30))
            std::swap(filter[filter.size() - 1], filter[filter.size() - 2]);
        s.operands = {operand("A", source, padding > 0 || random_.chance(10) ? "zero" : ""),
                      operand("B", filter, "")};
        sum(s, {element(s.operands[0], source), element(s.operands[1], filter)});
        epilogue(s);
        output(s);
        program_.sums.push_back(std::move(s));
    }

    Random random_;
    Numbers numbers_ = kHalf;
    TensorProgram program_;
    std::string inputs_, stages_, outputs_;
    Axes free_; // of the last stage, in its order
    int inputs_made_ = 0;
};

} // namespace

TensorProgram random_tensor_program(std::uint64_t seed) { return Writer(seed).run(); }

} // namespace loopscope::fuzz
