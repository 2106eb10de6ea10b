#pragma once
// A session on scratch folders, on a machine whose figures are known.

#include "app/session/session.h"
#include "tests/session/session_support.h"
#include "tests/support/support.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace loopscope::session::test {

class SessionTest : public testing::Test {
protected:
    void SetUp() override {
        use_known_host();
        folder_ = loopscope::test::scratch_folder();
        session_ = std::make_unique<Session>(nullptr, folder_);
        QObject::connect(session_.get(), &Session::message,
                         [this](const QString& text, bool) { messages_ += text + "\n"; });
    }
    Session& open(const std::string& file, OpenOptions options = {}) {
        auto status = session_->open(bundled(file), options);
        EXPECT_TRUE(status.ok()) << format(status.errors());
        return *session_;
    }
    bool apply(const char* line) { return session_->apply_directive(line).ok(); }

    std::string folder_;
    std::unique_ptr<Session> session_;
    QString messages_;
};

} // namespace loopscope::session::test
