#include "tests/schedule/scheduling.h"

#include "core/language/intrinsics.h"
#include "core/language/loop_parser.h"
#include "core/schedule/placement.h"

namespace loopscope::test {

namespace {

using T = ScalarType;

ExprPtr add(ExprPtr a, ExprPtr b) { return binary(Op::Add, std::move(a), std::move(b)); }
ExprPtr multiply(ExprPtr a, ExprPtr b) { return binary(Op::Multiply, std::move(a), std::move(b)); }
ExprPtr f32(double value) { return constant_float(T::F32, value); }

Stage input(const std::string& name, std::vector<std::string> variables, T type,
            std::vector<std::int64_t> extents) {
    Stage s;
    s.name = name;
    s.is_input = true;
    s.types = {type};
    s.variables = std::move(variables);
    for (auto e : extents)
        s.extents.emplace_back(e);
    s.boundary.kind = BoundaryKind::Edge;
    return s;
}

Stage pure(const std::string& name, const std::vector<std::string>& variables, ExprPtr value) {
    Stage s;
    s.name = name;
    s.variables = variables;
    s.types = {value->type};
    Definition d;
    d.free = variables;
    d.values = {std::move(value)};
    s.definitions = {d};
    return s;
}

ReductionAxis axis(const std::string& name, std::int64_t begin, std::int64_t end) {
    return {name, begin, end, {}};
}

PipelinePtr sealed(const std::string& name, std::vector<Stage> stages,
                   std::vector<Output> outputs) {
    auto p = std::make_shared<Pipeline>();
    p->name = name;
    p->stages = std::move(stages);
    p->outputs = std::move(outputs);
    p->seal();
    return p;
}

} // namespace

ExprPtr v(const std::string& name) { return variable(name); }
ExprPtr plus(ExprPtr e, std::int64_t constant) {
    return constant < 0 ? binary(Op::Subtract, std::move(e), constant_index(-constant))
                        : add(std::move(e), constant_index(constant));
}
ExprPtr self(std::vector<ExprPtr> indices, T type) { return load("S", type, std::move(indices)); }
ExprPtr input_at(std::vector<ExprPtr> indices) { return load("in", T::F32, std::move(indices)); }

PipelinePtr chain() {
    auto at = [](const std::string& stage, int dy, int dx) {
        return load(stage, T::F32, {plus(v("y"), dy), plus(v("x"), dx)});
    };
    std::vector<std::string> yx = {"y", "x"};
    return sealed("chain",
                  {input("in", yx, T::F32, {64, 48}),
                   pure("a", yx, add(at("in", 0, -1), add(at("in", 0, 0), at("in", 0, 1)))),
                   pure("b", yx, add(at("a", -1, 0), add(at("a", 0, 0), at("a", 1, 0)))),
                   pure("out", yx, add(multiply(at("b", 0, 0), f32(2)), at("a", 0, 0))),
                   pure("side", yx, multiply(at("b", 0, 0), f32(3)))},
                  {{"out", {64, 48}, {}}, {"side", {64, 48}, {}}});
}

PipelinePtr matmul() {
    auto c =
        pure("C", {"i", "j"},
             multiply(load("A", T::F32, {v("i"), v("k")}), load("B", T::F32, {v("k"), v("j")})));
    c.definitions[0].kind = DefinitionKind::Reduction;
    c.definitions[0].axes = {axis("k", 0, 100), axis("l", 0, 3)};
    auto out = pure("out", {"i", "j"}, add(load("C", T::F32, {v("i"), v("j")}), f32(1)));
    return sealed("matmul",
                  {input("A", {"i", "k"}, T::F32, {64, 100}),
                   input("B", {"k", "j"}, T::F32, {100, 48}), c, out},
                  {{"out", {64, 48}, {}}});
}

PipelinePtr reduction(ReductionOp op, T type) {
    auto m = pure("M", {"i", "j"}, load("in", type, {v("i"), add(v("j"), add(v("k"), v("l")))}));
    m.definitions[0].kind = DefinitionKind::Reduction;
    m.definitions[0].reduction = op;
    m.definitions[0].axes = {axis("k", 0, 10), axis("l", 0, 7)};
    return sealed("reduction", {input("in", {"i", "j"}, type, {8, 8}), m}, {{"M", {8, 8}, {}}});
}

PipelinePtr histogram() {
    auto h = pure("H", {"i"}, constant_index(0));
    Definition count;
    count.kind = DefinitionKind::Update;
    count.update = UpdateOp::Add;
    count.values = {constant_index(1)};
    count.left = {cast(T::I32, load("img", T::U8, {v("r"), v("c")}))};
    count.axes = {axis("r", 0, 6), axis("c", 0, 8)};
    h.definitions.push_back(count);
    return sealed("histogram",
                  {input("img", {"y", "x"}, T::U8, {6, 8}), h,
                   pure("out", {"i"}, load("H", T::I32, {v("i")}))},
                  {{"out", {256}, {}}});
}

PipelinePtr update(const Update& u) {
    auto zero = is_float(u.type) ? constant_float(u.type, 0) : constant_int(u.type, 0);
    auto s = pure("S", {"y", "x"}, zero);
    Definition d;
    d.kind = DefinitionKind::Update;
    d.update = u.op;
    d.left = u.left;
    d.values = {u.value};
    d.condition = u.condition;
    d.axes = {axis("r", 1, 17), axis("c", 0, 12)};
    for (std::size_t i = 0; i < s.variables.size(); ++i)
        if (u.left[i]->kind == ExprKind::Variable && u.left[i]->name == s.variables[i])
            d.free.push_back(s.variables[i]);
    s.definitions.push_back(d);
    return sealed("update", {input("in", {"y", "x"}, T::F32, {64, 48}), s}, {{"S", {64, 48}, {}}});
}

PipelinePtr parsed(const std::string& text) {
    auto loaded = load_pipeline(std::make_shared<SourceFile>("p.loop", text));
    EXPECT_TRUE(loaded.ok()) << format(loaded.errors());
    return loaded ? loaded->pipeline : nullptr;
}

Applied scheduled(const PipelinePtr& pipeline, const std::string& lines,
                  const ApplyContext& context) {
    auto text = "schedule for " + pipeline->name + "\n" + lines;
    auto schedule =
        parse_schedule(std::make_shared<SourceFile>("test.sched", text), pipeline.get());
    if (!schedule)
        return {ScheduleState::initial(pipeline), schedule.errors(), 0};
    auto all = context;
    if (!all.intrinsics)
        all.intrinsics = &declared_intrinsics();
    return apply(pipeline, *schedule, all);
}

std::string nest(const Applied& applied, const std::string& stage, int definition) {
    std::string text;
    for (const auto& loop :
         applied.state.find(stage)->definitions[static_cast<std::size_t>(definition)].loops) {
        text += (text.empty() ? "" : " ") + loop.name + (loop.reduction ? "!" : "");
        if (loop.kind != LoopKind::Serial)
            text += std::string("=") + name(loop.kind);
    }
    return text;
}

std::string placed(const Applied& applied, const std::string& stage) {
    const auto& compute = applied.state.find(stage)->compute;
    switch (compute.kind) {
    case Placement::Kind::Root: return "root";
    case Placement::Kind::Inline: return "inline";
    case Placement::Kind::At: return loop_text(applied.state, compute.at);
    }
    return {};
}

std::string refusal(const Applied& applied) {
    if (applied.diagnostics.empty())
        return "applied";
    const auto& d = applied.diagnostics.front();
    std::string text;
    if (d.range.file) {
        auto position = d.range.file->position(d.range.begin);
        // without the header
        text = std::to_string(position.line - 1) + ":" + std::to_string(position.column) + " ";
    }
    return text + d.message + (d.remedy.empty() ? "" : "; " + d.remedy);
}

ScheduleTreePtr tree_of(const Applied& applied) {
    EXPECT_EQ(refusal(applied), "applied");
    auto tree = build_tree(applied.state);
    EXPECT_TRUE(tree.ok()) << format(tree.errors());
    return tree ? *tree : nullptr;
}

void expect_round_trip(const std::string& line) {
    auto first = parse_directive(line);
    ASSERT_TRUE(first.ok()) << format(first.errors());
    EXPECT_EQ((*first)->text(), line);
    auto second = parse_directive((*first)->text());
    ASSERT_TRUE(second.ok()) << format(second.errors());
    EXPECT_EQ((*second)->text(), line);
    EXPECT_FALSE((*first)->describe().empty());
    EXPECT_FALSE(std::string((*first)->summary()).empty());
}

} // namespace loopscope::test
