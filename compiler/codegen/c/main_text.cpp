#include "compiler/codegen/c/main_text.h"

#include "compiler/codegen/c/helpers.h"

namespace loopscope::codegen {

namespace {

// Everything is static and prefixed: it stands beside a function whose name a pipeline chose.
constexpr const char* kReader = R"(
// --- Running on NumPy's .npy files -------------------------------------------------------------------------------

enum { NPY_DIMENSIONS = 32, NPY_HEADER = 65536 };

// An array as the function has it, `extents`, and as a file has it: the window of `shape` that begins at `first`.
struct npy_argument {
    const char *name, *type; // the type as NumPy writes it: "<f4"
    size_t size;             // bytes of an element
    bool output;
    int rank;
    int64_t extents[NPY_DIMENSIONS], shape[NPY_DIMENSIONS], first[NPY_DIMENSIONS];
    const char *path; // null: not given
    unsigned char *data;
};

static void npy_fail(const char *path, const char *what) {
    fprintf(stderr, "error: %s: %s\n", path, what);
    exit(EXIT_FAILURE);
}

static size_t npy_count(const struct npy_argument *a, const int64_t *extents) {
    size_t count = 1;
    for (int d = 0; d < a->rank; d++)
        count *= (size_t)extents[d];
    return count;
}

// The value of `key` in the header's dictionary: what follows "'key':"; null if it is not there.
static const char *npy_value(const char *header, const char *key) {
    size_t length = strlen(key);
    for (const char *at = header; (at = strchr(at, '\'')) != NULL; at++)
        if (strncmp(at + 1, key, length) == 0 && at[1 + length] == '\'') {
            at += length + 2;
            while (*at == ' ')
                at++;
            if (*at == ':') {
                at++;
                while (*at == ' ')
                    at++;
                return at;
            }
        }
    return NULL;
}

static void npy_check_type(const struct npy_argument *a, const char *header) {
    const char *type = npy_value(header, "descr"), *order = npy_value(header, "fortran_order");
    char message[160];
    bool fits = type && type[0] == '\'' && strncmp(type + 2, a->type + 1, strlen(a->type) - 1) == 0 &&
                type[1 + strlen(a->type)] == '\'' &&
                (type[1] == a->type[0] || (a->size == 1 && strchr("|<>=", type[1]) != NULL));
    if (!type || type[0] != '\'' || !order)
        npy_fail(a->path, "the header is damaged, or the type is no simple one");
    if (!fits) {
        int length = 0;
        while (length < 12 && type[1 + length] && type[1 + length] != '\'')
            length++;
        snprintf(message, sizeof message, "the type is '%.*s', but %s takes '%s'", length, type + 1, a->name, a->type);
        npy_fail(a->path, message);
    }
    if (strncmp(order, "False", 5) != 0)
        npy_fail(a->path, "the array is in Fortran's order; save numpy.ascontiguousarray of it");
}

static void npy_check_shape(const struct npy_argument *a, const char *header) {
    const char *at = npy_value(header, "shape");
    bool fits = at && *at == '(';
    for (int d = 0; fits && d < a->rank; d++) {
        char *end;
        at += strspn(at + 1, " ") + 1; // after the bracket or comma
        long long extent = *at >= '0' && *at <= '9' ? strtoll(at, &end, 10) : -1;
        fits = extent == a->shape[d];
        if (fits) {
            at = end + strspn(end, " ");
            fits = *at == ',' || (*at == ')' && d + 1 == a->rank);
        }
    }
    if (fits) { // a comma may follow the last extent
        if (a->rank == 0 || *at == ',')
            at += strspn(at + 1, " ") + 1;
        fits = *at == ')';
    }
    if (!fits) {
        fprintf(stderr, "error: %s: the shape is not that of %s, which is (", a->path, a->name);
        for (int d = 0; d < a->rank; d++)
            fprintf(stderr, "%s%lld", d ? ", " : "", (long long)a->shape[d]);
        fprintf(stderr, ")\n");
        exit(EXIT_FAILURE);
    }
}

static void npy_read(struct npy_argument *a) {
    unsigned char start[12];
    FILE *file = fopen(a->path, "rb");
    if (!file)
        npy_fail(a->path, "cannot be read");
    if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY", 6) != 0)
        npy_fail(a->path, "is no .npy file");
    if (start[6] < 1 || start[6] > 3)
        npy_fail(a->path, "is of a newer version of the .npy format");
    size_t length = start[8] | (size_t)start[9] << 8;
    if (start[6] > 1) {
        if (fread(start + 10, 1, 2, file) != 2)
            npy_fail(a->path, "is cut short");
        length |= (size_t)start[10] << 16 | (size_t)start[11] << 24;
    }
    char *header = length <= NPY_HEADER ? (char *)calloc(length + 1, 1) : NULL;
    if (!header)
        npy_fail(a->path, "the header is too long");
    if (fread(header, 1, length, file) != length)
        npy_fail(a->path, "is cut short");
    npy_check_type(a, header);
    npy_check_shape(a, header);
    free(header);
    size_t count = npy_count(a, a->shape);
    if (fread(a->data, a->size, count, file) != count)
        npy_fail(a->path, "is cut short");
    if (fgetc(file) != EOF)
        npy_fail(a->path, "holds more than its header says");
    fclose(file);
}

static bool npy_write_rows(const struct npy_argument *a, FILE *file) {
    int64_t index[NPY_DIMENSIONS] = {0};
    size_t row = a->rank > 0 ? (size_t)a->shape[a->rank - 1] : 1, count = npy_count(a, a->shape);
    for (size_t done = 0; done < count; done += row) {
        size_t at = 0;
        for (int d = 0; d < a->rank; d++)
            at = at * (size_t)a->extents[d] + (size_t)(index[d] + a->first[d]);
        if (fwrite(a->data + at * a->size, a->size, row, file) != row)
            return false;
        for (int d = a->rank - 2; d >= 0 && ++index[d] == a->shape[d]; d--)
            index[d] = 0;
    }
    return true;
}

static void npy_write(const struct npy_argument *a) {
    char header[1024];
    int length = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (", a->type);
    for (int d = 0; d < a->rank; d++)
        length += snprintf(header + length, sizeof header - (size_t)length, "%lld%s", (long long)a->shape[d],
                           d + 1 < a->rank ? ", " : a->rank == 1 ? "," : ""); // as NumPy: (3, 4), but (5,)
    length += snprintf(header + length, sizeof header - (size_t)length, "), }");
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10; // the data begin at a multiple of 64 bytes
    memset(header + length, ' ', (size_t)(padded - length - 1));
    header[padded - 1] = '\n';
    const unsigned char start[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (unsigned char)(padded & 255),
                                     (unsigned char)(padded >> 8)};
    FILE *file = fopen(a->path, "wb");
    if (!file)
        npy_fail(a->path, "cannot be written");
    bool good = fwrite(start, 1, 10, file) == 10 && fwrite(header, 1, (size_t)padded, file) == (size_t)padded &&
                npy_write_rows(a, file);
    if (fclose(file) != 0 || !good) {
        remove(a->path);
        npy_fail(a->path, "cannot be written");
    }
}
)";

constexpr const char* kFiles = R"(
static void usage(const char *program) {
    fprintf(stderr, "usage: %s", program);
    for (size_t i = 0; i < sizeof npy_arguments / sizeof *npy_arguments; i++)
        fprintf(stderr, " %s=FILE.npy", npy_arguments[i].name);
    fprintf(stderr, "\n");
    exit(2);
}

// The files' names from the command line: one for each array.
static void npy_name_files(int argc, char **argv) {
    const size_t count = sizeof npy_arguments / sizeof *npy_arguments;
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        struct npy_argument *found = NULL;
        for (size_t j = 0; equals && j < count; j++)
            if (strlen(npy_arguments[j].name) == (size_t)(equals - argv[i]) &&
                memcmp(npy_arguments[j].name, argv[i], (size_t)(equals - argv[i])) == 0)
                found = &npy_arguments[j];
        if (!found || found->path) {
            fprintf(stderr, "error: %s: %s\n", argv[i], found ? "is given twice" : "is no NAME=FILE of an array");
            usage(argv[0]);
        }
        found->path = equals + 1;
    }
    for (size_t i = 0; i < count; i++)
        if (!npy_arguments[i].path) {
            fprintf(stderr, "error: there is no file for %s\n", npy_arguments[i].name);
            usage(argv[0]);
        }
}

static void npy_allocate(struct npy_argument *a) {
    size_t bytes = (npy_count(a, a->extents) * a->size + 63) / 64 * 64;
    a->data = (unsigned char *)aligned_alloc(64, bytes ? bytes : 64);
    if (!a->data)
        npy_fail(a->name, "there is not enough memory");
}
)";

