#pragma once
// The line of a script that somebody types on, as one step of the history: who types passes legal
// states that nobody means, as `split(i, io, ii, 3` on the way to 32.

#include "app/document/document.h"

#include <QElapsedTimer>

#include <cstddef>
#include <cstdint>
#include <string>

namespace loopscope::session {

constexpr std::int64_t kLongPause = 10'000; // ms without typing: what follows is another step

class TypedLine {
public:
    // Does a text go on with the step that the document stands on: on the same line, without a long
    // pause?
    bool goes_on(const Document& document, const std::string& script) const;
    // A step was made of typing; where it changes several lines, what follows is another one.
    void begin(std::int64_t revision, const std::string& before, const std::string& after);
    void typed() { since_.start(); } // just now
    void end() { revision_ = 0; }    // what is typed next is a step of its own

private:
    std::int64_t revision_ = 0; // that it made; 0: nobody types
    std::size_t line_ = 0;
    QElapsedTimer since_;
};

} // namespace loopscope::session
