#pragma once
// Why it takes as long as it does: the one big number, its difference against the pinned baseline,
// its breakdown by kernel, figures against the device's limits, advice, and "Why?" for the
// formulas.

#include "views/models/expert_time.h"
#include "views/models/measured_time.h"
#include "views/models/snapshots.h"
#include "views/style/theme.h"

#include <QScrollArea>

#include <optional>
#include <vector>

class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace loopscope::views {

class BreakdownBar;
class EmptyState;
class FactRows;
struct FactRow;

class EstimateView : public QScrollArea {
    Q_OBJECT
public:
    explicit EstimateView(QWidget* parent = nullptr);

    void set_estimate(EstimatePtr estimate); // null: the empty state
    void set_tree(ScheduleTreePtr tree);     // whose nodes footprints are listed for; may be null
    void set_device(DevicePtr device);       // the limits that bars compare with; may be null
    void set_baseline(EstimatePtr baseline); // null: none is pinned
    void set_measured(std::optional<MeasuredTime> measured);
    void set_expert(std::optional<ExpertTime> expert); // nothing: none is shipped, or known
    void set_selected(const NodeId& id); // its kernel is marked, its footprint is shown
    void set_busy(bool busy);            // a newer estimate is on its way: figures are drawn faint
    // The machine's figures are being measured: an estimate without a time is one that is still to
    // come.
    void set_probing(bool probing);
    void start_afresh(); // another program: explanations close, and the view is at its beginning

signals:
    void nodeSelected(const loopscope::NodeId& id);
    void directiveRequested(const QString& line); // "Try" beside an advice
    void pinRequested();                          // pin this as the baseline
    void unpinRequested();
    void peaksRequested();  // measure the machine's peaks anew
    void expertRequested(); // compare with the expert schedule

protected:
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    void show_headline();
    bool shows_gap() const; // measured and predicted are too far apart to pass over it
    void show_gap();
    void show_expert();
    QString measured_words() const; // the time, and how it differs from the baseline's
    void show_refusals();           // why the schedule cannot run on the device
    bool refused() const;
    void show_peaks(); // a warning where the machine's peaks cannot be right
    void show_breakdown();
    void show_rows();
    void show_advice();
    void show_terms();
    void add_units(std::vector<FactRow>& rows) const;
    void add_measured_facts(const model::KernelEstimate& kernel, std::vector<FactRow>& rows) const;
    void add_limits(std::vector<FactRow>& rows) const;
    const model::KernelEstimate* shown_kernel() const; // whose limits are shown; null: no GPU's
    void add_traffic(std::vector<FactRow>& rows) const;
    void add_footprint(std::vector<FactRow>& rows) const;
    QWidget* advice_box(const QString& sentence, bool in_one_piece);
    bool fits_in_one_piece(const QString& sentence) const;
    void try_directive(const QString& directive);
    void clear_advice();
    void place_change();

    EstimatePtr estimate_, baseline_;
    ScheduleTreePtr tree_;
    DevicePtr device_;
    std::optional<MeasuredTime> measured_;
    std::optional<ExpertTime> expert_time_;
    NodeId selected_;
    std::string kernel_; // the kernel that holds the selection
    bool busy_ = false, probing_ = false;
    ThemeKind shown_in_ = ThemeKind::Light;

    QWidget* body_ = nullptr; // events come during construction, too
    EmptyState* empty_;
    QGridLayout* head_;
    QLabel *time_, *change_, *gap_, *second_line_, *expert_, *refusals_, *peaks_, *terms_;
    QPushButton *pin_, *measure_peaks_, *why_, *compare_expert_;
    BreakdownBar* bar_;
    FactRows* rows_;
    QVBoxLayout *best_advice_, *advice_; // the best stands above the figures
    // and whether its directive is in one piece
    std::vector<std::pair<std::string, bool>> advice_shown_;
    bool change_below_ = false; // the difference has a line of its own
};

// The directive that a sentence of advice names, or an empty text.
QString directive_in(const QString& advice);

} // namespace loopscope::views
