#include "core/schedule/tensor_core/product.h"

#include "core/base/listed.h"
#include "core/schedule/identity.h"
#include "core/schedule/inferred.h"
#include "core/schedule/levels.h"
#include "core/schedule/region.h"
#include "core/schedule/tensor_term.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace loopscope {

namespace {

// The axes of an instruction D[i, j] += A[i, k]*B[k, j] by their roles. Nothing: it is no product
// of two matrices, its operands do not lie in registers, or more lanes than a warp's execute it.
struct Shape {
    const IntrinsicAxis* row = nullptr;
    const IntrinsicAxis* column = nullptr;
    const IntrinsicAxis* term = nullptr;
};

constexpr std::int64_t kWarp = 32;

std::optional<Shape> shape_of(const Intrinsic& intrinsic) {
    if (intrinsic.operands.size() != 2 || intrinsic.axes.size() != 3 || intrinsic.lanes != kWarp ||
        !intrinsic.accumulates || intrinsic.result.registers == 0)
        return std::nullopt;
    Shape out;
    for (const auto& axis : intrinsic.axes) {
        const auto has = [&](std::size_t o) {
            const auto& axes = intrinsic.operands[o].axes;
            return std::find(axes.begin(), axes.end(), axis.name) != axes.end();
        };
        (axis.reduction ? out.term : has(0) && !has(1) ? out.row : out.column) = &axis;
    }
    for (const auto& operand : intrinsic.operands)
        if (operand.axes.size() != 2 || operand.registers == 0)
            return std::nullopt;
    return out.row && out.column && out.term ? std::optional(out) : std::nullopt;
}

class Finder {
public:
    Finder(const Layout& layout, const DefinitionRef& of, const ApplyContext& context)
        : stage_(*layout.derived->find(of.stage)),
          definition_(stage_.definitions[static_cast<std::size_t>(of.definition)]),
          layout_(layout),
          of_(of),
          context_(context) {}

    Result<MatrixProduct> run() {
        if (definition_.kind == DefinitionKind::Update &&
            definition_.free.size() != stage_.variables.size())
            return error(of_.text() + " changes a part of " + of_.stage +
                             ", and the recipe keeps sums of all of it in registers",
                         "sum in a stage of its own, which " + of_.text() + " reads");
        find_axes();
        std::vector<std::string> opaque;
        for (const auto& name : known_intrinsics(context_)) {
            const auto intrinsic = context_.intrinsics->find(name);
            if (shape_of(*intrinsic))
                try_intrinsic(intrinsic);
            else if (sums(*intrinsic))
                opaque.push_back(name);
        }
        if (best_)
            return std::move(*best_);
        if (!refusals_.empty())
            return refusals_.front().second;
        if (!opaque.empty())
            return error("what " + target_gpu_name(context_) + " has for " + of_.text() + ", " +
                             listed(opaque) +
                             ", does not take operands out of a warp's registers, where this "
                             "recipe keeps them",
                         "a target of compute capability 8.0 or above has others");
        return error(target_gpu_name(context_) + " has no tensor instruction whose operands lie "
                                                 "in the registers of a warp",
                     "another target, or vectorize the innermost loop and unroll those around it");
    }

private:
    bool sums(const Intrinsic& intrinsic) const {
        return check_sums(stage_, of_.definition, intrinsic) &&
               match_terms(stage_, of_.definition, intrinsic);
    }

    void find_axes() {
        const auto& extents = layout_.stages.at(stage_.name).extents;
        for (std::size_t d = 0; d < stage_.variables.size(); ++d) {
            axes_.push_back({stage_.variables[d], extents[d]});
            ranges_.push_back({stage_.variables[d], {0, extents[d] - 1}});
        }
        for (const auto& axis : definition_.axes) {
            axes_.push_back({axis.name, axis.extent().hint(), true});
            ranges_.push_back({axis.name, {axis.begin.hint(), axis.end.hint() - 1}});
        }
    }

    // The nearer an instruction was, the later its reason for not being taken.
    void refuse(int rank, Diagnostic reason) {
        auto at = std::find_if(refusals_.begin(), refusals_.end(),
                               [&](const auto& each) { return each.first < rank; });
        refusals_.emplace(at, rank, std::move(reason));
    }

    void try_intrinsic(const std::shared_ptr<const Intrinsic>& intrinsic) {
        if (auto sums = check_sums(stage_, of_.definition, *intrinsic); !sums)
            return refuse(sums_of_products() ? 1 : 2, sums.errors().front());
        auto terms = match_terms(stage_, of_.definition, *intrinsic);
        if (!terms)
            return refuse(2, terms.errors().front());
        for (const auto& match : *terms)
            try_operands(intrinsic, match);
    }

