#include "compiler/codegen/kernel_source/host_text.h"

#include "compiler/codegen/c/constant_text.h"
#include "compiler/codegen/c/main_text.h"
#include "compiler/codegen/c/replaced.h"
#include "core/ir/half.h"

#include <cstdio>
#include <set>

namespace loopscope::codegen {

namespace {

constexpr const char* kRandom = R"(
// --- Inputs and what becomes of them --------------------------------------------------------------------------------

// The same numbers everywhere: floats from -2 to 2 that all types hold exactly, small integers.
static uint64_t host_random(uint64_t n) {
    n = (n + 1) * UINT64_C(0x9e3779b97f4a7c15);
    n = (n ^ n >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    n = (n ^ n >> 27) * UINT64_C(0x94d049bb133111eb);
    return n ^ n >> 31;
}
)";

constexpr const char* kElement = R"(
static void host_fill_$N(unsigned char *at, uint64_t n) {
    const $M x = $DRAWN;
    memcpy(at, &x, sizeof x);
}
static double host_value_$N(const unsigned char *at) {
    $M x;
    memcpy(&x, at, sizeof x);
    return $VALUE;
}
)";

constexpr const char* kFill = R"(
static void host_fill(size_t i) {
    const struct npy_argument *a = &npy_arguments[i];
    const size_t count = npy_count(a, a->extents);
    for (size_t n = 0; n < count; n++)
        host_types[i].fill(a->data + n * a->size, host_random(n + ((uint64_t)i << 40)));
}
)";

constexpr const char* kCheck = R"(
// One further in a window; false behind its end.
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

// All NaNs are one NaN.
static bool host_same(const struct npy_argument *a, const unsigned char *x, const unsigned char *y, double u, double v) {
    return memcmp(x, y, a->size) == 0 || (u != u && v != v);
}

// Compares the window of a result with that of what it should be, and says what it found. `tolerance`: in units of the
// greatest magnitude there; 0: every bit counts.
static bool host_compare(const struct npy_argument *result, const struct npy_argument *wanted,
                         double (*value)(const unsigned char *), double tolerance) {
    int64_t index[NPY_DIMENSIONS] = {0}, first[NPY_DIMENSIONS] = {0};
    size_t wrong = 0, count = npy_count(result, result->shape);
    double greatest = 0, away = 0;
    do {
        const double v = fabs(value(host_place(wanted, index)));
        if (v > greatest && v <= DBL_MAX)
            greatest = v;
    } while (host_next(result, index));
    do {
        const unsigned char *x = host_place(result, index), *y = host_place(wanted, index);
        const double u = value(x), v = value(y);
        if (host_same(result, x, y, u, v))
            continue;
        if (fabs(u - v) > away)
            away = fabs(u - v);
        if ((tolerance == 0 || !(fabs(u - v) <= tolerance * greatest)) && wrong++ == 0)
            memcpy(first, index, sizeof first);
    } while (host_next(result, index));
    if (wrong == 0) {
        if (away == 0)
            printf("%s: %llu elements, every bit is right\n", result->name, (unsigned long long)count);
        else
            printf("%s: %llu elements, at most %g away, and %g is allowed\n", result->name, (unsigned long long)count,
                   away, tolerance * greatest);
        return true;
    }
    printf("%s: WRONG in %llu of %llu elements, first at [", result->name, (unsigned long long)wrong,
           (unsigned long long)count);
    for (int d = 0; d < result->rank; d++)
        printf("%s%lld", d ? ", " : "", (long long)first[d]);
    printf("]: %.9g in place of %.9g\n", value(host_place(result, first)), value(host_place(wanted, first)));
    return false;
}
)";

constexpr const char* kReport = R"(
static int host_order(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void host_report(double *seconds, size_t count, const char *device) {
    qsort(seconds, count, sizeof *seconds, host_order);
    printf("%s: %.4f ms on %s (the median of %llu runs; %.4f to %.4f)\n", HOST_PROGRAM, 1e3 * seconds[count / 2], device,
           (unsigned long long)count, 1e3 * seconds[0], 1e3 * seconds[count - 1]);
}
)";

std::string drawn(ScalarType type, CHelpers& helpers) {
    const std::string real = "((float)(int)(n % 257) - 128) / 64";
    if (is_half(type))
        return helpers.half(type, ScalarType::F32) + "(" + real + ")";
    if (is_float(type))
        return real;
    if (is_bool(type))
        return "(uint8_t)(n & 1)";
    const std::string cast = std::string("(") + c_memory_type(type) + ")";
    return is_signed(type) ? cast + "((int)(n % 255) - 127)" : cast + "(n % 256)";
}

