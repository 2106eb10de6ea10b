#include "compiler/run/reference/reference.h"

#include "compiler/run/reference/definition_runner.h"

#include <algorithm>
#include <cstring>

namespace loopscope {

namespace {

using reference::Storage;
using reference::Storages;

bool is_empty(const Box& box) {
    return std::any_of(box.begin(), box.end(), [](const Interval& i) { return i.empty(); });
}

std::vector<std::int64_t> row_major(const std::vector<std::int64_t>& extents) {
    std::vector<std::int64_t> strides(extents.size(), 1);
    for (std::size_t d = extents.size(); d-- > 1;)
        strides[d - 1] = strides[d] * extents[d];
    return strides;
}

// The position in `pipeline.stages` of the last stage that reads each one.
std::map<std::string, std::size_t> last_readers(const Pipeline& pipeline) {
    std::map<std::string, std::size_t> last;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        auto note = [&](const ExprPtr& e) {
            if (e)
                visit(e, [&](const Expr& node) {
                    if (node.kind == ExprKind::Load)
                        last[node.name] = i;
                    return true;
                });
        };
        for (const auto& d : pipeline.stages[i].definitions) {
            std::for_each(d.values.begin(), d.values.end(), note);
            std::for_each(d.left.begin(), d.left.end(), note);
            note(d.condition);
        }
    }
    return last;
}

class Evaluation {
public:
    Evaluation(const Pipeline& pipeline, const std::map<std::string, Buffer>& inputs,
               const ReferenceOptions& options)
        : pipeline_(pipeline), inputs_(inputs), options_(options) {}

    Result<std::map<std::string, Buffer>> run() {
        auto boxes = required_boxes(pipeline_);
        if (!boxes)
            return boxes.errors();
        boxes_ = std::move(*boxes);
        if (auto status = attach_inputs(); !status)
            return status.errors();
        auto last = last_readers(pipeline_);
        for (std::size_t i = 0; i < pipeline_.stages.size(); ++i) {
            const auto& stage = pipeline_.stages[i];
            if (!stage.is_input) {
                // One that nothing needs has no elements, but empty reductions may name it.
                auto status = is_empty(boxes_.at(stage.name)) ? allocate(stage) : compute(stage);
                if (!status)
                    return status.errors();
            }
            release(last, i);
        }
        return std::move(outputs_);
    }

private:
    Status attach_inputs() {
        Diagnostics errors;
        for (const auto& stage : pipeline_.stages)
            if (stage.is_input)
                if (auto status = attach(stage); !status)
                    errors.insert(errors.end(), status.errors().begin(), status.errors().end());
        if (!errors.empty())
            return errors;
        return success();
    }

    Status attach(const Stage& stage) {
        auto found = inputs_.find(stage.name);
        if (found == inputs_.end())
            return error("input '" + stage.name + "' is missing", {}, stage.origin.range);
        const auto& buffer = found->second;
        const auto extents = hints(stage.extents);
        if (buffer.type != stage.types[0] || buffer.extents != extents)
            return error(
                "input '" + stage.name + "' is " + name(buffer.type) + shape_text(buffer.extents),
                std::string("the pipeline takes ") + name(stage.types[0]) + shape_text(extents),
                stage.origin.range);
        auto kind = stage.boundary.kind;
        bool has_outside_value = kind == BoundaryKind::Zero || kind == BoundaryKind::Constant;
        if (buffer.data.empty() && !has_outside_value && !is_empty(boxes_.at(stage.name)))
            return error("input '" + stage.name + "' has no elements, but is read", {},
                         stage.origin.range);
        Storage storage =
            make_storage(stage, buffer.type, std::vector<std::int64_t>(extents.size(), 0), extents);
        // stages write to their own storage only
        storage.data = const_cast<std::byte*>(buffer.data.data());
        storage.boundary = kind;
        storage.outside = kind == BoundaryKind::Constant ? stage.boundary.value->bits : 0;
        storages_[stage.name] = {storage};
        return success();
    }

    static Storage make_storage(const Stage& stage, ScalarType type,
                                std::vector<std::int64_t> origin,
                                std::vector<std::int64_t> extents) {
        Storage storage;
        storage.stage = &stage;
        storage.type = type;
        storage.strides = row_major(extents);
        storage.origin = std::move(origin);
        storage.extents = std::move(extents);
        return storage;
    }

