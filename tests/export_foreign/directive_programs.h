#pragma once
// Small pipelines for the cases of directives.

#include <string>

namespace loopscope::test {

inline constexpr const char* kStencil = "pipeline stencil\n"
                                        "input img[y, x]: f32[64, 96] boundary edge\n"
                                        "stage low[y, x] = img[y, x-1] + img[y, x+1]\n"
                                        "stage high[y, x] = low[y-1, x] - low[y, x]\n"
                                        "output high: [64, 96]\n";
inline constexpr const char* kPair = "pipeline pair\n"
                                     "input img[y, x]: f32[64, 96] boundary edge\n"
                                     "stage low[y, x] = img[y, x-1] + img[y, x+1]\n"
                                     "stage high[y, x] = img[y, x] - low[y, x]\n"
                                     "output low: [64, 96]\n"
                                     "output high: [64, 96]\n";
inline constexpr const char* kProduct = "pipeline product\n"
                                        "input A[i, k]: f32[64, 96]\n"
                                        "input B[k, j]: f32[96, 48]\n"
                                        "stage C[i, j] = sum[k in 0..96](A[i, k] * B[k, j])\n"
                                        "output C: [64, 48]\n";
inline constexpr const char* kCurve = "pipeline curve\n"
                                      "input a[i]: f32[64]\n"
                                      "stage s[i] = exp(a[i])\n"
                                      "output s: [64]\n";
// A copy of rows that is computed two tiles ahead of its use.
inline const std::string kAhead = "C.split(k, ko, ki, 8)\n"
                                  "C.reorder(i, ko, ki, j)\n"
                                  "As = C.cache_read(A, local)\n"
                                  "As.compute_at(C, ko)\n";

// Refused by the language, as no device that is described has what they need.
inline constexpr const char* kNoIntrinsic = "declares no intrinsic dot4";
inline constexpr const char* kNoTensorCores = "has no tensor cores";

} // namespace loopscope::test
