// A worker for OpenCL that is missing, or that does not answer: no device, a reason, and no error.

#include "app/session/opencl_devices.h"
#include "core/device/generic_gpu.h"
#include "tests/session/session_fixture.h"

#include <sys/stat.h>

#include <fstream>

namespace loopscope::session::test {

namespace {

class OpenclLook : public SessionTest {
protected:
    // A worker that greets, and never answers.
    measure::WorkerOptions hanging() {
        const auto path = loopscope::test::scratch_folder() + "/worker";
        std::ofstream(path) << "#!/bin/sh\n"
                               R"(hello='{"type":"hello", "protocol":1}')"
                               "\n"
                               R"(printf '%d\n%s' ${#hello} "$hello")"
                               "\nexec sleep 600\n";
        ::chmod(path.c_str(), 0755);
        measure::WorkerOptions options;
        options.program = path;
        return options;
    }
    QString reason() {
        EXPECT_TRUE(wait_until([&] { return !session_->opencl_devices().none().isEmpty(); }));
        EXPECT_TRUE(session_->opencl().empty());
        EXPECT_EQ(messages_, "") << "nobody asked for one";
        return session_->opencl_devices().none();
    }
};

} // namespace

TEST_F(OpenclLook, AMissingWorkerIsNoError) {
    measure::WorkerOptions options;
    options.program = "/nowhere/loopscope-opencl-worker";
    session_->opencl_devices().set_worker(options, 5);
    session_->opencl_devices().look();
    EXPECT_TRUE(reason().contains("/nowhere/loopscope-opencl-worker"));
}

TEST_F(OpenclLook, AWorkerThatHangsIsGivenUp) {
    session_->opencl_devices().set_worker(hanging(), 0.5);
    session_->opencl_devices().look();
    EXPECT_TRUE(reason().contains("did not finish within 0.5 s"));
}

TEST_F(OpenclLook, OneThatHangsIsNotWaitedForAtTheEnd) {
    session_->opencl_devices().set_worker(hanging(), 0);
    session_->opencl_devices().look();
    session_.reset(); // returns
}

TEST_F(OpenclLook, ADeviceIsChosenAndComesBackByTheScript) {
    auto& s = open("matmul.loop");
    auto device = std::make_shared<device::Device>(device::generic_gpu());
    device->name = "opencl-a";
    device->target = "opencl:0";
    auto second = std::make_shared<device::Device>(*device);
    second->target = "opencl:1";
    s.take_opencl({device, second});
    ASSERT_TRUE(s.set_device("opencl:1").ok()) << messages_.toStdString();
    EXPECT_EQ(s.device()->target, "opencl:1");
    EXPECT_NE(s.script().find("target opencl-a\n"), std::string::npos);
    EXPECT_EQ(s.tasks().machine(), "opencl-a, device 1");
    s.tasks().set_cold(true);
    EXPECT_EQ(s.tasks().machine(), "opencl-a, device 1") << "its caches cannot be emptied";
    s.undo();
    EXPECT_TRUE(s.device()->is_host);
    s.redo();
    EXPECT_EQ(s.device()->target, "opencl:1");
    s.take_opencl({device});
    EXPECT_EQ(s.device()->target, "opencl:0") << "the other one is gone";
    EXPECT_TRUE(s.gpus().empty()) << "scripts for no device do not open there";
}

} // namespace loopscope::session::test
