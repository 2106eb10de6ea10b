#include "compiler/codegen/nvptx/intrinsic_table.h"

#include "compiler/codegen/nvptx/intrinsics.h"
#include "compiler/lower/gpu/instructions.h"

#include <map>

namespace loopscope::codegen {

namespace {

using Where = OperandForm::Where;
using Emit = void (*)(IntrinsicBuilder&, const DeviceIntrinsic&);

const std::vector<ScalarType> kHalves{ScalarType::F16, ScalarType::BF16, ScalarType::I16,
                                      ScalarType::U16};

class Table {
public:
    Table() {
        shuffles();
        for (int matrices : {1, 2, 4}) {
            const auto name = "ldmatrix_x" + std::to_string(matrices);
            load(name + "_b16", matrices, {}, emit_load_matrix);
            load(name + "_trans_b16", matrices, kHalves, emit_load_matrix_transposed);
        }
        matrix("mma_m16n8k16_f16", ScalarType::F16, ScalarType::F32, emit_mma_f16);
        matrix("mma_m16n8k16_bf16", ScalarType::BF16, ScalarType::F32, emit_mma_bf16);
        matrix("mma_m16n8k8_tf32", ScalarType::F32, ScalarType::F32, emit_mma_tf32);
        matrix("mma_m16n8k32_s8", ScalarType::I8, ScalarType::I32, emit_mma_s8);
        whole_matrices();
        for (int columns = kMinColumns; columns <= kMaxColumns; columns += kMinColumns) {
            around_group(lower::kBeginProducts, columns / 2, emit_begin_products);
            around_group(lower::kLeaveProducts, columns / 2, emit_leave_products);
            around_group(lower::kEndProducts, columns / 2, emit_end_products);
            for (const auto& [type, name] :
                 {std::pair{ScalarType::F16, "f16"}, {ScalarType::BF16, "bf16"}})
                of_group("wgmma_m64n" + std::to_string(columns) + "k16_" + name, columns, type);
        }
    }

    std::map<std::string, DeviceIntrinsic> entries;

private:
    void add(DeviceIntrinsic intrinsic) {
        auto name = intrinsic.name;
        entries[name] = std::move(intrinsic);
    }

    void shuffles() {
        const std::pair<const char*, Emit> kinds[] = {{"down", emit_shuffle_down},
                                                      {"up", emit_shuffle_up},
                                                      {"xor", emit_shuffle_xor},
                                                      {"index", emit_shuffle_index}};
        for (const auto& [kind, emit] : kinds)
            for (int lanes = 0; lanes < 32; ++lanes) {
                DeviceIntrinsic shuffle;
                shuffle.name = "shuffle_" + std::string(kind) + "_" + std::to_string(lanes);
                shuffle.operands = {{"result", Where::Registers, {}},
                                    {"source", Where::Registers, {}}};
                shuffle.accumulates = shuffle.one_type = true;
                shuffle.number = lanes;
                shuffle.emit = emit;
                add(std::move(shuffle));
            }
    }

    void load(std::string name, int matrices, const std::vector<ScalarType>& types, Emit emit) {
        DeviceIntrinsic load;
        load.name = std::move(name);
        load.least_architecture = 75;
        load.operands = {{"result", Where::Registers, types}, {"rows", Where::Shared, types}};
        load.one_type = true;
        load.number = matrices;
        load.emit = emit;
        add(std::move(load));
    }

    void matrix(std::string name, ScalarType factor, ScalarType sum, Emit emit) {
        DeviceIntrinsic product;
        product.name = std::move(name);
        product.least_architecture = 80;
        product.operands = {{"result", Where::Registers, {sum}},
                            {"left factor", Where::Registers, {factor}},
                            {"right factor", Where::Registers, {factor}},
                            {"addend", Where::Registers, {sum}}};
        product.accumulates = true;
        product.emit = emit;
        add(std::move(product));
    }

