// Longer than files are here: one recursive descent, a function for each line of the text, which
// share names in scope.
#include "compiler/lower/program_parser.h"

#include "compiler/lower/expression_parser.h"
#include "compiler/lower/statements.h"

namespace loopscope::lower {

namespace {

class ProgramParser {
public:
    explicit ProgramParser(SourceFilePtr file) : in_(std::move(file)) {}

    Program run() {
        skip_lines();
        in_.expect("program");
        program_.name = in_.take_name("the program's name");
        program_.flat = in_.accept("flat");
        end_line();
        while (in_.peek().kind != Token::Kind::End)
            declaration();
        return std::move(program_);
    }

private:
    void skip_lines() {
        while (in_.peek().kind == Token::Kind::NewLine)
            in_.take();
    }

    void end_line() {
        if (in_.peek().kind != Token::Kind::NewLine)
            in_.fail("expected the end of the line");
        skip_lines();
    }

    void declaration() {
        if (in_.accept("symbol"))
            symbol();
        else if (in_.at("input") || in_.at("output"))
            argument();
        else if (in_.accept("buffer"))
            device_buffer();
        else if (in_.accept("launch"))
            launch();
        else
            in_.fail("expected symbol, input, output, buffer or launch");
        end_line();
    }

    void symbol() {
        auto name = in_.take_name("a symbol's name");
        hints_[name] = in_.accept("=") ? in_.take_integer("the symbol's hint") : 0;
        in_.variables[name] = {ScalarType::I64, 1};
        program_.symbols.push_back(name);
    }

    void argument() {
        Argument a;
        a.role = in_.take().text == "input" ? Role::Input : Role::Output;
        a.buffer = in_.take_name("a buffer's name");
        in_.expect(":");
        a.type = in_.take_type();
        a.extents = extents();
        a.mins.assign(a.extents.size(), 0);
        if (in_.accept("from"))
            mins(a);
        a.window = in_.accept("window") ? extents() : a.extents;
        in_.buffers[a.buffer] = a.type;
        program_.arguments.push_back(std::move(a));
    }

    void device_buffer() {
        DeviceBuffer b;
        b.buffer = in_.take_name("a buffer's name");
        in_.expect(":");
        b.type = in_.take_type();
        b.extents = extents();
        if (in_.accept("at"))
            b.offset = in_.take_integer("an offset in bytes");
        in_.buffers[b.buffer] = b.type;
        program_.buffers.push_back(std::move(b));
    }

    void mins(Argument& a) {
        a.mins.clear();
        in_.expect("[");
        do
            a.mins.push_back(in_.take_integer("an index"));
        while (in_.accept(","));
        in_.expect("]");
    }

    std::vector<Extent> extents() {
        std::vector<Extent> out;
        in_.expect("[");
        if (!in_.at("]"))
            do
                out.push_back(extent());
            while (in_.accept(","));
        in_.expect("]");
        return out;
    }

    // Affine in symbols: "2*L - 1".
    Extent extent() {
        Extent sum;
        for (bool negative = in_.accept("-");; negative = in_.take().text == "-") {
            sum = negative ? sum - extent_term() : sum + extent_term();
            if (!in_.at("+") && !in_.at("-"))
                return sum;
        }
    }

    Extent extent_term() {
        if (in_.peek().kind != Token::Kind::Number)
            return symbol_extent();
        auto number = in_.take_integer("a number");
        return in_.accept("*") ? symbol_extent() * number : Extent(number);
    }

    Extent symbol_extent() {
        auto name = in_.take_name("a symbol");
        if (!hints_.count(name))
            in_.fail("unknown symbol '" + name + "'");
        return Extent::symbol(name, hints_[name]);
    }

    void launch() {
        Launch l;
        l.name = in_.take_name("the launch's name");
        in_.expect("on");
        l.place = in_.take_name("a place");
        in_.expect("(");
        if (!in_.at(")"))
            do
                l.arguments.push_back(in_.take_name("a buffer"));
            while (in_.accept(","));
        in_.expect(")");
        l.body = braced(nullptr);
        program_.launches.push_back(std::move(l));
    }

