// The triangular and symmetric products of BLAS and PolyBench's doitgen as plain loops (see
// independent.h).
#pragma once

#include "tests/programs/independent.h"

#include <vector>

namespace independent {

// trmm.loop, in place as PolyBench has it. a: [m, m]; b, result: [m, n].
std::vector<float> trmm(int m, int n, float alpha, const std::vector<float>& a,
                        std::vector<float> b, Accumulation accumulation);

// syrk.loop. a: [n, k]; c, result: [n, n].
std::vector<float> syrk(int n, int k, float alpha, float beta, const std::vector<float>& a,
                        std::vector<float> c, Accumulation accumulation);

// syr2k.loop. a, b: [n, k]; c, result: [n, n].
std::vector<float> syr2k(int n, int k, float alpha, float beta, const std::vector<float>& a,
                         const std::vector<float>& b, std::vector<float> c,
                         Accumulation accumulation);

// doitgen.loop, in place as PolyBench has it. a, result: [r, q, p]; c4: [p, p].
std::vector<float> doitgen(int r, int q, int p, std::vector<float> a, const std::vector<float>& c4,
                           Accumulation accumulation);

} // namespace independent
