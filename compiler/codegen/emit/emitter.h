#pragma once
// Loop program in final form -> LLVM IR: what all targets share. Internal: includes LLVM. One class
// in several files, by what they emit: emit_expression, emit_call, emit_index, emit_element,
// emit_atomic, emit_statement. A target derives from it and adds the form of its functions,
// accesses of vectors, allocations, and the statements that it alone has.
//
// Three decisions carry the speed of the result:
// - An index whose exact value range_of proves is a linear form of the loops' counters, exact in
//   i64: no sign extension stands between LLVM's induction variables and the addresses.
// - Each buffer has an alias scope; accesses of different buffers never alias, so that accumulators
//   stay in registers.
// - Small allocations are allocas in the function's entry block, which SROA turns into registers.

#include "compiler/codegen/emit/arithmetic.h"
#include "compiler/codegen/emit/linear.h"
#include "compiler/lower/program.h"
#include "core/ir/range.h"

#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace loopscope::codegen {

// How integers are computed that become indices.
enum class IndexForm : std::uint8_t {
    Wide, // all in i64: where that costs no more
    // in their own type, and extended where an address takes them: where an i64 is two registers,
    // and each operation two
    Own,
};

struct EmitterTarget {
    Hardware hardware;
    IndexForm index = IndexForm::Wide;
    llvm::DICompileUnit::DebugEmissionKind lines = llvm::DICompileUnit::LineTablesOnly;
};

class Emitter {
public:
    virtual ~Emitter() = default;
    Emitter(const Emitter&) = delete;
    Emitter& operator=(const Emitter&) = delete;

protected:
    using Value = llvm::Value;
    using Statement = lower::Statement;

    // A vector of indices base + stride*lane, exact in i64.
    struct Strided {
        Linear base;
        std::int64_t stride = 0;
    };
    struct Variable {
        ScalarType type = ScalarType::I32;
        Value* value = nullptr;
        std::optional<Linear> index; // the exact value in i64, where proven
        std::optional<Strided> strided;
        std::optional<Interval> range;
    };
    struct Buffer {
        ScalarType type = ScalarType::F32;
        Value* data = nullptr;
        llvm::MDNode* scope = nullptr;    // list holding the buffer's alias scope
        llvm::MDNode* no_alias = nullptr; // list of all other buffers' scopes
        bool constant = false;            // nothing writes it while the function runs
        std::int64_t alignment = 1; // bytes that the data's address is known to be a multiple of
    };
    // Values of the nodes of the statement at hand; a Let's body has its own, since its name may be
    // bound twice.
    struct Memo {
        std::unordered_map<const Expr*, Value*> values;
        std::unordered_map<const Expr*, Linear> indices;
        std::unordered_map<const Expr*, std::optional<Interval>> ranges;
    };
    // A place to which computations are hoisted: where a loop's counter, a let's value or a buffer
    // becomes known.
    using ScopeKey = std::tuple<Value*, Value*, std::int64_t>;
    struct HoistPlace {
        llvm::BasicBlock* block = nullptr;
        llvm::Instruction* last = nullptr; // insert behind it; null: at the block's begin
        std::map<ScopeKey, Value*> made;
    };
    // The state to return to after another function has been emitted.
    struct FunctionState {
        llvm::Function* function = nullptr;
        llvm::DISubprogram* subprogram = nullptr;
        std::int64_t stack_bytes = 0;
        bool streams = false; // has stores that stream
        // calls after which other threads may use what was stored
        std::vector<llvm::CallInst*> others_see{};
    };

    // `origins`: null, or receives the table that debug locations refer to: line n is entry n - 1.
    Emitter(llvm::Module& module, const lower::Program& program, const EmitterTarget& target,
            std::vector<NodeId>* origins);

    // Parts that a target adds.
    virtual void prepare(llvm::Function& function) = 0; // its attributes
    virtual Value* load(const Expr& e) = 0;
    virtual void store(const Statement& s) = 0;
    virtual void prefetch(const Statement& s) = 0;
    virtual void allocate(const Statement& s) = 0;
    virtual void parallel_loop(const Statement& s);
    virtual void device_step(const Statement& s); // Barrier, Copy, pipeline steps, Intrinsic
    virtual void children(const Statement& s);
    virtual void atomic_element(const Buffer& buffer, Op op, Value* place, Value* operand);
    virtual void mark_load(const Buffer& buffer, llvm::LoadInst* load);

