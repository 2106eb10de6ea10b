// The text form of loop programs; program_parser.h states the grammar.
#include "compiler/lower/expression_text.h"
#include "compiler/lower/statements.h"

#include <algorithm>
#include <map>

namespace loopscope::lower {

namespace {

const char* kind_prefix(ForKind kind) {
    switch (kind) {
    case ForKind::Serial: return "";
    case ForKind::Parallel: return "parallel ";
    case ForKind::Unrolled: return "unrolled ";
    case ForKind::Vectorized: return "vectorised ";
    case ForKind::Bound: return "bound ";
    }
    return "";
}

// What stands before the "=" of an atomic store: "+=", "max=".
std::string atomic_sign(Op op) {
    return op == Op::LogicalAnd ? "and" : op == Op::LogicalOr ? "or" : symbol(op);
}

std::string extents_text(const std::vector<Extent>& extents) {
    std::string out = "[";
    for (std::size_t i = 0; i < extents.size(); ++i)
        out += (i ? ", " : "") + extents[i].text();
    return out + "]";
}

// The hint of each symbol, read off the first extent that has it alone.
std::map<std::string, std::int64_t> symbol_hints(const Program& program) {
    std::map<std::string, std::int64_t> hints;
    auto note = [&](const std::vector<Extent>& extents) {
        for (const auto& e : extents)
            if (e.terms().size() == 1)
                hints.emplace(e.terms().begin()->first,
                              (e.hint() - e.constant()) / e.terms().begin()->second);
    };
    for (const auto& argument : program.arguments) {
        note(argument.extents);
        note(argument.window);
    }
    for (const auto& launch : program.launches)
        visit_statements(launch.body, [&](const Statement& s) {
            if (s.storage)
                note(s.storage->extents);
            return true;
        });
    return hints;
}

class Writer {
public:
    Writer(std::vector<NodeId>* lines, bool origins) : lines_(lines), origins_(origins) {}

    void program(const Program& p) {
        line("program " + p.name + (p.flat ? " flat" : ""));
        auto hints = symbol_hints(p);
        for (const auto& symbol : p.symbols)
            line("symbol " + symbol +
                 (hints.count(symbol) ? " = " + std::to_string(hints[symbol]) : ""));
        for (const auto& argument : p.arguments)
            line(argument_text(argument));
        for (const auto& buffer : p.buffers)
            line("buffer " + buffer.buffer + ": " + name(buffer.type) +
                 extents_text(buffer.extents) +
                 (buffer.offset < 0 ? "" : " at " + std::to_string(buffer.offset)));
        for (const auto& launch : p.launches) {
            line("launch " + launch.name + " on " + launch.place + " (" + joined(launch.arguments) +
                 ") {");
            body(launch.body);
            line("}");
        }
    }

    std::string out;

private:
    static std::string joined(const std::vector<std::string>& names) {
        std::string text;
        for (std::size_t i = 0; i < names.size(); ++i)
            text += (i ? ", " : "") + names[i];
        return text;
    }

    static std::string argument_text(const Argument& a) {
        std::string text = a.role == Role::Input ? "input " : "output ";
        text += a.buffer + ": " + name(a.type) + extents_text(a.extents);
        bool moved = false;
        for (auto min : a.mins)
            moved = moved || min != 0;
        if (moved) {
            text += " from [";
            for (std::size_t i = 0; i < a.mins.size(); ++i)
                text += (i ? ", " : "") + std::to_string(a.mins[i]);
            text += "]";
        }
        if (!a.window.empty() && !(a.window == a.extents))
            text += " window " + extents_text(a.window);
        return text;
    }

    void line(const std::string& text, const NodeId& origin = {}) {
        out.append(4 * static_cast<std::size_t>(depth_), ' ');
        out += text;
        if (origins_ && !origin.stage.empty() && text[0] != '}')
            out += "  @ " + origin.text();
        out += '\n';
        if (lines_)
            lines_->push_back(origin);
    }

    void body(const StatementPtr& s) {
        ++depth_;
        statement(*s, true);
        --depth_;
    }