    Status allocate(const Stage& stage) {
        std::vector<std::int64_t> origin, extents;
        for (const auto& interval : boxes_.at(stage.name)) {
            origin.push_back(interval.least);
            extents.push_back(interval.extent());
        }
        for (auto type : stage.types) {
            auto buffer = make_buffer(type, extents, options_.memory_limit - used_);
            if (!buffer) {
                auto errors = buffer.errors();
                errors[0].message += ", for stage '" + stage.name + "'";
                errors[0].range = stage.origin.range;
                return errors;
            }
            used_ += static_cast<std::int64_t>(buffer->data.size());
            owned_[stage.name].push_back(std::move(*buffer));
            auto storage = make_storage(stage, type, origin, extents);
            storage.data = owned_[stage.name].back().data.data();
            storages_[stage.name].push_back(std::move(storage));
        }
        return success();
    }

    Status compute(const Stage& stage) {
        if (auto status = allocate(stage); !status)
            return status;
        for (std::size_t i = 0; i < stage.definitions.size(); ++i) {
            bool contract = options_.contracted.count({stage.name, static_cast<int>(i)}) != 0;
            reference::DefinitionRunner runner(pipeline_, stage, stage.definitions[i], storages_,
                                               contract);
            if (auto status = runner.run(boxes_.at(stage.name), options_.cancel); !status)
                return status;
        }
        const auto* output = pipeline_.find_output(stage.name);
        return output ? copy_out(stage, *output) : success();
    }

    Status copy_out(const Stage& stage, const Output& output) {
        const auto extents = hints(output.extents);
        for (std::size_t c = 0; c < stage.types.size(); ++c) {
            auto buffer = make_buffer(stage.types[c], extents, options_.memory_limit - used_);
            if (!buffer)
                return buffer.errors();
            used_ += static_cast<std::int64_t>(buffer->data.size());
            copy_box(storages_[stage.name][c], *buffer);
            auto name = stage.types.size() == 1 ? stage.name : stage.name + "." + std::to_string(c);
            outputs_.emplace(name, std::move(*buffer));
        }
        return success();
    }

    // Copies the part of a stage's box that starts at 0 and has the buffer's extents.
    static void copy_box(const Storage& from, Buffer& to) {
        auto rank = to.extents.size();
        auto element = static_cast<std::size_t>(bytes(to.type));
        auto row = rank ? static_cast<std::size_t>(to.extents.back()) * element : element;
        std::vector<std::int64_t> index(rank, 0);
        for (std::size_t done = 0; done < to.data.size(); done += row) {
            std::int64_t offset = 0;
            for (std::size_t d = 0; d < rank; ++d)
                offset += (index[d] - from.origin[d]) * from.strides[d];
            std::memcpy(to.data.data() + done,
                        from.data + static_cast<std::size_t>(offset) * element, row);
            for (std::size_t d = rank; d-- > 1 && ++index[d - 1] == to.extents[d - 1];)
                index[d - 1] = 0;
        }
    }

    // Frees what no later stage reads.
    void release(const std::map<std::string, std::size_t>& last, std::size_t done) {
        for (auto it = owned_.begin(); it != owned_.end();) {
            auto reader = last.find(it->first);
            if (reader != last.end() && reader->second > done) {
                ++it;
                continue;
            }
            for (const auto& buffer : it->second)
                used_ -= static_cast<std::int64_t>(buffer.data.size());
            storages_.erase(it->first);
            it = owned_.erase(it);
        }
    }

    const Pipeline& pipeline_;
    const std::map<std::string, Buffer>& inputs_;
    const ReferenceOptions& options_;
    std::map<std::string, Box> boxes_;
    Storages storages_;
    std::map<std::string, std::vector<Buffer>> owned_; // the memory of stages' storages
    std::map<std::string, Buffer> outputs_;
    std::int64_t used_ = 0;
};

} // namespace

Result<std::map<std::string, Buffer>> evaluate(const Pipeline& pipeline,
                                               const std::map<std::string, Buffer>& inputs,
                                               const ReferenceOptions& options) {
    return Evaluation(pipeline, inputs, options).run();
}

} // namespace loopscope
