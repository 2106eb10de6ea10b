#include "core/schedule/tensor_core/recipe.h"

#include "core/schedule/gpu/fragments.h"
#include "core/schedule/line_list.h"

#include <algorithm>
#include <set>

namespace loopscope {

namespace {

constexpr std::int64_t kLanes = 32; // of a warp

// Names for new loops of a nest, none of which it has.
class LoopNames {
public:
    explicit LoopNames(const DefinitionState& nest) {
        for (const auto& loop : nest.loops)
            taken_.insert(loop.name);
    }
    std::string make(const std::string& wanted) {
        auto name = wanted;
        for (int n = 2; !taken_.insert(name).second; ++n)
            name = wanted + std::to_string(n);
        return name;
    }

private:
    std::set<std::string> taken_;
};

std::string free_stage(const ScheduleState& state, const std::string& wanted) {
    auto name = wanted;
    for (int n = 2; state.known(name); ++n)
        name = wanted + std::to_string(n);
    return name;
}

class Writer {
public:
    Writer(const ScheduleState& state, const MatrixProduct& product, const ProductTiles& tiles,
           const Epilogue& epilogue, const SourceRange& where)
        : state_(state),
          p_(product),
          t_(tiles),
          epilogue_(epilogue),
          lines_(where),
          stage_(product.of.stage),
          host_{epilogue.empty() ? stage_ : epilogue.host},
          sums_(product.of) {}

    std::vector<DirectivePtr> run() {
        for (const auto& between : epilogue_.inlined)
            lines_.compute_inline(between);
        if (p_.staged)
            through_memory();
        else
            from_registers();
        add_up();
        start_from_values();
        const auto left = load(p_.left, "left"), right = load(p_.right, "right");
        place(left);
        place(right);
        widen(left);
        widen(right);
        rotate(left, right);
        return lines_.take();
    }

private:
    const std::string& name(std::size_t axis) const { return p_.axes[axis].name; }
    // What the host calls an index of the sums.
    std::string host_name(std::size_t axis) const {
        return epilogue_.empty() ? name(axis) : epilogue_.names.at(name(axis));
    }
    bool is_free(std::size_t axis) const { return !p_.axes[axis].summed; }

    // Free axes beside the instruction's, by what they move; `second` is among the rows.
    std::vector<std::size_t> others(bool rows) const {
        std::vector<std::size_t> out;
        for (std::size_t a = 0; a < p_.axes.size(); ++a) {
            const bool moves_rows = p_.axes[a].in_left && !p_.axes[a].in_right;
            if (is_free(a) && a != p_.row && a != p_.column && moves_rows == rows)
                out.push_back(a);
        }
        return out;
    }

    // What is written is computed of the sums where they are.
    void from_registers() {
        const auto scope = device::fragments().name;
        if (epilogue_.empty()) {
            sums_.stage = free_stage(state_, stage_ + "_sums");
            lines_.cache_write(sums_.stage, stage_, scope);
        }
        LoopNames names(default_loops());
        write_result(names);
        lines_.compute_at(sums_.stage, host_, warp_loop_);
        if (!epilogue_.empty())
            lines_.scope(sums_.stage, scope);
    }

    // The block's results lie in shared memory before. There warps write them as a whole, and each
    // lane reads some.
    void through_memory() {
        auto tile = stage_;
        if (epilogue_.empty()) {
            tile = free_stage(state_, stage_ + "_tile");
            lines_.cache_write(tile, stage_, device::shared_memory().name);
        }
        sums_.stage = free_stage(state_, stage_ + "_sums");
        lines_.cache_write(sums_.stage, tile, device::fragments().name);
        write_block();
        lines_.compute_at(tile, host_, block_of_columns_);
        if (!epilogue_.empty())
            lines_.scope(tile, device::shared_memory().name);
        fill_tile({tile});
        lines_.compute_at(sums_.stage, {tile}, warp_loop_);
    }

