#pragma once
// Is this build one with a sanitizer (scripts/sanitize.sh)? Those reserve terabytes of addresses
// and are several times slower. GCC defines a name for each, clang up to 19 answers a question.

#if defined(__SANITIZE_ADDRESS__)
#define LOOPSCOPE_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOOPSCOPE_ADDRESS_SANITIZER 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define LOOPSCOPE_THREAD_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define LOOPSCOPE_THREAD_SANITIZER 1
#endif
#endif

#if defined(LOOPSCOPE_ADDRESS_SANITIZER) || defined(LOOPSCOPE_THREAD_SANITIZER)
#define LOOPSCOPE_SANITIZED 1
#endif
