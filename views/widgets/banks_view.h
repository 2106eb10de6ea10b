#pragma once
// The layout of shared memory: its words in rows of banks, what padding adds, and which lanes of a
// warp meet in a bank for a chosen access. Paddings can be tried: their passes stand on buttons
// that change the script.

#include "core/schedule/directive.h"
#include "tuner/model/gpu/shared_use.h"
#include "views/geometry/bank_grid.h"
#include "views/models/snapshots.h"
#include "views/style/theme.h"
#include "views/widgets/paged_view.h"
#include "views/widgets/picture.h"

#include <memory>
#include <optional>
#include <vector>

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;

namespace loopscope::views {

class FlowLayout;
class PictureCanvas;
struct PictureFrame;
using SharedUsePtr = std::shared_ptr<const std::vector<model::gpu::SharedBuffer>>;

class BanksView : public PagedView, public Pictured {
    Q_OBJECT
public:
    explicit BanksView(QWidget* parent = nullptr);

    // Null: nothing is known; `schedule` may be null: then nothing is edited in its place.
    void set_snapshot(SharedUsePtr use, std::shared_ptr<const Schedule> schedule, DevicePtr device);
    void set_selected(const NodeId& id); // its buffer and access are shown
    void set_shown(int buffer, int access);

    const model::gpu::SharedBuffer* buffer() const; // null: there is none
    const BankAccess& access() const { return access_; }
    QString summary() const;
    QWidget* canvas() const;
    std::vector<QPushButton*> paddings() const { return paddings_; }
    Result<Picture> picture() override;

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void editRequested(const loopscope::views::DirectiveEdit& edit);

protected:
    void restyle() override { show_access(); }
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    // of banks: 64 KiB; what is beyond looks the same
    static constexpr std::int64_t kMaxRows = 512;
    static constexpr int kHeaderLines = 3; // the key, the banks, and how many words each has

    void refresh();
    void show_access();
    void show_paddings();
    void say();
    void paint(QPainter& painter, const PictureFrame& frame) const;
    void paint_words(QPainter& painter, const BankGrid& grid, const PictureFrame& frame) const;
    void paint_key(QPainter& painter, double width, const BankGrid& grid, const Theme& theme) const;
    void paint_header(QPainter& painter, const BankGrid& grid, const Theme& theme) const;
    void paint_hits(QPainter& painter, const BankGrid& grid, const Theme& theme) const;
    BankGrid grid(double width) const;
    BankedBuffer layout() const;
    BankShape shape() const;
    QString tooltip_at(const QPointF& position) const;
    QString access_name(const model::gpu::SharedAccess& access) const;
    const model::gpu::SharedAccess* chosen() const; // null: nothing accesses it
    DirectiveEdit padding_edit(std::int64_t elements) const;
    DirectiveEdit swizzle_edit() const;

    SharedUsePtr use_;
    std::shared_ptr<const Schedule> schedule_;
    DevicePtr device_;
    NodeId selected_;
    int buffer_ = -1, access_index_ = 0;
    BankAccess access_;
    std::vector<QPushButton*> paddings_;

    QComboBox *buffers_, *accesses_;
    QWidget* padding_row_;
    FlowLayout* padding_line_;
    QScrollArea* scroll_;
    PictureCanvas* canvas_;
    QLabel* summary_;
};

} // namespace loopscope::views
