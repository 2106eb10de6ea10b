#!/usr/bin/env python3
"""Holds the examples of CONTRIBUTING.md true: a thing that is added there by some files is named in those files and in
no other, so that adding one like it takes as many.

Usage: check_examples.py REPOSITORY. Prints each violation; exit status 1 if there is any. An example is

    All files that say `WORD`:

        PATH  what it is
        ...
"""
import os
import re
import sys

EXAMPLE = re.compile(r"^All files that say `([a-z_]+)`:\n\n((?:    \S.*\n)+)", re.M)
FOLDERS = ("core", "compiler", "tuner", "views", "app", "resources/help", "tests", "cmake", "scripts")
ENDINGS = (".cpp", ".h", ".def", ".py", ".md", ".sh", ".txt", ".cmake", ".dict")
MOST = {"source": 1, "line": 1, "test": 1, "help": 1}  # files of an example, by what they are
AT_LEAST = 3  # examples


def kind(path):
    """What a file of an example is."""
    if path.endswith(".def"):
        return "line"
    if path.startswith("tests/"):
        return "test"
    return "help" if path.startswith("resources/help/") else "source"


def word_pattern(word):
    """`a_b`, `a-b` and "a b" are one word; so are the functions that lists ask for."""
    return re.compile(r"(?<![A-Za-z0-9])(?:make_|emit_)?" + word.replace("_", "[-_ ]") + r"(?:_model)?(?![A-Za-z0-9_])")


def files(root):
    for top in FOLDERS:
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in names:
                if name.endswith(ENDINGS):
                    yield os.path.relpath(os.path.join(folder, name), root)


def texts(root):
    for path in files(root):
        with open(os.path.join(root, path), encoding="utf-8", errors="replace") as source:
            yield path, source.read()


def violations(guide, sources):
    """`guide`: the text with the examples; `sources`: text by path."""
    examples = EXAMPLE.findall(guide)
    if len(examples) < AT_LEAST:
        yield f"CONTRIBUTING.md has {len(examples)} examples"
    for word, block in examples:
        said = [line.split()[0] for line in block.splitlines()]
        named = sorted(path for path, text in sources.items() if word_pattern(word).search(text))
        for path in sorted(set(said) - set(named)):
            yield f"`{word}` is said to stand in {path}, and does not"
        for path in sorted(set(named) - set(said)):
            yield f"`{word}` stands in {path}, too: adding it took more than CONTRIBUTING.md says"
        for what, most in MOST.items():
            count = sum(kind(path) == what for path in said)
            if count > most:
                yield f"`{word}` takes {count} files of kind '{what}': {most} is what it should take"
        for path in said:
            lines = len(word_pattern(word).findall(sources.get(path, "")))
            if kind(path) == "line" and not re.search(r"\(" + word + r"\b", sources.get(path, "")):
                yield f"`{word}` has no line in {path} ({lines} mentions)"


def self_test():
    guide = "All files that say `new`:\n\n    core/new.cpp   it\n    core/all.def   its line\n    tests/t.cpp    its test\n"
    good = {"core/new.cpp": "make_new()", "core/all.def": "THING(new)", "tests/t.cpp": "S.new(a)", "core/o.cpp": "renew"}

    def found(text, sources):
        return [v for v in violations(text, sources) if v.startswith("`")]

    assert not found(guide, good)
    assert found(guide, {**good, "core/o.cpp": '"new"'})
    assert found(guide, {**good, "tests/t.cpp": ""})
    assert found(guide, {**good, "core/all.def": "// new"})
    assert found(guide + "    core/b.cpp  more\n", {**good, "core/b.cpp": "new"})
    assert word_pattern("two_words").search('"two-words"') and word_pattern("two_words").search("two_words_model()")


def main():
    self_test()
    root = sys.argv[1]
    with open(os.path.join(root, "CONTRIBUTING.md"), encoding="utf-8") as guide:
        found = list(violations(guide.read(), dict(texts(root))))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
