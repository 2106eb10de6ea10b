// Which points and ceilings the roofline shows, of an estimate and a measurement.

#include "views/widgets/roofline_view.h"

#include "core/ir/cost.h"
#include "core/schedule/intrinsics.h"
#include "views/style/number_format.h"

#include <QLabel>

#include <algorithm>
#include <cmath>
#include <set>

namespace loopscope::views {

namespace {
constexpr int kNamedAbsent = 4;
constexpr std::size_t kMaxDots = 60; // more are a cloud, in which none can be told from another

// Kernels that have no point, by why: one that computes with the other kind of numbers computes.
struct Absent {
    QStringList of_floats, of_integers, idle, unmoved;

    void add(const model::KernelEstimate& kernel, bool counts_integers) {
        const bool floats = kernel.flops > 0, integers = kernel.integer_operations > 0;
        const bool counted = counts_integers ? integers : floats;
        auto& list = counted ? unmoved : floats ? of_floats : integers ? of_integers : idle;
        list << to_qstring(kernel.name);
    }
    QStringList notes() const {
        QStringList said;
        auto say = [&](const QStringList& kernels, const QString& sentence) {
            if (kernels.size() > kNamedAbsent)
                said << sentence.arg(QObject::tr("%1 kernels").arg(kernels.size()));
            else if (!kernels.isEmpty())
                said << sentence.arg(kernels.join(QStringLiteral(", ")));
        };
        say(of_floats, QObject::tr("Not shown: %1 (floating-point arithmetic)."));
        say(of_integers, QObject::tr("Not shown: %1 (arithmetic on integers)."));
        say(idle, QObject::tr("Not shown: %1 (no arithmetic)."));
        say(unmoved, QObject::tr("Not shown: %1 (no traffic, or no time)."));
        return said;
    }
};
} // namespace

void RooflineView::collect_dots() {
    dots_.clear();
    Absent absent;
    if (!estimate_) {
        note_->clear();
        return;
    }
    const std::string chosen = level().toStdString();
    double total_bytes = 0, total_seconds = 0, total_operations = 0;
    double total_flops = 0, total_integers = 0;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        total_seconds += kernel.seconds;
        total_flops += kernel.flops;
        total_integers += kernel.integer_operations;
    }
    // What it computes most with; a table of floats makes no program of floats.
    integers_ = total_integers > total_flops;
    for (const model::KernelEstimate& kernel : estimate_->kernels) {
        double bytes = 0;
        for (const model::LevelTraffic& traffic : kernel.traffic)
            if (traffic.level == chosen)
                bytes += traffic.bytes;
        total_bytes += bytes;
        const double operations = integers_ ? kernel.integer_operations : kernel.flops;
        total_operations += operations;
        if (operations <= 0 || bytes <= 0 || kernel.seconds <= 0) {
            absent.add(kernel, integers_);
            continue;
        }
        Dot dot;
        dot.name = to_qstring(kernel.name);
        dot.node = kernel.node;
        dot.intensity = operations / bytes;
        dot.rate = operations / kernel.seconds;
        dot.seconds = kernel.seconds;
        dot.bound = kernel.bound;
        // area is time
        dot.radius = 4 + 8 * std::sqrt(kernel.seconds / std::max(total_seconds, kernel.seconds));
        dots_.push_back(dot);
        // Of one kernel the whole program's point is its own.
        if (const auto* measured = measured_ && estimate_->kernels.size() > 1
                                       ? measured_->kernel(kernel.name)
                                       : nullptr;
            measured && measured->seconds && *measured->seconds > 0) {
            dot.kind = Dot::Kind::MeasuredKernel;
            dot.rate = operations / *measured->seconds;
            dot.seconds = *measured->seconds;
            dot.radius = 4;
            dots_.push_back(dot);
        }
    }
    QStringList notes;
    if (const std::size_t left_out = keep_greatest_dots(); left_out > 0)
        notes << tr("The %1 kernels that take least time are left out.").arg(left_out);
    if (integers_ && total_flops > 0)
        notes << tr("Operations are those on integers.");
    if (estimate_->described)
        notes << tr("Estimated for %1, described.").arg(to_qstring(estimate_->device));
    notes << absent.notes();
    note_->setText(notes.join(' '));
    set_text_colour(*note_, theme_of(*this).faint);
    if (total_operations <= 0 || total_bytes <= 0)
        return;
    Dot whole;
    whole.kind = Dot::Kind::Predicted;
    whole.intensity = total_operations / total_bytes;
    whole.bound = estimate_->bound;
    if (estimate_->seconds && *estimate_->seconds > 0 &&
        (measured_ || estimate_->kernels.size() > 1)) {
        whole.name = tr("predicted");
        whole.seconds = *estimate_->seconds;
        whole.rate = total_operations / whole.seconds;
        dots_.push_back(whole);
    }
    if (measured_ && measured_->median_seconds > 0) {
        whole.kind = Dot::Kind::Measured;
        whole.name = tr("measured");
        whole.seconds = measured_->median_seconds;
        whole.rate = total_operations / whole.seconds;
        dots_.push_back(whole);
    }
}

