#include "compiler/codegen/kernel_source/host_check.h"

#include "compiler/codegen/c/comment.h"
#include "compiler/codegen/c/main_text.h"
#include "compiler/codegen/c/replaced.h"

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace loopscope::codegen {

namespace {

constexpr std::size_t kCommentColumns = 116;

constexpr const char* kCompare = R"(
// A part of a result, and arrays of host_wanted, as large as the part: each element must lie between those of the two.
// Where both are one array, every bit counts.
static const struct host_part {
    size_t result; // of npy_arguments
    int64_t at[NPY_DIMENSIONS]; // where the part begins
    size_t low, high;
} host_parts[] = {
$PARTS};

// One further in a part; false behind its end.
static bool host_next(const struct npy_argument *a, int64_t *index) {
    for (int d = a->rank - 1; d >= 0; d--) {
        if (++index[d] < a->shape[d])
            return true;
        index[d] = 0;
    }
    return false;
}

static const unsigned char *host_place(const struct npy_argument *a, const int64_t *index) {
    size_t at = 0;
    for (int d = 0; d < a->rank; d++)
        at = at * (size_t)a->extents[d] + (size_t)(index[d] + a->first[d]);
    return a->data + at * a->size;
}

enum { HOST_RIGHT, HOST_WRONG, HOST_UNKNOWN };
enum { HOST_INCONCLUSIVE = 4 }; // exit status: too little is known of some part to show that it is wrong

// `off`: how far floats may be off besides; below 0: not at all. All NaNs are one NaN, zeros between ends one zero. Nothing
// is known between ends that are no numbers, or all that the type has; nor of what floats that are off may decide.
static int host_judge(const struct host_part *part, const unsigned char *x, const unsigned char *low,
                      const unsigned char *high, long double off) {
    const struct host_type *type = &host_types[part->result];
    const long double u = type->value(x), from = type->value(low), to = type->value(high);
    if (part->low == part->high) {
        if (memcmp(x, low, npy_arguments[part->result].size) == 0 || (u != u && from != from))
            return HOST_RIGHT;
    } else {
        if (!(from <= to) || (from == type->least && to == type->greatest))
            return HOST_UNKNOWN;
        if (from <= u && u <= to)
            return HOST_RIGHT;
    }
    if (off < 0)
        return HOST_WRONG;
    if (type->rounding == 0)
        return HOST_UNKNOWN;
    return from - off <= u && u <= to + off ? HOST_RIGHT : HOST_WRONG;
}

static long double host_off(const struct host_part *part, double inexact) {
    const struct npy_argument *ends[] = {&host_wanted[part->low], &host_wanted[part->high]};
    const struct host_type *type = &host_types[part->result];
    long double greatest = 0;
    if (inexact == 0)
        return -1;
    for (size_t i = 0; i < 2; i++) {
        int64_t index[NPY_DIMENSIONS] = {0};
        do {
            const long double v = fabsl(type->value(host_place(ends[i], index)));
            if (v > greatest && v <= DBL_MAX)
                greatest = v;
        } while (host_next(ends[i], index));
    }
    return greatest * (inexact > type->rounding ? inexact : type->rounding);
}

// "C", or "C[0..32, 4064..4096]" of a part that is not all of it.
static void host_name(const struct host_part *part, const struct npy_argument *low) {
    const struct npy_argument *whole = &npy_arguments[part->result];
    printf("%s", whole->name);
    if (memcmp(whole->shape, low->shape, sizeof whole->shape) == 0)
        return;
    for (int d = 0; d < whole->rank; d++)
        printf("%s%lld..%lld", d ? ", " : "[", (long long)part->at[d], (long long)(part->at[d] + low->shape[d]));
    printf("]");
}

// A part as a whole, as far as it is known. An element that may be infinitely far from what it should be is not judged, though
// one of its ends holds.
struct host_known {
    size_t elements, unknown;
    long double widest, greatest; // between the ends of one element; a magnitude between them
    long double low, high;        // what lies between would pass in place of each
};

static void host_learn(struct host_known *known, bool judged, long double from, long double to) {
    const long double apart = from == to ? 0 : to - from, size = fabsl(from == to ? from : from + apart / 2);
    known->elements++;
    if (!judged || apart > DBL_MAX) {
        known->unknown++;
        return;
    }
    if (apart > known->widest)
        known->widest = apart;
    if (size > known->greatest && size <= DBL_MAX)
        known->greatest = size;
    if (from > known->low)
        known->low = from;
    if (to < known->high)
        known->high = to;
}

// Whether one value in place of all would have passed, as if nothing had been compared: not where the ends tell it to a
// hundredth of the greatest.
static bool host_excludes_nothing(const struct host_known *known, long double off) {
    if (off > 0)
        return known->greatest > 0 && (off >= known->greatest || known->widest >= known->greatest);
    return known->low <= known->high && known->widest > 0 && known->widest >= known->greatest / 100;
}

// Says what is known of a part in which nothing is wrong, and gives the exit status.
static int host_say_right(const struct host_part *part, const struct host_known *known, long double off) {
    const size_t judged = known->elements - known->unknown;
    const bool few = 2 * known->unknown > known->elements, loose = !few && host_excludes_nothing(known, off);
    printf("%llu elements, ", (unsigned long long)known->elements);
    if (judged == 0)
        printf("nothing is known of any");
    else if (part->low == part->high && off <= 0)
        printf("every bit is right");
    else if (judged == known->elements)
        printf("all are ");
    else
        printf("%llu are ", (unsigned long long)judged);
    if (judged > 0 && part->low != part->high)
        printf("within their bounds, which are at most %Lg apart%s", known->widest, off > 0 ? ", or " : "");
    if (judged > 0 && off > 0)
        printf("at most %Lg off", off);
    if (judged > 0 && known->unknown > 0)
        printf("; of %llu nothing is known", (unsigned long long)known->unknown);
    printf("%s%s\n", loose ? ", where one value for all would pass too" : "", few || loose ? ": inconclusive" : "");
    return few || loose ? HOST_INCONCLUSIVE : EXIT_SUCCESS;
}

static int host_say_wrong(const struct host_part *part, size_t wrong, const int64_t *first) {
    const struct npy_argument *low = &host_wanted[part->low], *high = &host_wanted[part->high];
    const struct host_type *type = &host_types[part->result];
    struct npy_argument own = npy_arguments[part->result];
    printf("WRONG in %llu of %llu elements, first at [", (unsigned long long)wrong,
           (unsigned long long)npy_count(low, low->shape));
    for (int d = 0; d < own.rank; d++) {
        own.first[d] += part->at[d];
        printf("%s%lld", d ? ", " : "", (long long)(part->at[d] + first[d]));
    }
    printf("]: %.9Lg ", type->value(host_place(&own, first)));
    if (part->low == part->high)
        printf("in place of %.9Lg\n", type->value(host_place(low, first)));
    else
        printf("is not between %.9Lg and %.9Lg\n", type->value(host_place(low, first)),
               type->value(host_place(high, first)));
    return EXIT_FAILURE;
}

// Compares one part and says what it found; the exit status that this would be.
static int host_compare(const struct host_part *part, double inexact) {
    const struct npy_argument *low = &host_wanted[part->low], *high = &host_wanted[part->high];
    const struct host_type *type = &host_types[part->result];
    const long double off = host_off(part, inexact);
    struct npy_argument own = npy_arguments[part->result];
    struct host_known known = {0, 0, 0, 0, -INFINITY, INFINITY};
    int64_t index[NPY_DIMENSIONS] = {0}, first[NPY_DIMENSIONS] = {0};
    size_t wrong = 0;
    bool doubtful = false;
    for (int d = 0; d < own.rank; d++)
        own.first[d] += part->at[d];
    do {
        const unsigned char *from = host_place(low, index), *to = host_place(high, index);
        const int found = host_judge(part, host_place(&own, index), from, to, off);
        host_learn(&known, found != HOST_UNKNOWN, type->value(from), type->value(to));
        doubtful = doubtful || found == HOST_UNKNOWN;
        if (found == HOST_WRONG && wrong++ == 0)
            memcpy(first, index, sizeof first);
    } while (host_next(low, index));
    if (doubtful && off >= 0 && type->rounding == 0)
        known.unknown = known.elements; // they follow from comparisons of floats that are off
    host_name(part, low);
    printf(": ");
    return wrong == 0 ? host_say_right(part, &known, type->rounding == 0 ? 0 : off) : host_say_wrong(part, wrong, first);
}

// Compares all parts with what they should be, and gives the exit status.
static int host_check(double inexact) {
    const size_t arrays = sizeof host_wanted / sizeof *host_wanted, parts = sizeof host_parts / sizeof *host_parts;
    int verdict = EXIT_SUCCESS;
    printf("compared: %s\n", $COMPARED);
    for (size_t i = 0; i < arrays; i++)
        if (host_wanted[i].output)
            npy_allocate(&host_wanted[i]);
$CALLS    for (size_t i = 0; i < parts; i++) {
        const int found = host_compare(&host_parts[i], inexact);
        if (found != EXIT_SUCCESS && verdict != EXIT_FAILURE)
            verdict = found;
    }
    for (size_t i = 0; i < arrays; i++)
        if (host_wanted[i].output)
            free(host_wanted[i].data);
    return verdict;
}
)";

std::size_t place_of(const std::vector<lower::Argument>& arrays, const std::string& name) {
    for (std::size_t i = 0; i < arrays.size(); ++i)
        if (arrays[i].buffer == name)
            return i;
    throw std::logic_error("no array " + name + " in a check of kernels");
}

std::string part_line(const KernelReference::Part& part, std::size_t result, std::size_t low,
                      std::size_t high) {
    std::string at;
    for (auto offset : part.offset)
        at += (at.empty() ? "" : ", ") + std::to_string(offset);
    return "    {" + std::to_string(result) + ", {" + (at.empty() ? "0" : at) + "}, " +
           std::to_string(low) + ", " + std::to_string(high) + "},\n";
}

std::string in_quotes(const std::string& text) {
    std::string out = "\"";
    for (char c : text)
        out += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return out + "\"";
}

bool any_part(const KernelCheck& check,
              const std::function<bool(const KernelReference::Part&)>& wanted) {
    return std::any_of(check.references.begin(), check.references.end(), [&](const auto& one) {
        return std::any_of(one.parts.begin(), one.parts.end(), wanted);
    });
}

bool has_bounds(const KernelCheck& check) {
    return any_part(check, [](const auto& part) { return part.low != part.high; });
}

bool has_windows(const KernelCheck& check) { return check.references.size() > 1; }

} // namespace

