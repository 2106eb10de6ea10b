#pragma once
// Folding of the pipeline graph: the stages that one loop of the pipeline's text makes (a pyramid
// level, all levels) drawn as one node.

#include "views/models/pipeline_graph.h"

#include <set>
#include <string>
#include <vector>

namespace loopscope::views {

// The groups that a stage with this Origin::group may be folded into, outermost first. Each `for`
// around the stage gives two: all its iterations, and the one that made the stage. "l=3/m=0" gives
// "l", "l=3", "l=3/m", "l=3/m=0": loops over the same variable share their groups, so that the
// stages of a pyramid's level stand together wherever they are written.
std::vector<std::string> fold_paths(const std::string& group);

// The level of a pyramid that each name's number says, "#3" for "wide_half3": stages of several
// loops of the text, or of none, are of one level. Only where at least two families of names (up3,
// down3) each have three numbers or more; empty for all others.
std::vector<std::string> level_folds(const std::vector<std::string>& names);
inline bool is_level(const std::string& path) { return path.starts_with('#'); }

// "l = 3, all m", "level 3": what people call a group.
QString fold_name(const std::string& path);

// The graph with the nodes of each folded group as one, at the place of its first. Of nested folded
// groups the outermost holds. Unknown groups, and those of one node, change nothing. A folded
// node's edge carries the bytes of each source once. `folds` of a folded node are the groups around
// the folded one.
PipelineGraph fold(const PipelineGraph& whole, const std::set<std::string>& folded);

// The outermost groups; of a pyramid its levels.
std::set<std::string> outermost_groups(const PipelineGraph& whole);
// What a pipeline opens with: nothing where all its nodes can be read in a panel; else the
// innermost groups or, where that leaves too many nodes, the outermost.
std::set<std::string> folded_at_opening(const PipelineGraph& whole);

// Every group of the graph that holds more than one node, with their number; outer ones before
// inner ones.
std::vector<std::pair<std::string, int>> groups_of(const PipelineGraph& whole);

} // namespace loopscope::views