    // Whether the stage is a sum of products of another type than one instruction's, which another
    // instruction may take.
    bool sums_of_products() const {
        return definition_.kind != DefinitionKind::Pure && stage_.types.size() == 1 &&
               !definition_.condition && definition_.values.front()->kind == ExprKind::Binary;
    }

    void try_operands(const std::shared_ptr<const Intrinsic>& intrinsic, const TermMatch& match) {
        if (match.rounds)
            return refuse(
                5, error(intrinsic->name + " rounds its operands, and " + of_.text() +
                             " does not say so: the recipe changes no results by more than the "
                             "order of sums",
                         "round them in the definition as the instruction does, or " + of_.text() +
                             ".tensorize(…, " + intrinsic->name + ") step by step"));
        MatrixProduct product;
        product.intrinsic = intrinsic;
        product.of = of_;
        product.axes = axes_;
        const auto shape = *shape_of(*intrinsic);
        product.rows = shape.row->extent;
        product.columns = shape.column->extent;
        product.terms = shape.term->extent;
        auto left = operand(match.loads.at(intrinsic->operands[0].name)),
             right = operand(match.loads.at(intrinsic->operands[1].name));
        for (auto* each : {&left, &right})
            if (!*each)
                return refuse(3, each->errors().front());
        product.left = std::move(*left);
        product.right = std::move(*right);
        if (product.left.load->name == product.right.load->name)
            return refuse(4, error("both operands of " + of_.text() + " are " +
                                       product.left.load->name +
                                       ", and one copy in shared memory would hold both",
                                   "make a stage that copies " + product.left.load->name +
                                       ", and read one of them from it"));
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            product.axes[a].in_left = moves(product.left, a);
            product.axes[a].in_right = moves(product.right, a);
        }
        choose_axes(product);
    }

    Result<ProductOperand> operand(const ExprPtr& load) const {
        ProductOperand out;
        out.load = load;
        out.type = load->type;
        out.names = layout_.derived->find(load->name)->variables;
        for (std::size_t d = 0; d < load->args.size(); ++d) {
            auto form = axis_form(load->args[d], ranges_);
            if (!form)
                return error(
                    of_.text() + " reads " + load->name + " where its index " + std::to_string(d) +
                        ", " + to_text(load->args[d]) + ", is not linear in its axes",
                    "gather such elements in a stage of their own, which " + of_.text() + " reads");
            out.indices.push_back(std::move(*form));
        }
        return out;
    }

    static bool moves(const ProductOperand& operand, std::size_t axis) {
        return std::any_of(operand.indices.begin(), operand.indices.end(),
                           [&](const auto& form) { return form.a[axis] != 0; });
    }
    // In one index, by one, and in no other.
    static bool counts(const ProductOperand& operand, std::size_t axis) {
        const auto moving = [&](const auto& form) { return form.a[axis] != 0; };
        return std::count_if(operand.indices.begin(), operand.indices.end(), moving) == 1 &&
               std::find_if(operand.indices.begin(), operand.indices.end(), moving)->a[axis] == 1;
    }
    // ... and with none of the same index that the other operand has too: two axes of an
    // instruction do not meet in one.
    static bool apart(const ProductOperand& operand, std::size_t axis, std::size_t other) {
        return std::none_of(operand.indices.begin(), operand.indices.end(), [&](const auto& form) {
            return form.a[axis] != 0 && form.a[other] != 0;
        });
    }

