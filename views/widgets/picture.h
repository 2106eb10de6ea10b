#pragma once
// What a view draws, whole: what is saved, printed and put into a report, whatever part of it the
// window shows and whichever theme that has. Paper is light. Nothing in it is marked that only a
// hand in the window is about: what is hovered, dragged, searched for, or has the keyboard.

#include "core/base/result.h"
#include "views/style/theme.h"

#include <QSize>
#include <QString>

#include <functional>

class QMenu;
class QPainter;

namespace loopscope::views {

struct Picture {
    QString name;  // "roofline": of its file
    QString title; // "Roofline of L2"
    QSize size;    // pixels
    // Called at once: it draws what the view shows now. Into `size`, from (0, 0); what lies outside
    // the painter's clip may be left out.
    std::function<void(QPainter& painter)> paint;
    // Of rows, which no page's edge may cut, and the first one's top; 0: it has none.
    int row_height = 0, rows_from = 0;
};

constexpr int kPictureWidth = 960; // of those that follow the width they are given

// The theme of all pictures.
const Theme& picture_theme();
// The picture on its ground, below a line of text that says what it is of.
Picture with_title_line(Picture picture, const QString& line);

enum class PictureUse { Save, Print };

// A view that has one.
class Pictured {
public:
    virtual ~Pictured() = default;

    // Errors: there is nothing to draw, with how it comes.
    virtual Result<Picture> picture() = 0;

    // Whoever knows of files and printers. Without it the menus offer nothing.
    using Asked = std::function<void(PictureUse)>;
    void set_picture_asked(Asked asked) { asked_ = std::move(asked); }
    void add_picture_entries(QMenu& menu) const; // behind those that it has

private:
    Asked asked_;
};

} // namespace loopscope::views
