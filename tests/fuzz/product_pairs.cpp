#include "tests/fuzz/product_pairs.h"

#include "tests/fuzz/random.h"

#include <algorithm>

namespace loopscope::fuzz {

namespace {

struct ProductAxis {
    std::string name;
    int begin = 0, extent = 1;
};

// An index of an operand: an axis, or two that slide along each other.
struct Index {
    std::string text;
    int extent = 1;
};

std::string listed(const std::vector<std::string>& parts) {
    std::string out;
    for (const auto& part : parts)
        out += (out.empty() ? "" : ", ") + part;
    return out;
}

class Product {
public:
    explicit Product(std::uint64_t seed) : random_(seed) {}

    ProductPair run(std::uint64_t seed) {
        choose_types();
        choose_axes();
        const auto text = pipeline();
        return {{text, schedule(), seed}, facts()};
    }

private:
    ProductFacts facts() const {
        const auto of_product = [](const std::string& index) {
            return index.find_first_of("ijk") == 0; // "i + s" is, "2*q + s" is not
        };
        return {type_,
                updates_,
                row_.extent,
                column_.extent,
                term_.extent,
                of_product(free_.back().name) && of_product(left_.back().text) &&
                    of_product(right_.back().text)};
    }

    void choose_types() {
        const auto which = random_.below(4);
        type_ = which == 0 ? "bf16" : which == 1 ? "i8" : "f16";
        sum_ = which == 1 ? "i32" : "f32";
        terms_ = which == 1 ? 32 : 16;
    }

    void choose_axes() {
        row_ = {"i", 0, random_.between(14, 52)};
        column_ = {"j", 0, random_.between(7, 44)};
        term_ = {"k", random_.chance(20) ? random_.between(1, 9) : 0,
                 terms_ * random_.between(1, 3)};
        if (random_.chance(4))
            term_.extent += random_.between(1, 8);
        left_ = {{"i", row_.extent}, {"k", term_.begin + term_.extent}};
        right_ = {{"k", term_.begin + term_.extent}, {"j", column_.extent}};
        free_ = {row_, column_};
        summed_ = {term_};
        if (random_.chance(30)) {
            free_.push_back({"b", 0, random_.between(1, 3)});
            left_.push_back({"b", free_.back().extent});
            right_.push_back({"b", free_.back().extent});
        }
        if (random_.chance(40))
            second();
        if (random_.chance(15)) {
            free_.push_back({"c", 0, random_.between(1, 3)});
            right_.push_back({"c", free_.back().extent});
        }
        shuffle(left_);
        shuffle(right_);
        shuffle(free_);
        shuffle(summed_);
    }

    // More rows, along an index of their own, and maybe a window that slides along that.
    void second() {
        free_.push_back({"q", 0, random_.between(1, 4)});
        const auto stride = random_.chance(25) ? 2 : 1;
        Index index{stride == 1 ? "q" : "2*q", stride * (free_.back().extent - 1) + 1};
        if (random_.chance(60)) {
            summed_.push_back({"s", 0, random_.between(1, 3)});
            const bool of_rows = random_.chance(25); // they slide along the rows instead
            auto& along = of_rows ? left_.front() : index;
            along.text += " + s";
            along.extent += summed_.back().extent - 1;
            right_.push_back({"s", summed_.back().extent});
        }
        left_.push_back(index);
    }

    template <typename T> void shuffle(std::vector<T>& parts) {
        for (auto n = static_cast<int>(parts.size()); n > 1; --n)
            std::swap(parts[static_cast<std::size_t>(n - 1)],
                      parts[static_cast<std::size_t>(random_.below(n))]);
    }

