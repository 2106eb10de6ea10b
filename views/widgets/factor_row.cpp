#include "views/widgets/factor_row.h"

#include "views/style/fonts.h"
#include "views/style/kept_font.h"
#include "views/style/theme.h"
#include "views/widgets/tick_slider.h"
#include "views/widgets/wrapped_label.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace loopscope::views {

namespace {
constexpr int kFieldWidth = 76;
}

FactorRow::FactorRow(FactorForm form, int title_width, QWidget* parent)
    : QWidget(parent),
      form_(std::move(form)),
      title_(new WrappedLabel(form_.title, this)),
      slider_(new TickSlider(this)),
      field_(new QLineEdit(this)),
      note_(new WrappedLabel(this)) {
    auto* across = new QHBoxLayout(this);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(kGap);
    title_->setFixedWidth(title_width);
    across->addWidget(title_, 0, Qt::AlignTop);
    auto* right = new QVBoxLayout;
    right->setSpacing(2);
    auto* line = new QHBoxLayout;
    line->setSpacing(kGap);
    line->addWidget(slider_, 1, Qt::AlignTop);
    line->addWidget(field_, 0, Qt::AlignTop);
    right->addLayout(line);
    right->addWidget(note_);
    across->addLayout(right, 1);
    keep_font(*note_, small_font);
    note_->setAccessibleName(tr("What the factor would do"));
    note_->hide();

    field_->setFixedWidth(kFieldWidth);
    field_->setToolTip(tr("Any factor: a number, native or 4*native. Enter takes it."));
    field_->setPlaceholderText(tr("factor"));
    show_form();
    slider_->installEventFilter(this);
    field_->installEventFilter(this);
    connect(slider_, &QSlider::sliderPressed, this, &FactorRow::consider);
    connect(slider_, &QSlider::valueChanged, this, &FactorRow::consider);
    connect(slider_, &QSlider::sliderReleased, this, &FactorRow::take);
    connect(field_, &QLineEdit::textEdited, this, [this](const QString& text) {
        considered_ = form_.edit_for(text);
        say({}, 0);
        if (!considered_.line.isEmpty())
            emit considered(considered_);
    });
    connect(field_, &QLineEdit::returnPressed, this, [this] {
        const DirectiveEdit edit = form_.edit_for(field_->text());
        if (edit.line.isEmpty())
            say(tr("%1 is no factor: write a whole number from 1, native or 4*native")
                    .arg(field_->text()),
                0);
        else
            emit requested(edit);
    });
}

bool FactorRow::fits(const FactorForm& form) const {
    return form.name == form_.name && form.title == form_.title;
}

void FactorRow::set_form(FactorForm form) {
    form_ = std::move(form);
    considered_ = {};
    show_form();
    say({}, 0);
}

void FactorRow::set_aside() {
    slider_->setObjectName({});
    field_->setObjectName({});
}

void FactorRow::show_form() {
    title_->setText(form_.title);
    slider_->setObjectName(form_.name);
    slider_->setAccessibleName(form_.title);
    field_->setObjectName(form_.name + QStringLiteral("/typed"));
    field_->setAccessibleName(tr("%1, typed").arg(form_.title));
    // Not on the slider: it would cover the note on the value that is looked at.
    title_->setToolTip(form_.tooltip + '\n' +
                       tr("Arrow keys look at a value, Enter takes it, Esc goes back."));
    verdicts_.assign(form_.values.size(), {});
    QStringList labels;
    int present = -1;
    for (std::size_t v = 0; v < form_.values.size(); ++v) {
        labels << (form_.values[v].shown.isEmpty() ? form_.values[v].label : form_.values[v].shown);
        if (form_.values[v].present)
            present = static_cast<int>(v);
    }
    slider_->set_labels(labels, present);
    field_->setText(present < 0 ? QString()
                                : form_.values[static_cast<std::size_t>(present)].label);
}

const FormValue& FactorRow::chosen() const {
    return form_.values[static_cast<std::size_t>(slider_->value())];
}

std::vector<DirectiveEdit> FactorRow::edits() const {
    std::vector<DirectiveEdit> out;
    for (const FormValue& value : form_.values)
        if (!value.present)
            out.push_back(value.edit);
    return out;
}

void FactorRow::set_verdict(const DirectiveEdit& edit, const Verdict& verdict) {
    for (std::size_t v = 0; v < form_.values.size(); ++v)
        if (form_.values[v].edit == edit && !form_.values[v].present) {
            verdicts_[v] = verdict;
            slider_->set_available(static_cast<int>(v), verdict.available);
            if (considered_ == edit && !verdict.available)
                say(form_.values[v].label + ": " + verdict.reason, 0);
        }
}

void FactorRow::set_preview(const DirectiveEdit& edit, const Preview& preview) {
    if (considered_ == edit && !edit.line.isEmpty())
        say((field_->hasFocus() ? field_->text() : chosen().label) + ": " + preview.text,
            preview.sign);
}

void FactorRow::consider() {
    const FormValue& value = chosen();
    const QSignalBlocker quiet(field_);
    field_->setText(value.label);
    if (value.present) {
        considered_ = {};
        say({}, 0);
        emit left();
        return;
    }
    considered_ = value.edit;
    const Verdict& verdict = verdicts_[static_cast<std::size_t>(slider_->value())];
    if (!verdict.available) {
        say(value.label + ": " + verdict.reason, 0);
        emit left();
        return;
    }
    emit considered(considered_);
}

// The pointer let go, or Enter: the value becomes part of the script.
void FactorRow::take() {
    const FormValue& value = chosen();
    if (value.present || !(considered_ == value.edit)) // Enter without a look at it is no choice
        return;
    const Verdict& verdict = verdicts_[static_cast<std::size_t>(slider_->value())];
    const QString reason = value.label + ": " + verdict.reason;
    const DirectiveEdit edit = value.edit;
    if (!verdict.available) {
        go_back();
        say(reason, 0);
        return;
    }
    emit requested(edit);
}

void FactorRow::go_back() {
    const QSignalBlocker quiet(slider_);
    slider_->setValue(std::max(0, slider_->present()));
    slider_->update();
    field_->setText(slider_->present() >= 0 ? chosen().label : QString());
    considered_ = {};
    say({}, 0);
    emit left();
}

void FactorRow::say(const QString& text, int sign) {
    const Theme& t = theme_of(*this);
    set_text_colour(*note_, sign < 0   ? t.ink(Meaning::Vector)
                            : sign > 0 ? t.ink(Meaning::Pipelined)
                                       : t.faint);
    note_->setText(text);
    note_->setVisible(!text.isEmpty());
}

bool FactorRow::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            go_back();
            return true;
        }
        if (watched == slider_ && (key == Qt::Key_Return || key == Qt::Key_Enter)) {
            take();
            return true;
        }
    } else if (event->type() == QEvent::FocusOut && !slider_->isSliderDown()) {
        // looked at, not taken
        if (!considered_.line.isEmpty())
            go_back();
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace loopscope::views
