#include "compiler/lower/gpu/lane_elements.h"

#include "compiler/lower/gpu/launch.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <numeric>

namespace loopscope::lower {

namespace {

constexpr std::size_t kRows = 8; // of a matrix that ldmatrix loads
constexpr std::int64_t kRowBytes = 16, kRegisterBytes = 4;
// Where elements are in memory, by register: of four bytes, which hold one or several of them.
class MatrixLoads {
public:
    MatrixLoads(const LaneElements& elements, const ExprPtr& source)
        : elements_(elements),
          source_(source),
          last_(source->args.size() - 1),
          size_(bytes(source->type)),
          in_register_(static_cast<std::size_t>(kRegisterBytes / size_)) {}

    StatementPtr run(const NodeId& origin, const LaneRegisters& to,
                     const std::vector<Extent>& extents, std::int64_t divisor) {
        if (size_ > kRegisterBytes || !of_warp() || elements_.size() % in_register_ != 0 ||
            !rows_are_aligned(extents, divisor) || !find_offsets() || !neighbours(to))
            return nullptr;
        if (!find_rows(false) && !find_rows(true))
            return nullptr;
        std::vector<StatementPtr> out;
        for (std::size_t q = 0; q < matrices();) {
            std::size_t n = 4;
            std::vector<ExprPtr> rows;
            for (; n > 0; n /= 2)
                if (q + n <= matrices() && follow(to, q, n) && row_addresses(q, n, rows))
                    break;
            if (n == 0)
                return nullptr;
            const auto name =
                "ldmatrix_x" + std::to_string(n) + (transposed_ ? "_trans" : "") + "_b16";
            out.push_back(intrinsic(
                origin, name,
                {{to.buffer, to.indices(q * in_register_)}, {source_->name, std::move(rows)}}));
            q += n;
        }
        return block(std::move(out));
    }

private:
    // A warpgroup's lanes are those of four warps, each of which would need matrices of its own.
    bool of_warp() const {
        const auto& first = elements_.values.front();
        return first.empty() || first.front().size() == static_cast<std::size_t>(kWarp);
    }
    std::size_t matrices() const { return elements_.size() / in_register_; }
    const std::vector<std::int64_t>& offset(std::size_t e, std::size_t lane) const {
        return offsets_[e][lane];
    }

    // Rows of all matrices then begin at multiples of 16 bytes, once those do that are found.
    bool rows_are_aligned(const std::vector<Extent>& extents, std::int64_t divisor) const {
        return extents.back().is_constant() && extents.back().constant() * size_ % kRowBytes == 0 &&
               divisor * size_ % kRowBytes == 0;
    }

    bool find_offsets() {
        std::vector<std::vector<std::int64_t>> steps(source_->args.size());
        for (std::size_t d = 0; d <= last_; ++d)
            for (const auto& name : elements_.variables) {
                const auto step = coefficient(source_->args[d], name);
                if (!step)
                    return false;
                steps[d].push_back(*step);
            }
        for (const auto& values : elements_.values) {
            auto& lanes = offsets_.emplace_back();
            for (int lane = 0; lane < kWarp; ++lane) {
                auto& at = lanes.emplace_back(last_ + 1, 0);
                for (std::size_t d = 0; d <= last_; ++d)
                    for (std::size_t v = 0; v < values.size(); ++v)
                        at[d] += steps[d][v] * values[v][static_cast<std::size_t>(lane)];
            }
        }
        return true;
    }

    // Elements of one register are neighbours in it.
    bool neighbours(const LaneRegisters& to) const {
        for (std::size_t e = 0; e < elements_.size(); ++e)
            if (const auto within = e % in_register_;
                to.number(e) != to.number(e - within) + static_cast<std::int64_t>(within) ||
                (within == 0 && to.number(e) % static_cast<std::int64_t>(in_register_) != 0))
                return false;
        return true;
    }

