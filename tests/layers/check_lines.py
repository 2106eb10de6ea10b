#!/usr/bin/env python3
"""Checks how the C++ sources are laid out: no line is wider than 100 columns, and clang-format-19 would change nothing.

Usage: check_lines.py REPOSITORY. Prints each wide line, and what scripts/format.sh --check finds; exit status 1 if there is anything.
Exit status 77, which CTest takes for skipped, where clang-format-19 is not installed and no line is too wide.

A line may be wider inside a raw string, which is text of another language, and where one string literal alone makes it so:
neither can be broken without changing what the program says. clang-format leaves comments alone (.clang-format), so this is what holds them.
"""
import os
import re
import shutil
import subprocess
import sys

WIDTH = 100
FOLDERS = ("core", "compiler", "tuner", "views", "app", "tests")
# What a column may belong to, other than code: a comment, a raw string, a string literal. A quote between digits separates them.
PIECES = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)|(?P<raw>R"(?P<delimiter>[^()\\\s]*)\(.*?\)(?P=delimiter)")"""
    r"""|(?P<string>"(?:[^"\\\n]|\\.)*")|'(?:[^'\\\n]|\\.)+'|[0-9][0-9A-Fa-fxXb]*(?:'[0-9A-Fa-f]+)+""",
    re.DOTALL)


def wide_lines(text):
    """Numbers of the lines of a source that are too wide, counting characters."""
    if not any(len(line) > WIDTH for line in text.split("\n")):
        return []
    raw, strings = [], []
    for piece in PIECES.finditer(text):
        if piece["raw"]:
            raw.append(piece.span())
        elif piece["string"]:
            strings.append(piece.span())
    found, begin = [], 0
    for number, line in enumerate(text.split("\n"), 1):
        edge, end = begin + WIDTH, begin + len(line)
        if end > edge:
            excused = any(b < end and e > edge for b, e in raw) or any(b <= edge and e > edge for b, e in strings)
            if not excused:
                found.append(number)
        begin = end + 1
    return found


def sources(root):
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                if name.endswith((".h", ".cpp")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def self_test():
    long = "x" * WIDTH
    assert wide_lines("ok\n// " + long) == [2]
    assert wide_lines("int " + long + ";") == [1]
    assert wide_lines("// " + "é" * (WIDTH - 3)) == []  # characters, not bytes
    assert wide_lines('f(R"(\n' + long + ' "\n)"); // ' + long) == [3]
    assert wide_lines('s = "' + long + '";') == []
    assert wide_lines("'\"'; // \"" + long + '"') == [1]  # a string inside a comment is the comment's
    assert wide_lines("1'000; // " + long + "'") == [1]


def main():
    self_test()
    root = sys.argv[1]
    failed = False
    for path in sources(root):
        with open(os.path.join(root, path), encoding="utf-8") as source:
            for number in wide_lines(source.read()):
                print(f"{path}:{number}: wider than {WIDTH} columns")
                failed = True
    if not shutil.which("clang-format-19"):
        print("skipped: clang-format-19, which would judge the layout of code, is not installed (scripts/packages.txt)")
        return 1 if failed else 77
    return 1 if subprocess.run([os.path.join(root, "scripts", "format.sh"), "--check"]).returncode or failed else 0


if __name__ == "__main__":
    sys.exit(main())
