#!/usr/bin/env python3
"""Checks that JSON has one reader, which has limits (core/base/json_text.h), and numbers with a fraction one writer and one reader, which
do not take a comma from a person's locale (core/base/number_text.h).

Usage: check_texts.py REPOSITORY [BUILD]. Prints each line that reads or writes such by itself, and what in the libraries of BUILD does;
exit status 1 if there is any. Programs that we write for others hold C's own functions; those in C++ are left out.
"""
import os
import re
import subprocess
import sys

FOLDERS = ("core", "compiler", "tuner", "views", "app")
READERS = ("core/base/json_text.cpp",)
PRINTERS = ("compiler/codegen/halide/main_text.cpp",)
JSON = re.compile(r"\bjson::(?:sax_)?parse\(")
NUMBER = re.compile(
    r"\bstd::(?:f|sn?|vsn?)?printf\((?:\"(?:[^\"\\]|\\.)*\"|[^;\"])*?\"(?:[^\"\\]|\\.)*?%[-+ #0-9.*]*[aAeEfFgG]|\bstd::(?:strto(?:d|f|ld)|stof|stod|stold|atof|s?scanf)\(|\bstd::setprecision\(")
# What std::to_string of a float or a double is made of, and of no integer.
TO_STRING = "__to_xstring"
OTHERS = ("libloopscope_cli_library.a",)  # with what the parser of command lines makes, all in headers


def own_ways(root):
    for top in FOLDERS:
        for folder, _, files in os.walk(os.path.join(root, top)):
            for name in sorted(files):
                path = os.path.relpath(os.path.join(folder, name), root)
                if not name.endswith((".h", ".cpp")):
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as source:
                    text = source.read()
                wrong = ([] if path in PRINTERS else list(NUMBER.finditer(text))) + ([] if path in READERS else list(JSON.finditer(text)))
                for match in wrong:
                    yield f"{path}:{text.count(chr(10), 0, match.start()) + 1}: {match[0]}"


def own_printers(build):
    for folder, _, files in os.walk(build):
        for name in sorted(files):
            if name.startswith("libloopscope_") and name.endswith(".a") and "test" not in name and name not in OTHERS:
                library = os.path.join(folder, name)
                symbols = subprocess.run(["nm", "-A", library], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
                yield from (f"std::to_string of a number with a fraction: {line}" for line in symbols.stdout.splitlines()
                            if TO_STRING in line)


def self_test():
    assert JSON.search("auto j = nlohmann::json::parse(text, nullptr, false);")
    assert JSON.search("json::sax_parse(text, this)")
    assert NUMBER.search('std::snprintf(text, sizeof text, "%.4f", value);')
    assert NUMBER.search('std::printf("%d of %g", n, x);')
    assert NUMBER.search('std::printf("%d of "\n"%g", n, x);')
    assert NUMBER.search('std::printf("a; %g", x);')
    assert NUMBER.search("std::strtod(text.c_str(), nullptr)")
    assert not NUMBER.search('std::snprintf(text, sizeof text, "%016llx", value);')
    assert not NUMBER.search('printf("%g", x);')
    assert not NUMBER.search("std::strtol(text, &end, 10)")


def main():
    self_test()
    found = list(own_ways(sys.argv[1])) + (list(own_printers(sys.argv[2])) if len(sys.argv) > 2 else [])
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