constexpr const char* kMain = R"(
int main(int argc, char **argv) {
    const size_t count = sizeof npy_arguments / sizeof *npy_arguments;
    npy_name_files(argc, argv);
    for (size_t i = 0; i < count; i++) {
        npy_allocate(&npy_arguments[i]);
        if (!npy_arguments[i].output)
            npy_read(&npy_arguments[i]);
    }
    npy_run();
    for (size_t i = 0; i < count; i++) {
        if (npy_arguments[i].output)
            npy_write(&npy_arguments[i]);
        free(npy_arguments[i].data);
    }
    return EXIT_SUCCESS;
}
)";

std::string npy_type(ScalarType t) {
    if (bytes(t) == 1)
        return is_bool(t) ? "|b1" : is_signed(t) ? "|i1" : "|u1";
    bool real = is_float(t) && t != ScalarType::BF16;
    return std::string("<") + (real ? "f" : is_signed(t) ? "i" : "u") + std::to_string(bytes(t));
}

std::string list(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (auto n : numbers)
        text += (text.empty() ? "{" : ", ") + std::to_string(n);
    return text.empty() ? "{0}" : text + "}";
}

std::vector<std::int64_t> constants(const std::vector<Extent>& extents) {
    std::vector<std::int64_t> out;
    for (const auto& e : extents)
        out.push_back(e.constant());
    return out;
}

