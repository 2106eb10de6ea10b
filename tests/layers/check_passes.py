#!/usr/bin/env python3
"""Checks that each pass of the lists in compiler/lower/passes.cpp has the test file of its name, tests/lower/test_NAME.cpp, which runs it.

Usage: check_passes.py REPOSITORY. Prints the passes that have none; exit status 1 if there is any. A function that stands in the lists under
several names, such as simplify, has one file, and so has one of which there is a form for source.
"""
import os
import re
import sys

ENTRY = re.compile(r'\{"\w+",(?:\s*"[^"]*")+,\s*([^{}]*?)\s*\}')
DECLARATION = re.compile(r"^Program (\w+)\(", re.MULTILINE)


def functions(lists, declarations):
    """The functions of the lists, in their order; of one in two forms the first."""
    declared = set(DECLARATION.findall(declarations))
    found = []
    for entry in ENTRY.findall(lists):
        names = [word for word in re.findall(r"\w+", entry) if word in declared]
        if not names:
            raise SystemExit(f"error: no pass is declared of {entry}")
        if names[0] not in found:
            found.append(names[0])
    return found


def lacking(root):
    def read(path):
        with open(os.path.join(root, path), encoding="utf-8") as source:
            return source.read()

    for name in functions(read("compiler/lower/passes.cpp"), read("compiler/lower/passes.h")):
        path = f"tests/lower/test_{name}.cpp"
        if not os.path.exists(os.path.join(root, path)):
            yield f"{path} is not there: what {name} does, what it leaves alone, and a case at the edge of both"
        elif not re.search(rf"\b{name}\b", read(path)) or "TEST(" not in read(path):
            yield f"{path} does not run {name}"


def self_test():
    lists = '{"a", "does", a}, {"b",\n"does", b}, {"c", "x" "y",\nform == F::M ? c : c_too}, {"again", "z", a}'
    declarations = "Program a(const Program& p);\nProgram b(const\nProgram c(const\nProgram c_too(const"
    assert functions(lists, declarations) == ["a", "b", "c"]


def main():
    self_test()
    found = list(lacking(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
