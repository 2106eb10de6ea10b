#include "tests/views/sample_graphs.h"

#include <algorithm>
#include <random>

namespace loopscope::views::test {

GraphDescription chain_with_common_input(int stages) {
    GraphDescription g = chain_with_skips(stages + 1, stages + 1);
    const int input = static_cast<int>(g.nodes.size());
    g.nodes.push_back({90, 42, -1});
    for (int k = 1; k <= stages; ++k)
        g.edges.push_back({input, k, 48, 14});
    return g;
}

GraphDescription all_read_all(int nodes) {
    GraphDescription g;
    for (int n = 0; n < nodes; ++n) {
        g.nodes.push_back({110, 42, -1});
        for (int before = 0; before < n; ++before)
            g.edges.push_back({before, n, 48, 14});
    }
    return g;
}

GraphDescription chain_with_skips(int nodes, int back) {
    GraphDescription g;
    for (int n = 0; n < nodes; ++n) {
        g.nodes.push_back({110, 42, -1});
        if (n > 0)
            g.edges.push_back({n - 1, n, 48, 14});
        if (n >= back)
            g.edges.push_back({n - back, n, 48, 14});
    }
    return g;
}

GraphDescription chain_of_blocks(int blocks) {
    GraphDescription g;
    for (int b = 0; b < blocks; ++b) {
        const bool enclosed = b % 4 == 0;
        for (int n = 0; n < 5; ++n) {
            const int at = 5 * b + n;
            g.nodes.push_back({90.0 + 10 * n, 36, enclosed ? g.groups : -1});
            if (at > 0)
                g.edges.push_back({at - 1, at, 0, 0});
            if (n == 4 && b > 0)
                g.edges.push_back({5 * b - 1, at, 30, 12});
        }
        g.groups += enclosed;
    }
    return g;
}

GraphDescription random_graph(unsigned seed) {
    std::mt19937 random(seed);
    GraphDescription g;
    const int count = 2 + static_cast<int>(random() % 60);
    g.groups = static_cast<int>(random() % 4);
    // Enclosures are runs of nodes, as kernels' are.
    for (int n = 0; n < count; ++n)
        g.nodes.push_back({40.0 + random() % 80, 20.0 + random() % 30,
                           g.groups > 0 && random() % 3 ? n * g.groups / count : -1});
    for (int e = 0; e < 2 * count; ++e) {
        const int a = static_cast<int>(random() % count), b = static_cast<int>(random() % count);
        if (a != b)
            g.edges.push_back({std::min(a, b), std::max(a, b), 0, 0});
    }
    return g;
}

} // namespace loopscope::views::test
