#include "views/style/kept_font.h"

#include <QEvent>
#include <QScopedValueRollback>
#include <QWidget>

namespace loopscope::views {

namespace {

class KeptFont : public QObject {
public:
    explicit KeptFont(QWidget& widget) : QObject(&widget), widget_(widget) {
        widget.installEventFilter(this);
    }

    void keep(QFont (*font)()) {
        font_ = font;
        put();
    }
    QFont wanted() const { return font_(); }

    static KeptFont* of(const QWidget& widget) {
        for (auto* child : widget.children())
            if (auto* kept = dynamic_cast<KeptFont*>(child))
                return kept;
        return nullptr;
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        switch (event->type()) {
        case QEvent::FontChange: // also of those that are no widget's own, as that of code
        case QEvent::StyleChange:
        case QEvent::ApplicationFontChange: put(); break;
        default: break;
        }
        return QObject::eventFilter(watched, event);
    }

private:
    void put() {
        if (putting_ || widget_.font() == wanted())
            return;
        const QScopedValueRollback<bool> putting(putting_, true); // to set one tells of it
        widget_.setFont(wanted());
    }

    QWidget& widget_;
    QFont (*font_)() = nullptr;
    bool putting_ = false;
};

} // namespace

void keep_font(QWidget& widget, QFont (*font)()) {
    auto* kept = KeptFont::of(widget);
    if (!kept)
        kept = new KeptFont(widget);
    kept->keep(font);
}

std::optional<QFont> kept_font(const QWidget& widget) {
    const auto* kept = KeptFont::of(widget);
    return kept ? std::optional(kept->wanted()) : std::nullopt;
}

} // namespace loopscope::views
