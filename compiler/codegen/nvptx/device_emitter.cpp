#include "compiler/codegen/nvptx/device_emitter.h"

#include "compiler/codegen/nvptx/group_order.h"
#include "compiler/lower/gpu/instructions.h"
#include "compiler/lower/gpu/multicast.h"
#include "compiler/lower/statements.h"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsNVPTX.h>

#include <algorithm>
#include <cctype>

namespace loopscope::codegen {

using llvm::Value;
using lower::StatementKind;
namespace Intrinsic = llvm::Intrinsic;

namespace {

constexpr std::int64_t kDeviceAlignment = 256; // of allocations by the driver

// Buffers that statements of a launch write.
std::set<std::string> written_buffers(const lower::StatementPtr& body) {
    std::set<std::string> written;
    lower::visit_statements(body, [&](const lower::Statement& s) {
        if (lower::writes(s))
            written.insert(s.access->buffer);
        for (std::size_t o = 0; o < s.operands.size(); ++o)
            if (lower::effect_of(s, o).writes)
                written.insert(s.operands[o].buffer);
        return true;
    });
    return written;
}

std::int64_t lowest_bit(std::int64_t n) { return n & -n; }

} // namespace

DeviceEmitter::DeviceEmitter(llvm::Module& module, const lower::Program& program,
                             const Architecture& architecture, std::vector<NodeId>* origins)
    : Emitter(module, program,
              {{/*f16_conversion=*/true, false, false, /*saturating_conversion=*/true},
               IndexForm::Own,
               llvm::DICompileUnit::DebugDirectivesOnly},
              origins),
      architecture_(architecture) {}

std::vector<PtxKernel> DeviceEmitter::emit() {
    make_alias_scopes();
    std::vector<PtxKernel> kernels;
    for (const auto& launch : program_.launches)
        kernels.push_back(emit_launch(launch));
    if (debug_)
        debug_->finalize();
    return kernels;
}

PtxKernel DeviceEmitter::emit_launch(const lower::Launch& launch) {
    shape_ = *lower::launch_shape(launch);
    of_ = {0, shape_.threads()};
    handed_over_ = lower::handed_over(shape_.body);
    shares_copies_ = lower::shares_copies(shape_.body);
    layout_.emplace(shape_.body);
    waits_ = hardware_waits(shape_.body);
    fills_matrices_ = lower::threads_fill_matrices(shape_.body);
    separate_shared_buffers();
    PtxKernel kernel;
    kernel.name = kernel_name(launch.name);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        kernel.grid[axis] = shape_.blocks_along()[axis];
        kernel.cluster[axis] = shape_.cluster[axis].extent;
        kernel.block[axis] = shape_.block[axis].extent;
    }
    kernel.arguments = launch.arguments;
    make_shared_memory(kernel);
    kernel.tensor_maps = tensor_maps_of(shape_);
    fences_ = threads_write_where_it_does(shape_.body, *layout_);
    auto* function = begin_kernel(launch, kernel);
    bind_arguments(launch, function);
    bind_tensor_maps(kernel, function);
    bind_dimensions(launch);
    open_scope();
    statement(*shape_.body);
    b_.CreateRetVoid();
    forget_names();
    elements_.clear();
    arrivals_.clear();
    tensor_maps_.clear();
    return kernel;
}

// Letters, digits and _, and none twice.
std::string DeviceEmitter::kernel_name(const std::string& launch) {
    std::string name;
    for (char c : launch)
        name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0])) || name == "WARP_SZ")
        name = "kernel_" + name;
    auto unique = name;
    for (int n = 2; !names_.insert(unique).second; ++n)
        unique = name + "_" + std::to_string(n);
    return unique;
}

llvm::Function* DeviceEmitter::begin_kernel(const lower::Launch& launch, const PtxKernel& kernel) {
    std::vector<llvm::Type*> parameters(launch.arguments.size(),
                                        llvm::PointerType::get(module_.getContext(), kGlobalSpace));
    parameters.insert(parameters.end(), program_.symbols.size(), b_.getInt64Ty());
    parameters.insert(parameters.end(), kernel.tensor_maps.size(),
                      llvm::PointerType::get(module_.getContext(), kGlobalSpace));
    auto* function = begin_function(kernel.name, parameters, true);
    function->setCallingConv(llvm::CallingConv::PTX_Kernel);
    auto* annotations = module_.getOrInsertNamedMetadata("nvvm.annotations");
    auto annotate = [&](const char* name, std::int64_t n) {
        auto& context = module_.getContext();
        auto* number = llvm::ConstantAsMetadata::get(b_.getInt32(static_cast<std::uint32_t>(n)));
        annotations->addOperand(
            llvm::MDNode::get(context, {llvm::ValueAsMetadata::get(function),
                                        llvm::MDString::get(context, name), number}));
    };
    annotate("maxntidx", kernel.block[0]);
    annotate("maxntidy", kernel.block[1]);
    annotate("maxntidz", kernel.block[2]);
    return function;
}

