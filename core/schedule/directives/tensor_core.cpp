// S.tensor_core(): the whole recipe of a sum of products on tensor cores, in one word (Sioutas, ch.
// 7). It is a recipe: it stands for lines that can be seen, and written in its place (recipe.h);
// tensor_core/recipe.h says which, product.h for what sums.

#include "core/schedule/identity.h"
#include "core/schedule/levels.h"
#include "core/schedule/nest.h"
#include "core/schedule/placement.h"
#include "core/schedule/recipe.h"
#include "core/schedule/tensor_core/recipe.h"

namespace loopscope {

namespace {

struct TensorCore final : DirectiveOf<TensorCore, Recipe> {
    const char* verb() const override { return "tensor_core"; }
    const char* summary() const override {
        return "Computes a sum of products on tensor cores: the whole recipe, in lines that can be "
               "seen and changed.";
    }
    Result<std::vector<DirectivePtr>> expansion(const ScheduleState& state,
                                                const ApplyContext& context) const override;
    std::string describe() const override { return "tensor cores for " + receiver.text(); }

private:
    Status check_untouched(const ScheduleState& state) const;
};

} // namespace

// The recipe makes loops and places: a stage that has some of its own, or is computed elsewhere, is
// another one's work.
Status TensorCore::check_untouched(const ScheduleState& state) const {
    const auto& stage = *state.find(receiver.stage);
    const auto& name = receiver.stage;
    if (stage.compute.kind == Placement::Kind::Inline)
        return refuse("receiver", name + " is inlined: it has no loops",
                      name + ".compute_root() gives it loops again");
    if (!stage.cache_of.empty())
        return refuse("receiver",
                      name + " is a cache of " + stage.cache_of + ", and the recipe makes its own",
                      "write " + stage.cache_of + ".tensor_core() in place of the cache_write");
    if (stage.compute.kind == Placement::Kind::At)
        return refuse("receiver",
                      name + " is computed at " + loop_text(state, stage.compute.at) +
                          " already, and the recipe places it",
                      name + ".compute_root() first, or remove the line that moves it");
    for (std::size_t d = 0; d < stage.definitions.size(); ++d)
        if (stage.definitions[d].touched)
            return refuse("receiver",
                          definition_name(name, static_cast<int>(d)) +
                              " has loop directives already, and the recipe makes its loops",
                          "remove them, or go on with " + receiver.text() + ".tensorize(…)");
    const auto last = static_cast<int>(stage.definitions.size()) - 1;
    if (receiver.definition != last || last > 1)
        return refuse("receiver",
                      name + " has " + std::to_string(last + 1) +
                          " definitions, and the recipe keeps the sums of its last one, or of the "
                          "only update",
                      last > 1 ? "give each update a stage of its own"
                               : definition_name(name, last) + ".tensor_core() is of that one");
    const auto* first = state.definition(name, 0);
    if (last == 1 && first && first->kind != DefinitionKind::Pure)
        return refuse("receiver",
                      name + " is a reduction by " + loopscope::name(first->reduction) +
                          " before " + receiver.text() +
                          ", and the recipe starts from values that are computed one by one",
                      "give that reduction a stage of its own");
    return success();
}

Result<std::vector<DirectivePtr>> TensorCore::expansion(const ScheduleState& given,
                                                        const ApplyContext& context) const {
    auto state = given; // which keeps what is inferred of it
    if (auto found = find_definition(state, receiver); !found)
        return at("receiver", found.errors());
    if (const auto reason = no_tensor_cores(context); !reason.empty())
        return Diagnostics{
            refuse("receiver", reason,
                   "name one that has: `target h200`, or another of resources/devices")};
    if (auto untouched = check_untouched(state); !untouched)
        return untouched.errors();
    auto product = find_product(state, receiver, context);
    if (!product)
        return at("receiver", product.errors());
    const auto epilogue = find_epilogue(state, receiver.stage);
    product->staged = goes_through_memory(state, *product, epilogue);
    if (product->opaque() && receiver.definition > 0)
        return Diagnostics{
            refuse("receiver",
                   receiver.text() +
                       " adds to values of each element, and which lane holds which element "
                       "of " +
                       product->intrinsic->name + "'s fragments is not known",
                   "sum in a stage of its own, which a stage that adds those values reads")};
    auto tiles = choose_tiles(*product, target_gpu(context), target_gpu_name(context));
    if (!tiles)
        return at("receiver", tiles.errors());
    return product_lines(state, *product, *tiles, epilogue, where);
}

std::unique_ptr<Directive> make_tensor_core() { return std::make_unique<TensorCore>(); }

} // namespace loopscope