    // Tiles of warps and instructions of what is in shared memory.
    void fill_tile(const DefinitionRef& tile) {
        LoopNames names(plain_loops());
        const auto &row = name(p_.row), &column = name(p_.column);
        const auto row_warp = names.make(row + "_warp"), row_tile = names.make(row + "_tile"),
                   column_tile = names.make(column + "_tile");
        warp_loop_ = names.make(column + "_warp");
        lines_.split(tile, row, row_warp, row, t_.rows / t_.warp_rows);
        lines_.split(tile, column, warp_loop_, column, t_.columns / t_.warp_columns);
        lines_.split(tile, row, row_tile, row, p_.rows);
        lines_.split(tile, column, column_tile, column, p_.columns);
        std::vector<std::string> order;
        for (std::size_t a = 0; a < p_.axes.size(); ++a)
            if (is_free(a) && a != p_.row && a != p_.column && t_.second != a)
                order.push_back(name(a));
        order.insert(order.end(), {row_warp, warp_loop_});
        if (t_.second)
            order.push_back(name(*t_.second));
        order.insert(order.end(), {row_tile, column_tile, row, column});
        lines_.reorder(tile, order);
        lines_.bind(tile, row_warp, "warp.x");
        lines_.bind(tile, warp_loop_, "warp.y");
        for (const auto& loop : {row_tile, column_tile})
            lines_.unroll(tile, loop);
        lines_.pad_storage(tile.stage, name(std::max(p_.row, p_.column)), result_padding(p_));
    }

    // Elements of the block that a warp writes: 16 bytes for each lane at once, along the index
    // that lies innermost.
    void write_block() {
        LoopNames names(default_loops());
        auto order = blocks(names);
        const auto row = host_name(p_.row), column = host_name(p_.column);
        const auto& written = state_.declared(host_.stage);
        const bool along_columns = written.dimension_of(column) > written.dimension_of(row);
        const auto &along = along_columns ? column : row, &across = along_columns ? row : column;
        const auto row_warp = names.make(row + "_warp"), column_warp = names.make(column + "_warp"),
                   along_lane = names.make(along + "_lane"),
                   across_lane = names.make(across + "_lane"), lane = names.make("lane");
        const auto rows = t_.rows / t_.warp_rows, columns = t_.columns / t_.warp_columns;
        lines_.split(host_, row, row_warp, row, rows);
        lines_.split(host_, column, column_warp, column, columns);
        // Lanes that are side by side, and below each other.
        const auto elements = vector_elements(written.types.front());
        std::int64_t beside = 1;
        while (2 * beside <= kLanes &&
               (along_columns ? columns : rows) % (2 * beside * elements) == 0)
            beside *= 2;
        lines_.split(host_, along, along, along_lane, beside * elements);
        lines_.split(host_, across, across, across_lane, kLanes / beside);
        order.insert(order.end(), {row_warp, column_warp});
        if (t_.second)
            order.push_back(host_name(*t_.second));
        order.insert(order.end(), {across, along, across_lane, along_lane});
        lines_.reorder(host_, order);
        bind_blocks(names);
        lines_.bind(host_, row_warp, "warp.x");
        lines_.bind(host_, column_warp, "warp.y");
        lines_.vectorize(host_, along_lane, elements);
        lines_.fuse(host_, across_lane, along_lane, lane);
        lines_.bind(host_, lane, "thread.x");
    }

    // Blocks of what is written; the loops over those, outermost first.
    std::vector<std::string> blocks(LoopNames& names) {
        const auto row = host_name(p_.row), column = host_name(p_.column);
        const auto row_block = names.make(row + "_block");
        block_of_columns_ = names.make(column + "_block");
        lines_.split(host_, row, row_block, row, t_.rows, Tail::Shift);
        lines_.split(host_, column, block_of_columns_, column, t_.columns, Tail::Shift);
        std::string second_block;
        if (t_.second) {
            const auto second = host_name(*t_.second);
            second_block = names.make(second + "_block");
            lines_.split(host_, second, second_block, second, t_.seconds);
        }
        batch_ = {};
        rows_ = {row_block};
        for (auto a : others(false))
            batch_.push_back(host_name(a));
        for (auto a : others(true))
            rows_.push_back(t_.second == a ? second_block : host_name(a));
        auto order = batch_;
        order.insert(order.end(), rows_.begin(), rows_.end());
        order.push_back(block_of_columns_);
        return order;
    }