void DeviceEmitter::bind_arguments(const lower::Launch& launch, llvm::Function* function) {
    auto& context = module_.getContext();
    const auto written = written_buffers(launch.body);
    for (unsigned i = 0; i < program_.symbols.size(); ++i) {
        auto* symbol = function->getArg(static_cast<unsigned>(launch.arguments.size()) + i);
        symbol->setName(program_.symbols[i]);
        bind_symbol(program_.symbols[i], symbol);
    }
    auto bind = [&](unsigned i, const std::string& name, ScalarType type,
                    const std::vector<Extent>& extents, std::int64_t alignment) {
        auto* data = function->getArg(i);
        data->setName(name);
        auto attribute = [&](llvm::Attribute a) { function->addParamAttr(i, a); };
        attribute(llvm::Attribute::get(context, llvm::Attribute::NoAlias));
        attribute(llvm::Attribute::get(context, llvm::Attribute::NoCapture));
        attribute(llvm::Attribute::getWithAlignment(
            context, llvm::Align(static_cast<std::uint64_t>(alignment))));
        auto buffer = bind_buffer(name, type, data);
        buffer.alignment = alignment;
        buffer.constant = !written.count(name);
        if (buffer.constant)
            attribute(llvm::Attribute::get(context, llvm::Attribute::ReadOnly));
        Value* elements = b_.getInt64(1);
        for (const auto& extent : extents)
            elements = b_.CreateMul(elements, extent_value(extent));
        if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(elements); known && !known->isZero())
            attribute(llvm::Attribute::getWithDereferenceableBytes(
                context, known->getZExtValue() * static_cast<std::uint64_t>(bytes(type))));
        buffers_[name] = buffer;
        value_scopes_[data] = 0;
        elements_[name] = elements;
    };
    for (unsigned i = 0; i < launch.arguments.size(); ++i) {
        const auto& name = launch.arguments[i];
        for (const auto& argument : program_.arguments)
            if (argument.buffer == name)
                bind(i, name, argument.type, argument.extents, kDeviceAlignment);
        for (const auto& buffer : program_.buffers)
            if (buffer.buffer == name)
                bind(i, name, buffer.type, buffer.extents,
                     buffer.offset > 0 ? std::min(kDeviceAlignment, lowest_bit(buffer.offset))
                                       : kDeviceAlignment);
    }
}

void DeviceEmitter::bind_dimensions(const lower::Launch& launch) {
    std::map<std::string, NodeId> origins; // of the loops that stand for them
    for (const auto* s = launch.body.get(); s != shape_.body.get(); s = s->children[0].get())
        origins[s->variable] = s->origin;

    constexpr Intrinsic::ID kBlock[] = {Intrinsic::nvvm_read_ptx_sreg_ctaid_x,
                                        Intrinsic::nvvm_read_ptx_sreg_ctaid_y,
                                        Intrinsic::nvvm_read_ptx_sreg_ctaid_z};
    // What PTX calls the number of a cluster in the grid, and of a block in its cluster (special
    // registers).
    constexpr Intrinsic::ID kCluster[] = {Intrinsic::nvvm_read_ptx_sreg_clusterid_x,
                                          Intrinsic::nvvm_read_ptx_sreg_clusterid_y,
                                          Intrinsic::nvvm_read_ptx_sreg_clusterid_z};
    constexpr Intrinsic::ID kOfCluster[] = {Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_x,
                                            Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_y,
                                            Intrinsic::nvvm_read_ptx_sreg_cluster_ctaid_z};
    constexpr Intrinsic::ID kThread[] = {Intrinsic::nvvm_read_ptx_sreg_tid_x,
                                         Intrinsic::nvvm_read_ptx_sreg_tid_y,
                                         Intrinsic::nvvm_read_ptx_sreg_tid_z};
    auto bind = [&](const lower::LaunchDimension& dimension, Intrinsic::ID id) {
        if (dimension.variable.empty())
            return;
        set_origin(origins.at(dimension.variable));
        bind_dimension(dimension, dimension.extent > 1 ? b_.CreateIntrinsic(id, {}, {}) : nullptr,
                       0);
    };
    const bool clustered = shape_.cluster_blocks() > 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        bind(shape_.grid[axis], clustered ? kCluster[axis] : kBlock[axis]);
        bind(shape_.cluster[axis], kOfCluster[axis]);
        bind(shape_.block[axis], kThread[axis]);
    }
    set_origin({});
}

