#!/usr/bin/env python3
"""Checks that no source compares the name of a scope, or that of a level, whole or by its beginning or end: who shares the one, and what
the other numbers, the device says (core/device/hierarchy.h), and the schedule tree and the loop program keep that.

Usage: check_names.py REPOSITORY. Prints each comparison; exit status 1 if there is any. What prints schedules for other systems, in
their words, is left out, and so is what reads the names of a device's file. The words "warp" and "warpgroup" are units as well, to
which barriers and instructions belong: they are looked for where a loop's `binding` is compared.
"""
import os
import re
import sys

FOLDERS = ("core", "compiler", "tuner", "views", "app")
PRINTERS = ("compiler/codegen/halide/", "compiler/codegen/tvm/")
READERS = ("core/device/hierarchy.cpp",)
NAMES = r"shared|global|local|register|fragment|(?:block|thread|cluster|warp)\.[xyz]?|vthread"
COMPARISON = re.compile(
    rf'[=!]=\s*"(?:{NAMES})"|"(?:{NAMES})"\s*[=!]=|\b(?:starts_with|ends_with|compare)\("(?:{NAMES}|\.[xyz])"'
    r'|\bbinding\s*[=!]=\s*"|"\s*[=!]=\s*[\w.>-]*\bbinding\b|\bbinding\.(?:starts_with|ends_with|compare|find|rfind)\(')


def comparisons(root):
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".h", ".cpp")) or path.startswith(PRINTERS + READERS):
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        if COMPARISON.search(line):
                            yield f"{path}:{number}: {line.strip()}"


def self_test():
    assert COMPARISON.search('if (s.scope == "shared")')
    assert COMPARISON.search('scope != "global" &&')
    assert COMPARISON.search('if ("local" == name)')
    assert COMPARISON.search('loop.binding == "warp"')
    assert COMPARISON.search('if ("warpgroup" == node->binding)')
    assert COMPARISON.search('level != "thread.x"')
    assert COMPARISON.search('node->binding.starts_with(prefix)')
    assert COMPARISON.search('level.starts_with("cluster.")')
    assert COMPARISON.search('level.ends_with(".y")')
    assert not COMPARISON.search('add("shared", bytes)')
    assert not COMPARISON.search('lines.bind(loop, "warp.x")')
    assert not COMPARISON.search('barrier.level == "warp"')
    assert not COMPARISON.search('if (!node.binding.empty())')


def main():
    self_test()
    found = list(comparisons(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