std::string value(ScalarType type, CHelpers& helpers) {
    return is_half(type) ? helpers.half(ScalarType::F32, type) + "(x)" : "(double)x";
}

std::string element_functions(const lower::Program& program, CHelpers& helpers) {
    std::string text;
    std::set<ScalarType> done;
    for (const auto& a : program.arguments)
        if (done.insert(a.type).second)
            text += replaced(kElement, {{"$N", name(a.type)},
                                        {"$M", c_memory_type(a.type)},
                                        {"$DRAWN", drawn(a.type, helpers)},
                                        {"$VALUE", value(a.type, helpers)}});
    return text;
}

std::string type_table(const lower::Program& program) {
    std::string text = "\n// Of each array: how an element is drawn, and its value.\n"
                       "static const struct {\n"
                       "    void (*fill)(unsigned char *at, uint64_t n);\n"
                       "    double (*value)(const unsigned char *at);\n"
                       "} host_types[] = {\n";
    for (const auto& a : program.arguments)
        text +=
            std::string("    {host_fill_") + name(a.type) + ", host_value_" + name(a.type) + "},\n";
    return text + "};\n";
}

std::string number(double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.9g", value);
    return text;
}

// The reference's arrays are the inputs, and outputs of its own.
std::string check_function(const lower::Program& program, const KernelOptions& options,
                           const std::string& reference) {
    const auto& by = *options.reference;
    const std::string table = "host_wanted";
    std::string begin, compare;
    for (std::size_t i = 0; i < by.arguments.size(); ++i)
        for (std::size_t j = 0; j < program.arguments.size(); ++j) {
            if (by.arguments[i].buffer != program.arguments[j].buffer)
                continue;
            const auto wanted = table + "[" + std::to_string(i) + "]",
                       own = "npy_arguments[" + std::to_string(j) + "]";
            if (by.arguments[i].role == lower::Role::Input) {
                begin += "    " + wanted + ".data = " + own + ".data;\n";
                continue;
            }
            begin += "    npy_allocate(&" + wanted + ");\n";
            compare += "    right = host_compare(&" + own + ", &" + wanted + ", host_types[" +
                       std::to_string(j) + "].value, tolerance) && right;\n" + "    free(" +
                       wanted + ".data);\n";
        }
    return array_table(by, table) + kCheck +
           "\n// Compares all outputs with what they should be.\n"
           "static bool host_check(double tolerance) {\n    bool right = true;\n" +
           begin + "    " + call_text(by, reference, table) + ";\n" + compare +
           "    return right;\n}\n";
}

} // namespace

void reserve_host_names(CNames& names) {
    for (auto name :
         {"host_random", "host_fill",     "host_types",    "host_next",     "host_place",
          "host_same",   "host_compare",  "host_order",    "host_report",   "host_wanted",
          "host_check",  "host_must",     "host_launch",   "host_memory",   "host_run",
          "host_source", "host_build",    "host_kernels",  "host_launches", "host_tolerance",
          "host_begin",  "host_device",   "host_bytes",    "HOST_PROGRAM",  "HOST_ARRAYS",
          "HOST_RUNS",   "HOST_LAUNCHES", "HOST_MEMORIES", "HOST_NO_DEVICE"})
        names.reserve(name);
    for (auto type :
         {ScalarType::Bool, ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64,
          ScalarType::U8, ScalarType::U16, ScalarType::U32, ScalarType::U64, ScalarType::F16,
          ScalarType::BF16, ScalarType::F32, ScalarType::F64})
        for (const std::string word : {"host_fill_", "host_value_"})
            names.reserve(word + name(type));
}

void use_host_helpers(const lower::Program& program, CHelpers& helpers) {
    element_functions(program, helpers);
}

std::string host_text(const lower::Program& program, const KernelOptions& options,
                      const std::string& reference, CHelpers& helpers) {
    std::string text = kRandom;
    text += element_functions(program, helpers) + type_table(program) + kFill;
    if (!reference.empty()) {
        text += "\n// In units of an output's greatest magnitude; 0: every bit must be right.\n"
                "static const double host_tolerance = " +
                number(options.tolerance) + ";\n";
        text += check_function(program, options, reference);
    }
    return text + kReport;
}

} // namespace loopscope::codegen
