#include "core/schedule/sliding.h"

#include <algorithm>

namespace loopscope {

namespace {

// A window that would take more iterations to fill is computed anew each time.
constexpr std::int64_t kMaxWarmUp = 1 << 16;

bool depends_on(const FormInterval& interval, const std::string& variable) {
    return depends_on(interval.least, variable) || depends_on(interval.greatest, variable);
}

LinearForm without_clamps(const LinearForm& form) {
    LinearForm out(form.constant());
    for (const auto& [atom, c] : form.terms())
        out =
            out +
            (atom->kind == Atom::Kind::Clamp ? without_clamps(atom->inner) : LinearForm(atom)) * c;
    return out;
}

LinearForm one_before(const LinearForm& form, const SlidingLoop& loop) {
    return at_value(form, loop.variable, variable_form(loop.variable, loop.range) - LinearForm(1));
}

// One dimension's interval as it moves upwards: a downward one is seen with the signs turned.
struct Window {
    LinearForm least, greatest;
};

class Slide {
public:
    Slide(Window window, std::int64_t width, const std::vector<SlidingLoop>& loops)
        : window_(std::move(window)), width_(width), loops_(loops) {}

    // Along the loop, the innermost that moves the window.
    bool along(std::size_t loop) {
        warm_loop_ = loop;
        const auto first = loops_[loop].range.least;
        if (first >= loops_[loop].range.greatest)
            return false;
        for (std::int64_t before = -1; warm_up_ > before;) {
            before = warm_up_;
            SlidingLoop moving{loops_[loop].variable,
                               {first - warm_up_ + 1, loops_[loop].range.greatest}};
            auto low = moved(window_.least, moving), high = moved(window_.greatest, moving);
            step_ = std::max<std::int64_t>(high.greatest, 1);
            if (low.least < 0 || high.least < 0 || step_ >= width_)
                return false;
            const auto start = at_value(window_.least, moving.variable, LinearForm(first));
            if (!fill(start, moving.variable, first, {}))
                return false;
        }
        return true;
    }

    // Does the window go on where it was left, from the last iteration of the loops `inner` to
    // their first ones in the next iteration of `outer`, the loop around them? Then only that one
    // warms up.
    bool goes_on(std::size_t outer, const std::vector<std::size_t>& inner) {
        auto last = window_, first = window_;
        for (auto l : inner) {
            const auto& loop = loops_[l];
            last = {at_value(last.least, loop.variable, LinearForm(loop.range.greatest)),
                    at_value(last.greatest, loop.variable, LinearForm(loop.range.greatest))};
            first = {at_value(first.least, loop.variable, LinearForm(loop.range.least)),
                     at_value(first.greatest, loop.variable, LinearForm(loop.range.least))};
        }
        const auto begin = loops_[outer].range.least;
        const auto before_all = warm_up_;
        std::int64_t tried = -1;
        for (warm_up_ = 0; warm_up_ > tried;) {
            tried = warm_up_;
            SlidingLoop moving{loops_[outer].variable,
                               {begin - warm_up_ + 1, loops_[outer].range.greatest}};
            auto low =
                difference_range(ranged(first.least, moving), one_before(last.least, moving));
            auto high =
                difference_range(ranged(first.greatest, moving), one_before(last.greatest, moving));
            const auto start = at_value(first.least, moving.variable, LinearForm(begin));
            if (low.least < 0 || high.least < 0 || high.greatest > step_ ||
                !fill(start, moving.variable, begin, first.greatest)) {
                warm_up_ = before_all;
                return false;
            }
        }
        warm_loop_ = outer;
        return true;
    }

    // Does the window's end move in every iteration of the loop?
    bool always_moves(std::size_t loop) const {
        return moved(without_clamps(window_.greatest), loops_[loop]).least >= 1;
    }

    std::int64_t step() const { return step_; }
    std::int64_t warm_up() const { return warm_up_; }
    std::size_t warm_loop() const { return warm_loop_; }

private:
    static LinearForm ranged(const LinearForm& form, const SlidingLoop& loop) {
        return in_range(form, loop.variable, loop.range);
    }
    // By how much the form changes from one iteration of the loop to the next.
    static Interval moved(const LinearForm& form, const SlidingLoop& loop) {
        return difference_range(ranged(form, loop), one_before(form, loop));
    }

    // The least number of iterations before `first` so that they begin to compute at `start` or
    // below it.
    bool fill(const LinearForm& start, const std::string& variable, std::int64_t first,
              const std::optional<LinearForm>& end) {
        const auto& greatest = end ? *end : window_.greatest;
        for (;; ++warm_up_) {
            auto begins = at_value(greatest, variable, LinearForm(first - warm_up_));
            if (difference_range(begins, start).greatest <= step_ - 1)
                return true;
            if (warm_up_ >= std::min(kMaxWarmUp, 4 * width_ + 16))
                return false;
        }
    }