    void bind_blocks(LoopNames& names) {
        const auto z = fused(host_, batch_, names, "batch"), y = fused(host_, rows_, names, "rows");
        if (!z.empty())
            lines_.bind(host_, z, t_.batch_level);
        lines_.bind(host_, y, t_.row_level);
        lines_.bind(host_, block_of_columns_, t_.column_level);
    }

    // Tiles of blocks, of warps and of instructions of what is written.
    void write_result(LoopNames& names) {
        auto order = blocks(names);
        const auto row = host_name(p_.row), column = host_name(p_.column);
        const auto row_warp = names.make(row + "_warp"), row_tile = names.make(row + "_tile"),
                   column_tile = names.make(column + "_tile");
        warp_loop_ = names.make(column + "_warp");
        lines_.split(host_, row, row_warp, row, t_.rows / t_.warp_rows);
        lines_.split(host_, column, warp_loop_, column, t_.columns / t_.warp_columns);
        lines_.split(host_, row, row_tile, row, p_.rows);
        lines_.split(host_, column, column_tile, column, p_.columns);
        order.insert(order.end(), {row_warp, warp_loop_});
        if (t_.second)
            order.push_back(host_name(*t_.second));
        order.insert(order.end(), {row_tile, column_tile, row, column});
        lines_.reorder(host_, order);
        bind_blocks(names);
        lines_.bind(host_, row_warp, "warp.x");
        lines_.bind(host_, warp_loop_, "warp.y");
        if (t_.second)
            lines_.unroll(host_, host_name(*t_.second));
        lines_.unroll(host_, row_tile);
        lines_.unroll(host_, column_tile);
    }

    // What was cached has a nest of its own, of its indices; the host's is as it stands.
    DefinitionState default_loops() const {
        return epilogue_.empty() ? plain_loops() : state_.find(host_.stage)->definitions.front();
    }

    DefinitionState plain_loops() const {
        DefinitionState out;
        for (const auto& index : state_.declared(stage_).variables) {
            LoopState loop;
            loop.name = index;
            out.loops.push_back(loop);
        }
        return out;
    }

    // Loops that follow one another, outermost first, as one; its name. Of none: empty.
    std::string fused(const DefinitionRef& of, const std::vector<std::string>& loops,
                      LoopNames& names, const std::string& wanted) {
        if (loops.empty())
            return {};
        auto one = loops.front();
        for (std::size_t l = 1; l < loops.size(); ++l) {
            const auto made =
                names.make(l + 1 == loops.size() ? wanted : wanted + "_" + std::to_string(l));
            lines_.fuse(of, one, loops[l], made);
            one = made;
        }
        return one;
    }

    // The sum itself: around the instruction its tiles, around those the steps along the terms.
    void add_up() {
        LoopNames names(
            state_.find(stage_)->definitions[static_cast<std::size_t>(sums_.definition)]);
        const auto &row = name(p_.row), &column = name(p_.column), &term = name(p_.term);
        const auto row_tile = names.make(row + "_tile"), column_tile = names.make(column + "_tile"),
                   term_block = names.make(term + "_block");
        step_loop_ = names.make(term + "_step");
        lines_.split(sums_, row, row_tile, row, p_.rows);
        lines_.split(sums_, column, column_tile, column, p_.columns);
        lines_.split(sums_, term, step_loop_, term, p_.terms);
        lines_.split(sums_, step_loop_, term_block, step_loop_, t_.steps);
        std::vector<std::string> around, blocks; // single iterations; loops over blocks of operands
        for (std::size_t a = 0; a < p_.axes.size(); ++a) {
            if (a == p_.row || a == p_.column || a == p_.term || t_.second == a || t_.window == a)
                continue;
            (is_free(a) ? around : blocks).push_back(name(a));
        }
        blocks.push_back(term_block);
        auto order = around;
        order.insert(order.end(), blocks.begin(), blocks.end());
        if (t_.window)
            order.push_back(name(*t_.window));
        order.push_back(step_loop_);
        if (t_.second)
            order.push_back(name(*t_.second));
        order.insert(order.end(), {row_tile, column_tile, row, column, term});
        lines_.reorder(sums_, order);
        block_loop_ = fused(sums_, blocks, names, "terms");
        if (t_.window)
            lines_.unroll(sums_, name(*t_.window));
        lines_.unroll(sums_, step_loop_);
        if (t_.second)
            lines_.unroll(sums_, name(*t_.second));
        lines_.unroll(sums_, row_tile);
        lines_.unroll(sums_, column_tile);
        lines_.tensorize(sums_, row, p_.intrinsic->name);
    }