    // Which axes the instruction's may be: rows move the left operand alone, columns the right one,
    // terms both.
    void choose_axes(MatrixProduct product) {
        std::vector<std::size_t> rows, columns, terms;
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            const auto& axis = product.axes[a];
            if (axis.summed && counts(product.left, a) && counts(product.right, a))
                terms.push_back(a);
            else if (!axis.summed && !axis.in_right && counts(product.left, a))
                rows.push_back(a);
            else if (!axis.summed && !axis.in_left && counts(product.right, a))
                columns.push_back(a);
        }
        bool found = false;
        for (auto row : rows)
            for (auto column : columns)
                for (auto term : terms)
                    if (apart(product.left, row, term) && apart(product.right, column, term)) {
                        found = true;
                        product.row = row, product.column = column, product.term = term;
                        consider(product);
                    }
        if (!found)
            refuse(3, no_axes(product, rows, columns, terms));
    }

    Diagnostic no_axes(const MatrixProduct& product, const std::vector<std::size_t>& rows,
                       const std::vector<std::size_t>& columns,
                       const std::vector<std::size_t>& terms) const {
        std::string missing = "no axis of the sum moves both operands";
        if (columns.empty())
            missing = "no axis moves " + product.right.load->name + " and leaves " +
                      product.left.load->name + " where it is";
        if (rows.empty())
            missing = "no axis moves " + product.left.load->name + " and leaves " +
                      product.right.load->name + " where it is";
        return error(of_.text() + " is no product of matrices: " + missing +
                         (rows.empty() || columns.empty() || terms.empty()
                              ? " (one index of each, by 1 with each step)"
                              : ", apart from rows and columns"),
                     "such a sum is C[i, j] = sum[k](A[i, k]*B[k, j]), in whatever order of the "
                     "indices");
    }

    // The better, the greater: what fragments hold is known, what is stored side by side are
    // columns, few rows are computed twice, an index is of rows alone, and an instruction does
    // much.
    auto rank(const MatrixProduct& p) const {
        const auto extent = p.axes[p.row].extent;
        const auto tiles = (extent + p.rows - 1) / p.rows;
        const auto used = static_cast<double>(extent) / static_cast<double>(tiles * p.rows);
        bool alone = true;
        for (const auto& form : p.left.indices)
            for (std::size_t a = 0; a < form.a.size(); ++a)
                alone = alone && (form.a[p.row] == 0 || a == p.row || form.a[a] == 0);
        return std::tuple(!p.opaque(), p.column + 1 == stage_.variables.size(), used, alone, extent,
                          p.rows * p.columns * p.terms);
    }

    void consider(const MatrixProduct& product) {
        if (auto reason = too_small(product))
            return refuse(6, std::move(*reason));
        if (product.opaque() && product.row + 1 != stage_.variables.size() &&
            product.column + 1 != stage_.variables.size())
            return refuse(5,
                          error(product.intrinsic->name + " writes whole rows or columns of " +
                                    stage_.name +
                                    " to memory, where its elements follow one "
                                    "another along " +
                                    stage_.variables.back() + ", which is no index of the product",
                                "another index of " + stage_.name + " last"));
        if (product.opaque())
            for (const auto* operand : {&product.left, &product.right})
                if (auto reason = not_in_lines(product, *operand))
                    return refuse(5, std::move(*reason));
        if (!best_ || rank(product) > rank(*best_))
            best_ = product;
    }

    // Whole matrices are taken out of memory where their rows or columns lie one element after the
    // other.
    std::optional<Diagnostic> not_in_lines(const MatrixProduct& p,
                                           const ProductOperand& operand) const {
        const auto& last = operand.indices.back();
        for (auto a : {p.row, p.column, p.term})
            if (last.a[a] != 0)
                return std::nullopt;
        return error(p.intrinsic->name + " takes whole rows or columns of " + operand.load->name +
                         " out of memory, and its elements follow one another along " +
                         operand.names.back() + ", which is no index of the product",
                     "a stage that copies " + operand.load->name + " with another index last");
    }

    std::optional<Diagnostic> too_small(const MatrixProduct& p) const {
        const std::tuple<const char*, std::size_t, std::int64_t> parts[] = {
            {"rows", p.row, p.rows}, {"columns", p.column, p.columns}};
        for (const auto& [what, axis, extent] : parts)
            if (p.axes[axis].extent < extent)
                return error(of_.text() + " has " + std::to_string(p.axes[axis].extent) +
                                 " values of " + p.axes[axis].name + ", and " + p.intrinsic->name +
                                 " takes " + std::to_string(extent) + " " + what,
                             "an extent of at least " + std::to_string(extent) +
                                 ", with elements that are 0");
        for (const auto& axis : p.axes)
            if (axis.extent == 0)
                return error(of_.text() + " sums over nothing: " + axis.name + " has no values",
                             "a sum of at least one term");
        if (p.sum_extent() % p.terms != 0)
            return error(of_.text() + " sums over " + std::to_string(p.sum_extent()) +
                             " values of " + p.axes[p.term].name + ", and " + p.intrinsic->name +
                             " adds up " + std::to_string(p.terms) + " at once",
                         "give " + p.axes[p.term].name + " an extent that " +
                             std::to_string(p.terms) + " divides, with terms that are 0");
        return std::nullopt;
    }

    const Stage& stage_;
    const Definition& definition_;
    const Layout& layout_;
    const DefinitionRef& of_;
    const ApplyContext& context_;
    std::vector<ProductAxis> axes_;
    std::vector<Axis> ranges_;
    std::vector<std::pair<int, Diagnostic>> refusals_; // the nearest first
    std::optional<MatrixProduct> best_;
};

} // namespace

Result<MatrixProduct> find_product(ScheduleState& state, const DefinitionRef& of,
                                   const ApplyContext& context) {
    std::optional<Result<MatrixProduct>> found;
    if (auto laid_out = check_layouts(state, {of.stage},
                                      [&](const Layout& layout) {
                                          found = Finder(layout, of, context).run();
                                          return success();
                                      });
        !laid_out)
        return laid_out.errors();
    return std::move(*found);
}

} // namespace loopscope