    NodeId origin() {
        NodeId id;
        if (in_.peek().kind == Token::Kind::Origin && !NodeId::parse(in_.peek().text, id))
            in_.fail("'" + in_.peek().text + "' names no node",
                     "write an origin as C/io or H.update(0)/r");
        if (in_.peek().kind == Token::Kind::Origin)
            in_.take();
        return id;
    }

    // "{ [@ origin] lines }"
    StatementPtr braced(NodeId* id) {
        in_.expect("{");
        auto at = origin();
        if (id)
            *id = at;
        end_line();
        auto body = statements();
        in_.expect("}");
        return body;
    }

    // Up to the closing brace.
    StatementPtr statements() {
        std::vector<StatementPtr> children;
        while (!in_.at("}")) {
            children.push_back(statement());
            // What covers the rest of the body has read its line ends.
            if (!in_.at("}"))
                end_line();
        }
        return block(std::move(children));
    }

    StatementPtr statement() {
        bool is_store = in_.peek().kind == Token::Kind::Name && in_.peek(1).text == "[";
        if (is_store)
            return store_line();
        if (in_.accept("block"))
            return named_block();
        if (in_.accept("if"))
            return if_statement();
        if (in_.accept("let"))
            return let_line();
        if (in_.accept("allocate"))
            return allocate_line();
        if (in_.accept("evaluate"))
            return evaluate_line();
        if (in_.accept("atomic"))
            return atomic_line();
        if (in_.accept("stream"))
            return as_streaming(store_line(), true);
        if (in_.accept("prefetch"))
            return prefetch_line();
        if (in_.accept("barrier")) {
            auto level = in_.take_name("a level");
            return barrier(origin(), level);
        }
        if (in_.accept("copy"))
            return copy_line();
        if (in_.accept("bulk")) {
            in_.expect("copy");
            return bulk_copy_line();
        }
        if (in_.accept("intrinsic"))
            return intrinsic_line();
        if (in_.accept("threads"))
            return threads_statement();
        constexpr std::pair<const char*, StatementKind> kSteps[] = {
            {"acquire", StatementKind::Acquire},
            {"commit", StatementKind::Commit},
            {"wait", StatementKind::Wait},
            {"release", StatementKind::Release}};
        for (const auto& [word, kind] : kSteps)
            if (in_.accept(word))
                return step_line(kind);
        return for_statement();
    }

    StatementPtr copy_line() {
        auto token = in_.take_name("a token");
        return as_copy(store_line(), std::move(token));
    }

    StatementPtr step_line(StatementKind kind) {
        PipelineStep step{in_.take_name("a token")};
        if (kind == StatementKind::Wait)
            step.pending = static_cast<int>(in_.take_integer("a number of groups"));
        if (kind == StatementKind::Acquire) {
            if (in_.accept("rotate"))
                step.slot_count = static_cast<int>(in_.take_integer("a number of slots"));
            step.producers = producers();
        }
        std::vector<Operand> operands;
        if (in_.accept("by"))
            operands.push_back({in_.take_name("mbarriers"), {}});
        const auto level = shared_level();
        return edited(pipeline_step(kind, origin(), std::move(step)), [&](Statement& s) {
            s.operands = std::move(operands);
            s.level = level;
        });
    }

    // The level along which blocks of a cluster share a copy.
    std::string shared_level() {
        return in_.accept("over") ? in_.take_name("a level") : std::string();
    }

    int producers() {
        return in_.accept("producers")
                   ? static_cast<int>(in_.take_integer("a number of warpgroups"))
                   : 0;
    }

    StatementPtr threads_statement() {
        const auto begin = in_.take_integer("the first thread");
        in_.expect("..");
        const auto end = in_.take_integer("the thread behind the last one");
        NodeId id;
        auto body = braced(&id);
        return threads({begin, end - begin}, std::move(body));
    }

    Operand operand() {
        Operand operand;
        take_buffer(operand.buffer);
        ExprPtr mask;
        operand.indices = in_.indices(mask);
        if (mask)
            in_.fail("an operand has no mask");
        return operand;
    }

