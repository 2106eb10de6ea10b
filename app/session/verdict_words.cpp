#include "app/session/verdict_words.h"

#include "views/style/number_format.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

namespace loopscope::session {

namespace {

using measure::CheckedArray;
using measure::CheckResult;
using views::format_count;

// As programs print it, and a person may look for it there: "1.4e-05".
QString value_text(std::optional<double> value) {
    return value ? QString::number(*value, 'g', 3) : QStringLiteral("∞");
}

QString name_of(const CheckedArray& array) { return QString::fromStdString(array.name); }

// "C[3, 5]"
QString element_name(const measure::CheckDifference& difference) {
    QStringList index;
    for (const auto each : difference.at)
        index << QString::number(each);
    return QString::fromStdString(difference.array) + '[' + index.join(QStringLiteral(", ")) + ']';
}

// Why its results may be others than the reference's.
QString reason_of_difference(const CheckResult& check) {
    if (check.reassociates && check.approximates)
        return QObject::tr(
            "The schedule combines numbers in another order than the pipeline, which "
            "rounds otherwise, and computes some functions approximately.");
    if (check.reassociates)
        return QObject::tr(
            "The schedule combines numbers in another order than the pipeline, which "
            "rounds otherwise.");
    if (check.approximates)
        return QObject::tr("The schedule computes some functions approximately.");
    return QObject::tr("Operations may be rounded otherwise than in the reference.");
}

// Of the outputs that have bounds the one that is nearest to leaving them; null: none has any.
const CheckedArray* nearest_to_its_bound(const CheckResult& check) {
    const CheckedArray* nearest = nullptr;
    double share = -1;
    for (const auto& each : check.outputs) {
        if (each.status != "within bound" || !each.allowed)
            continue;
        const double seen = each.max_abs_error.value_or(0);
        const double used = *each.allowed > 0 ? seen / *each.allowed : 0;
        if (used > share) {
            share = used;
            nearest = &each;
        }
    }
    return nearest;
}

// What the check could not find out.
void add_limits(const CheckResult& check, QStringList& sentences) {
    double elements = 0, unbounded = 0;
    for (const auto& each : check.outputs) {
        elements += each.elements;
        if (each.status != "equal") // else their bits are the reference's
            unbounded += each.unbounded;
    }
    if (unbounded > 0)
        sentences << QObject::tr("%1 of %2 elements were not compared, for rounding decides them.")
                         .arg(format_count(unbounded), format_count(elements));
    if (check.windows)
        sentences << QObject::tr("Only parts of the results were compared: the reference would "
                                 "take too long for all of them.");
    if (!check.conclusive)
        sentences << QObject::tr("So much is allowed here that a wrong result could have passed.");
}

QString right_words(const CheckResult& check) {
    if (check.outputs.empty())
        return QString::fromStdString(check.method);
    QStringList sentences;
    double elements = 0;
    bool all_equal = true;
    for (const auto& each : check.outputs) {
        elements += each.elements;
        all_equal = all_equal && each.status == "equal";
    }
    if (all_equal) {
        sentences << QObject::tr("All %1 elements compared are the reference's, bit for bit, on "
                                 "random inputs.")
                         .arg(format_count(elements));
    } else {
        sentences << reason_of_difference(check);
        if (const auto* array = nearest_to_its_bound(check)) {
            // elements without bounds are among those of the greatest difference
            const bool seen = array->unbounded == 0 && array->max_abs_error &&
                              *array->max_abs_error <= *array->allowed;
            sentences << (seen ? QObject::tr("%1 may then differ from the reference by up to %2; "
                                             "the greatest difference seen is %3.")
                                     .arg(name_of(*array), value_text(array->allowed),
                                          value_text(array->max_abs_error))
                               : QObject::tr("%1 may then differ from the reference by up to %2, "
                                             "and does not differ by more.")
                                     .arg(name_of(*array), value_text(array->allowed)));
        }
    }
    if (check.whole_numbers == "equal")
        sentences << QObject::tr("On small whole numbers, which no order rounds, all elements are "
                                 "equal.");
    add_limits(check, sentences);
    return sentences.join(' ');
}

} // namespace

QString difference_words(const CheckResult& check) {
    if (check.right || (!check.difference && check.first_difference.empty()))
        return {};
    const auto wrong = std::find_if(check.outputs.begin(), check.outputs.end(),
                                    [](const auto& each) { return each.status == "WRONG"; });
    if (!check.difference) // as where only a hash of the reference was there to compare with
        return wrong == check.outputs.end()
                   ? QString::fromStdString(check.first_difference)
                   : QObject::tr("Elements of %1 are others than the reference's.")
                         .arg(name_of(*wrong));
    const auto element = element_name(*check.difference);
    const auto found = QString::fromStdString(check.difference->is);
    const auto wanted = QString::fromStdString(check.difference->reference);
    if (check.whole_numbers == "differ")
        return QObject::tr("On small whole numbers, which no order rounds, %1 is %2 and should be "
                           "%3.")
            .arg(element, found, wanted);
    if (wrong == check.outputs.end())
        return QObject::tr("%1 is %2 and should be %3.").arg(element, found, wanted);
    if (!wrong->allowed)
        return QObject::tr("%1 is %2 and should be %3, bit for bit. Of %4 elements %5 differ.")
            .arg(element, found, wanted, format_count(wrong->elements),
                 format_count(wrong->different));
    const auto allowed = value_text(wrong->allowed);
    if (wrong->unbounded > 0) // elements without bounds are among those of the greatest difference
        return QObject::tr("%1 is %2 and should be %3. Rounding explains a difference of up to %4.")
            .arg(element, found, wanted, allowed);
    return QObject::tr("%1 is %2 and should be %3. Rounding explains a difference of up to %4; the "
                       "greatest is %5.")
        .arg(element, found, wanted, allowed, value_text(wrong->max_abs_error));
}

QString verdict_words(const CheckResult& check) {
    const auto words = check.right ? right_words(check) : difference_words(check);
    return words.isEmpty() ? QObject::tr("The result is not the reference's.") : words;
}

} // namespace loopscope::session