std::string check_text(const lower::Program& program, const KernelCheck& check,
                       const std::vector<std::string>& functions) {
    const std::string table = "host_wanted";
    std::vector<lower::Argument> arrays;
    std::string parts, calls;
    for (std::size_t r = 0; r < check.references.size(); ++r) {
        const auto& [reference, compared] = check.references[r];
        const auto first = arrays.size();
        arrays.insert(arrays.end(), reference.arguments.begin(), reference.arguments.end());
        for (const auto& part : compared)
            parts += part_line(part, place_of(program.arguments, part.result),
                               first + place_of(reference.arguments, part.low),
                               first + place_of(reference.arguments, part.high));
        for (std::size_t i = 0; i < reference.arguments.size(); ++i)
            if (reference.arguments[i].role == lower::Role::Input)
                calls +=
                    "    " + table + "[" + std::to_string(first + i) + "].data = npy_arguments[" +
                    std::to_string(place_of(program.arguments, reference.arguments[i].buffer)) +
                    "].data;\n";
        calls += "    " + call_text(reference, functions[r], table, first) + ";\n";
    }
    return "\n// Arrays of the reference functions, one behind the other." +
           array_table(arrays, table) +
           replaced(
               kCompare,
               {{"$PARTS", parts}, {"$CALLS", calls}, {"$COMPARED", in_quotes(check.compared)}});
}