    StatementPtr bulk_copy_line() {
        auto token = in_.take_name("a token");
        auto to = operand();
        in_.expect("=");
        auto from = operand();
        in_.expect("of");
        CopiedBox box{extents()};
        if (in_.accept("swizzle"))
            box.swizzle = static_cast<int>(in_.take_integer("a pattern's bytes"));
        box.zero_border = in_.accept("zeros");
        in_.expect("by");
        Operand arrivals{in_.take_name("mbarriers"), {}};
        const auto level = shared_level();
        const auto copy = bulk_copy(
            origin(), token, {std::move(to), std::move(from), std::move(arrivals)}, std::move(box));
        return edited(copy, [&](Statement& s) { s.level = level; });
    }

    StatementPtr intrinsic_line() {
        auto name = in_.take_name("an instruction");
        std::vector<Operand> operands;
        do {
            operands.push_back(operand());
            if (in_.accept("matrix"))
                operands.back().matrix = matrix();
        } while (in_.accept(","));
        const auto level = in_.accept("over") ? in_.take_name("a level") : std::string();
        return edited(intrinsic(origin(), name, std::move(operands)),
                      [&](Statement& s) { s.level = level; });
    }

    SharedMatrix matrix() {
        SharedMatrix m;
        m.rows = in_.take_integer("rows");
        in_.expect(",");
        m.columns = in_.take_integer("columns");
        in_.expect("along");
        m.along = static_cast<int>(in_.take_integer("an axis"));
        in_.expect("of");
        m.row_bytes = in_.take_integer("bytes of a row");
        if (in_.accept("every"))
            m.panel_bytes = in_.take_integer("bytes to the next panel");
        return m;
    }

    StatementPtr named_block() {
        NodeId id;
        auto body = braced(&id);
        if (body->kind != StatementKind::Block)
            return body;
        return edited(body, [&](Statement& s) { s.origin = id; });
    }

    StatementPtr for_statement() {
        ForKind kind = ForKind::Serial;
        std::string level;
        if (in_.accept("parallel"))
            kind = ForKind::Parallel;
        else if (in_.accept("unrolled"))
            kind = ForKind::Unrolled;
        else if (in_.accept("vectorised"))
            kind = ForKind::Vectorized;
        else if (in_.accept("bound"))
            kind = ForKind::Bound, level = in_.take_name("a level");
        if (!in_.accept("for"))
            in_.fail("expected a statement");
        auto name = in_.take_name("a loop variable");
        auto type = in_.accept(":") ? in_.take_type() : ScalarType::I32;
        in_.expect("in");
        auto begin = in_.expression(type);
        auto extent = loop_extent(begin, type);
        const auto blocks = in_.accept("blocks") ? in_.take_integer("a number of blocks") : 0;
        auto outer = bind(name, type, 1);
        NodeId id;
        auto body = braced(&id);
        unbind(name, outer);
        auto loop = for_loop(id, name, begin, extent, kind, body);
        return level.empty() && blocks == 0 ? loop : edited(loop, [&](Statement& s) {
            s.loop->level = level;
            (kind == ForKind::Bound ? s.loop->run_by : s.loop->turns_of) = blocks;
        });
    }

    ExprPtr loop_extent(const ExprPtr& begin, ScalarType type) {
        if (in_.accept("..+"))
            return in_.expression(type);
        in_.expect("..");
        auto end = in_.expression(type);
        std::int64_t first = 0, last = 0;
        if (!constant_value(begin, first) || (first != 0 && !constant_value(end, last)))
            in_.fail("only constants can stand around '..'", "write begin..+extent");
        return first == 0 ? end : constant_int(type, last - first);
    }

    StatementPtr if_statement() {
        auto condition = in_.expression(ScalarType::Bool);
        NodeId id;
        auto then = braced(&id);
        StatementPtr otherwise;
        if (in_.accept("else"))
            otherwise = braced(nullptr);
        return if_then(id, condition, then, otherwise);
    }

    StatementPtr let_line() {
        auto name = in_.take_name("a name");
        in_.expect("=");
        auto value = in_.expression();
        auto outer = bind(name, value->type, value->lanes);
        NodeId id;
        auto body = scope_of_line(id);
        unbind(name, outer);
        return let_statement(id, name, value, body);
    }

    // What a let or an allocation covers: its braces, or the rest of the enclosing body.
    StatementPtr scope_of_line(NodeId& id) {
        if (in_.at("{"))
            return braced(&id);
        id = origin();
        end_line();
        return statements();
    }

