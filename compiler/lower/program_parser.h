#pragma once
// Reads the text form of loop programs: parse_program(to_text_with_origins(p)) equals p, and
// without origins all but the origins. Golden tests write programs in it.
//
//     program matmul [flat]
//     symbol L = 128                                       its hint
//     input A: f32[512, 512]
//     output C: f32[514, 512] from [-1, 0] window [512, 512]
//     buffer T: f32[512, 512] at 0                         1
//     launch matmul on host (A, C) {
//         parallel for io in 0..64 {  @ C/io               2
//             for k: i64 in 2..10 {                        or a..+n: n iterations from a
//                 let t = 2*io + 1                         covers the rest of the body; or { … }
//                 allocate acc: f32[8, 16] in register     3
//                 if t < 8 and k > 2i64 {
//                     acc[t, ramp(0, 1, 8)] = broadcast(A[t, 0], 8)
//                 } else {
//                     C[t, k where k < 5i64] = 0.0         a masked store; A[i where m]: load
//                 }
//                 atomic C[t, 0] += 1.0                    4
//                 stream C[t, 1] = 2.0                     a store past the caches
//                 prefetch A[t + 1, 0]
//                 evaluate t
//                 barrier block                            on a device; block or warp
//                 copy tok As[t, 0] = A[t, 0]              arrives after wait; where m as above
//                 acquire tok                              also: commit, wait tok 1, release
//                 intrinsic mma acc[0], fa[4*t], fb[0]     on buffers from elements on
//                 intrinsic reduce_sum p[0] over thread.x  of the threads along a level
//             }
//         }
//     }
//
// 1  the device's, for several launches; its offset in their memory, if planned
// 2  also: unrolled, vectorised, bound LEVEL; the origin after @
// 3  [align N] [rotate N [over LOOP as TOKEN]] [at N]; covers the rest of the body, or { … }
// 4  also: *= max= min= and= or=; where m as above
//
// A number without a suffix has the type of its neighbour in an operation, of the stored buffer or
// the loop variable; else it is an i32 or f32.

#include "compiler/lower/program.h"
#include "core/base/result.h"

namespace loopscope::lower {

// Errors: syntax, unknown names and types that do not agree, with their places. What the verifier
// checks is not checked here.
Result<Program> parse_program(SourceFilePtr file);
Result<Program> parse_program(const std::string& text);

} // namespace loopscope::lower