    // The element of a matrix that a lane gets: its row, and where along the row.
    std::pair<std::size_t, std::size_t> element(std::size_t lane, std::size_t within) const {
        return transposed_ ? std::pair(lane % 4 * 2 + within, lane / 4)
                           : std::pair(lane / 4, lane % 4 * in_register_ + within);
    }

    // The places of the rows of each matrix, as one of both forms of the instruction asks for.
    bool find_rows(bool transposed) {
        transposed_ = transposed;
        rows_.clear();
        if (transposed && size_ != 2)
            return false;
        for (std::size_t q = 0; q < matrices(); ++q) {
            std::vector<std::optional<std::vector<std::int64_t>>> rows(kRows);
            for (std::size_t lane = 0; lane < kWarp; ++lane)
                for (std::size_t within = 0; within < in_register_; ++within) {
                    const auto [row, along] = element(lane, within);
                    auto begin = offset(q * in_register_ + within, lane);
                    begin[last_] -= static_cast<std::int64_t>(along);
                    if (rows[row] && *rows[row] != begin)
                        return false;
                    rows[row] = std::move(begin);
                }
            auto& of = rows_.emplace_back();
            for (auto& row : rows) {
                if ((*row)[last_] * size_ % kRowBytes != 0)
                    return false;
                of.push_back(std::move(*row));
            }
        }
        return true;
    }

    bool follow(const LaneRegisters& to, std::size_t q, std::size_t n) const {
        for (std::size_t j = 0; j < n; ++j)
            if (to.number((q + j) * in_register_) !=
                to.number(q * in_register_) + static_cast<std::int64_t>(j * in_register_))
                return false;
        return true;
    }

    // Lane 8j + i names row i of matrix j.
    bool row_addresses(std::size_t q, std::size_t n, std::vector<ExprPtr>& out) const {
        out.clear();
        const auto lane = variable(elements_.lane);
        const auto row = binary(Op::Modulo, lane, constant_index(kRows));
        const auto odd =
            binary(Op::Modulo, binary(Op::Divide, lane, constant_index(kRows)), constant_index(2));
        const auto half = binary(Op::Divide, lane, constant_index(2 * kRows));
        for (std::size_t d = 0; d <= last_; ++d) {
            auto at = [&](std::size_t j, std::size_t i) { return rows_[q + j][i][d]; };
            const auto first = at(0, 0), step = at(0, 1) - first,
                       second = n > 1 ? at(1, 0) - first : 0, third = n > 2 ? at(2, 0) - first : 0;
            for (std::size_t j = 0; j < n; ++j)
                for (std::size_t i = 0; i < kRows; ++i)
                    if (at(j, i) != first + step * static_cast<std::int64_t>(i) +
                                        second * static_cast<std::int64_t>(j % 2) +
                                        third * static_cast<std::int64_t>(j / 2))
                        return false;
            auto index = with_zeros(source_->args[d], elements_.variables);
            auto add = [&](const ExprPtr& e, std::int64_t factor) {
                if (factor != 0)
                    index = binary(Op::Add, index, binary(Op::Multiply, e, constant_index(factor)));
            };
            if (first != 0)
                index = binary(Op::Add, index, constant_index(first));
            add(row, step);
            add(odd, second);
            add(half, third);
            out.push_back(std::move(index));
        }
        return true;
    }

