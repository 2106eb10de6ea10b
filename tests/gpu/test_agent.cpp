// loopscope-agent and peer.py by themselves: what they ask for, what they say, what they time.
#include "core/base/sanitized.h"
#include "tests/gpu/bundle_support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>

namespace loopscope {
namespace {

using nlohmann::json;
using test::overwrite;
using test::read_file;
using test::run_agent;
using test::scratch_folder;
using testing::HasSubstr;

TEST(Agent, NeedsNoMoreThanTheLibraryOfC) {
#if defined(LOOPSCOPE_SANITIZED)
    GTEST_SKIP() << "a sanitizer brings libraries of its own";
#endif
    const auto list = scratch_folder() + "/list";
    const auto command = "ldd '" + test::program_path("loopscope-agent") + "' > " + list;
    if (std::system(command.c_str()) != 0)
        GTEST_SKIP() << "no ldd here";
    const auto text = read_file(list);
    for (const auto* other : {"libstdc++", "libgcc", "libisl", "libtbb", "libpng", "hwloc", "LLVM"})
        EXPECT_THAT(text, testing::Not(HasSubstr(other)));
}

TEST(Peer, WithoutPyTorchItSaysSo) {
    const auto folder = scratch_folder();
    overwrite(folder + "/torch.py", "raise ImportError()\n");
    const auto command = "PYTHONPATH=" + folder + " PYTHONDONTWRITEBYTECODE=1 python3 '" +
                         test::source_path("resources/bundle/peer.py") + "' 2>" + folder + "/err";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 3);
    EXPECT_THAT(read_file(folder + "/err"), HasSubstr("there is no PyTorch here"));
}

// A torch of one operation and a clock that goes on by a millisecond an event.
const char* const kTorch = R"(
class Event:
    now = 0
    def __init__(self, enable_timing): pass
    def record(self): Event.now += 1; self.at = Event.now
    def elapsed_time(self, end): return end.at - self.at
class Array:
    def __mul__(self, other): return self
    def __sub__(self, other): return self
    def to(self, kind): return self
    def copy_(self, other): pass
    def contiguous(self, memory_format): return self
    def zero_(self): pass
class Properties: L2_cache_size = 1000
class cuda:
    Event = Event
    is_available = staticmethod(lambda: True)
    get_device_name = staticmethod(lambda n: "Fake GPU")
    get_device_properties = staticmethod(lambda n: Properties)
    synchronize = staticmethod(lambda: None)
class Switch: allow_tf32 = True
class version: cuda = "0"
class backends:
    class cuda: matmul = Switch
    class cudnn: allow_tf32 = True; version = staticmethod(lambda: 0)
__version__, float32, uint8 = "0", "f32", "u8"
channels_last, channels_last_3d, contiguous_format = "last", "last", "first"
shapes = []
rand = empty = lambda *shape, **how: shapes.append(shape) or Array()
class functional:
    @staticmethod
    def conv2d(data, filters, stride, padding, groups):
        assert (1, 6, 9, 9) in shapes and (6, 1, 3, 3) in shapes and groups == 6
    conv3d = None
class nn: functional = functional
empty_like = lambda array: array
)";

TEST(Peer, TimesTheJobsThatHaveOne) {
    const auto folder = scratch_folder();
    overwrite(folder + "/torch.py", kTorch);
    overwrite(folder + "/manifest.json", R"({"jobs": [{"name": "none"}, {"name": "copies", "peer":
        {"op": "copy", "type": "f32", "elements": 8}}, {"name": "layer", "peer": {"op": "conv",
        "type": "f32", "n": 1, "c": 6, "size": [9, 9], "filters": 6, "kernel": [3, 3],
        "groups": 6, "channels_first": true}}, {"name": "odd", "peer": {"op": "sort",
        "type": "f32"}}]})");
    const auto command = "PYTHONPATH=" + folder + " PYTHONDONTWRITEBYTECODE=1 python3 '" +
                         test::source_path("resources/bundle/peer.py") + "' --folder " + folder +
                         " --out " + folder + "/peer.json --budget 0.01 >" + folder + "/out 2>&1";
    const int status = std::system(command.c_str());
    EXPECT_EQ(WEXITSTATUS(status), 4) << read_file(folder + "/out") << ": one has no peer";
    const auto answer = json::parse(read_file(folder + "/peer.json"));
    EXPECT_EQ(answer.at("format"), "loopscope-peer/1");
    ASSERT_EQ(answer.at("jobs").size(), 3u);
    const auto times = answer["jobs"][0].at("times");
    EXPECT_EQ(times.at(0).at("cache"), "warm");
    EXPECT_NEAR(times.at(1).at("median_s"), 1e-3, 1e-9);
    EXPECT_EQ(answer["jobs"][1].at("times").size(), 2u);
    EXPECT_THAT(answer["jobs"][2].at("error").get<std::string>(), HasSubstr("'sort'"));
}

TEST(Agent, ExplainsItself) {
    EXPECT_THAT(run_agent({}).out, HasSubstr("loopscope-agent run FOLDER"));
    EXPECT_THAT(run_agent({"run", "--help"}).out, HasSubstr("loopscope-agent run FOLDER"));
    EXPECT_EQ(run_agent({"walk"}).status, 2);
    EXPECT_EQ(run_agent({"run"}).status, 2);
    EXPECT_THAT(run_agent({"run", "x", "--budget", "-1"}).err, HasSubstr("a positive number"));
    EXPECT_THAT(run_agent({"run", "x", "--cache", "hot"}).err,
                HasSubstr("warm, cold, both or none"));
    const auto gpus = json::parse(run_agent({"devices"}).out).at("gpus");
    EXPECT_EQ(gpus.at(0).at("limits").at("shared_bytes_per_block"), 232448);
}

// A disk that is full: no fault of the bundle.
TEST(Agent, AFullDiskIsALimit) {
    const test::Bundled bundle;
    const auto run = test::run_bundle(bundle, "/dev/full");
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_THAT(run.err, HasSubstr("No space left on device; make room there"));
}

} // namespace
} // namespace loopscope
