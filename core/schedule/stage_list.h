#pragma once
// The stages of a state, in order and by name. Each line of a script copies the state and changes a
// stage or two, and all those states are kept: lists share equal parts, in blocks. A block knows
// which traits none of its stages has, so that a line does not look through thousands of stages for
// those that it may concern.

#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

struct StageState;

// Traits that lines look for, and that few stages have.
enum class StageTrait : unsigned {
    Copy = 1,          // made by cache_read
    Inlined = 2,       //
    Placed = 4,        // inlined, computed or stored at a loop, or pipelined
    SharesLoops = 8,   // some definition has loops of another
    Pads = 16,         // a tail, or the layout of its storage
    Prefetches = 32,   //
    Instructions = 64, // some definition's loops are an instruction
};

class StageList {
public:
    using Item = std::shared_ptr<const StageState>;

private:
    static constexpr unsigned kOpen = ~0u; // they may yet change
    struct Block {
        std::vector<Item> stages;
        std::vector<unsigned> traits; // of each stage, or kOpen
        unsigned settled = 0;         // those that any stage has which is not open
        bool open = false;            // some are
    };

public:
    class Iterator {
    public:
        using iterator_category = std::bidirectional_iterator_tag;
        using value_type = Item;
        using difference_type = std::ptrdiff_t;
        using pointer = const Item*;
        using reference = const Item&;

        Iterator() = default;
        reference operator*() const { return (*block_)->stages[at_]; }
        pointer operator->() const { return &**this; }
        Iterator& operator++() {
            if (++at_ == (*block_)->stages.size())
                ++block_, at_ = 0;
            return *this;
        }
        Iterator operator++(int) {
            auto before = *this;
            ++*this;
            return before;
        }
        Iterator& operator--() {
            if (at_ == 0)
                --block_, at_ = (*block_)->stages.size();
            --at_;
            return *this;
        }
        Iterator operator--(int) {
            auto before = *this;
            --*this;
            return before;
        }
        bool operator==(const Iterator&) const = default;

    private:
        friend class StageList;
        Iterator(const std::shared_ptr<const Block>* block, std::size_t at)
            : block_(block), at_(at) {}
        const std::shared_ptr<const Block>* block_ = nullptr;
        std::size_t at_ = 0;
    };

    Iterator begin() const { return {blocks_.data(), 0}; }
    Iterator end() const { return {blocks_.data() + blocks_.size(), 0}; }
    auto rbegin() const { return std::make_reverse_iterator(end()); }
    auto rend() const { return std::make_reverse_iterator(begin()); }

    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    const Item& operator[](std::size_t index) const;
    const Item& front() const { return (*this)[0]; }
    const Item& back() const { return (*this)[size_ - 1]; }

    int index_of(const std::string& name) const; // -1: there is none

    // Inserts a stage, whose name is new, before the one that stands there.
    void insert(std::size_t index, Item stage);
    // Replaces the stage there by one of the same name, which may yet be changed: until settle()
    // its traits are not known.
    void replace(std::size_t index, Item stage);
    // Says that no stage changes any more, but by replace().
    void settle();

    bool any(StageTrait trait) const;
    std::vector<const StageState*> having(StageTrait trait) const; // in order

    static constexpr std::size_t kMaxInBlock = 64;
    static constexpr std::size_t kMaxSince = 32; // insertions until all names are looked at again

private:
    static unsigned traits_of(const StageState& stage);
    static std::shared_ptr<const Block> block_of(std::vector<Item> stages,
                                                 std::vector<unsigned> traits);
    static bool has(const Block& block, std::size_t at, StageTrait trait);
    static bool has(const Block& block, StageTrait trait);
    std::pair<std::size_t, std::size_t> place(std::size_t index) const; // block, and where in it
    void number_from(std::size_t block);
    void note_names();

    std::vector<std::shared_ptr<const Block>> blocks_; // none is empty
    std::vector<std::size_t> begins_;                  // of blocks: the number of stages before
    std::size_t size_ = 0;
    // Where stages stood, by name, with what was inserted since, and where.
    std::shared_ptr<const std::unordered_map<std::string, std::size_t>> known_;
    std::vector<std::pair<std::string, std::size_t>> since_;
};

} // namespace loopscope
