// The only file that names isl.
#include "core/polyhedral/integer_sets.h"

#include <isl/ctx.h>
#include <isl/options.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#include <isl/version.h>

#include <memory>
#include <stdexcept>

namespace loopscope::polyhedral {

namespace {

// isl's objects are not safe between threads: each thread has a context of its own, freed with it.
struct Context {
    isl_ctx* ctx = isl_ctx_alloc();
    Context() { isl_options_set_on_error(ctx, ISL_ON_ERROR_CONTINUE); }
    ~Context() { isl_ctx_free(ctx); }
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
};

isl_ctx* context() {
    thread_local Context instance;
    return instance.ctx;
}

struct Free {
    void operator()(isl_set* set) const { isl_set_free(set); }
    void operator()(isl_point* point) const { isl_point_free(point); }
    void operator()(isl_val* value) const { isl_val_free(value); }
};
using Set = std::unique_ptr<isl_set, Free>;
using Point = std::unique_ptr<isl_point, Free>;
using Value = std::unique_ptr<isl_val, Free>;

// Bounds the work of one call and leaves the context clean for the next.
class Quota {
public:
    explicit Quota(unsigned long operations) {
        isl_ctx_reset_error(context());
        isl_ctx_reset_operations(context());
        isl_ctx_set_max_operations(context(), operations);
    }
    ~Quota() {
        isl_ctx_set_max_operations(context(), 0);
        isl_ctx_reset_operations(context());
        isl_ctx_reset_error(context());
    }
};

// Reading a text does most of the work, hence within the quota. Null: the quota was exhausted,
// which isl's parser reports as a syntax error: a text that surely is a set tells the two apart,
// for it fails too when nothing is left.
Set parse(const std::string& text) {
    Set set(isl_set_read_from_str(context(), text.c_str()));
    if (set)
        return set;
    const char* why = isl_ctx_last_error_msg(context());
    std::string reason = why ? why : "";
    Set probe(isl_set_read_from_str(context(), "{ [i] : 0 <= i < 10 and 3i > 7 }"));
    if (probe && isl_set_is_empty(probe.get()) == isl_bool_false)
        throw std::logic_error("not a set: " + text + " (" + reason + ")");
    return nullptr;
}

std::vector<std::int64_t> coordinates(isl_point* point, std::size_t dimensions) {
    std::vector<std::int64_t> out;
    for (std::size_t d = 0; d < dimensions; ++d) {
        Value value(isl_point_get_coordinate_val(point, isl_dim_set, static_cast<int>(d)));
        out.push_back(value ? isl_val_get_num_si(value.get()) : 0);
    }
    return out;
}

} // namespace

Emptiness is_empty(const std::string& text, unsigned long quota) {
    Quota bound(quota);
    Set set = parse(text);
    switch (set ? isl_set_is_empty(set.get()) : isl_bool_error) {
    case isl_bool_true: return Emptiness::Empty;
    case isl_bool_false: return Emptiness::NotEmpty;
    default: return Emptiness::Unknown;
    }
}

std::optional<std::vector<std::int64_t>> least_point(const std::string& text, unsigned long quota) {
    Quota bound(quota);
    Set set = parse(text);
    if (!set)
        return std::nullopt;
    auto dimensions = static_cast<std::size_t>(isl_set_dim(set.get(), isl_dim_set));
    Set least(isl_set_lexmin(set.release()));
    if (!least)
        return std::nullopt;
    // With parameters the least point is a function of them: any value of theirs serves.
    Point point(isl_set_sample_point(least.release()));
    if (!point || isl_point_is_void(point.get()) != isl_bool_false)
        return std::nullopt;
    return coordinates(point.get(), dimensions);
}

std::string isl_version_text() { return isl_version(); }

} // namespace loopscope::polyhedral