    // Lets the lanes that hold the sums compute an update's initial values, tile by tile.
    void start_from_values() {
        for (int d = 0; d < sums_.definition; ++d) {
            const DefinitionRef start{sums_.stage, d};
            LoopNames names(state_.find(stage_)->definitions[static_cast<std::size_t>(d)]);
            const auto &row = name(p_.row), &column = name(p_.column);
            const auto row_tile = names.make(row + "_tile"),
                       column_tile = names.make(column + "_tile");
            lines_.split(start, row, row_tile, row, p_.rows);
            lines_.split(start, column, column_tile, column, p_.columns);
            std::vector<std::string> order;
            for (std::size_t a = 0; a < p_.axes.size(); ++a)
                if (is_free(a) && a != p_.row && a != p_.column)
                    order.push_back(name(a));
            order.insert(order.end(), {row_tile, column_tile, row, column});
            lines_.reorder(start, order);
            if (t_.second)
                lines_.unroll(start, name(*t_.second));
            lines_.unroll(start, row_tile);
            lines_.unroll(start, column_tile);
        }
    }

    struct Copies {
        const ProductOperand* operand;
        std::string block, part; // in shared memory, in registers
    };

    Copies load(const ProductOperand& operand, const std::string& side) {
        Copies out{&operand, free_stage(state_, stage_ + "_" + side + "_block"),
                   free_stage(state_, stage_ + "_" + side + "_part")};
        lines_.cache_read(out.block, sums_, operand.load->name, device::shared_memory().name);
        lines_.cache_read(out.part, sums_, out.block, device::fragments().name);
        return out;
    }

    void place(const Copies& copies) {
        lines_.compute_at(copies.part, sums_, step_loop_);
        lines_.compute_at(copies.block, sums_, block_loop_);
    }

    // 16 bytes for each thread at once, and rows that many longer than they need be, so that eight
    // of them, one below the other, lie in different banks.
    void widen(const Copies& copies) {
        const auto& operand = *copies.operand;
        const auto lanes = vector_elements(operand.type);
        const bool even = block_extents(p_, t_, operand).back() % lanes == 0;
        if (even)
            lines_.vectorize({copies.block}, operand.names.back(), lanes);
        if (even || p_.opaque())
            lines_.pad_storage(copies.block, operand.names.back(),
                               operand_padding(p_, t_, operand));
    }

    void rotate(const Copies& left, const Copies& right) {
        if (t_.copies > 1)
            for (const auto* each : {&left, &right})
                lines_.pipeline(each->block, t_.copies);
        if (t_.part_copies > 1)
            for (const auto* each : {&left, &right})
                lines_.pipeline(each->part, t_.part_copies);
    }

    const ScheduleState& state_;
    const MatrixProduct& p_;
    const ProductTiles& t_;
    const Epilogue& epilogue_;
    LineList lines_;
    std::string stage_;
    DefinitionRef host_; // what is written to memory
    DefinitionRef sums_; // what is added up in registers
    std::string warp_loop_, step_loop_, block_loop_, block_of_columns_;
    std::vector<std::string> batch_,
        rows_; // loops of the host that are bound to blocks, beside that
};

} // namespace

bool goes_through_memory(const ScheduleState& state, const MatrixProduct& product,
                         const Epilogue& epilogue) {
    if (!product.opaque())
        return false;
    if (!epilogue.empty())
        return true;
    // As it is stored: rows, or columns, begin at multiples of what a lane holds.
    const auto& last = product.axes[state.declared(product.of.stage).variables.size() - 1];
    const bool lines =
        &last == &product.axes[product.row] || &last == &product.axes[product.column];
    const auto unit = product.intrinsic->result.registers;
    return !lines || last.extent % unit != 0;
}

std::vector<DirectivePtr> product_lines(const ScheduleState& state, const MatrixProduct& product,
                                        const ProductTiles& tiles, const Epilogue& epilogue,
                                        const SourceRange& where) {
    return Writer(state, product, tiles, epilogue, where).run();
}

} // namespace loopscope
