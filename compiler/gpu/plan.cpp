#include "compiler/gpu/plan.h"

#include "compiler/gpu/json_reader.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace loopscope::gpu {

using nlohmann::json;

namespace {

constexpr std::size_t kMaxBuffers = 4096, kMaxKernels = 4096, kMaxArguments = 256;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kMaxMapDimensions = 5; // of the TMA
constexpr std::int64_t kMaxBox = 256;
constexpr std::int64_t kMaxShared = 1 << 20;
constexpr std::int64_t kMaxScratch = std::int64_t{1} << 44;

const char* const kRoles[] = {"input", "output", "scratch"};

std::string triple(const std::array<std::int64_t, 3>& n) {
    return "(" + std::to_string(n[0]) + ", " + std::to_string(n[1]) + ", " + std::to_string(n[2]) +
           ")";
}

json buffer_json(const PlanBuffer& b) {
    json out{{"name", b.name},
             {"role", kRoles[static_cast<int>(b.role)]},
             {"type", name(b.type)},
             {"extents", b.extents}};
    if (b.role == PlanRole::Output) {
        out["mins"] = b.mins;
        out["window"] = b.window;
    }
    if (b.role == PlanRole::Scratch)
        out["offset"] = b.offset;
    return out;
}

json kernel_json(const PlanKernel& k) {
    auto maps = json::array();
    for (const auto& map : k.tensor_maps)
        maps.push_back({{"buffer", map.buffer}, {"box", map.box}, {"swizzle", map.swizzle}});
    return {{"name", k.name},
            {"launch", k.launch},
            {"grid", k.grid},
            {"block", k.block},
            {"cluster", k.cluster},
            {"shared_bytes", k.shared_bytes},
            {"dynamic_bytes", k.dynamic_bytes},
            {"arguments", k.arguments},
            {"tensor_maps", std::move(maps)}};
}

void read_window(JsonReader& read, PlanBuffer& b) {
    b.mins = read.wholes("mins", kMaxDimensions, -(std::int64_t{1} << 40), 0);
    b.window = read.wholes("window", kMaxDimensions, 0, std::int64_t{1} << 40);
    if (!read)
        return;
    if (b.mins.size() != b.extents.size() || b.window.size() != b.extents.size())
        return read.fail("window", "of as many dimensions as the buffer has");
    for (std::size_t d = 0; d < b.extents.size(); ++d)
        if (b.window[d] - b.mins[d] > b.extents[d])
            return read.fail("window", "inside the buffer");
}

Result<PlanBuffer> read_buffer(const json& object, const std::string& path) {
    JsonReader read(object, path);
    PlanBuffer b;
    b.name = read.text("name", 256);
    const auto role = read.text("role");
    const auto* known = std::find(std::begin(kRoles), std::end(kRoles), role);
    if (known == std::end(kRoles))
        read.fail("role", "input, output or scratch");
    else
        b.role = static_cast<PlanRole>(known - std::begin(kRoles));
    if (!parse_scalar_type(read.text("type"), b.type))
        read.fail("type", "a scalar type, as f32");
    b.extents = read.wholes("extents", kMaxDimensions, 0, std::int64_t{1} << 40);
    if (read)
        if (auto size = checked_size(b.type, b.extents, kMaxScratch); !size)
            return size.errors();
    if (b.role == PlanRole::Output)
        read_window(read, b);
    if (b.role == PlanRole::Scratch)
        b.offset = read.whole("offset", -1, kMaxScratch);
    if (!read)
        return read.errors();
    return b;
}

std::array<std::int64_t, 3> read_triple(JsonReader& read, const char* key) {
    const auto list = read.wholes(key, 3, 1, INT32_MAX);
    if (list.size() != 3) {
        read.fail(key, "three whole numbers from 1 on");
        return {1, 1, 1};
    }
    return {list[0], list[1], list[2]};
}

Result<PlanKernel> read_kernel(const json& object, const std::string& path) {
    JsonReader read(object, path);
    PlanKernel k;
    k.name = read.text("name", 256);
    k.launch = read.text_or("launch", "");
    k.grid = read_triple(read, "grid");
    k.block = read_triple(read, "block");
    k.cluster = read_triple(read, "cluster");
    k.shared_bytes = read.whole("shared_bytes", 0, kMaxShared);
    k.dynamic_bytes = read.whole("dynamic_bytes", 0, kMaxShared);
    k.arguments = read.texts("arguments", kMaxArguments);
    if (read.has("tensor_maps")) // bundles of before have none
        for (const auto& one : read.array("tensor_maps", kMaxArguments)) {
            JsonReader read_map(one, path + ".tensor_maps[" + std::to_string(k.tensor_maps.size()) +
                                         "]");
            PlanTensorMap map{read_map.text("buffer", 256),
                              read_map.wholes("box", kMaxMapDimensions, 1, kMaxBox),
                              static_cast<int>(read_map.whole("swizzle", 0, 128))};
            if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 && map.swizzle != 128)
                read_map.fail("swizzle", "0, 32, 64 or 128");
            if (!read_map)
                return read_map.errors();
            k.tensor_maps.push_back(std::move(map));
        }
    if (!read)
        return read.errors();
    return k;
}