// Without a coordinate: there is one alone.
void DeviceEmitter::bind_dimension(const lower::LaunchDimension& dimension,
                                   llvm::CallInst* coordinate, int scope) {
    Value* own = b_.getInt32(0);
    if (coordinate) {
        coordinate->setName(dimension.variable);
        auto extent = static_cast<std::uint64_t>(dimension.extent);
        coordinate->addRangeRetAttr({llvm::APInt(32, 0), llvm::APInt(32, extent)});
        own = coordinate;
    }
    Value* wide = b_.CreateZExt(own, b_.getInt64Ty());
    Variable variable;
    variable.type = dimension.type;
    variable.value = dimension.type == ScalarType::I32 ? own : wide;
    variable.index = coordinate ? Linear::of(wide, scope) : Linear::of(0);
    variable.range = Interval{0, dimension.extent - 1};
    variables_[dimension.variable] = variable;
}

// What a block's iterations compute of coordinates costs each of them a few instructions. Kept for
// all of them it would take registers through every one, of which a product's tiles have none to
// spare: LLVM would move it in front of the loop, and count on in several forms. Of the shipped
// product that makes 253 registers of 244.
void DeviceEmitter::children(const Statement& s) {
    if (s.kind != StatementKind::For || s.loop->turns_of == 0)
        return Emitter::children(s);
    const auto outside = variables_;
    read_anew(shape_.grid, shape_.cluster_blocks() > 1 ? "clusterid" : "ctaid");
    read_anew(shape_.block, "tid");
    in_scope(nullptr, [&] { Emitter::children(s); });
    for (const auto* dimensions : {&shape_.grid, &shape_.block})
        for (const auto& dimension : *dimensions)
            if (!dimension.variable.empty())
                variables_[dimension.variable] = outside.at(dimension.variable);
}

// In a way that the optimiser does not see through.
void DeviceEmitter::read_anew(const std::array<lower::LaunchDimension, 3>& dimensions,
                              const std::string& name) {
    auto* type = llvm::FunctionType::get(b_.getInt32Ty(), false);
    const char* axis = "xyz";
    for (const auto& dimension : dimensions) {
        const auto text = "mov.u32 $0, %" + name + "." + *axis++ + ";";
        if (!dimension.variable.empty() && dimension.extent > 1)
            bind_dimension(dimension, b_.CreateCall(llvm::InlineAsm::get(type, text, "=r", true)),
                           static_cast<int>(scopes_.size())); // of the scope that opens next
    }
}

// The block's shared memory: an array of the kernel's, or beyond what a kernel may declare, one
// that the launch sizes.
void DeviceEmitter::make_shared_memory(PtxKernel& kernel) {
    kernel.shared_bytes = layout_->bytes();
    shared_ = nullptr;
    if (kernel.shared_bytes == 0)
        return;
    const bool dynamic = kernel.shared_bytes > kStaticSharedBytes;
    kernel.dynamic_bytes = dynamic ? kernel.shared_bytes : 0;
    auto* type = llvm::ArrayType::get(
        b_.getInt8Ty(), dynamic ? 0 : static_cast<std::uint64_t>(kernel.shared_bytes));
    const auto name = dynamic ? std::string("dynamic_shared") : "shared_of_" + kernel.name;
    auto* array = module_.getNamedGlobal(name);
    if (!array)
        array = new llvm::GlobalVariable(module_, type, false,
                                         dynamic ? llvm::GlobalValue::ExternalLinkage
                                                 : llvm::GlobalValue::InternalLinkage,
                                         dynamic ? nullptr : llvm::UndefValue::get(type), name,
                                         nullptr, llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    // The array that launches size is one for all kernels of the module.
    const llvm::Align aligned(static_cast<std::uint64_t>(layout_->alignment()));
    array->setAlignment(std::max(aligned, array->getAlign().valueOrOne()));
    shared_ = array;
}

// Shared buffers are declared apart, but for those that lie at one place.
void DeviceEmitter::separate_shared_buffers() {
    auto& context = module_.getContext();
    for (auto& [name, lists] : alias_) {
        if (!layout_->holds(name))
            continue;
        std::vector<llvm::Metadata*> others;
        for (const auto& [other, scopes] : alias_)
            if (other != name && !layout_->overlap(name, other))
                others.push_back(scopes.first->getOperand(0));
        lists.second = llvm::MDNode::get(context, others);
    }
}

} // namespace loopscope::codegen