void comment_parts(const KernelReference& reference, CWriter& out) {
    for (const auto& part : reference.parts) {
        const auto& low =
            reference.program.arguments[place_of(reference.program.arguments, part.low)];
        std::string ranges;
        for (std::size_t d = 0; d < part.offset.size(); ++d) {
            const auto extent = (low.window.empty() ? low.extents : low.window)[d].constant();
            ranges += (d ? ", " : "") + std::to_string(part.offset[d]) + ".." +
                      std::to_string(part.offset[d] + extent);
        }
        out.line("// " + part.result + "[" + ranges + "] " +
                 (part.low == part.high ? "is " + part.low
                                        : "lies between " + part.low + " and " + part.high) +
                 ".");
    }
}

std::string check_comment(const KernelCheck& check) {
    std::string text, line;
    auto add = [&](const std::string& sentence) {
        std::size_t at = 0;
        while (at < sentence.size()) {
            const auto end = std::min(sentence.find(' ', at), sentence.size());
            const auto word = sentence.substr(at, end - at);
            if (line.size() + word.size() > kCommentColumns) {
                comment_line(text, line);
                line.clear();
            }
            line += (line.empty() ? "" : " ") + word;
            at = end + 1;
        }
    };
    add("Without arguments the program checks the kernels, on inputs that it makes itself, and "
        "times "
        "them. Compared: " +
        comment_text(check.compared) + ".");
    add("Functions behind the kernels compute on the host what the results should be" +
        std::string(has_windows(check) ? ", each of one window: C@w0 is one of C" : "") + ".");
    if (has_bounds(check))
        add("C@bounds.0 and the like lead to the least and the greatest that a value may be, "
            "between "
            "which the device's must lie.");
    comment_line(text, line);
    return text;
}

} // namespace loopscope::codegen
