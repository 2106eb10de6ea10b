// A document for somebody else: it opens without the files and the machine that it was made with.
#include "app/session/handed_on.h"

#include "core/base/text_file.h"
#include "core/base/whole_file.h"
#include "tests/session/session_fixture.h"
#include "tests/support/must.h"

#include <cstdlib>
#include <filesystem>

namespace loopscope::session {
namespace test_handed_on {

using loopscope::test::must;
using loopscope::test::scratch_folder;
using test::wait_until;

// Another person's folders, in which nothing is known of this machine.
class AnotherHome {
public:
    AnotherHome() {
        for (auto& [name, before] : variables_) {
            if (const char* value = std::getenv(name))
                before = value;
            ::setenv(name, scratch_folder().c_str(), 1);
        }
    }
    ~AnotherHome() {
        for (const auto& [name, before] : variables_)
            before ? ::setenv(name, before->c_str(), 1) : ::unsetenv(name);
    }
    AnotherHome(const AnotherHome&) = delete;
    AnotherHome& operator=(const AnotherHome&) = delete;

private:
    std::vector<std::pair<const char*, std::optional<std::string>>> variables_{
        {"HOME", {}}, {"XDG_CACHE_HOME", {}}, {"XDG_DATA_HOME", {}}};
};

class HandedOn : public test::SessionTest {
protected:
    // A device file of one's own.
    std::string own_device() {
        auto text =
            must(read_text_file(loopscope::test::source_path("resources/devices/i7-6700.json"), {}))
                ->text();
        text.replace(text.find("i7-6700"), 7, "mine");
        const auto file = scratch_folder() + "/own.json";
        must(write_whole(file, {text}));
        return file;
    }
    static double seconds(const Session& session) {
        EXPECT_TRUE(wait_until([&] { return session.estimates().settled(); }));
        return session.estimates().now()->seconds.value_or(-1);
    }
    std::string refusal_with(const std::string& key, const std::string& text) {
        DocumentSource source;
        source.program = std::make_shared<const Program>(
            Program{"pipeline p\ninput a: f32[8]\nstage s[x] = a[x]*2\noutput s: [8]\n", {}});
        source.script = "schedule for p\n";
        source.other[key] = text;
        const auto path = scratch_folder() + "/strange.loopscope";
        must(Document::create(path, source));
        const auto status = session_->open(path);
        return status ? "" : format(status.errors());
    }
    const std::string handed_ = scratch_folder() + "/handed.loopscope";
};

TEST_F(HandedOn, ADeviceFileOfOnesOwnIsInTheDocument) {
    const auto file = own_device();
    auto& mine = open("blur.loop", {{}, {}, file});
    ASSERT_TRUE(apply("out.parallel(y)"));
    Measurement measurement;
    measurement.json = "{}";
    mine.add_measurement(measurement);
    const auto known = seconds(mine);
    ASSERT_GT(known, 0);
    must(mine.hand_on(handed_));
    EXPECT_EQ(mine.document()->source().device, file) << "the document that is open stays";
    mine.close();
    std::filesystem::remove(file);

    const AnotherHome home;
    Session theirs(nullptr, scratch_folder());
    QString said;
    QObject::connect(&theirs, &Session::message,
                     [&said](const QString& text, bool) { said += text; });
    must(theirs.open(handed_));
    EXPECT_EQ(theirs.device()->name, "mine");
    EXPECT_EQ(seconds(theirs), known);
    EXPECT_EQ(said, "") << "nothing is missing";
    EXPECT_NE(theirs.script().find("out.parallel(y)"), std::string::npos);
    EXPECT_EQ(theirs.document()->measurements().size(), 1u);
    EXPECT_FALSE(theirs.untitled());
    EXPECT_EQ(theirs.document()->source().pipeline_file, "blur.loop") << "no folder of ours";
    // It may be left and chosen again, and handed on again.
    must(theirs.set_device("host"));
    EXPECT_TRUE(theirs.device()->is_host);
    must(theirs.set_device("own.json"));
    EXPECT_EQ(seconds(theirs), known);
    const auto again = scratch_folder() + "/again.loopscope";
    must(theirs.hand_on(again));
    EXPECT_FALSE(theirs.hand_on(handed_)) << "that is open";
    theirs.close();
    EXPECT_TRUE(theirs.device()->is_host) << "it was the document's";
    must(theirs.open(again));
    EXPECT_EQ(seconds(theirs), known);
}

TEST_F(HandedOn, ThisMachineIsDescribedInTheDocument) {
    auto& mine = open("blur.loop");
    const auto known = seconds(mine);
    ASSERT_GT(known, 0);
    must(mine.hand_on(handed_));
    mine.close();

    const AnotherHome home; // no figures of any machine
    Session theirs(nullptr, scratch_folder());
    must(theirs.open(handed_));
    EXPECT_EQ(theirs.device()->name, kHandedOnHost);
    EXPECT_FALSE(theirs.device()->is_here());
    EXPECT_EQ(seconds(theirs), known);
}

TEST_F(HandedOn, WhatScriptsNameIsInTheDocument) {
    auto& s = open("matmul_f16.loop", {test::bundled("matmul_f16.gpu.sched"), {}, "h200"});
    must(s.hand_on(handed_));
    must(s.open(handed_));
    EXPECT_EQ(s.device()->name, "h200");
    EXPECT_EQ(s.carried().count("h200"), 1u);
    EXPECT_EQ(s.carried().count(kHandedOnHost), 1u);
}

TEST_F(HandedOn, NoDocumentIsHandedOnOntoItselfAlsoFromACopy) {
    must(open("blur.loop").hand_on(handed_));
    Session from_copy(nullptr, scratch_folder());
    OpenOptions options;
    options.on_a_copy = true;
    must(from_copy.open(handed_, options));
    const auto status = from_copy.hand_on(handed_);
    ASSERT_FALSE(status);
    EXPECT_NE(format(status.errors()).find("is the document itself"), std::string::npos);
}

// What a document describes is of that document alone.
TEST_F(HandedOn, DevicesAreNotOfTheNextDocument) {
    auto& s = open("matmul_f16.loop", {test::bundled("matmul_f16.gpu.sched"), {}, "h200"});
    must(s.hand_on(handed_));
    must(s.open(handed_));
    const auto theirs = s.carried().at("h200");
    ASSERT_EQ(s.device(), theirs);
    must(s.open(test::bundled("matmul_f16.loop"),
                {test::bundled("matmul_f16.gpu.sched"), {}, "h200"}));
    EXPECT_EQ(s.device()->name, "h200");
    EXPECT_NE(s.device(), theirs);
    EXPECT_TRUE(s.carried().empty());
}

// One that is here, one that the document brings and one that is described here: each can be
// chosen, and what is chosen stays so through undo and other steps.
TEST_F(HandedOn, OfDevicesOfOneNameEachCanBeChosen) {
    auto& s = open("matmul_f16.loop", {test::bundled("matmul_f16.gpu.sched"), {}, "h200"});
    const auto described = s.device();
    must(s.hand_on(handed_));
    must(s.open(handed_));
    const auto theirs = s.carried().at("h200");
    ASSERT_EQ(s.device(), theirs);
    must(s.set_device(described->file));
    EXPECT_EQ(s.device()->file, described->file) << "that of here, by its file";
    EXPECT_FALSE(s.device()->is_here());
    must(s.set_device("h200"));
    EXPECT_EQ(s.device(), theirs) << "the document's stands before it";

    auto here = std::make_shared<device::Device>(*described);
    here->target = "cuda:0";
    s.take_gpus({here});
    EXPECT_EQ(s.device(), here) << "on which programs can be run";
    const auto revisions = s.document()->revisions().size();
    must(s.set_device(name_of_carried("h200")));
    EXPECT_EQ(s.device(), theirs);
    EXPECT_EQ(s.script().find("document:"), std::string::npos);
    EXPECT_NE(s.script().find("target h200"), std::string::npos);
    EXPECT_EQ(s.document()->revisions().size(), revisions) << "the script says the same";
    must(s.set_device("host"));
    s.undo();
    EXPECT_EQ(s.device(), theirs) << "as it was chosen";
    s.take_gpus({here});
    EXPECT_EQ(s.device(), theirs) << "also when GPUs are looked for again";
    must(s.set_device("cuda:0"));
    EXPECT_EQ(s.device(), here);
    must(s.set_device("host"));
    s.undo();
    EXPECT_EQ(s.device(), here);
    EXPECT_FALSE(s.set_device(name_of_carried("v100"))) << "the document has none";
    // Of the next document nothing is chosen.
    must(s.set_device(name_of_carried("h200")));
    const auto again = scratch_folder() + "/again.loopscope";
    must(s.hand_on(again));
    must(s.open(again));
    EXPECT_EQ(s.device(), here);
}

TEST_F(HandedOn, StrangeDevicesAreRefused) {
    EXPECT_NE(refusal_with("carried_device:x", "{").find("its device x cannot be read"),
              std::string::npos);
    EXPECT_NE(refusal_with("carried_device:x", std::string(2 << 20, ' ')).find("no description"),
              std::string::npos);
    EXPECT_NE(refusal_with("carried_device:", "{}").find("no description"), std::string::npos);
    EXPECT_EQ(refusal_with("of a later version", "{"), "");
}

} // namespace test_handed_on
} // namespace loopscope::session
