#include "compiler/codegen/tvm/main_text.h"

namespace loopscope::codegen {

const char* tvm_schedule_helpers() {
    return R"(

# --- The schedule ---------------------------------------------------------------------------------------------------
# Loops have the script's names: block -> name -> loop.

sch = None
names, loops, refused = {}, {}, []


def step(line, call):
    try:
        call()
    except Exception as reason:
        told = str(reason).split("Error message:")[-1]  # the whole program stands before it
        first = [text.strip() for text in told.splitlines() if text.strip() and "Traceback" not in text]
        refused.append(line)
        print("TVM refuses %s: %s" % (line, " ".join(first)[:400]), file=sys.stderr)


def find_loops(block):
    found = sch.get_loops(sch.get_sblock(block))
    loops[block] = dict(zip(names[block], found[len(found) - len(names[block]):]))


def split(block, loop, outer, inner, factor):
    here = loops[block]
    first, second = sch.split(here[loop], [None, factor])
    del here[loop]
    here[outer], here[inner] = first, second


def tile(block, y, x, yo, xo, yi, xi, fy, fx):
    here = loops[block]
    (a, c), (b, d) = sch.split(here[y], [None, fy]), sch.split(here[x], [None, fx])
    sch.reorder(a, b, c, d)
    del here[y], here[x]
    here.update({yo: a, xo: b, yi: c, xi: d})


def fuse(block, outer, inner, fused_loop):
    here = loops[block]
    made = sch.fuse(here[outer], here[inner])
    del here[outer], here[inner]
    here[fused_loop] = made


def reorder(block, *order):
    sch.reorder(*[loops[block][loop] for loop in order])


def parallel(block, loop):
    sch.parallel(loops[block][loop])


def unroll(block, loop):
    sch.unroll(loops[block][loop])


def vectorize(block, loop):
    sch.vectorize(loops[block][loop])


def compute_at(block, host, loop):
    sch.compute_at(sch.get_sblock(block), loops[host][loop], preserve_unit_loops=True)
    find_loops(block)


def compute_inline(block):
    sch.compute_inline(sch.get_sblock(block))


def set_scope(block, memory, components):
    for component in range(components):
        sch.set_scope(sch.get_sblock(block), component, memory)


def transform_layout(block, order, components):
    for component in range(components):
        sch.transform_layout(sch.get_sblock(block), ("write", component), lambda *i: [i[d] for d in order])


def storage_align(block, axis, stride, components):
    for component in range(components):
        sch.storage_align(sch.get_sblock(block), component, axis, stride, 0)


def parts(statement):
    return getattr(statement, "seq", [statement])


def blocks_in(statement):
    if hasattr(statement, "block"):
        return [statement.block.name_hint]
    return [name for part in parts(statement.body) for name in blocks_in(part)]


# The script's names of the loops around a block, outermost first; None: a loop of another block.
def nest(block):
    own = {sch.get(loop).loop_var: name for name, loop in loops[block].items()}
    return [own.get(sch.get(loop).loop_var) for loop in sch.get_loops(sch.get_sblock(block))]


# TVM's merge moves the earlier loop to the later one, whatever stands between them and reads what they compute.
def in_order(first, second):
    statement = sch.get(sch.get_sblock("root"))
    while True:
        after = parts(statement.body)
        a, b = [[name in blocks_in(part) for part in after].index(True) for name in (first, second)]
        if a != b:
            break
        statement = after[a]
    if abs(a - b) > 1:
        raise ValueError("another block stands between %s and %s" % (first, second))
    return (first, second) if a < b else (second, first)


def merge(block, own, host, shared):
    shares = {block: own, host: shared}
    for name, outermost in shares.items():
        if [loop for loop in nest(name) if loop][:len(outermost)] != outermost:
            raise ValueError("the loops of %s are not those of the script" % name)
    inside = [name for each, outermost in shares.items() for name in blocks_in(sch.get(loops[each][outermost[0]]))]
    before = {name: nest(name) for name in inside}
    sch.merge(*[loops[name][shares[name][-1]] for name in in_order(block, host)])
    for name, old in before.items():
        now = sch.get_loops(sch.get_sblock(name))
        loops[name] = {loop: made for loop, made in zip(old, now) if loop}


ahead = {}


def pipeline(blocks, host, loop, copies):
    here = loops[host][loop]
    if int(sch.get(here).extent) < copies - 1:
        raise ValueError("the loop has fewer iterations than it would be ahead")
    ahead.update({name: copies - 1 for name in blocks})
    early = [max(ahead.get(name, 0) for name in blocks_in(part)) for part in parts(sch.get(here).body)]
    if min(early) == max(early):
        raise ValueError("no part of the loop is ahead of another")
    if "software_pipeline_stage" in sch.get(here).annotations:
        sch.unannotate(here, "software_pipeline_stage")
        sch.unannotate(here, "software_pipeline_order")
    sch.annotate(here, "software_pipeline_stage", [max(early) - part for part in early])
    sch.annotate(here, "software_pipeline_order", list(range(len(early))))
)";
}

} // namespace loopscope::codegen