    const LaneElements& elements_;
    const ExprPtr source_;
    const std::size_t last_;
    const std::int64_t size_;
    const std::size_t in_register_;
    bool transposed_ = false;
    std::vector<std::vector<std::vector<std::int64_t>>> offsets_; // [element][lane][dimension]
    std::vector<std::vector<std::vector<std::int64_t>>> rows_;    // [matrix][row][dimension]
};

} // namespace

StatementPtr LaneElements::at(const StatementPtr& s, std::size_t element) const {
    return substitute(s, [&](const std::string& name) -> ExprPtr {
        auto found = std::find(variables.begin(), variables.end(), name);
        return found == variables.end()
                   ? nullptr
                   : expression(element, static_cast<std::size_t>(found - variables.begin()));
    });
}

std::pair<int, std::size_t> LaneElements::run_of(std::size_t element) const {
    for (int width : {8, 4, 2}) {
        const auto n = static_cast<std::size_t>(width);
        if (element % n != 0 || element + n > size())
            continue;
        for (std::size_t counting = 0; counting < variables.size(); ++counting) {
            bool runs = true;
            for (std::size_t s = 0; s < n && runs; ++s)
                for (std::size_t v = 0; v < variables.size() && runs; ++v)
                    for (std::size_t lane = 0; lane < values[element][v].size() && runs; ++lane) {
                        const auto first = values[element][v][lane];
                        const auto moved =
                            v == counting ? first + static_cast<std::int64_t>(s) : first;
                        runs = values[element + s][v][lane] == moved &&
                               (v != counting || first % width == 0);
                    }
            if (runs)
                return {width, counting};
        }
    }
    return {1, 0};
}

StatementPtr matrix_loads(const NodeId& origin, const LaneElements& elements,
                          const LaneRegisters& registers, const ExprPtr& source,
                          const std::vector<Extent>& extents, std::int64_t divisor) {
    return MatrixLoads(elements, source).run(origin, registers, extents, divisor);
}

std::optional<std::int64_t> coefficient(const ExprPtr& e, const std::string& name) {
    if (e->kind == ExprKind::Variable)
        return e->name == name ? 1 : 0;
    if (!uses_variable(e, name))
        return 0;
    std::vector<std::optional<std::int64_t>> of;
    for (const auto& arg : e->args)
        of.push_back(coefficient(arg, name));
    if (std::any_of(of.begin(), of.end(), [](const auto& c) { return !c; }))
        return std::nullopt;
    std::int64_t factor = 0;
    if (e->kind == ExprKind::Cast)
        return is_integer(e->type) ? of[0] : std::nullopt;
    if (e->kind == ExprKind::Unary && e->op == Op::Negate)
        return -*of[0];
    if (e->kind != ExprKind::Binary)
        return std::nullopt;
    switch (e->op) {
    case Op::Add: return *of[0] + *of[1];
    case Op::Subtract: return *of[0] - *of[1];
    case Op::Multiply:
        if (constant_value(e->args[1], factor))
            return *of[0] * factor;
        if (constant_value(e->args[0], factor))
            return *of[1] * factor;
        return std::nullopt;
    default: return std::nullopt;
    }
}

std::int64_t known_divisor(const ExprPtr& e) {
    std::int64_t value = 0;
    if (constant_value(e, value))
        return std::abs(value);
    if (e->kind == ExprKind::Cast || (e->kind == ExprKind::Unary && e->op == Op::Negate))
        return is_integer(e->type) && is_integer(e->args[0]->type) ? known_divisor(e->args[0]) : 1;
    if (e->kind != ExprKind::Binary)
        return 1;
    const auto a = known_divisor(e->args[0]), b = known_divisor(e->args[1]);
    constexpr std::int64_t kMaxElements = std::int64_t{1} << 30;
    switch (e->op) {
    case Op::Add:
    case Op::Subtract:
    case Op::Min:
    case Op::Max:
    case Op::Modulo: return std::gcd(a, b);
    case Op::Multiply: return a == 0 || b == 0 ? 0 : a > kMaxElements / b ? std::max(a, b) : a * b;
    default: return 1;
    }
}

ExprPtr with_zeros(const ExprPtr& e, const std::vector<std::string>& variables) {
    return loopscope::substitute(e, [&](const std::string& name) -> ExprPtr {
        return std::find(variables.begin(), variables.end(), name) == variables.end()
                   ? nullptr
                   : constant_index(0);
    });
}

} // namespace loopscope::lower
