#include "views/models/alike_edits.h"

#include "core/language/schedule_parser.h"
#include "views/models/alike_lines.h"

#include <QObject>

#include <algorithm>

namespace loopscope::views {

AlikeEdits::AlikeEdits(const ScheduleTree& tree, const Schedule* schedule,
                       const device::Device* device)
    : tree_(tree), schedule_(schedule), device_(device) {}

const AlikeEdits::Forms& AlikeEdits::forms(const NodeId& id) {
    const auto known = forms_.find(id);
    if (known != forms_.end())
        return known->second;
    return forms_
        .emplace(id, Forms{factor_forms(tree_, schedule_, id, device_),
                           option_forms(tree_, schedule_, id, device_)})
        .first->second;
}

bool same_question(const FactorForm& a, const FactorForm& b) {
    return a.counts == b.counts && a.index == b.index &&
           (a.counts || (a.replaces > 0) == (b.replaces > 0)) &&
           std::string(a.directive->verb()) == b.directive->verb();
}

namespace {

// The factor that an edit gives a form; empty: the edit is not the form's.
QString factor_in(const FactorForm& form, const DirectiveEdit& edit) {
    QString factor;
    if (edit.line.isEmpty()) {
        factor = form.counts ? QStringLiteral("1") : QString();
    } else if (const auto directive = parse_directive(edit.line.toStdString());
               directive && std::string((*directive)->verb()) == form.directive->verb()) {
        std::size_t at = 0;
        visit_fields((*directive)->read_fields(),
                     [&](const char*, const field::Count& f) {
                         if (form.counts)
                             factor = QString::number(f.value);
                     },
                     [&](const char*, const field::Factor& f) {
                         if (!form.counts && at++ == form.index)
                             factor = to_qstring(f.value.text());
                     },
                     [&](const char*, const field::OptionalFactor& f) {
                         if (!form.counts && f.value && at++ == form.index)
                             factor = to_qstring(f.value->text());
                     },
                     [](const char*, const auto&) {});
    }
    return !factor.isEmpty() && form.edit_for(factor) == edit ? factor : QString();
}

const FormValue* labelled(const std::vector<FormValue>& values, const QString& label) {
    const auto found = std::find_if(values.begin(), values.end(),
                                    [&](const FormValue& each) { return each.label == label; });
    return found == values.end() ? nullptr : &*found;
}

} // namespace

std::optional<AlikeEdits::Answer> AlikeEdits::by_factor(const NodeId& to, const NodeId& from,
                                                        const DirectiveEdit& edit) {
    for (const FactorForm& form : forms(from).factors) {
        const QString factor = factor_in(form, edit);
        if (factor.isEmpty())
            continue;
        const auto& others = forms(to).factors;
        const auto other = std::find_if(others.begin(), others.end(), [&](const FactorForm& each) {
            return same_question(each, form);
        });
        if (other == others.end())
            return std::nullopt;
        if (const auto* value = labelled(other->values, factor); value && value->present)
            return Answer{{}, {}, true};
        return Answer{other->edit_for(factor), {}, false};
    }
    return std::nullopt;
}

std::optional<AlikeEdits::Answer> AlikeEdits::by_option(const NodeId& to, const NodeId& from,
                                                        const DirectiveEdit& edit) {
    for (const OptionForm& form : forms(from).options)
        for (const FormValue& value : form.values) {
            if (value.edit != edit)
                continue;
            const auto& others = forms(to).options;
            const auto other =
                std::find_if(others.begin(), others.end(),
                             [&](const OptionForm& each) { return each.name == form.name; });
            const bool switches_off = form.is_switch && value.present;
            if (other == others.end())
                return switches_off ? std::optional(Answer{{}, {}, true}) : std::nullopt;
            if (form.is_switch) {
                const FormValue& its = other->values.front();
                return its.present == value.present ? Answer{its.edit, {}, false}
                                                    : Answer{{}, {}, true};
            }
            if (const auto* its = labelled(other->values, value.label))
                return Answer{its->edit, {}, its->present};
            return std::nullopt;
        }
    return std::nullopt;
}

AlikeEdits::Answer AlikeEdits::edit_for(const NodeId& to, const NodeId& from,
                                        const DirectiveEdit& edit, std::set<std::string>& made) {
    if (!tree_.state.find(to.stage))
        return {{}, QObject::tr("an input takes no directives"), false};
    if (auto answer = by_option(to, from, edit))
        return *answer;
    if (auto answer = by_factor(to, from, edit))
        return *answer;
    // The line that is changed has no counterpart there.
    if (edit.replaces > 0)
        return {{}, QObject::tr("no line of its own says that"), false};
    const AlikeLine line = alike_line(tree_, edit.line, from, to, made);
    return {DirectiveEdit(line.line), line.absent, false};
}

} // namespace loopscope::views