    Window window_;
    std::int64_t width_;
    const std::vector<SlidingLoop>& loops_;
    std::int64_t step_ = 1, warm_up_ = 0;
    std::size_t warm_loop_ = 0;
};

class WindowFinder {
public:
    WindowFinder(const std::vector<FormInterval>& needed, const std::vector<bool>& own,
                 const std::vector<SlidingLoop>& loops)
        : needed_(needed), own_(own), loops_(loops) {
        for (const auto& interval : needed_) {
            movers_.emplace_back();
            for (std::size_t l = 0; l < loops_.size(); ++l)
                if (depends_on(interval, loops_[l].variable))
                    movers_.back().push_back(l);
        }
        out_.dimensions.resize(needed_.size());
        out_.warm_up.assign(loops_.size(), 0);
        out_.moves.resize(loops_.size());
        slides_along_.resize(needed_.size());
    }

    Sliding run() {
        for (std::size_t d = 0; d < needed_.size(); ++d) {
            auto& dimension = out_.dimensions[d];
            dimension.window = std::max<std::int64_t>(
                difference_range(needed_[d].greatest, needed_[d].least).greatest + 1, 1);
            dimension.folds = !movers_[d].empty();
            if (own_[d] && !movers_[d].empty() && moves_alone(movers_[d].back()))
                slide(d);
        }
        stand_still();
        for (std::size_t d = 0; d < needed_.size(); ++d)
            out_.dimensions[d].folds = out_.dimensions[d].folds && !kept_across(d);
        return std::move(out_);
    }

private:
    // Loops inside of all that move the needed part find it computed after their first iteration.
    void stand_still() {
        std::size_t first = 0;
        for (const auto& movers : movers_)
            if (!movers.empty())
                first = std::max(first, movers.back() + 1);
        for (auto l = first; l < loops_.size(); ++l)
            out_.moves[l] = LinearForm(0);
    }

    // Where two dimensions move with one loop, what is new is no box.
    bool moves_alone(std::size_t loop) const {
        return std::count_if(movers_.begin(), movers_.end(), [&](const auto& movers) {
                   return std::find(movers.begin(), movers.end(), loop) != movers.end();
               }) == 1;
    }

    void slide(std::size_t d) {
        auto& dimension = out_.dimensions[d];
        const auto& interval = needed_[d];
        const auto inner = movers_[d].back();
        for (bool downward : {false, true}) {
            Slide slide(downward ? Window{interval.greatest * -1, interval.least * -1}
                                 : Window{interval.least, interval.greatest},
                        dimension.window, loops_);
            if (!slide.along(inner))
                continue;
            dimension.slides = true;
            dimension.downward = downward;
            dimension.step = slide.step();
            auto& chain = slides_along_[d] = {inner};
            while (chain.front() > 0 && moves_alone(chain.front() - 1) &&
                   depends_on(interval, loops_[chain.front() - 1].variable) &&
                   slide.goes_on(chain.front() - 1, chain))
                chain.insert(chain.begin(), chain.front() - 1);
            dimension.rises = !downward && chain == movers_[d];
            out_.warm_up[slide.warm_loop()] = slide.warm_up();
            if (!slide.always_moves(inner))
                out_.moves[inner] = downward ? interval.least : interval.greatest;
            return;
        }
    }

    // Are elements of the dimension needed again in a later iteration of a loop outside of one that
    // moves it?
    bool kept_across(std::size_t d) const {
        const auto innermost = movers_[d].back();
        for (std::size_t other = 0; other < needed_.size(); ++other)
            if (other != d)
                for (auto loop : slides_along_[other])
                    if (loop < innermost)
                        return true;
        return false;
    }

    const std::vector<FormInterval>& needed_;
    const std::vector<bool>& own_;
    const std::vector<SlidingLoop>& loops_;
    std::vector<std::vector<std::size_t>> movers_; // per dimension: loops that move it
    std::vector<std::vector<std::size_t>> slides_along_;
    Sliding out_;
};

} // namespace

LinearForm at_value(const LinearForm& form, const std::string& variable, const LinearForm& value) {
    return with_variables(form, [&](const Atom& atom) {
        return atom.name == variable ? std::optional(value) : std::nullopt;
    });
}

LinearForm in_range(const LinearForm& form, const std::string& variable, Interval range) {
    return at_value(form, variable, variable_form(variable, range));
}

Sliding find_sliding(const std::vector<FormInterval>& needed, const std::vector<bool>& own,
                     const std::vector<SlidingLoop>& loops) {
    return WindowFinder(needed, own, loops).run();
}

} // namespace loopscope