Status check_names(const Plan& plan, const std::string& path) {
    std::set<std::string> names;
    for (const auto& b : plan.buffers)
        if (!names.insert(b.name).second)
            return error("`" + path + ".buffers` has " + b.name + " twice");
    for (const auto& k : plan.kernels) {
        for (const auto& argument : k.arguments)
            if (!names.count(argument))
                return error("`" + path + ".kernels`: " + k.name + " takes " + argument +
                             ", which is no buffer");
        for (const auto& map : k.tensor_maps) {
            const auto* buffer = plan.find(map.buffer);
            if (!buffer || buffer->extents.size() != map.box.size())
                return error("`" + path + ".kernels`: " + k.name + " has a tensor map of " +
                             map.buffer + ", which is no buffer of as many dimensions");
        }
    }
    return success();
}

} // namespace

std::int64_t PlanBuffer::bytes() const {
    std::int64_t size = loopscope::bytes(type);
    for (auto extent : extents)
        size *= extent;
    return size;
}

std::string PlanKernel::text() const {
    auto all = name + "<<<" + triple(grid) + ", " + triple(block) + ", " +
               std::to_string(shared_bytes) + " B>>>";
    return cluster == std::array<std::int64_t, 3>{1, 1, 1}
               ? all
               : all + " in clusters of " + triple(cluster);
}

const PlanBuffer* Plan::find(const std::string& buffer) const {
    auto found = std::find_if(buffers.begin(), buffers.end(),
                              [&](const PlanBuffer& b) { return b.name == buffer; });
    return found == buffers.end() ? nullptr : &*found;
}

std::int64_t Plan::scratch_bytes() const {
    std::int64_t end = 0;
    for (const auto& b : buffers)
        if (b.role == PlanRole::Scratch && b.offset >= 0)
            end = std::max(end, b.offset + b.bytes());
    return end;
}

json to_json(const Plan& plan) {
    auto buffers = json::array(), kernels = json::array();
    for (const auto& b : plan.buffers)
        buffers.push_back(buffer_json(b));
    for (const auto& k : plan.kernels)
        kernels.push_back(kernel_json(k));
    return {{"name", plan.name},
            {"architecture", plan.architecture},
            {"buffers", std::move(buffers)},
            {"kernels", std::move(kernels)}};
}

std::optional<int> capability_of(const std::string& architecture) {
    const bool alone = architecture.ends_with('a');
    const auto* end = architecture.data() + architecture.size() - alone;
    int number = 0;
    if (!architecture.starts_with("sm_") ||
        std::from_chars(architecture.data() + 3, end, number).ptr != end || number < 10 ||
        number > 999)
        return std::nullopt;
    return number;
}

Result<Plan> plan_from_json(const json& object, const std::string& path) {
    JsonReader read(object, path);
    Plan plan;
    plan.name = read.text("name", 256);
    plan.architecture = read.text("architecture", 32);
    if (read && !capability_of(plan.architecture))
        read.fail("architecture", "as \"sm_80\" or \"sm_90a\"");
    for (const auto& one : read.array("buffers", kMaxBuffers)) {
        auto b = read_buffer(one, path + ".buffers[" + std::to_string(plan.buffers.size()) + "]");
        if (!b)
            return b.errors();
        plan.buffers.push_back(std::move(*b));
    }
    for (const auto& one : read.array("kernels", kMaxKernels)) {
        auto k = read_kernel(one, path + ".kernels[" + std::to_string(plan.kernels.size()) + "]");
        if (!k)
            return k.errors();
        plan.kernels.push_back(std::move(*k));
    }
    if (!read)
        return read.errors();
    if (auto right = check_names(plan, path); !right)
        return right.errors();
    return plan;
}

} // namespace loopscope::gpu
