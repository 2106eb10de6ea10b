#include "compiler/codegen/c/names.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace loopscope::codegen {

namespace {

// Words that a name of ours must not be: keywords (C11, C23, GNU), macros and types of the headers,
// and functions that a definition of ours would replace for the whole program, or that the file
// itself calls.
constexpr const char* kTaken = R"(
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof asm bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual fortran near far
main linux unix i386 vax sun errno assert offsetof stdin stdout stderr environ complex imaginary I noreturn
NULL EOF BUFSIZ RAND_MAX EXIT_SUCCESS EXIT_FAILURE NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL MATH_ERRNO MATH_ERREXCEPT
math_errhandling isnan isinf isfinite isnormal signbit fpclassify isgreater isless isgreaterequal islessequal
islessgreater isunordered FLT_EVAL_METHOD FLT_RADIX FLT_MAX FLT_MIN DBL_MAX DBL_MIN CHAR_BIT SEEK_SET SEEK_CUR SEEK_END
size_t ptrdiff_t wchar_t intptr_t uintptr_t intmax_t uintmax_t float_t double_t div_t ldiv_t lldiv_t fpos_t FILE
va_list va_start va_end va_arg max_align_t time_t clock_t
acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp log log10 log1p log2
logb modf scalbn scalbln cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint llrint round
lround llround trunc fmod remainder remquo copysign nan nextafter nexttoward fdim fmax fmin fma j0 j1 jn y0 y1 yn gamma
signgam drem significand finite scalb exp10 pow10 sincos roundeven
acosf asinf atanf atan2f cosf sinf tanf acoshf asinhf atanhf coshf sinhf tanhf expf exp2f expm1f frexpf ilogbf ldexpf
logf log10f log1pf log2f logbf modff scalbnf scalblnf cbrtf fabsf hypotf powf sqrtf erff erfcf lgammaf tgammaf ceilf
floorf nearbyintf rintf lrintf llrintf roundf lroundf llroundf truncf fmodf remainderf remquof copysignf nanf nextafterf
nexttowardf fdimf fmaxf fminf fmaf j0f j1f jnf y0f y1f ynf
abort abs aligned_alloc at_quick_exit atexit atof atoi atol atoll bsearch calloc div exit free getenv labs ldiv llabs
lldiv malloc mblen mbstowcs mbtowc qsort quick_exit rand realloc srand strtod strtof strtol strtold strtoll strtoul
strtoull system wcstombs wctomb random srandom drand48 setenv putenv unsetenv mkstemp mktemp a64l l64a ecvt fcvt gcvt
memchr memcmp memcpy memmove memset memccpy mempcpy memmem strcat strchr strcmp strcoll strcpy strcspn strerror strlen
strncat strncmp strncpy strpbrk strrchr strspn strstr strtok strxfrm strdup strndup strsep stpcpy index rindex bcopy
bzero bcmp ffs
clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputs fread freopen fscanf fseek fsetpos ftell
fwrite getc getchar gets perror printf putc putchar puts remove rename rewind scanf setbuf setvbuf snprintf sprintf
sscanf tmpfile tmpnam ungetc vfprintf vprintf vsnprintf vsprintf fileno fdopen popen pclose getline dprintf
isalnum isalpha isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit tolower toupper
asctime clock ctime difftime gmtime localtime mktime strftime time raise signal longjmp setjmp setlocale localeconv
accept access acct alarm bind brk chdir chmod chown chroot clone close closedir connect creat daemon dup dup2 execl
execle execlp execv execve execvp fchmod fchown fcntl fork fstat fsync ftruncate getcwd getegid geteuid getgid getpid
getppid getuid ioctl isatty kill link listen lockf lseek lstat mkdir mkfifo mknod mlock mmap mount mprotect msync munmap
nanosleep nice open opendir pause pipe poll ppoll pread ptrace pwrite read readdir readlink readv recv rmdir sbrk select
send setgid setuid shutdown sigaction sigprocmask sleep socket stat statfs symlink sync syscall sysconf sysinfo times
truncate ttyname umask umount uname unlink usleep utime vfork wait waitpid write writev yield basename dirname glob
regcomp regexec regfree getopt optarg optind opterr optopt encrypt crypt swab lfind lsearch hsearch tsearch tfind insque
remque dlopen dlsym dlclose dlerror user timezone daylight tzname tzset environ program_invocation_name err errx warn
warnx error verr argv argc usage allocate SIMD PARALLEL_FOR UNROLL
)";

const std::set<std::string>& taken() {
    static const std::set<std::string> words = [] {
        std::set<std::string> set;
        std::istringstream in(kTaken);
        for (std::string word; in >> word;)
            set.insert(word);
        return set;
    }();
    return words;
}

bool starts_with(const std::string& text, const char* prefix) { return text.rfind(prefix, 0) == 0; }
bool ends_with(const std::string& text, const std::string& suffix) {
    return text.size() >= suffix.size() &&
           text.compare(text.size() - suffix.size(), suffix.size(), suffix) == 0;
}

// Families of names that belong to the compiler, the library, POSIX or OpenMP.
bool in_taken_family(const std::string& name) {
    for (auto prefix :
         {"_",       "omp_",  "OMP_",         "ompt_", "GOMP",   "kmp",    "pthread_", "sem_",
          "INT8",    "INT16", "INT32",        "INT64", "INTMAX", "INTPTR", "UINT",     "FLT_",
          "DBL_",    "LDBL_", "FP_",          "PRI",   "SCN",    "SIG",    "LC_",      "ATOMIC_",
          "atomic_", "npy_",  "memory_order", "M_",    "E2BIG",  "std"})
        if (starts_with(name, prefix))
            return true;
    return ends_with(name, "_t") || ends_with(name, "_MAX") || ends_with(name, "_MIN") ||
           ends_with(name, "_WIDTH");
}

} // namespace

std::string c_identifier(const std::string& name) {
    std::string out;
    for (char c : name)
        out += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])))
        out = "v" + out;
    return out;
}

bool CNames::is_free(const std::string& name) const {
    return !taken().count(name) && !in_taken_family(name) && !reserved_.count(name) &&
           !visible_.count(name);
}

std::string CNames::distinct(const std::string& wanted) const {
    auto name = c_identifier(wanted);
    if (name[0] == '_')
        name = "v" + name;
    if (in_taken_family(name)) // a suffix alone does not leave a family of prefixes
        name = "v_" + name + (in_taken_family("v_" + name) ? "_" : "");
    if (taken().count(name))
        name += "_";
    if (is_free(name))
        return name;
    for (int n = 2;; ++n)
        if (auto numbered = name + "_" + std::to_string(n); is_free(numbered))
            return numbered;
}

std::string CNames::external(const std::string& wanted) { return unique(wanted); }

std::string CNames::unique(const std::string& wanted) {
    auto name = distinct(wanted);
    reserved_.insert(name);
    return name;
}

std::string CNames::scoped(const std::string& wanted) {
    auto name = distinct(wanted);
    visible_.insert(name);
    if (!scopes_.empty())
        scopes_.back().push_back(name);
    return name;
}

void CNames::close_scope() {
    for (const auto& name : scopes_.back())
        visible_.erase(name);
    scopes_.pop_back();
}

} // namespace loopscope::codegen
