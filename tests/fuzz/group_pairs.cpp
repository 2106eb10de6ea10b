#include "tests/fuzz/group_pairs.h"

#include "tests/fuzz/random.h"

namespace loopscope::fuzz {

namespace {

constexpr int kGroupRows = 64, kDepth = 16; // of an instruction
constexpr int kMaxWork = 1024; // columns times instructions, so that a pair takes a moment

class GroupProduct {
public:
    explicit GroupProduct(std::uint64_t seed) : random_(seed), clusters_(~seed) {}

    Pair run(std::uint64_t seed) {
        type_ = random_.chance(70) ? "f16" : "bf16";
        columns_ = random_.pick({64, 64, 64, 128, 128, 256});
        groups_ = columns_ > 64 ? 1 : random_.pick({1, 1, 2});
        // of a block of operands: rows of 32 to 256 bytes along k
        steps_ = random_.pick({1, 2, 2, 4, 4, 8});
        blocks_ = random_.between(1, columns_ > 128 ? 2 : 4);
        while (columns_ * groups_ * steps_ * blocks_ > kMaxWork && (blocks_ > 1 || steps_ > 1))
            blocks_ > 1 ? --blocks_ : steps_ /= 2;
        batched_ = random_.chance(25);
        left_turned_ = random_.chance(25);
        right_turned_ = random_.chance(50);
        m_ = groups_ * kGroupRows + (random_.chance(50) ? 0 : random_.between(1, 3) * 8);
        n_ = columns_ + (random_.chance(50) ? 0 : 8 * random_.between(1, 3));
        k_ = kDepth * steps_ * blocks_;
        // Two blocks make a cluster, along one of the two; a random source of its own keeps what
        // the others draw by seed.
        if (columns_ <= 128 && clusters_.chance(30))
            cluster_ = clusters_.pick({"i", "j"});
        m_ += cluster_ == "i" ? groups_ * kGroupRows : 0;
        n_ += cluster_ == "j" ? columns_ : 0;
        Pair pair{pipeline(), schedule(), seed};
        pair.on_device = true;
        return pair;
    }

private:
    std::string at(const std::string& indices) const { return (batched_ ? "b, " : "") + indices; }

    std::string input(const std::string& name, const std::string& first, int rows,
                      const std::string& second, int columns, bool turned) {
        const auto indices = turned ? second + ", " + first : first + ", " + second;
        const auto extents = turned ? std::to_string(columns) + ", " + std::to_string(rows)
                                    : std::to_string(rows) + ", " + std::to_string(columns);
        return "input " + name + "[" + at(indices) + "]: " + type_ + "[" + (batched_ ? "2, " : "") +
               extents + "]\n";
    }

    std::string pipeline() {
        const auto left = "A[" + at(left_turned_ ? "k, i" : "i, k") + "]";
        const auto right = "B[" + at(right_turned_ ? "j, k" : "k, j") + "]";
        auto out = "pipeline p\n" + input("A", "i", m_, "k", k_, left_turned_) +
                   input("B", "k", k_, "j", n_, right_turned_) + "stage S[" + at("i, j") +
                   "]: f32 = sum[k in 0.." + std::to_string(k_) + "](f32(" + left + ")*f32(" +
                   right + "))\n";
        result_ = "S";
        const auto extents = "[" + std::string(batched_ ? "2, " : "") + std::to_string(m_) + ", " +
                             std::to_string(n_) + "]";
        if (random_.chance(40)) {
            result_ = "T";
            const auto half = random_.chance(50) ? type_ : "f32";
            out += "stage T[" + at("i, j") + "]: " + half + " = " + half + "(max(S[" + at("i, j") +
                   "] + f32(j), 0.0))\n";
        }
        return out + "output " + result_ + ": " + extents + "\n";
    }

    std::string split(const std::string& axis, int by, int extent) {
        const bool cluster = axis == cluster_;
        const int outer = cluster ? 2 * by : by;
        const auto tiled = result_ + ".split(" + axis + ", " + axis + "_block, " + axis + ", " +
                           std::to_string(outer) + (extent % outer == 0 ? ")\n" : ", shift)\n");
        return cluster ? tiled + result_ + ".split(" + axis + ", cluster, " + axis + ", " +
                             std::to_string(by) + ")\n"
                       : tiled;
    }

    std::string schedule() {
        const auto rows = groups_ * kGroupRows;
        const std::string sums = result_ == "S" ? "sums" : "S";
        std::string out = "schedule for p\n";
        if (result_ == "S")
            out += "sums = S.cache_write(fragment)\n";
        out += split("i", rows, m_) + split("j", columns_, n_) + result_ +
               ".split(i, i_group, i, 64)\n" + result_ + ".reorder(" + (batched_ ? "b, " : "") +
               "i_block, j_block, " + (cluster_.empty() ? "" : "cluster, ") + "i_group, i, j)\n";
        if (!cluster_.empty())
            out += result_ + ".bind(cluster, cluster." + (cluster_ == "i" ? "y" : "x") + ")\n";
        if (batched_)
            out += result_ + ".bind(b, block.z)\n";
        out += result_ + ".bind(i_block, block.y)\n" + result_ + ".bind(j_block, block.x)\n" +
               (random_.chance(30) && cluster_.empty() ? result_ + ".persistent(j_block)\n" : "") +
               result_ + ".bind(i_group, warpgroup)\n" + sums + ".compute_at(" + result_ +
               ", i_group)\n";
        if (result_ != "S")
            out += sums + ".scope(fragment)\n";
        out += sums + ".split(k, k_step, k, 16)\n" + sums + ".split(k_step, k_block, k_step, " +
               std::to_string(steps_) + ")\n" + sums + ".reorder(" + (batched_ ? "b, " : "") +
               "k_block, k_step, i, j, k)\n";
        if (random_.chance(70))
            out += sums + ".unroll(k_step)\n";
        out +=
            sums + ".tensorize(i, wgmma_m64n" + std::to_string(columns_) + "k16_" + type_ + ")\n";
        const auto copies = random_.between(1, 5);
        for (const std::string name : {"A", "B"}) {
            const bool along_k = name == "A" ? !left_turned_ : right_turned_;
            const auto of = name + "_block";
            const bool ahead = random_.chance(85); // else the whole of it, once for all terms
            out += of + " = " + sums + ".cache_read(" + name + ", shared)\n" + of + ".compute_at(" +
                   (ahead              ? sums + ", k_block"
                    : cluster_.empty() ? result_ + ", j_block"
                                       : result_ + ", cluster") +
                   ")\n";
            if (random_.chance(75))
                out += of + ".vectorize(" + (along_k ? "k" : name == "A" ? "i" : "j") + ", 8)\n";
            out += of + ".swizzle()\n";
            if (copies > 1 && ahead) {
                out += of + ".pipeline(" + std::to_string(copies) + ")\n";
                if (random_.chance(55)) // of both, of one alone, of none
                    out += of + ".specialize(" + std::to_string(random_.pick({1, 1, 2})) + ")\n";
            }
        }
        return out;
    }

    Random random_, clusters_;
    std::string type_, result_,
        cluster_; // the axis along which clusters have two blocks; empty: none
    int columns_ = 64, groups_ = 1, steps_ = 1, blocks_ = 1, m_ = 64, n_ = 64, k_ = 16;
    bool batched_ = false, left_turned_ = false, right_turned_ = false;
};

} // namespace

Pair random_group_pair(std::uint64_t seed) { return GroupProduct(seed).run(seed); }

} // namespace loopscope::fuzz
