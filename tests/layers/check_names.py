#!/usr/bin/env python3
"""Checks that no source compares the name of a scope: who shares it the device says (core/device/hierarchy.h), and the schedule tree and
the loop program keep that.

Usage: check_names.py REPOSITORY. Prints each comparison; exit status 1 if there is any. What prints schedules for other systems, in
their words, is left out.
"""
import os
import re
import sys

FOLDERS = ("core", "compiler", "tuner", "views", "app")
PRINTERS = ("compiler/codegen/halide/", "compiler/codegen/tvm/")
NAMES = "shared|global|local|register|fragment"
COMPARISON = re.compile(r'[=!]=\s*"(%s)"|"(%s)"\s*[=!]=' % (NAMES, NAMES))


def comparisons(root):
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".h", ".cpp")) or path.startswith(PRINTERS):
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        if COMPARISON.search(line):
                            yield f"{path}:{number}: {line.strip()}"


def self_test():
    assert COMPARISON.search('if (s.scope == "shared")')
    assert COMPARISON.search('scope != "global" &&')
    assert COMPARISON.search('if ("local" == name)')
    assert not COMPARISON.search('add("shared", bytes)')


def main():
    self_test()
    found = list(comparisons(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