// A line of a table of arrays, as struct npy_argument has them.
std::string table_line(const lower::Argument& a) {
    std::vector<std::int64_t> first(a.extents.size());
    for (std::size_t d = 0; d < a.mins.size(); ++d)
        first[d] = -a.mins[d];
    return "    {\"" + a.buffer + "\", \"" + npy_type(a.type) + "\", " +
           std::to_string(bytes(a.type)) + ", " +
           (a.role == lower::Role::Output ? "true" : "false") + ", " +
           std::to_string(a.extents.size()) + ", " + list(constants(a.extents)) + ", " +
           list(constants(a.window.empty() ? a.extents : a.window)) + ", " + list(first) +
           ", NULL, NULL},\n";
}

} // namespace

std::string arrays_text() { return kReader; }

std::string array_table(const std::vector<lower::Argument>& arrays, const std::string& name) {
    std::string table = "\nstatic struct npy_argument " + name + "[] = {\n";
    for (const auto& a : arrays)
        table += table_line(a);
    return table + "};\n";
}

std::string files_text() { return kFiles; }

std::string call_text(const lower::Program& program, const std::string& function,
                      const std::string& table, std::size_t first) {
    auto call = function + "(";
    for (std::size_t i = 0; i < program.arguments.size(); ++i) {
        const auto& a = program.arguments[i];
        call += std::string(i ? ",\n        " : "") + "(" +
                (a.role == lower::Role::Output ? "" : "const ") + c_memory_type(a.type) + " *)" +
                table + "[" + std::to_string(first + i) + "].data";
    }
    return call + ")";
}

std::string main_text(const lower::Program& program, const std::string& function) {
    const std::string table = "npy_arguments";
    return arrays_text() + array_table(program.arguments, table) +
           "\nstatic void npy_run(void) {\n    " + call_text(program, function, table) + ";\n}\n" +
           files_text() + kMain;
}

} // namespace loopscope::codegen
