#include "compiler/protocol/protocol.h"

#include "core/base/result.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace loopscope::measure {
namespace {

using nlohmann::json;
using State = FrameReader::State;

TEST(Protocol, FramesSurviveAnyCut) {
    std::vector<json> sent{{{"id", 1}, {"text", "a\nb\"ü"}},
                           {{"id", 2}},
                           {{"id", 3}, {"big", std::string(100000, 'x')}}};
    std::string stream;
    for (const auto& message : sent)
        stream += encode_frame(message);
    for (std::size_t piece : {std::size_t(1), std::size_t(7), std::size_t(4096), stream.size()}) {
        FrameReader reader;
        std::vector<json> received;
        for (std::size_t at = 0; at < stream.size(); at += piece) {
            reader.append(stream.data() + at, std::min(piece, stream.size() - at));
            for (json message; reader.next(message) == State::Complete;)
                received.push_back(message);
        }
        EXPECT_EQ(received, sent) << "pieces of " << piece;
    }
}

TEST(Protocol, NonsenseIsBrokenAndStaysBroken) {
    for (std::string bytes : {"hello world, this is no frame", "-5\n{}", "\n{}", "3\nabc", "2\n[]",
                              "99999999999\n{", "12x\n{}"}) {
        FrameReader reader;
        json message;
        reader.append(bytes.data(), bytes.size());
        EXPECT_EQ(reader.next(message), State::Broken) << bytes;
        auto good = encode_frame({{"id", 1}});
        reader.append(good.data(), good.size());
        EXPECT_EQ(reader.next(message), State::Broken) << bytes;
    }
}

TEST(Protocol, IncompleteIsNotBroken) {
    FrameReader reader;
    json message;
    EXPECT_EQ(reader.next(message), State::Incomplete);
    reader.append("1", 1);
    EXPECT_EQ(reader.next(message), State::Incomplete);
    reader.append("0\n{\"id\"", 8);
    EXPECT_EQ(reader.next(message), State::Incomplete);
}

TEST(Protocol, InvalidTextIsReplacedAndNotAnException) {
    auto frame = encode_frame({{"text", "bin\xff\xfe"}});
    FrameReader reader;
    json message;
    reader.append(frame.data(), frame.size());
    EXPECT_EQ(reader.next(message), State::Complete);
}

TEST(Protocol, DiagnosticsKeepTheirPlaces) {
    auto file = std::make_shared<SourceFile>("blur.loop", "pipeline blur\nstage out[x] = nme[x]\n");
    auto one = error("`nme` is unknown", "did you mean `name`?", {file, 31, 34});
    one.code = "unknown-name";
    auto two = error("no place");
    two.severity = Severity::Warning;
    auto back =
        diagnostics_from_json(json::parse(diagnostics_to_json(Diagnostics{one, two}).dump()));
    ASSERT_EQ(back.size(), 2u);
    EXPECT_EQ(format(back[0]), format(one));
    EXPECT_EQ(back[0].code, "unknown-name");
    EXPECT_EQ(back[1].severity, Severity::Warning);
    EXPECT_EQ(format(back[1]), format(two));
}

} // namespace
} // namespace loopscope::measure
