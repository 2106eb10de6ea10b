#include "compiler/gpu/plan_run.h"

#include "compiler/gpu/codes.h"
#include "compiler/gpu/cuda_library.h"
#include "compiler/gpu/limits.h"
#include "compiler/gpu/tensor_map.h"
#include "compiler/run/window.h"

namespace loopscope::gpu {

namespace {

constexpr unsigned char kPoison = 0xa5;
constexpr std::array<std::int64_t, 3> kNoCluster{1, 1, 1};

unsigned narrow(std::int64_t n) { return static_cast<unsigned>(n); } // checked by check_limits

} // namespace

Result<PlanRun> PlanRun::prepare(const GpuSession& session, const Plan& plan) {
    if (auto problems = check_limits(session.gpu(), plan); !problems.empty())
        return problems;
    auto memory = session.memory();
    if (!memory)
        return memory.errors();
    if (auto fits = check_device_memory(plan, memory->free); !fits)
        return fits.errors();
    auto module = session.load(plan.ptx, plan.name);
    if (!module)
        return module.errors();
    PlanRun run(session, plan, std::move(*module));
    if (auto ready = run.prepare_kernels(); !ready)
        return ready.errors();
    if (auto ready = run.allocate(); !ready)
        return ready.errors();
    if (auto ready = run.make_tensor_maps(); !ready)
        return ready.errors();
    return run;
}

Status PlanRun::prepare_kernels() {
    for (const auto& kernel : plan_->kernels) {
        auto function = module_.function(kernel.name);
        if (!function)
            return function.errors();
        if (kernel.dynamic_bytes > 0) {
            const auto& api = session_->api();
            const auto status = api.function_set_attribute(
                *function, static_cast<int>(CuFunctionAttribute::DynamicSharedBytes),
                static_cast<int>(kernel.dynamic_bytes));
            if (auto set = succeed(api, status,
                                   "asking for " + std::to_string(kernel.dynamic_bytes) +
                                       " bytes of shared memory for " + kernel.name);
                !set)
                return set;
        }
        auto facts = facts_of(kernel, *function);
        if (!facts)
            return facts.errors();
        if (auto fits = check_compiled(kernel, *facts); !fits)
            return fits;
        functions_.push_back(*function);
        facts_.push_back(std::move(*facts));
    }
    return success();
}

Result<KernelFacts> PlanRun::facts_of(const PlanKernel& kernel, CuFunction function) const {
    const auto& api = session_->api();
    KernelFacts facts;
    facts.name = kernel.name;
    auto read = [&](CuFunctionAttribute attribute, int& value) {
        return api.function_attribute(&value, static_cast<int>(attribute), function);
    };
    CuResult status = read(CuFunctionAttribute::Registers, facts.registers);
    if (status == kCuSuccess)
        status = read(CuFunctionAttribute::LocalBytes, facts.local_bytes);
    if (status == kCuSuccess)
        status = read(CuFunctionAttribute::StaticSharedBytes, facts.shared_bytes);
    if (status == kCuSuccess)
        status = read(CuFunctionAttribute::ThreadsPerBlock, facts.threads_per_block);
    if (status == kCuSuccess)
        status = api.occupancy(&facts.blocks_per_multiprocessor, function,
                               static_cast<int>(kernel.threads()),
                               static_cast<std::size_t>(kernel.dynamic_bytes));
    if (auto got = succeed(api, status, "asking what became of the kernel " + kernel.name); !got)
        return got.errors();
    return facts;
}

Status PlanRun::allocate() {
    if (const auto bytes = plan_->scratch_bytes(); bytes > 0) {
        auto scratch = session_->allocate(bytes, "what kernels hand on to each other");
        if (!scratch)
            return scratch.errors();
        scratch_ = std::move(*scratch);
    }
    for (const auto& b : plan_->buffers) {
        if (b.role == PlanRole::Scratch && b.offset >= 0) {
            pointers_[b.name] = scratch_.pointer() + static_cast<CuPointer>(b.offset);
            continue;
        }
        auto memory = session_->allocate(b.bytes(), b.name);
        if (!memory)
            return memory.errors();
        pointers_[b.name] = memory->pointer();
        memory_[b.name] = std::move(*memory);
    }
    return success();
}

Status PlanRun::make_tensor_maps() {
    std::vector<TensorMapBytes> maps;
    for (const auto& kernel : plan_->kernels)
        for (const auto& map : kernel.tensor_maps) {
            auto made =
                encode(session_->api(), map, *plan_->find(map.buffer), pointers_.at(map.buffer));
            if (!made)
                return made.errors();
            maps.push_back(*made);
        }
    maps_.resize(plan_->kernels.size());
    if (maps.empty())
        return success();
    const auto bytes = static_cast<std::int64_t>(maps.size() * sizeof(TensorMapBytes));
    auto memory = session_->allocate(bytes, "tensor maps");
    if (!memory)
        return memory.errors();
    map_memory_ = std::move(*memory);
    auto at = map_memory_.pointer();
    for (std::size_t k = 0; k < maps_.size(); ++k)
        for (std::size_t i = 0; i < plan_->kernels[k].tensor_maps.size(); ++i) {
            maps_[k].push_back(at);
            at += sizeof(TensorMapBytes);
        }
    return session_->copy_to_device(map_memory_.pointer(), maps.data(), bytes);
}

Status PlanRun::upload(const std::map<std::string, Buffer>& inputs) {
    for (const auto& b : plan_->buffers) {
        if (b.role != PlanRole::Input)
            continue;
        auto found = inputs.find(b.name);
        if (found == inputs.end())
            return error("there is no array for the input `" + b.name + "`");
        const auto& array = found->second;
        if (array.type != b.type || array.extents != b.extents)
            return error("the input " + b.name + " is " + name(array.type) +
                         shape_text(array.extents) + ", not " + name(b.type) +
                         shape_text(b.extents));
        if (auto done =
                session_->copy_to_device(pointers_.at(b.name), array.data.data(), b.bytes());
            !done)
            return done;
    }
    return success();
}

Status PlanRun::poison() {
    if (scratch_.bytes() > 0)
        if (auto done = session_->fill(scratch_.pointer(), kPoison, scratch_.bytes()); !done)
            return done;
    for (const auto& b : plan_->buffers)
        if (b.role != PlanRole::Input && memory_.count(b.name))
            if (auto done = session_->fill(pointers_.at(b.name), kPoison, b.bytes()); !done)
                return done;
    return success();
}

Status PlanRun::launch(std::size_t number) const {
    const auto& kernel = plan_->kernels[number];
    const auto& api = session_->api();
    std::vector<CuPointer> values;
    for (const auto& argument : kernel.arguments)
        values.push_back(pointers_.at(argument));
    values.insert(values.end(), maps_[number].begin(), maps_[number].end());
    std::vector<void*> addresses;
    for (auto& value : values)
        addresses.push_back(&value);
    const auto& g = kernel.grid;
    const auto& b = kernel.block;
    CuResult status = kCuSuccess;
    if (kernel.cluster == kNoCluster) {
        status = api.launch(functions_[number], narrow(g[0]), narrow(g[1]), narrow(g[2]),
                            narrow(b[0]), narrow(b[1]), narrow(b[2]), narrow(kernel.dynamic_bytes),
                            session_->stream(), addresses.data(), nullptr);
    } else {
        if (!api.launch_extended)
            return coded_error(kCodeDriver, "the driver launches no clusters of blocks",
                               "install a driver of CUDA 11.8 or newer");
        CuLaunchAttribute cluster;
        cluster.id = kCuLaunchClusterDimension;
        for (std::size_t axis = 0; axis < 3; ++axis)
            cluster.value.cluster[axis] = narrow(kernel.cluster[axis]);
        CuLaunchConfig config{{narrow(g[0]), narrow(g[1]), narrow(g[2])},
                              {narrow(b[0]), narrow(b[1]), narrow(b[2])},
                              narrow(kernel.dynamic_bytes),
                              session_->stream(),
                              &cluster,
                              1};
        status = api.launch_extended(&config, functions_[number], addresses.data(), nullptr);
    }
    return succeed(api, status, "launching " + kernel.text());
}

Status PlanRun::launch() const {
    for (std::size_t number = 0; number < plan_->kernels.size(); ++number)
        if (auto done = launch(number); !done)
            return done;
    return success();
}

Status PlanRun::run(const Watch& watch) const {
    if (auto ready = session_->wait(watch, "preparing " + plan_->name); !ready)
        return ready;
    for (std::size_t number = 0; number < plan_->kernels.size(); ++number) {
        if (auto done = launch(number); !done)
            return done;
        const auto text = "the kernel " + plan_->kernels[number].text();
        if (auto done = session_->wait(watch, text); !done)
            return done;
    }
    return success();
}

Result<std::map<std::string, Buffer>> PlanRun::outputs() const {
    std::map<std::string, Buffer> windows;
    for (const auto& b : plan_->buffers) {
        if (b.role != PlanRole::Output)
            continue;
        auto whole = make_buffer(b.type, b.extents);
        if (!whole)
            return whole.errors();
        if (auto done = session_->copy_to_host(whole->data.data(), pointers_.at(b.name), b.bytes());
            !done)
            return done.errors();
        std::vector<std::int64_t> offsets;
        for (auto least : b.mins)
            offsets.push_back(-least);
        auto window =
            b.window == b.extents ? std::move(whole) : window_of(*whole, offsets, b.window);
        if (!window)
            return window.errors();
        windows.emplace(b.name, std::move(*window));
    }
    return windows;
}

std::string PlanRun::text() const {
    const auto& kernels = plan_->kernels;
    std::string all = kernels.size() == 1 ? "the kernel " : "one of the kernels ";
    constexpr std::size_t kMaxNamed = 4;
    for (std::size_t i = 0; i < kernels.size() && i < kMaxNamed; ++i)
        all += (i ? ", " : "") + kernels[i].text();
    return kernels.size() > kMaxNamed ? all + ", …" : all;
}

nlohmann::json kernels_json(const PlanRun& run) {
    auto list = nlohmann::json::array();
    for (std::size_t i = 0; i < run.kernels().size(); ++i) {
        auto one = to_json(run.kernels()[i]);
        const auto& planned = run.plan().kernels[i];
        one.update({{"launch", planned.launch},
                    {"grid", planned.grid},
                    {"block", planned.block},
                    {"cluster", planned.cluster},
                    {"shared_bytes", planned.shared_bytes}});
        list.push_back(std::move(one));
    }
    return list;
}

} // namespace loopscope::gpu
