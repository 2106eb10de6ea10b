#include "compiler/worker/tolerance.h"

#include "compiler/run/float_values.h"
#include "core/base/number_text.h"

namespace loopscope::worker {

namespace {

// Terms that one element combines at most: of an update, its value before is one more.
double terms_of(const Definition& definition) {
    double terms = 1;
    for (const auto& axis : definition.axes)
        terms *= static_cast<double>(axis.extent().hint());
    return definition.kind == DefinitionKind::Update ? terms + 1 : terms;
}

} // namespace

Tolerance::Tolerance(const Pipeline& pipeline, const Marks& marks, std::optional<double> given)
    : enclosed_(with_enclosures(pipeline, marks)),
      approximates_(!marks.approximated.empty()),
      given_(given) {
    for (const auto& [output, enclosure] : enclosed_.enclosures) {
        const auto components = pipeline.find(output)->types.size();
        for (std::size_t c = 0; c < components; ++c)
            if (!enclosure.exact[c])
                arrays_[components == 1 ? output : output + "." + std::to_string(c)] = {
                    enclosure.stage + "." + std::to_string(2 * c),
                    enclosure.stage + "." + std::to_string(2 * c + 1)};
    }
    for (const auto& [name, index] : marks.reassociated) {
        const auto& stage = *pipeline.find(name);
        const double terms = terms_of(stage.definitions[static_cast<std::size_t>(index)]);
        for (auto type : stage.types)
            if (is_float(type) && terms * unit_roundoff(type) > terms_ * unit_roundoff(type_))
                terms_ = terms, type_ = type;
    }
}

std::optional<Judgement> Tolerance::judge(const std::string& array, const Buffer& actual,
                                          const std::map<std::string, Buffer>& evaluated) const {
    auto found = arrays_.find(array);
    if (found == arrays_.end())
        return std::nullopt;
    const auto& reference = evaluated.at(array);
    return given_ ? judge_by(*given_, actual, reference)
                  : judge_within(actual, reference, evaluated.at(found->second.first),
                                 evaluated.at(found->second.second));
}

std::optional<std::pair<std::string, std::string>> Tolerance::ends(const std::string& array) const {
    auto found = arrays_.find(array);
    if (found == arrays_.end() || given_)
        return std::nullopt;
    return found->second;
}

std::optional<std::pair<const Buffer*, const Buffer*>>
Tolerance::bounds(const std::string& array, const std::map<std::string, Buffer>& evaluated) const {
    const auto names = ends(array);
    if (!names)
        return std::nullopt;
    return std::pair{&evaluated.at(names->first), &evaluated.at(names->second)};
}

std::string Tolerance::text() const {
    if (given_)
        return "the tolerance " + general_text(*given_, 6);
    if (arrays_.empty())
        return "0: no output depends on it";
    std::string all;
    if (terms_ > 0) {
        all = "n u sum|terms| in any order (n = " + fixed_text(terms_, 0) + ", u = 2^-" +
              std::to_string(significand_bits(type_)) + " of " + name(type_) + ")";
    }
    if (approximates_)
        all += std::string(all.empty() ? "" : " and ") + "the approximations' declared errors";
    return all.empty() ? "0: nothing is summed" : all;
}

} // namespace loopscope::worker