    // `last`: nothing follows in the enclosing body, so that what a let or an allocation covers
    // needs no braces.
    void statement(const Statement& s, bool last) {
        switch (s.kind) {
        case StatementKind::Block: block(s); break;
        case StatementKind::For:
            braced(s, for_text(s));
            line("}", s.origin);
            break;
        case StatementKind::If:
            braced(s, "if " + expression_text(s.condition) + " {");
            if (s.children.size() > 1) {
                line("} else {", s.origin);
                body(s.children[1]);
            }
            line("}", s.origin);
            break;
        case StatementKind::Let:
            scoped(s, "let " + s.variable + " = " + expression_text(s.value), last);
            break;
        case StatementKind::Allocate: scoped(s, allocate_text(*s.storage), last); break;
        case StatementKind::Store:
            line((s.access->streaming ? "stream " : "") + store_text(s), s.origin);
            break;
        case StatementKind::Atomic: line("atomic " + store_text(s), s.origin); break;
        case StatementKind::Prefetch: line("prefetch " + place_text(s) + "]", s.origin); break;
        case StatementKind::Evaluate: line("evaluate " + expression_text(s.value), s.origin); break;
        case StatementKind::Barrier: line("barrier " + s.level, s.origin); break;
        case StatementKind::Copy:
            line("copy " + s.step->token + " " + store_text(s), s.origin);
            break;
        case StatementKind::Acquire:
            line("acquire " + s.step->token +
                     (s.step->slot_count > 1 ? " rotate " + std::to_string(s.step->slot_count)
                                             : "") +
                     producers_text(s.step->producers) + arrivals_text(s),
                 s.origin);
            break;
        case StatementKind::BulkCopy: line(bulk_copy_text(s), s.origin); break;
        case StatementKind::Commit:
            line("commit " + s.step->token + arrivals_text(s), s.origin);
            break;
        case StatementKind::Wait:
            line("wait " + s.step->token + " " + std::to_string(s.step->pending) + arrivals_text(s),
                 s.origin);
            break;
        case StatementKind::Release:
            line("release " + s.step->token + arrivals_text(s) + shared_text(s), s.origin);
            break;
        case StatementKind::Intrinsic: line(intrinsic_text(s), s.origin); break;
        case StatementKind::Threads:
            braced(s, threads_text(*s.threads));
            line("}", s.origin);
            break;
        }
    }

    void block(const Statement& s) {
        bool named = !s.origin.stage.empty();
        if (named)
            line("block {", s.origin);
        depth_ += named ? 1 : 0;
        for (std::size_t i = 0; i < s.children.size(); ++i)
            statement(*s.children[i], i + 1 == s.children.size());
        depth_ -= named ? 1 : 0;
        if (named)
            line("}", s.origin);
    }

    void braced(const Statement& s, const std::string& header) {
        line(header, s.origin);
        body(s.children[0]);
    }

    void scoped(const Statement& s, const std::string& header, bool last) {
        if (last) {
            line(header, s.origin);
            statement(*s.children[0], true);
        } else {
            braced(s, header + " {");
            line("}", s.origin);
        }
    }

    static std::string for_text(const Statement& s) {
        const auto& loop = *s.loop;
        auto text = std::string(kind_prefix(loop.kind));
        if (loop.kind == ForKind::Bound)
            text += loop.level + " ";
        text += "for " + s.variable;
        if (loop.begin->type != ScalarType::I32)
            text += std::string(": ") + name(loop.begin->type);
        text += " in " + expression_text(loop.begin, true) + "..";
        const auto blocks = std::max(loop.run_by, loop.turns_of); // one of them
        const auto open =
            blocks > 0 ? " blocks " + std::to_string(blocks) + " {" : std::string(" {");
        std::int64_t begin = 0, extent = 0;
        bool constant = constant_value(loop.begin, begin);
        if (constant && begin == 0)
            return text + expression_text(loop.extent, true) + open;
        if (constant && constant_value(loop.extent, extent))
            return text + std::to_string(begin + extent) + open;
        return text + "+" + expression_text(loop.extent, true) + open; // so many from the beginning
    }