    // emitter.cpp
    void make_alias_scopes();
    llvm::Function* begin_function(const std::string& name, std::vector<llvm::Type*> parameters,
                                   bool entry);
    void enter(llvm::Function* function); // continues at its begin
    // Builds another function with `body`, and then goes on with this one.
    template <typename Body> void aside(Body body);
    Buffer bind_buffer(const std::string& name, ScalarType type, Value* data) const;
    void bind_symbol(const std::string& name, Value* value);
    void set_origin(const NodeId& origin);
    void forget_names(); // at a launch's end

    // emit_expression.cpp
    Value* value(const ExprPtr& e);
    Value* compute(const Expr& e);
    Value* lanes(const ExprPtr& e,
                 int count); // value, broadcast if it is a scalar and count is above 1
    Value* constant(const Expr& e);
    Value* binary(const Expr& e);
    Value* compare_in_index_form(const Expr& e);
    Value* ramp(const Expr& e);
    void bind_variable(const std::string& name, const ExprPtr& e);
    template <typename Body> auto with_let(const Expr& e, Body body);
    template <typename Body> auto fresh_memo(Body body);

    // emit_call.cpp
    Value* call(const Expr& e);
    llvm::Function* prelude_code(const std::string& name, ScalarType type, int lanes);

    // emit_index.cpp
    void open_scope();
    int scope_of(Value* value) const;
    template <typename Body>
    void in_scope(Value* known,
                  Body body); // `known`: the value that the scope makes known
    template <typename Emit>
    Value* at_scope(int scope, const ScopeKey& key, Emit emit);
    Value* scaled(const LinearTerm& term, int scope);
    Value* sum_of(const Linear& linear);
    Value* address(const Buffer& buffer, const Linear& at);
    std::optional<Interval> range(const ExprPtr& e);
    bool is_exact(const ExprPtr& e); // its value is that of exact arithmetic
    DivisionFacts division_facts(const Expr& e);
    Value* index(const ExprPtr& e);  // i64: the value of an integer scalar
    Linear linear(const ExprPtr& e); // the same as a linear form
    Linear single(Value* value, std::int64_t divisor = 1);
    Linear single_of(const ExprPtr& e); // as one value, with what divides it
    std::int64_t divisor_of(const ExprPtr& e);
    std::int64_t divisor_of_binary(const Expr& e);
    std::optional<Linear> linear_of_exact(const ExprPtr& e); // none: has no index form
    std::optional<Linear> linear_binary(const ExprPtr& e);
    std::optional<Linear> linear_division(const Expr& e);
    Linear product(const Linear& left, const Linear& right);
    std::optional<Strided> strided(const ExprPtr& e);
    std::optional<Strided> strided_binary(const Expr& e);

    // emit_element.cpp
    Value* load_element(const Buffer& buffer, Value* place);
    Value* load_scalar(const Buffer& buffer, const ExprPtr& at, Value* mask);
    template <typename Access>
    Access* marked(const Buffer& buffer, Access* access) const;
    llvm::Align element_alignment(const Buffer& buffer) const;
    Value* from_memory(ScalarType type, Value* stored);
    Value* to_memory(ScalarType type, Value* value);
    static int lanes_written(const Statement& s);
    // The mask of an access of so many lanes; null: there is none, or it leaves all of them on.
    Value* access_mask(const ExprPtr& mask, int count);
    // Runs `body` where `condition` holds; gives its result, or zero elsewhere (null for a body
    // without result).
    template <typename Body> Value* guarded(Value* condition, Body body);

    // emit_atomic.cpp
    void atomic(const Statement& s);
    void retry_atomic(const Buffer& buffer, Op op, Value* place, Value* operand);
    Value* combined(Op op, ScalarType type, Value* element, Value* operand);
    void counted_loop(int count, const std::function<void(Value*)>& body);