    device::Unit unit() {
        const auto name = in_.take_name("a unit");
        const auto found = device::unit_named(name);
        if (!found)
            in_.fail("there is no unit " + name);
        return *found;
    }

    StatementPtr allocate_line() {
        Storage storage;
        storage.buffer = in_.take_name("a buffer's name");
        in_.expect(":");
        storage.type = in_.take_type();
        storage.extents = extents();
        in_.expect("in");
        storage.scope = device::language_scope(in_.take_name("a scope"));
        if (in_.accept("of"))
            storage.scope.shared_by = unit();
        if (in_.accept("align"))
            storage.alignment = static_cast<int>(in_.take_integer("an alignment"));
        if (in_.accept("swizzle"))
            storage.swizzle = static_cast<int>(in_.take_integer("a pattern's bytes"));
        storage.rotation = rotation();
        if (in_.accept("at"))
            storage.offset = in_.take_integer("an offset in bytes");
        auto outer = in_.buffers;
        in_.buffers[storage.buffer] = storage.type;
        NodeId id;
        auto body = scope_of_line(id);
        in_.buffers = outer;
        return allocate(id, std::move(storage), std::move(body));
    }

    Rotation rotation() {
        Rotation rotation;
        if (in_.accept("rotate"))
            rotation.slot_count = static_cast<int>(in_.take_integer("a number of slots"));
        if (in_.accept("over")) {
            rotation.loop = in_.take_name("a loop variable");
            in_.expect("as");
            rotation.token = in_.take_name("a token");
        }
        rotation.producers = producers();
        return rotation;
    }

    ScalarType take_buffer(std::string& name) {
        name = in_.take_name("a buffer");
        auto buffer = in_.buffers.find(name);
        if (buffer == in_.buffers.end())
            in_.fail("unknown buffer '" + name + "'");
        return buffer->second;
    }

    StatementPtr store_line() {
        std::string name;
        auto type = take_buffer(name);
        ExprPtr mask;
        auto indices = in_.indices(mask);
        in_.expect("=");
        auto value = in_.expression(type);
        return store(origin(), name, std::move(indices), value, mask);
    }

    StatementPtr prefetch_line() {
        std::string name;
        take_buffer(name);
        ExprPtr mask;
        auto indices = in_.indices(mask);
        if (mask)
            in_.fail("a prefetch has no mask");
        return prefetch(origin(), name, std::move(indices));
    }

    StatementPtr atomic_line() {
        std::string name;
        auto type = take_buffer(name);
        ExprPtr mask;
        auto indices = in_.indices(mask);
        auto op = atomic_operation();
        in_.expect("=");
        auto value = in_.expression(type);
        return atomic(origin(), name, std::move(indices), op, value, mask);
    }

    Op atomic_operation() {
        constexpr std::pair<const char*, Op> kSigns[] = {
            {"+", Op::Add},   {"*", Op::Multiply},     {"max", Op::Max},
            {"min", Op::Min}, {"and", Op::LogicalAnd}, {"or", Op::LogicalOr}};
        for (const auto& [text, op] : kSigns)
            if (in_.accept(text))
                return op;
        in_.fail("expected += *= max= min= and= or or=");
    }

    StatementPtr evaluate_line() {
        auto value = in_.expression();
        return evaluate(origin(), std::move(value));
    }

    using Binding = ExpressionParser::Binding;
    std::optional<Binding> bind(const std::string& name, ScalarType type, int lanes) {
        std::optional<Binding> outer;
        if (auto found = in_.variables.find(name); found != in_.variables.end())
            outer = found->second;
        in_.variables[name] = {type, lanes};
        return outer;
    }

    void unbind(const std::string& name, const std::optional<Binding>& outer) {
        if (outer)
            in_.variables[name] = *outer;
        else
            in_.variables.erase(name);
    }

    ExpressionParser in_;
    Program program_;
    std::map<std::string, std::int64_t> hints_;
};

} // namespace

Result<Program> parse_program(SourceFilePtr file) {
    try {
        return ProgramParser(std::move(file)).run();
    } catch (const ParseError& e) {
        return e.diagnostic;
    }
}

Result<Program> parse_program(const std::string& text) {
    return parse_program(std::make_shared<const SourceFile>("program", text));
}

} // namespace loopscope::lower
