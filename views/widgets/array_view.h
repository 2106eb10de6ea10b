#pragma once
// One array: as a picture, where it is one, with the value under the pointer; or as a table.

#include "views/jobs/latest_job.h"
#include "views/models/array_picture.h"

#include <QWidget>

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace loopscope::views {

class ArrayCanvas;
class ArrayTableModel;

class ArrayView : public QWidget {
    Q_OBJECT
public:
    explicit ArrayView(const QString& accessible_name, QWidget* parent = nullptr);
    ~ArrayView() override;

    // `begin`: its least indices; empty: 0.
    void set_array(BufferPtr array, std::vector<std::int64_t> begin = {});
    void clear(const QString& why); // what stands in its place
    bool settled() const { return !pictures_.busy(); }

    ArrayCanvas* canvas() const { return canvas_; }
    QTableView* table() const { return table_; }
    bool picture_shown() const;
    QString note() const; // the value under the pointer, else what is black and what is white

protected:
    void changeEvent(QEvent* event) override;

private:
    struct Wanted {
        BufferPtr array;
        PictureLayout form;
    };
    void show_page();
    void show_picture(const ArrayPicture& picture);
    void show_note(const QPoint& pixel);
    QString range_text() const;
    QString value_text(const QPoint& pixel) const;

    BufferPtr array_;
    std::vector<std::int64_t> begin_;
    ArrayPicture picture_; // of array_, but for its image, which the canvas has
    QStackedWidget* pages_;
    ArrayCanvas* canvas_;
    QTableView* table_;
    ArrayTableModel* model_;
    QLabel *nothing_, *note_;
    QPushButton *as_table_, *fit_;
    LatestJob<Wanted, ArrayPicture> pictures_;
};

} // namespace loopscope::views
