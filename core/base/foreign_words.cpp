#include "core/base/foreign_words.h"

#include <algorithm>

namespace loopscope {

namespace {

using Words = std::vector<ForeignWord>;
using enum ForeignPlace;

constexpr std::string_view kSelect = "write select(condition, a, b)";
constexpr std::string_view kComment = "a comment begins with # and ends with its line";
constexpr std::string_view kDivide = "write /, which of whole numbers rounds down";
constexpr std::string_view kCast = "a cast is the type's name: f32(…)";
constexpr std::string_view kFast =
    "write the function's own name; S.fast_math() in the schedule lets it be approximated";
constexpr std::string_view kNoQuotes = "names stand without quotes";

const Words kSigns = {
    {Sign, "&&", "write and"},
    {Sign, "||", "write or"},
    {Sign, "!", "write 'not' before a condition, '!=' between values"},
    {Sign, "//", "a comment begins with #; / of whole numbers rounds down by itself"},
    {Sign, "/*", kComment},
    {Sign, "/**", kComment},
    {Sign, "<>", "write !="},
    {Sign, "!==", "write !="},
    {Sign, "===", "write =="},
    {Sign, ":=", "write ="},
    {Sign, "->", "a definition is written with =: def f(x) = EXPR"},
    {Sign, "=>", "a definition is written with =: def f(x) = EXPR; at least is >="},
    {Sign, "++", "an update adds: update S[…] += 1"},
    {Sign, "%=", "write S[…] = S[…] % (…)"},
    {Sign, "&=", "write S[…] = S[…] & (…)"},
    {Sign, "|=", "write S[…] = S[…] | (…)"},
    {Sign, "^=", "write S[…] = S[…] ^ (…)"},
    {Sign, ";", "a statement ends with its line"},
    {Sign, "\"", kNoQuotes},
    {Sign, "'", kNoQuotes},
    {Sign, "\\", "a statement goes on to the next line while a ( or [ is open"},
    {Bracket, "(", "indices stand in square brackets: S[i, j]"},
    {Sign, "::", "functions are called by their names alone: max(a, b)"},
    {Sign, "][", "all indices stand in one pair of brackets: S[i, j]"},
};

const Words kOperators = {
    {Operator, "?", kSelect},
    {Operator, "@", "a product of matrices is a sum: sum[k in 0..K](A[i, k]*B[k, j])"},
    {Operator, "if", kSelect},
    {Operator, "then", "write select(condition, a, b), or if CONDITION { … } around statements"},
    {Operator, "where",
     "where stands in a reduction's brackets, or behind an update; else write "
     "select(condition, a, b)"},
    {Operator, "xor", "write != between conditions, ^ between whole numbers"},
    {Operator, "mod", "write %"},
    {Operator, "div", kDivide},
    {Operator, "is", "write =="},
    {Operator, "AND", "write and"},
    {Operator, "OR", "write or"},
};

const Words kFunctions = {
    {Word, "NOT", "write not"},
    {Word, "True", "write true"},
    {Word, "False", "write false"},
    {Word, "INFINITY", "write inf"},
    {Word, "NAN", "write nan"},
    {Word, "M_PI", "write it as a number: const PI = 3.14159265358979323846"},
    {Word, "pi", "write it as a number: const PI = 3.14159265358979323846"},
    {Word, "Select", kSelect},
    {Word, "if_then_else", kSelect},
    {Word, "ifelse", kSelect},
    {Word, "cast", kCast},
    {Word, "static_cast", kCast},
    {Word, "astype", kCast},
    {Word, "reinterpret", "write bits(x), or from_bits(f32, n)"},
    {Word, "reinterpret_cast", "write bits(x), or from_bits(f32, n)"},
    {Word, "likely", "leave it out: loops are divided where conditions stop to matter"},
    {Word, "saturating_cast", "write saturate(u8, x), with the type first"},
    {Word, "clip", "write clamp(x, least, greatest)"},
    {Word, "fminf", "write fmin"},
    {Word, "fmaxf", "write fmax"},
    {Word, "fabs", "write abs"},
    {Word, "fabsf", "write abs"},
    {Word, "absd", "write max(a, b) - min(a, b)"},
    {Word, "expf", "write exp"},
    {Word, "logf", "write log"},
    {Word, "ln", "write log, which is the natural one"},
    {Word, "sqrtf", "write sqrt"},
    {Word, "sinf", "write sin"},
    {Word, "cosf", "write cos"},
    {Word, "tanhf", "write tanh"},
    {Word, "erff", "write erf"},
    {Word, "powf", "write pow"},
    {Word, "floorf", "write floor"},
    {Word, "ceilf", "write ceil"},
    {Word, "roundf", "write round, which rounds a half to the even side"},
    {Word, "rint", "write round"},
    {Word, "nearbyint", "write round"},
    {Word, "fmaf", "write fma"},
    {Word, "rsqrtf", "write rsqrt"},
    {Word, "trunc", "write select(x < 0.0, ceil(x), floor(x))"},
    {Word, "exp2", "write pow(2.0, x)"},
    {Word, "exp10", "write pow(10.0, x)"},
    {Word, "log2", "write log(x)/0.6931471805599453"},
    {Word, "log10", "write log(x)/2.302585092994046"},
    {Word, "tan", "write sin(x)/cos(x)"},
    {Word, "sigmoid", "write 1.0/(1.0 + exp(-x))"},
    {Word, "relu", "write max(x, 0.0)"},
    {Word, "square", "write x**2"},
    {Word, "lerp", "write a + (b - a)*t"},
    {Word, "fast_exp", kFast},
    {Word, "fast_log", kFast},
    {Word, "fast_pow", kFast},
    {Word, "fast_sin", kFast},
    {Word, "fast_cos", kFast},
    {Word, "fast_inverse_sqrt", kFast},
    {Word, "isnan", "write x != x"},
    {Word, "is_nan", "write x != x"},
    {Word, "isinf", "write abs(x) == inf"},
    {Word, "is_inf", "write abs(x) == inf"},
    {Word, "isfinite", "write abs(x) < inf"},
    {Word, "is_finite", "write abs(x) < inf"},
    {Word, "fmod",
     "write let q = a/b in a - b*select(q < 0.0, ceil(q), floor(q)), which rounds the quotient"},
    {Word, "div", kDivide},
    {Word, "mod", "write %"},
    {Word, "floordiv", kDivide},
    {Word, "floormod", "write %"},
    {Word, "indexdiv", "write /"},
    {Word, "indexmod", "write %"},
    {Word, "range", "a range is written 0..N"},
    {Word, "len", "extents are params: param N = 512"},
    {Word, "reduce_axis", "axes stand with the reduction: sum[k in 0..K](…)"},
    {Word, "maximum", "write max(a, b), or of an axis max[k in 0..K](…)"},
    {Word, "minimum", "write min(a, b), or of an axis min[k in 0..K](…)"},
    {Word, "product", "write prod[k in 0..K](…)"},
};

const Words kTypes = {
    {Type, "float", "f32"},       {Type, "double", "f64"},    {Type, "half", "f16"},
    {Type, "Float", "f32"},       {Type, "float16", "f16"},   {Type, "float32", "f32"},
    {Type, "float64", "f64"},     {Type, "float16_t", "f16"}, {Type, "bfloat16", "bf16"},
    {Type, "bfloat16_t", "bf16"}, {Type, "int", "i32"},       {Type, "Int", "i32"},
    {Type, "UInt", "u32"},        {Type, "unsigned", "u32"},  {Type, "uint", "u32"},
    {Type, "char", "i8"},         {Type, "short", "i16"},     {Type, "long", "i64"},
    {Type, "size_t", "u64"},      {Type, "int8", "i8"},       {Type, "int16", "i16"},
    {Type, "int32", "i32"},       {Type, "int64", "i64"},     {Type, "uint8", "u8"},
    {Type, "uint16", "u16"},      {Type, "uint32", "u32"},    {Type, "uint64", "u64"},
    {Type, "int8_t", "i8"},       {Type, "int16_t", "i16"},   {Type, "int32_t", "i32"},
    {Type, "int64_t", "i64"},     {Type, "uint8_t", "u8"},    {Type, "uint16_t", "u16"},
    {Type, "uint32_t", "u32"},    {Type, "uint64_t", "u64"},  {Type, "boolean", "bool"},
    {Type, "Bool", "bool"},       {Suffix, "f", "f32"},       {Suffix, "F", "f32"},
    {Suffix, "h", "f16"},         {Suffix, "u", "u32"},       {Suffix, "U", "u32"},
    {Suffix, "l", "i64"},         {Suffix, "L", "i64"},       {Suffix, "ll", "i64"},
    {Suffix, "LL", "i64"},        {Suffix, "ul", "u64"},      {Suffix, "UL", "u64"},
    {Suffix, "ull", "u64"},       {Suffix, "ULL", "u64"},
};

constexpr std::string_view kIndices = "indices are named where they are used: stage S[x, y] = EXPR";
constexpr std::string_view kAxes = "axes stand with the reduction, sum[k in 0..K](…), or behind an "
                                   "update: update S[…] += EXPR over k in 0..K";
constexpr std::string_view kStage = "write stage S[x, y] = EXPR";
constexpr std::string_view kInput = "write input A[i, k]: f32[M, K]";
constexpr std::string_view kOutput = "write output S: [H, W]";
constexpr std::string_view kNoFiles = "a pipeline is one file, which names no others";
constexpr std::string_view kSchedule = "how loops run is said by a schedule, a .sched file";

const Words kStatements = {
    {Statement, "Var", kIndices},
    {Statement, "RDom", kAxes},
    {Statement, "RVar", kAxes},
    {Statement, "Func", kStage},
    {Statement, "compute", kStage},
    {Statement, "Buffer", kInput},
    {Statement, "ImageParam", kInput},
    {Statement, "Input", kInput},
    {Statement, "placeholder", kInput},
    {Statement, "Output", kOutput},
    {Statement, "return", kOutput},
    {Statement, "let", "write const NAME = EXPR, or inside of an expression let t = EXPR in EXPR"},
    {Statement, "auto", "write const NAME = EXPR, or stage S[i] = EXPR"},
    {Statement, "var", "write const NAME = EXPR, or stage S[i] = EXPR"},
    {Statement, "Expr", "write def NAME(x) = EXPR, or const NAME = EXPR"},
    {Statement, "Param", "write param N = 512"},
    {Statement, "void", "write def NAME(x) = EXPR"},
    {Statement, "function", "write def NAME(x) = EXPR"},
    {Statement, "elif", "write } else if CONDITION {"},
    {Statement, "while", "write for i in 0..N { … }"},
    {Statement, "import", kNoFiles},
    {Statement, "from", kNoFiles},
    {Statement, "using", kNoFiles},
    {Statement, "include", kNoFiles},
    {Statement, "schedule", kSchedule},
    {Statement, "parallel", kSchedule},
    {Statement, "vectorize", kSchedule},
    {Statement, "unroll", kSchedule},
};

constexpr std::string_view kBind =
    "bind a loop to each level: S.bind(a, block.x), S.bind(b, thread.x)";
constexpr std::string_view kAhead = "S.pipeline(n) computes S ahead, into n slots of its memory";
constexpr std::string_view kExtents = "extents follow from those of the outputs in the pipeline";
constexpr std::string_view kRun = "a script says how alone; `loopscope-cli run` runs it";
constexpr std::string_view kRename = "stages and loops have names, by which lines speak of them";
constexpr std::string_view kUnnamed = "lowering does so by itself";

const Words kDirectives = {
    {Directive, "compute_inline", "write inline()"},
    {Directive, "reverse_compute_inline", "write inline() for the stage that is read"},
    {Directive, "eager_inline", "write inline()"},
    {Directive, "store_in", "write scope(M)"},
    {Directive, "set_scope", "write scope(M)"},
    {Directive, "in", "write B = S.cache_read(X, M)"},
    {Directive, "clone_in", "write B = S.cache_read(X, M)"},
    {Directive, "align_storage", "write pad_storage(index, elements)"},
    {Directive, "storage_align", "write pad_storage(index, elements)"},
    {Directive, "transform_layout", "write reorder_storage(indices…)"},
    {Directive, "fold_storage", "memory folds by itself where store_at is outside of compute_at"},
    {Directive, "rolling_buffer", "memory folds by itself where store_at is outside of compute_at"},
    {Directive, "hoist_storage", "write store_at(C, a), or store_root()"},
    {Directive, "async", kAhead},
    {Directive, "ring_buffer", kAhead},
    {Directive, "double_buffer", kAhead},
    {Directive, "software_pipeline", kAhead},
    {Directive, "gpu", kBind},
    {Directive, "gpu_blocks", kBind},
    {Directive, "gpu_threads", kBind},
    {Directive, "gpu_lanes", kBind},
    {Directive, "gpu_single_thread", "a kernel whose loops are bound to no level has one thread"},
    {Directive, "parallelize", "write parallel"},
    {Directive, "parallelise", "write parallel"},
    {Directive, "interchange", "write reorder(a, b, …)"},
    {Directive, "permute", "write reorder(a, b, …)"},
    {Directive, "strip_mine", "write split(a, ao, ai, F)"},
    {Directive, "merge", "write compute_with(C, a)"},
    {Directive, "pad_einsum", "write split(a, ao, ai, F, pad)"},
    {Directive, "allow_race_conditions", "write atomic()"},
    {Directive, "bound", kExtents},
    {Directive, "bound_extent", kExtents},
    {Directive, "align_bounds", kExtents},
    {Directive, "align_extent", kExtents},
    {Directive, "set_estimate", kExtents},
    {Directive, "set_estimates", kExtents},
    {Directive, "estimate", kExtents},
    {Directive, "realize", kRun},
    {Directive, "compile_jit", kRun},
    {Directive, "get_block", kRename},
    {Directive, "get_loops", kRename},
    {Directive, "partition", kUnnamed},
    {Directive, "loop_partition", kUnnamed},
    {Directive, "decompose_reduction", kUnnamed},
    {Directive, "print_loop_nest", "`loopscope-cli tree` prints the loops"},
};

const Words kPlaces = {
    {Level, "blockIdx.x", "block.x"},
    {Level, "blockIdx.y", "block.y"},
    {Level, "blockIdx.z", "block.z"},
    {Level, "threadIdx.x", "thread.x"},
    {Level, "threadIdx.y", "thread.y"},
    {Level, "threadIdx.z", "thread.z"},
    {Level, "vthread.x", "vthread"},
    {Level, "vthread.y", "vthread"},
    {Level, "vthread.z", "vthread"},
    {Level, "gpu_block", "block.x"},
    {Level, "gpu_thread", "thread.x"},
    {Scope, "shared.dyn", "shared"},
    {Scope, "GPUShared", "shared"},
    {Scope, "Heap", "global"},
    {Scope, "heap", "global"},
    {Scope, "Stack", "local"},
    {Scope, "stack", "local"},
    {Scope, "Register", "register"},
    {Scope, "wmma.matrix_a", "fragment"},
    {Scope, "wmma.matrix_b", "fragment"},
    {Scope, "wmma.accumulator", "fragment"},
    {Scope, "warp", "fragment"},
    {Tail, "GuardWithIf", "guard"},
    {Tail, "Predicate", "guard"},
    {Tail, "PredicateLoads", "guard"},
    {Tail, "PredicateStores", "guard"},
    {Tail, "ShiftInwards", "shift"},
    {Tail, "ShiftInwardsAndBlend", "shift"},
    {Tail, "RoundUp", "pad"},
    {Tail, "RoundUpAndBlend", "pad"},
};

const ForeignWord* find_word(ForeignPlace place, std::string_view word) {
    const auto& all = foreign_words();
    const auto found = std::find_if(all.begin(), all.end(), [&](const ForeignWord& entry) {
        return entry.place == place && entry.word == word;
    });
    return found == all.end() ? nullptr : &*found;
}

} // namespace

const std::vector<ForeignWord>& foreign_words() {
    static const Words all = [] {
        Words out;
        for (const auto* part :
             {&kSigns, &kOperators, &kFunctions, &kTypes, &kStatements, &kDirectives, &kPlaces})
            out.insert(out.end(), part->begin(), part->end());
        return out;
    }();
    return all;
}

std::string foreign_remedy(ForeignPlace place, std::string_view word) {
    if (const auto* found = find_word(place, word)) {
        const bool alone = place == Type || place == Suffix || place >= Level;
        return (alone ? "write " : "") + std::string(found->ours);
    }
    const auto* type = find_word(Type, word);
    if (type && place == Word)
        return "a cast is written " + std::string(type->ours) + "(…)";
    if (type && place == Statement)
        return "a type stands behind the name: stage S[i]: " + std::string(type->ours) + " = EXPR";
    return {};
}

} // namespace loopscope
