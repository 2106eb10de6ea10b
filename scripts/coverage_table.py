#!/usr/bin/env python3
"""Prints gcovr's figures by folder, and the least covered files.

Usage: coverage_table.py COVERAGE.json. The tables are Markdown, for tests/README.md.
"""
import collections
import json
import sys

LEAST = 12  # files that are named
LINES = 40  # of a file that is worth naming


class Count:
    def __init__(self):
        self.lines = self.lines_hit = self.branches = self.branches_hit = 0

    def add(self, file):
        for line in file["lines"]:
            if line.get("gcovr/noncode"):
                continue
            self.lines += 1
            self.lines_hit += line["count"] > 0
            branches = [b for b in line["branches"] if not b.get("throw")]
            self.branches += len(branches)
            self.branches_hit += sum(b["count"] > 0 for b in branches)

    def row(self, name):
        return f"| {name} | {self.lines} | {share(self.lines_hit, self.lines)} | {share(self.branches_hit, self.branches)} |"


def share(hit, all_of_them):
    return f"{100 * hit / all_of_them:.1f} %" if all_of_them else "–"


def folder_of(path):
    return "/".join(path.split("/")[:-1][:2])


def main():
    with open(sys.argv[1], encoding="utf-8") as text:
        files = json.load(text)["files"]
    folders, total, alone = collections.defaultdict(Count), Count(), {}
    for file in files:
        alone[file["file"]] = Count()
        for count in (folders[folder_of(file["file"])], total, alone[file["file"]]):
            count.add(file)
    print("| folder | lines of code | lines reached | branches reached |\n| --- | --- | --- | --- |")
    for name in sorted(folders):
        print(folders[name].row(f"`{name}`"))
    print(total.row("all"))
    print("\n| least covered | lines of code | lines reached | branches reached |\n| --- | --- | --- | --- |")
    worth = [(c.lines_hit / c.lines, path) for path, c in alone.items() if c.lines >= LINES]
    for _, path in sorted(worth)[:LEAST]:
        print(alone[path].row(f"`{path}`"))


if __name__ == "__main__":
    main()