    void whole_matrices() {
        const std::string shape = "_m16n16k16_";
        const OperandForm sum{"sums", Where::Registers, {ScalarType::F32}};
        const auto factor = [](const char* what) {
            return OperandForm{what, Where::Registers, {ScalarType::F16}};
        };
        for (const std::string order : {"row", "col"}) {
            for (const std::string which : {"a", "b"}) {
                move("wmma_load_" + which + "_" + order + shape + "f16", factor("factor"), true);
                whole("wmma" + shape + "f16_" + order + (which == "a" ? "_row" : "_col"),
                      {{"result", sum.where, sum.types},
                       factor("left factor"),
                       factor("right factor"),
                       {"addend", sum.where, sum.types}},
                      emit_multiply_whole);
            }
            move("wmma_load_c_" + order + shape + "f32", sum, true);
            move("wmma_store_d_" + order + shape + "f32", sum, false);
        }
    }

    void move(std::string name, const OperandForm& registers, bool loads) {
        const OperandForm memory{"matrix", Where::Memory, registers.types};
        whole(std::move(name),
              loads ? std::vector{registers, memory, memory}
                    : std::vector{memory, memory, registers},
              loads ? emit_load_whole : emit_store_whole);
    }

    void whole(std::string name, std::vector<OperandForm> operands, Emit emit) {
        DeviceIntrinsic intrinsic;
        intrinsic.name = std::move(name);
        intrinsic.accumulates = emit == emit_multiply_whole;
        intrinsic.operands = std::move(operands);
        intrinsic.emit = emit;
        add(std::move(intrinsic));
    }

    // PTX ISA, "wgmma.mma_async": multiples of the least.
    static constexpr int kMinColumns = 8, kMaxColumns = 256;
    static constexpr const char* kOfGroups = "sm_90a";

    void of_group(std::string name, int columns, ScalarType factor) {
        DeviceIntrinsic product;
        product.name = std::move(name);
        product.least_architecture = 90;
        product.architecture = kOfGroups;
        product.operands = {{"result", Where::Registers, {ScalarType::F32}},
                            {"left factor", Where::Matrix, {factor}},
                            {"right factor", Where::Matrix, {factor}},
                            {"addend", Where::Registers, {ScalarType::F32}}};
        product.accumulates = true;
        product.number = columns;
        product.emit = emit_wgmma;
        add(std::move(product));
    }

    void around_group(const char* name, int words, Emit emit) {
        DeviceIntrinsic step;
        step.name = name + std::to_string(words);
        step.number = words;
        step.least_architecture = 90;
        step.architecture = kOfGroups;
        step.operands = {{"sums", Where::Registers, {ScalarType::F32}}};
        step.any_number = true;
        step.emit = emit;
        add(std::move(step));
    }
};

const Table& table() {
    static const Table table;
    return table;
}

} // namespace

std::vector<const OperandForm*> DeviceIntrinsic::forms_of(std::size_t given) const {
    std::vector<const OperandForm*> forms;
    for (const auto& operand : operands)
        forms.push_back(&operand);
    if (accumulates && given + 1 == forms.size())
        forms.pop_back();
    if (any_number)
        forms.resize(given, &operands.front());
    return forms;
}

std::string DeviceIntrinsic::who_has_it(int number, const std::string& name) const {
    if (*architecture && name != architecture)
        return std::string(architecture) + " has, and it alone";
    return number < least_architecture ? "sm_" + std::to_string(least_architecture) + " has" : "";
}

const DeviceIntrinsic* find_intrinsic(const std::string& name) {
    auto found = table().entries.find(name);
    return found == table().entries.end() ? nullptr : &found->second;
}

std::vector<std::string> intrinsic_names() {
    std::vector<std::string> names;
    for (const auto& [name, intrinsic] : table().entries)
        names.push_back(name);
    return names;
}

} // namespace loopscope::codegen
