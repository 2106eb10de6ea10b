#pragma once
// What the script editor and the source view have in common: how a QScintilla editor looks, and
// line-by-line lexers.

#include "views/style/theme.h"

#include <Qsci/qscilexercustom.h>

class QsciScintilla;

namespace loopscope::views {

// Styles of code. Verbs and loop kinds have the colour of their meaning everywhere.
enum class CodeStyle : int {
    Plain,
    Comment,
    Keyword,
    Verb,
    Number,
    Type,
    Name,
    Text,
    FirstMeaning
};
inline int style_of(Meaning meaning) {
    return static_cast<int>(CodeStyle::FirstMeaning) + static_cast<int>(meaning);
}
constexpr int kCodeStyles = static_cast<int>(CodeStyle::FirstMeaning) + kMeaningCount;

// A token of a line: bytes [begin, end) in a style; bytes between tokens are plain.
struct CodeToken {
    int begin = 0, end = 0;
    int style = 0;
};

// Splits one line (UTF-8, without its end) into tokens. No token spans lines in the languages shown
// here.
using Tokenize = std::vector<CodeToken> (*)(const QByteArray& line);
std::vector<CodeToken> tokenize_schedule(const QByteArray& line);
std::vector<CodeToken> tokenize_pipeline(const QByteArray& line);
std::vector<CodeToken> tokenize_loops(const QByteArray& line); // printed loop programs
std::vector<CodeToken> tokenize_llvm(const QByteArray& line);
std::vector<CodeToken> tokenize_c(const QByteArray& line);
std::vector<CodeToken> tokenize_ptx(const QByteArray& line); // and machine code

class LineLexer : public QsciLexerCustom {
    Q_OBJECT
public:
    LineLexer(const char* language, Tokenize tokenize, QObject* parent);
    const char* language() const override { return language_; }
    QString description(int style) const override;
    void styleText(int start, int end) override;
    void recolour(const Theme& theme);

private:
    const char* language_;
    Tokenize tokenize_;
};

constexpr int kAboveCode = 4; // pixels between what stands above an editor and its first line

// No frame, a quiet line-number margin, spaces for tabs, no horizontal bar beyond need.
void prepare_code_editor(QsciScintilla& editor);
void recolour_code_editor(QsciScintilla& editor, LineLexer& lexer, const Theme& theme);

// Finds `text` from the cursor on, wrapping around; false: there is none.
bool find_in_editor(QsciScintilla& editor, const QString& text, bool forward,
                    bool from_selection_start);

} // namespace loopscope::views
