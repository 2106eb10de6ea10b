#!/usr/bin/env python3
"""Checks that JSON has one reader, which has limits (core/base/json_text.h), and numbers with a fraction one writer and one reader, which
do not take a comma from a person's locale (core/base/number_text.h).

Usage: check_texts.py REPOSITORY. Prints each line that reads or writes such by itself; exit status 1 if there is any. Programs that we
write for others hold C's own functions; those in C++ are left out.
"""
import os
import re
import sys

FOLDERS = ("core", "compiler", "tuner", "views", "app")
READERS = ("core/base/json_text.cpp",)
PRINTERS = ("compiler/codegen/halide/main_text.cpp",)
JSON = re.compile(r"\bjson::(?:sax_)?parse\(")
NUMBER = re.compile(
    r"\bstd::(?:f|sn?|vsn?)?printf\(.*%[-+ #0-9.*]*[aAeEfFgG]|\bstd::(?:strto(?:d|f|ld)|stof|stod|stold|atof|s?scanf)\(|\bstd::setprecision\(")


def own_ways(root):
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".h", ".cpp")):
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as source:
                    for number, line in enumerate(source, 1):
                        if (NUMBER.search(line) and path not in PRINTERS) or (JSON.search(line) and path not in READERS):
                            yield f"{path}:{number}: {line.strip()}"


def self_test():
    assert JSON.search("auto j = nlohmann::json::parse(text, nullptr, false);")
    assert JSON.search("json::sax_parse(text, this)")
    assert NUMBER.search('std::snprintf(text, sizeof text, "%.4f", value);')
    assert NUMBER.search('std::printf("%d of %g", n, x);')
    assert NUMBER.search("std::strtod(text.c_str(), nullptr)")
    assert not NUMBER.search('std::snprintf(text, sizeof text, "%016llx", value);')
    assert not NUMBER.search('printf("%g", x);')
    assert not NUMBER.search("std::strtol(text, &end, 10)")


def main():
    self_test()
    found = list(own_ways(sys.argv[1]))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
