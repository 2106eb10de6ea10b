#pragma once
// The index and parent logic of every tree model, written once. A concrete model says only what a
// row holds, which children it has, and its data. Rows are made when a view first asks for the
// children of their parent, and for nothing else: what changes is announced of rows that were made,
// and whether a row has children is known without them.

#include <QAbstractItemModel>

#include <functional>
#include <memory>
#include <vector>

namespace loopscope::views {

// `Item` is a small copyable handle (a pointer into an immutable snapshot).
template <typename Item> class TreeModel : public QAbstractItemModel {
public:
    using QAbstractItemModel::QAbstractItemModel;

    QModelIndex index(int row, int column, const QModelIndex& parent = {}) const final {
        if (row < 0 || column < 0 || column >= columnCount(parent) ||
            (parent.isValid() && parent.column() != 0))
            return {};
        const Row& above = row_of(parent);
        fill(above);
        return row < static_cast<int>(above.children.size())
                   ? createIndex(row, column, above.children[row].get())
                   : QModelIndex();
    }

    QModelIndex parent(const QModelIndex& child) const final {
        if (!child.isValid())
            return {};
        const Row* above = static_cast<const Row*>(child.internalPointer())->parent;
        return above == &root_ ? QModelIndex() : createIndex(above->number, 0, above);
    }

    int rowCount(const QModelIndex& parent = {}) const final {
        if (parent.isValid() && parent.column() != 0)
            return 0;
        const Row& above = row_of(parent);
        fill(above);
        return static_cast<int>(above.children.size());
    }

    // A view asks this of every row that it shows: it makes none of the children.
    bool hasChildren(const QModelIndex& parent = {}) const final {
        if (parent.isValid() && parent.column() != 0)
            return false;
        const Row& above = row_of(parent);
        return above.filled ? !above.children.empty() : has_children(above.item);
    }

    const Item& item(const QModelIndex& index) const { return row_of(index).item; }
    std::size_t rows_made() const { return rows_below(root_); }

protected:
    // The children of `item`, in order; a default-constructed Item stands for the invisible root.
    virtual std::vector<Item> children(const Item& item) const = 0;
    virtual bool has_children(const Item& item) const { return !children(item).empty(); }

    // Between beginResetModel and endResetModel.
    void clear_rows(Item root) {
        root_.children.clear();
        root_.filled = false;
        root_.item = std::move(root);
    }
    // Gives every row that exists its new item, where the new snapshot has the same shape:
    // `replace` gets a parent's new children. Persistent indexes, selection and folding survive.
    void replace_items(Item root) {
        root_.item = std::move(root);
        replace_below(root_);
    }
    // Every row's data may be others now. A row that was not made has nothing to take back.
    void announce_rows() { announce_below(root_); }

private:
    struct Row {
        Item item{};
        const Row* parent = nullptr;
        int number = 0;
        mutable bool filled = false;
        mutable std::vector<std::unique_ptr<Row>> children;
    };

    const Row& row_of(const QModelIndex& index) const {
        return index.isValid() ? *static_cast<const Row*>(index.internalPointer()) : root_;
    }

    void fill(const Row& row) const {
        if (row.filled)
            return;
        row.filled = true;
        int number = 0;
        for (Item& item : children(row.item)) {
            auto child = std::make_unique<Row>();
            child->item = std::move(item);
            child->parent = &row;
            child->number = number++;
            row.children.push_back(std::move(child));
        }
    }

    void replace_below(const Row& row) {
        if (!row.filled)
            return;
        std::vector<Item> items = children(row.item);
        for (std::size_t i = 0; i < items.size() && i < row.children.size(); ++i) {
            row.children[i]->item = std::move(items[i]);
            replace_below(*row.children[i]);
        }
    }

    void announce_below(const Row& row) {
        if (row.children.empty())
            return;
        const Row& last = *row.children.back();
        emit dataChanged(createIndex(0, 0, row.children.front().get()),
                         createIndex(last.number, columnCount({}) - 1, &last));
        for (const auto& child : row.children)
            announce_below(*child);
    }

    static std::size_t rows_below(const Row& row) {
        std::size_t made = row.children.size();
        for (const auto& child : row.children)
            made += rows_below(*child);
        return made;
    }

    Row root_;
};

} // namespace loopscope::views