    // emit_statement.cpp
    void statement(const Statement& s);
    void serial_loop(const Statement& s);
    void loop(const Statement& s, Value* begin, Value* end, bool runs,
              std::optional<Interval> counted);
    ScalarType counter_type(const Statement& s);
    std::optional<Interval> counter_range(const Statement& s);
    Variable loop_variable(const Statement& s, Value* counter, std::optional<Interval> counted);
    void conditional(const Statement& s);
    void let_statement(const Statement& s);
    void allocate_on_stack(const Statement& s, std::int64_t bytes, llvm::Align alignment);
    Value* extent_value(const Extent& extent);
    llvm::MDNode* loop_metadata();

    llvm::Module& module_;
    const lower::Program& program_;
    Hardware hardware_;
    IndexForm index_form_;
    std::vector<NodeId>* origins_;
    std::map<NodeId, unsigned> origin_lines_;
    Builder b_;
    std::unique_ptr<llvm::DIBuilder> debug_;
    llvm::DIFile* debug_file_ = nullptr;
    FunctionState function_;
    std::map<std::string, Variable> variables_;
    std::map<std::string, Buffer> buffers_;
    // buffer -> scope list, no-alias list
    std::map<std::string, std::pair<llvm::MDNode*, llvm::MDNode*>> alias_;
    std::vector<Memo> memo_;
    std::vector<HoistPlace> scopes_; // of the function at hand, outermost first
    std::unordered_map<Value*, int> value_scopes_;
    std::map<std::tuple<std::string, ScalarType, int>, llvm::Function*> prelude_;
};

template <typename Body> void Emitter::aside(Body body) {
    auto function = function_;
    auto place = b_.saveIP();
    auto location = b_.getCurrentDebugLocation();
    auto variables = std::move(variables_);
    auto buffers = std::move(buffers_);
    auto scopes = std::move(scopes_);
    variables_.clear();
    buffers_.clear();
    scopes_.clear();
    body();
    function_ = function;
    variables_ = std::move(variables);
    buffers_ = std::move(buffers);
    scopes_ = std::move(scopes);
    b_.restoreIP(place);
    b_.SetCurrentDebugLocation(location);
}

template <typename Body> void Emitter::in_scope(Value* known, Body body) {
    if (known)
        value_scopes_[known] = static_cast<int>(scopes_.size());
    open_scope();
    body();
    scopes_.pop_back();
    if (known)
        value_scopes_.erase(known);
}

template <typename Access>
Access* Emitter::marked(const Buffer& buffer, Access* access) const {
    access->setMetadata(llvm::LLVMContext::MD_alias_scope, buffer.scope);
    access->setMetadata(llvm::LLVMContext::MD_noalias, buffer.no_alias);
    return access;
}

template <typename Body>
llvm::Value* Emitter::guarded(Value* condition, Body body) {
    auto& context = module_.getContext();
    auto* before = b_.GetInsertBlock();
    auto* on = llvm::BasicBlock::Create(context, "on", function_.function);
    auto* joined = llvm::BasicBlock::Create(context, "joined", function_.function);
    b_.CreateCondBr(condition, on, joined);
    b_.SetInsertPoint(on);
    Value* result = body();
    auto* last = b_.GetInsertBlock();
    b_.CreateBr(joined);
    b_.SetInsertPoint(joined);
    if (!result)
        return nullptr;
    auto* merged = b_.CreatePHI(result->getType(), 2);
    merged->addIncoming(result, last);
    merged->addIncoming(llvm::Constant::getNullValue(result->getType()), before);
    return merged;
}

// Creates a memo for `body` alone.
template <typename Body> auto Emitter::fresh_memo(Body body) {
    memo_.emplace_back();
    auto result = body();
    memo_.pop_back();
    return result;
}

// Evaluates a Let's body with its name bound; a name that it hides is bound again afterwards.
template <typename Body> auto Emitter::with_let(const Expr& e, Body body) {
    auto hidden = variables_.find(e.name) != variables_.end() ? std::optional(variables_[e.name])
                                                              : std::nullopt;
    bind_variable(e.name, e.args[0]);
    auto result = fresh_memo(body);
    if (hidden)
        variables_[e.name] = *hidden;
    else
        variables_.erase(e.name);
    return result;
}

} // namespace loopscope::codegen
