#pragma once
// Who reads whom: as written, and in the end, once inlined stages are substituted and copies serve
// the reads they were made for. Placements are judged by the latter.

#include "core/ir/pipeline.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace loopscope {

struct ScheduleState;
struct StageState;

using DefinitionKey = std::pair<std::string, int>; // stage, definition

// The stages and inputs that each definition of a pipeline, or of what rfactor made of it, names in
// a load, its left side and condition included.
class DirectReads {
public:
    explicit DirectReads(const Pipeline& pipeline);
    // The same, with one stage as rewritten.
    DirectReads with(const Stage& stage) const;
    const std::set<std::string>& of(const std::string& stage,
                                    int definition) const; // empty if unknown

private:
    void add(const Stage& stage);
    std::map<DefinitionKey, std::set<std::string>> reads_;
};

// The copy that serves a definition's reads of a stage or input in the end: copies of copies are
// followed, and an inlined copy is passed over, for it stands for what it copies. Of two copies of
// one stage the later serves.
class CopyRoutes {
public:
    explicit CopyRoutes(const ScheduleState& state);
    // Follows reads of these definitions alone.
    CopyRoutes(const ScheduleState& state, const std::set<DefinitionKey>& readers);
    bool any(const DefinitionKey& reader) const; // some copy was made for this definition
    std::string served_by(const std::string& name, const DefinitionKey& reader) const;

private:
    void add(const StageState& copy, const DefinitionKey& reader);

    // For each reader and each stage that it reads, the copy. Names are those of the state, which
    // must live as long.
    using Routes = std::unordered_map<std::string_view, const StageState*>;
    std::map<DefinitionKey, Routes> routes_;
};

// The reads of one definition in the end, as ReadGraph::reads() has them: a line that asks for one
// definition must not look at what all others read.
std::set<std::string> reads_in_the_end(const ScheduleState& state, const DefinitionKey& reader);

// The reads of a state. A definition's own loads and those of stages inlined into it go to the
// copies made for it.
class ReadGraph {
public:
    explicit ReadGraph(const ScheduleState& state);
    // What a definition reads in the end; never an inlined stage. Inlined stages themselves have
    // reads too.
    const std::set<std::string>& reads(const std::string& stage, int definition) const;
    // Definitions of stages that are not inlined, in topological order; the stage's own
    // (self-reads) are left out.
    const std::vector<DefinitionKey>& readers(const std::string& name) const;

private:
    std::map<DefinitionKey, std::set<std::string>> reads_;
    std::map<std::string, std::vector<DefinitionKey>> readers_;
};

// The graph of a state. Few directives change it, and from one state many lines are tried: each
// thread keeps the graphs of states with the same ScheduleState::reads, up to a bound.
std::shared_ptr<const ReadGraph> read_graph(const ScheduleState& state);

} // namespace loopscope
