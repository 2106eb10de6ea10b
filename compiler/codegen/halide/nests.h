#pragma once
// The loops of Halide's stages under their names in the program. A definition is one of Halide's
// stages, a reduction two: its initialisation and its steps.

#include "compiler/codegen/halide/algorithm.h"

namespace loopscope::codegen {

struct HalideLoop {
    std::string name; // of the Var or RVar
    bool reduction = false;
};

// A loop nest on which calls are made.
struct HalideNest {
    std::string target; // "C", "C.update(0)"
    std::string suffix; // of Vars whose names another nest of the Func has taken
    std::map<std::string, HalideLoop> loops; // by the names in the script, as they stand
    bool races_allowed = false, atomic = false;
};

struct HalideNests {
    HalideNest main;
    std::optional<HalideNest> init; // of a reduction
};

class HalideNestTable {
public:
    HalideNestTable(const ForeignProgram& program, HalideDialect& dialect,
                    HalideAlgorithm& algorithm)
        : program_(program), dialect_(dialect), algorithm_(algorithm) {}

    // The nests of a definition, made when they are first asked for. `out` receives calls that name
    // its loops apart.
    HalideNests& of(const std::string& stage, int definition, CWriter& out);
    // A new loop of a nest, declared where it is new.
    HalideLoop make(const std::string& stage, HalideNest& nest, const std::string& name,
                    bool reduction);

private:
    // Do loops of the stage hold others? Halide finds the loop at which something is computed by
    // its name among all nests of a Func.
    bool hosts(const std::string& stage) const;
    void name_apart(const std::string& stage, HalideNest& nest, CWriter& out);

    const ForeignProgram& program_;
    HalideDialect& dialect_;
    HalideAlgorithm& algorithm_;
    std::map<DefinitionRef, HalideNests, bool (*)(const DefinitionRef&, const DefinitionRef&)>
        nests_{[](const DefinitionRef& a, const DefinitionRef& b) {
            return std::tie(a.stage, a.definition) < std::tie(b.stage, b.definition);
        }};
    std::map<std::string, std::map<std::string, std::string>> owners_; // Func -> loop -> nest
    std::map<std::string, std::string> reductions_;                    // RVars of splits
};

} // namespace loopscope::codegen
