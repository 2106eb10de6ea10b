// The vendor's own calculator, where a CUDA toolkit is found: it is a header for any C++ compiler,
// which a small program includes. Thousands of random blocks on every described GPU must give the
// same blocks and the same limits.
#include "compiler/measure/host_device.h"
#include "core/device/generic_gpu.h"
#include "core/device/occupancy.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

namespace loopscope::device {
namespace occupancy_header {

// Reads one case a line, and writes for each what the calculator says: an error is 0 blocks.
const char* const kProgram = R"(
#include "cuda_occupancy.h"
#include <cstdio>
int main() {
    cudaOccDeviceProp p;
    cudaOccFuncAttributes f;
    cudaOccDeviceState s;
    int threads;
    size_t dynamic;
    while (std::scanf("%d %d %d %d %d %d %d %zu %zu %d %zu %zu %d %d %zu %zu %d %d", &p.computeMajor,
                      &p.computeMinor, &p.maxThreadsPerBlock, &p.maxThreadsPerMultiprocessor,
                      &p.regsPerBlock, &p.regsPerMultiprocessor, &p.warpSize, &p.sharedMemPerBlock,
                      &p.sharedMemPerMultiprocessor, &p.numSms, &p.sharedMemPerBlockOptin,
                      &p.reservedSharedMemPerBlock, &threads, &f.numRegs, &f.sharedSizeBytes,
                      &dynamic, &f.numBlockBarriers, &s.carveoutConfig) == 18) {
        f.maxThreadsPerBlock = p.maxThreadsPerBlock;
        f.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
        f.maxDynamicSharedSizeBytes = dynamic;
        cudaOccResult r = {};
        bool good = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &p, &f, &s, threads, dynamic) ==
                    CUDA_OCC_SUCCESS;
        std::printf("%d %d %d %d %d %d %d %zu\n", good ? r.activeBlocksPerMultiprocessor : 0,
                    r.blockLimitWarps, r.blockLimitRegs, r.blockLimitSharedMem, r.blockLimitBlocks,
                    r.blockLimitBarriers, r.allocatedRegistersPerBlock,
                    r.allocatedSharedMemPerBlock);
    }
}
)";

std::string include_folder() {
    std::vector<std::string> folders{"/usr/local/cuda/include", "/usr/include",
                                     "/usr/local/include"};
    for (auto name : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* root = std::getenv(name))
            folders.insert(folders.begin(), root + std::string("/include"));
    for (const auto& folder : folders)
        if (std::filesystem::exists(folder + "/cuda_occupancy.h"))
            return folder;
    return {};
}

bool run(const std::string& command) { return std::system(command.c_str()) == 0; }

struct Case {
    const Device* device;
    BlockResources block;
};

// Sizes from nothing to too much, often at the edges where another unit or another size of shared
// memory begins.
Case random_case(const std::vector<Device>& devices, std::mt19937_64& random) {
    auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    Case c;
    c.device = &devices[static_cast<std::size_t>(below(static_cast<std::int64_t>(devices.size())))];
    const auto& l = c.device->gpu->limits;
    c.block.threads = static_cast<int>(below(2) ? 32 * (1 + below(33)) : 1 + below(1100));
    // Up to 64 a thread any block may have. 256, which no compiler makes, the calculator lets pass
    // on these architectures; more it does not.
    c.block.registers_per_thread = static_cast<int>(below(50) == 0 ? 257 + below(100)
                                                    : below(2)     ? below(65)
                                                                   : below(256));
    const auto& sizes = l.shared_carveouts_bytes;
    const auto size =
        sizes[static_cast<std::size_t>(below(static_cast<std::int64_t>(sizes.size())))];
    switch (below(4)) {
    case 0: break;
    case 1: c.block.shared_bytes = below(8192); break;
    case 2: c.block.shared_bytes = below(l.shared_bytes_per_block * 11 / 10); break;
    default:
        c.block.shared_bytes =
            std::max<std::int64_t>(0, size / (1 + below(8)) - 1024 * below(2) + below(5) - 2);
    }
    c.block.barriers = static_cast<int>(below(17));
    if (below(2))
        c.block.carveout_percent = static_cast<int>(below(101));
    return c;
}