// The kernels that take most of the time, and the selected one. Returns how many are left out.
std::size_t RooflineView::keep_greatest_dots() {
    if (dots_.size() <= kMaxDots)
        return 0;
    std::vector<double> seconds;
    for (const Dot& dot : dots_)
        if (dot.kind == Dot::Kind::Kernel)
            seconds.push_back(dot.seconds);
    if (seconds.size() <= kMaxDots)
        return 0;
    std::nth_element(seconds.begin(), seconds.begin() + kMaxDots, seconds.end(), std::greater<>());
    const double least = seconds[kMaxDots];
    std::vector<Dot> kept;
    std::size_t left_out = 0, kernels = 0;
    bool with_kernel = false; // a kernel's measured point goes with it
    for (Dot& dot : dots_) {
        if (dot.kind == Dot::Kind::Kernel) {
            with_kernel = dot.node.stage == kernel_ || (dot.seconds >= least && kernels < kMaxDots);
            ++(with_kernel ? kernels : left_out);
        }
        if (with_kernel)
            kept.push_back(std::move(dot));
    }
    dots_ = std::move(kept);
    return left_out;
}

namespace {

// "i16": of the operations on integers that the stage's values are made by, wherever they are kept.
void add_integer_widths(const Stage& stage, std::set<std::string>& widths) {
    for (const Definition& definition : stage.definitions) {
        if (definition.kind == DefinitionKind::Reduction) // which adds to the value so far
            for (ScalarType type : stage.types)
                if (!is_float(type) && type != ScalarType::Bool)
                    widths.insert("i" + std::to_string(bits(type)));
        for (const ExprPtr& value : definition.values)
            visit(value, [&](const Expr& e) {
                if (cost_of_node(e).integer_operations > 0)
                    widths.insert("i" + std::to_string(bits(e.type)));
                return e.kind != ExprKind::Load;
            });
    }
}

} // namespace

// The ceilings of the types that the program computes with; of integers those of their operations'
// widths, or of 32 bits where the device tells none of another; of one without arithmetic those of
// the fastest type of floats, as a measure; all of floats, where nothing is known of it.
std::vector<model::Ceiling> RooflineView::shown_ceilings() const {
    auto type_of = [](const model::Ceiling& c) { return c.name.substr(0, c.name.find(' ')); };
    auto of_tensors = [](const model::Ceiling& c) {
        return c.name.find("tensor cores") != std::string::npos;
    };
    std::set<std::string> used, multiplied;
    if (tree_) {
        for (const DerivedStage& stage : tree_->stages) {
            if (integers_)
                add_integer_widths(stage.stage, used);
            else
                for (ScalarType type : stage.stage.types)
                    if (is_float(type))
                        used.insert(name(type));
        }
        // Tensor cores multiply what is read: operands of a program with a product, or of an
        // instruction that stands there.
        for (const Stage& stage : tree_->pipeline->stages)
            if (stage.is_input)
                for (ScalarType type : stage.types)
                    if (type != ScalarType::F32)
                        multiplied.insert(type == ScalarType::U8 ? "i8" : name(type));
        for (const DerivedStage& stage : tree_->stages)
            if (const StageState* state = tree_->state.find(stage.stage.name))
                for (const auto& definition : state->definitions)
                    if (definition.tensorized)
                        if (const auto& instruction = definition.tensorized->intrinsic->name;
                            instruction.ends_with("_tf32"))
                            multiplied.insert("tf32");
    }
    // Of the kind of operation that the points have.
    auto counts = [&](const model::Ceiling& c) {
        return !c.bandwidth && !of_tensors(c) && c.integers == integers_;
    };
    const bool known = std::any_of(ceilings_.begin(), ceilings_.end(), [&](const auto& c) {
        return counts(c) && used.count(type_of(c)) > 0;
    });
    if (integers_ && !known)
        used = {"i32"};
    if (tree_ && used.empty()) {
        const auto best =
            std::max_element(ceilings_.begin(), ceilings_.end(), [&](const auto& a, const auto& b) {
                return (counts(a) ? a.value : 0) < (counts(b) ? b.value : 0);
            });
        if (best != ceilings_.end())
            used.insert(type_of(*best));
    }
    std::vector<model::Ceiling> shown;
    for (const model::Ceiling& c : ceilings_) {
        ScalarType type;
        const std::string first = type_of(c);
        if (c.bandwidth) {
            shown.push_back(c);
            continue;
        }
        if (c.integers != integers_)
            continue;
        if (tree_ && of_tensors(c)) {
            if (multiplied.count(first))
                shown.push_back(c);
            continue;
        }
        if (used.empty() || !parse_scalar_type(first, type) || used.count(first))
            shown.push_back(c);
    }
    return shown;
}

double RooflineView::best_bandwidth() const {
    double best = 0;
    for (const model::Ceiling& c : ceilings_)
        if (c.bandwidth)
            best = std::max(best, c.value);
    return best;
}

double RooflineView::best_compute() const {
    double best = 0;
    for (const model::Ceiling& c : shown_)
        if (!c.bandwidth)
            best = std::max(best, c.value);
    return best;
}

} // namespace loopscope::views