    std::string operand(const std::string& name, const std::vector<Index>& indices) const {
        std::vector<std::string> texts;
        for (const auto& index : indices)
            texts.push_back(index.text);
        return sum_ + "(" + name + "[" + listed(texts) + "])";
    }
    std::string input(const std::string& name, const std::vector<Index>& indices) {
        std::vector<std::string> extents;
        for (const auto& index : indices)
            extents.push_back(std::to_string(index.extent));
        // Without what only a boundary gives, the last element less is there.
        const bool short_one = random_.chance(15);
        if (short_one)
            extents.back() = std::to_string(std::max(1, indices.back().extent - 1));
        return "input " + name + ": " + type_ + "[" + listed(extents) + "]" +
               (short_one ? " boundary zero" : "") + "\n";
    }

    std::string pipeline() {
        std::vector<std::string> names, extents, sums;
        for (const auto& axis : free_) {
            names.push_back(axis.name);
            extents.push_back(std::to_string(axis.extent));
        }
        for (const auto& axis : summed_)
            sums.push_back(axis.name + " in " + std::to_string(axis.begin) + ".." +
                           std::to_string(axis.begin + axis.extent));
        auto out = std::string("pipeline p\n") + input("A", left_);
        out += input("B", right_);
        const auto a = operand("A", left_), b = operand("B", right_);
        const auto term = random_.chance(80) ? a + "*" + b : b + "*" + a;
        if (random_.chance(12)) {
            updates_ = true;
            out += "stage S[" + listed(names) + "]: " + sum_ + " = " + sum_ + "(" + names.front() +
                   ")\nupdate S[" + listed(names) + "] += " + term + " over " + listed(sums) + "\n";
        } else {
            out += "stage S[" + listed(names) + "]: " + sum_ + " = sum[" + listed(sums) + "](" +
                   term + ")\n";
        }
        return out + epilogue(names, extents);
    }

    std::string epilogue(std::vector<std::string> names, std::vector<std::string> extents) {
        const auto of = "[" + listed(names) + "]";
        const auto which = random_.below(6);
        if (which == 0 || which == 1)
            return "output S: [" + listed(extents) + "]\n";
        const auto half = sum_ == "f32" && random_.chance(50) ? "f16" : sum_;
        const auto zero = sum_ == "f32" ? "0.0" : "0";
        if (which == 2)
            return "stage T" + of + ": " + half + " = " + half + "(max(S" + of + ", " + zero +
                   "))\noutput T: [" + listed(extents) + "]\n";
        if (which == 3) // several stages, one of which is read twice
            return "stage U" + of + " = S" + of + " + " + sum_ + "(" + names.back() + ")\nstage T" +
                   of + ": " + half + " = " + half + "(U" + of + " + max(U" + of + ", S" + of +
                   "))\noutput T: [" + listed(extents) + "]\n";
        if (which == 4) { // turned
            auto turned = names;
            std::vector<std::string> order;
            std::reverse(turned.begin(), turned.end());
            std::reverse(extents.begin(), extents.end());
            return "stage T[" + listed(turned) + "] = S" + of + "\noutput T: [" + listed(extents) +
                   "]\n";
        }
        // Read by neighbours: no epilogue, and a kernel of its own.
        auto shifted = names;
        shifted.front() = names.front() + "*0";
        return "stage T" + of + " = S" + of + " + S[" + listed(shifted) + "]\noutput T: [" +
               listed(extents) + "]\n";
    }

    std::string schedule() {
        std::string out =
            "schedule for p\n" + std::string(updates_ ? "S.update(0)" : "S") + ".tensor_core()\n";
        if (!random_.chance(20))
            return out;
        const auto copies = std::to_string(random_.between(1, 4));
        return out + "S_left_block.pipeline(" + copies + ")\nS_right_block.pipeline(" + copies +
               ")\n";
    }

    Random random_;
    std::string type_, sum_;
    int terms_ = 16;
    bool updates_ = false;
    ProductAxis row_, column_, term_;
    std::vector<ProductAxis> free_, summed_;
    std::vector<Index> left_, right_;
};

} // namespace

ProductPair random_product_pair(std::uint64_t seed) { return Product(seed).run(seed); }

} // namespace loopscope::fuzz
