#include "compiler/codegen/kernel_source/host_text.h"

#include "compiler/codegen/c/replaced.h"
#include "compiler/run/float_values.h"
#include "core/base/number_text.h"
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
static long double host_value_$N(const unsigned char *at) {
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
    return is_half(type) ? helpers.half(ScalarType::F32, type) + "(x)" : "(long double)x";
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

// "INFINITY", "INT32_MAX": the least, or the greatest, that an element may be.
std::string end_of_type(ScalarType type, bool greatest) {
    if (is_float(type))
        return greatest ? "INFINITY" : "-INFINITY";
    if (is_bool(type) || (is_unsigned(type) && !greatest))
        return greatest ? "1" : "0";
    return (is_signed(type) ? "INT" : "UINT") + std::to_string(bits(type)) +
           (greatest ? "_MAX" : "_MIN");
}

// By how much elements may be off on a device that does not compute to the bit, at the least.
std::string roundings(ScalarType type) {
    if (!is_float(type))
        return "0";
    return general_text(4 * unit_roundoff(type), 9);
}

std::string type_table(const lower::Program& program) {
    std::string text = "\n// Each array's elements: how one is drawn, its value, which a long "
                       "double holds exactly, "
                       "the least and the\n// greatest one, and four roundings of a float.\n"
                       "static const struct host_type {\n"
                       "    void (*fill)(unsigned char *at, uint64_t n);\n"
                       "    long double (*value)(const unsigned char *at);\n"
                       "    long double least, greatest;\n"
                       "    double rounding;\n"
                       "} host_types[] = {\n";
    for (const auto& a : program.arguments)
        text += std::string("    {host_fill_") + name(a.type) + ", host_value_" + name(a.type) +
                ", " + end_of_type(a.type, false) + ", " + end_of_type(a.type, true) + ", " +
                roundings(a.type) + "},\n";
    return text + "};\n";
}

} // namespace

void reserve_host_names(CNames& names) {
    for (auto name :
         {"host_random",       "host_fill",     "host_type",     "host_types",
          "host_next",         "host_place",    "host_part",     "host_parts",
          "host_judge",        "host_off",      "host_name",     "host_compare",
          "host_order",        "host_report",   "host_wanted",   "host_check",
          "host_must",         "host_launch",   "host_memory",   "host_run",
          "host_source",       "host_build",    "host_kernels",  "host_launches",
          "host_begin",        "host_device",   "host_bytes",    "HOST_PROGRAM",
          "HOST_ARRAYS",       "HOST_RUNS",     "HOST_RIGHT",    "HOST_WRONG",
          "HOST_UNKNOWN",      "HOST_LAUNCHES", "HOST_MEMORIES", "HOST_NO_DEVICE",
          "HOST_INCONCLUSIVE", "host_known",    "host_learn",    "host_excludes_nothing",
          "host_say_right",    "host_say_wrong"})
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

std::string host_text(const lower::Program& program, CHelpers& helpers) {
    return kRandom + element_functions(program, helpers) + type_table(program) + kFill + kReport;
}

} // namespace loopscope::codegen