void write_case(std::ostream& out, const Case& c, std::mt19937_64& random) {
    const auto& gpu = *c.device->gpu;
    const auto& l = gpu.limits;
    // A part of the memory may be declared in the kernel; what counts is the sum.
    const auto fixed =
        random() % 2 ? std::min<std::int64_t>(c.block.shared_bytes, l.shared_bytes_per_block_static)
                     : 0;
    out << gpu.capability().major << ' ' << gpu.capability().minor << ' ' << l.threads_per_block
        << ' ' << l.threads_per_multiprocessor << ' ' << l.registers_per_block << ' '
        << l.registers_per_multiprocessor << ' ' << gpu.warp_threads << ' '
        << l.shared_bytes_per_block_static << ' ' << l.shared_bytes_per_multiprocessor << ' '
        << gpu.multiprocessors << ' ' << l.shared_bytes_per_block << ' '
        << l.shared_bytes_reserved_per_block << ' ' << c.block.threads << ' '
        << c.block.registers_per_thread << ' ' << fixed << ' ' << c.block.shared_bytes - fixed
        << ' ' << c.block.barriers << ' ' << c.block.carveout_percent.value_or(-1) << '\n';
}

std::string described(const Case& c) {
    const auto& b = c.block;
    return c.device->name + ": " + std::to_string(b.threads) + " threads, " +
           std::to_string(b.registers_per_thread) + " registers, " +
           std::to_string(b.shared_bytes) + " bytes, " + std::to_string(b.barriers) +
           " barriers, carve-out " + std::to_string(b.carveout_percent.value_or(-1));
}

// What the calculator says of one case, in our words.
void expect_equal(const Case& c, std::istream& theirs) {
    int blocks = 0, registers_of_block = 0;
    int limits[5] = {};
    std::int64_t shared_of_block = 0;
    theirs >> blocks;
    for (int& limit : limits)
        theirs >> limit;
    theirs >> registers_of_block >> shared_of_block;
    ASSERT_TRUE(theirs) << "the program ended early";
    auto ours = occupancy(*c.device, c.block);
    ASSERT_EQ(ours.ok(), blocks > 0) << described(c) << (ours ? "" : format(ours.errors()));
    if (!ours)
        return;
    ASSERT_EQ(ours->blocks, blocks) << described(c);
    for (std::size_t i = 0; i < 5; ++i) // warps, registers, shared memory, blocks, barriers
        ASSERT_EQ(ours->limits[i].blocks.value_or(INT_MAX), limits[i])
            << described(c) << ", " << ours->limits[i].name;
    ASSERT_EQ(ours->registers_per_block, registers_of_block) << described(c);
    ASSERT_EQ(ours->shared_bytes_per_block, shared_of_block) << described(c);
}

TEST(OccupancyHeader, RandomBlocksAgreeWithTheVendorsCalculator) {
    const auto folder = include_folder();
    if (folder.empty())
        GTEST_SKIP() << "no CUDA toolkit here: cuda_occupancy.h is not found";
    if (!run("c++ --version > /dev/null 2>&1"))
        GTEST_SKIP() << "no C++ compiler is called c++ here";
    const auto scratch = test::scratch_folder();
    std::ofstream(scratch + "/calculator.cpp") << kProgram;
    ASSERT_TRUE(run("c++ -std=c++17 -O1 -w -isystem '" + folder + "' -o '" + scratch +
                    "/calculator' '" + scratch + "/calculator.cpp'"));

    std::vector<Device> devices{generic_gpu()};
    for (auto name : {"v100", "rtx2080ti", "agx-xavier", "a100-sxm-40gb", "a100-pcie-40gb",
                      "rtx3090", "h100-sxm", "h200"}) {
        auto device = measure::load_device_file(
            test::source_path(std::string("resources/devices/") + name + ".json"));
        ASSERT_TRUE(device) << format(device.errors());
        devices.push_back(*device);
    }
    const auto seed = test::setting("LOOPSCOPE_SEED", 1);
    SCOPED_TRACE("LOOPSCOPE_SEED=" + std::to_string(seed));
    std::mt19937_64 random(seed);
    std::vector<Case> cases;
    std::ofstream input(scratch + "/cases");
    for (std::uint64_t i = 0; i < test::setting("LOOPSCOPE_CASES", 50000); ++i) {
        cases.push_back(random_case(devices, random));
        write_case(input, cases.back(), random);
    }
    input.close();
    ASSERT_TRUE(
        run("'" + scratch + "/calculator' < '" + scratch + "/cases' > '" + scratch + "/results'"));
    std::ifstream results(scratch + "/results");
    int runnable = 0;
    for (const auto& c : cases) {
        expect_equal(c, results);
        if (HasFatalFailure())
            return;
        runnable += occupancy(*c.device, c.block).ok();
    }
    EXPECT_GT(runnable, static_cast<int>(cases.size()) / 2) << "most blocks should be possible";
    EXPECT_LT(runnable, static_cast<int>(cases.size())) << "and some should not";
}

} // namespace occupancy_header
} // namespace loopscope::device