    static std::string allocate_text(const Storage& s) {
        auto text = "allocate " + s.buffer + ": " + name(s.type) + extents_text(s.extents) +
                    " in " + s.scope.name;
        if (s.scope != device::language_scope(s.scope.name)) // a device's own
            text += std::string(" of ") + device::name(s.scope.shared_by);
        if (s.alignment != 64)
            text += " align " + std::to_string(s.alignment);
        if (s.swizzle != 0)
            text += " swizzle " + std::to_string(s.swizzle);
        if (s.rotation.slot_count != 1)
            text += " rotate " + std::to_string(s.rotation.slot_count);
        if (!s.rotation.loop.empty())
            text += " over " + s.rotation.loop + " as " + s.rotation.token;
        text += producers_text(s.rotation.producers);
        if (s.offset >= 0)
            text += " at " + std::to_string(s.offset);
        return text;
    }

    // Without the closing bracket.
    static std::string place_text(const std::string& buffer, const std::vector<ExprPtr>& indices) {
        auto text = buffer + "[";
        for (std::size_t i = 0; i < indices.size(); ++i)
            text += (i ? ", " : "") + expression_text(indices[i]);
        return text;
    }
    static std::string place_text(const Statement& s) {
        return place_text(s.access->buffer, s.access->indices);
    }

    static std::string operand_text(const Operand& operand) {
        auto text = place_text(operand.buffer, operand.indices) + "]";
        if (const auto& m = operand.matrix) // "matrix 16, 64 along 1 of 128 every 8192"
            text += " matrix " + std::to_string(m->rows) + ", " + std::to_string(m->columns) +
                    " along " + std::to_string(m->along) + " of " + std::to_string(m->row_bytes) +
                    (m->panel_bytes ? " every " + std::to_string(m->panel_bytes) : "");
        return text;
    }

    static std::string bulk_copy_text(const Statement& s) {
        return "bulk copy " + s.step->token + " " + operand_text(s.operands[0]) + " = " +
               operand_text(s.operands[1]) + " of " + extents_text(s.box->extents) +
               (s.box->swizzle ? " swizzle " + std::to_string(s.box->swizzle) : "") +
               (s.box->zero_border ? " zeros" : "") + " by " + s.operands[2].buffer +
               shared_text(s);
    }

    static std::string shared_text(const Statement& s) {
        return s.level.empty() ? "" : " over " + s.level;
    }

    static std::string arrivals_text(const Statement& s) {
        return s.operands.empty() ? "" : " by " + s.operands[0].buffer;
    }

    static std::string producers_text(int producers) {
        return producers ? " producers " + std::to_string(producers) : "";
    }

    static std::string threads_text(const ThreadRange& threads) {
        return "threads " + std::to_string(threads.begin) + ".." +
               std::to_string(threads.begin + threads.count) + " {";
    }

    static std::string intrinsic_text(const Statement& s) {
        auto text = "intrinsic " + s.instruction;
        for (std::size_t i = 0; i < s.operands.size(); ++i)
            text += (i ? ", " : " ") + operand_text(s.operands[i]);
        return s.level.empty() ? text : text + " over " + s.level;
    }

    static std::string store_text(const Statement& s) {
        auto text = place_text(s);
        if (const auto& mask = s.access->mask)
            text += std::string(s.access->indices.empty() ? "" : " ") + "where " +
                    expression_text(mask);
        auto sign = s.kind == StatementKind::Atomic ? atomic_sign(s.access->op) : "";
        return text + "] " + sign + "= " + expression_text(s.value, true);
    }

    std::vector<NodeId>* lines_;
    bool origins_;
    int depth_ = 0;
};

} // namespace

std::string to_text(const Program& program, std::vector<NodeId>* lines) {
    if (lines)
        lines->clear();
    Writer writer(lines, false);
    writer.program(program);
    return writer.out;
}

std::string to_text_with_origins(const Program& program) {
    Writer writer(nullptr, true);
    writer.program(program);
    return writer.out;
}

} // namespace loopscope::lower
