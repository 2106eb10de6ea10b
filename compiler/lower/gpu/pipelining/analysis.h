#pragma once
// ALCOP's program transformation (section III): load-and-use loops become pipelines, over several
// stages and several levels of memory. Its five steps of analysis find what this plan says; each is
// a file, and so is each of the five transformations (compiler/lower/passes.h), which read the plan
// off the program.
//
// Between the passes the program itself holds the plan: an allocation that is to rotate says how
// many slots there are (Storage::rotation, the hint of step 1), the loop that is pipelined and the
// token.

#include "compiler/lower/program.h"

#include <map>
#include <string>
#include <vector>

namespace loopscope::lower::pipelining {

// A buffer that is to be loaded ahead of its use.
struct PipelinedBuffer {
    std::string buffer;
    device::MemoryScope scope;
    int copies = 1;     // the paper's n_stage
    int producers = 0;  // warpgroups that do nothing but load it; 0: those that use it do
    NodeId origin;      // of the allocation
    std::string source; // step 2: the buffer that it is a copy of; empty: it is no copy
    std::string outer;  // step 2: the source, if that is pipelined itself: there are several levels
    std::string loop;   // step 3: the variable of the load-and-use loop
    std::int64_t extent = 0; // of that loop
    std::string token;       // shared by all that is loaded and used at one place
    std::string prologue_at; // step 5: the loop in front of which the first loads stand
};

using Plan = std::vector<PipelinedBuffer>; // outer levels first

// Step 1: the hints that the schedule left.
Plan find_hints(const StatementPtr& body);
// Step 2: producers, and with them, among buffers that are pipelined indeed, the levels.
void find_producers(const StatementPtr& body, Plan& plan);
void find_levels(Plan& plan);
// Step 3: from the copy outwards, the first sequential loop whose variable does not index inside
// the buffer.
void find_loops(const StatementPtr& body, Plan& plan);
// Step 4: what loads and what uses it.
void find_parts(const StatementPtr& body, Plan& plan);
// Step 5: before the loop; of an inner level before the loop of the outermost (Fig. 3 d).
void find_prologues(const StatementPtr& body, Plan& plan);
// Finds tokens: buffers that are loaded at one loop, into as many slots, and first at one place are
// loaded and used together. They have one token, and their copies are committed and waited for as
// one group.
void find_tokens(Plan& plan);

// All five steps. Leaves out buffers that cannot be pipelined: they are no copy, have no such loop,
// or do not stand apart in it.
Plan analyse(const StatementPtr& body);
// The plan that `plan_pipelines` wrote into a program.
Plan read_plan(const StatementPtr& body);
const PipelinedBuffer* find(const Plan& plan, const std::string& buffer);

// The part of a loop's body that loads a buffer, and the rest of the body. The part stands for
// itself: lets around it are replaced by their values. Null: it does not stand apart from other
// work.
struct LoadingPart {
    StatementPtr part, rest;
};
LoadingPart loading_part(const StatementPtr& body, const std::string& buffer);
// Is it the statement that loads buffers of the plan ahead in a loop's body, made by
// `shift_pipelines`: a let whose variable is the iteration that it loads for?
bool is_ahead(const Statement& s, const Plan& plan, const std::string& loop);
// Buffers of the plan that belong to a loop.
Plan of_loop(const Plan& plan, const std::string& loop);
bool writes_to(const StatementPtr& s, const std::string& buffer);
bool reads_from(const StatementPtr& s, const std::string& buffer);
// How many iterations before its use a buffer is loaded: one less than there are stages; none,
// where producer warpgroups load it, which run ahead by themselves.
inline int iterations_ahead(const PipelinedBuffer& pipelined) {
    return pipelined.producers ? 0 : pipelined.copies - 1;
}
// Is its memory filled asynchronously? It is where the block shares it.
bool is_asynchronous(const PipelinedBuffer& pipelined);

} // namespace loopscope::lower::pipelining
