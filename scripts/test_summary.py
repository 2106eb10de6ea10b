#!/usr/bin/env python3
"""What CTest's summary leaves out: scripts/test_summary.py FOLDER, of a build's Testing folder: the ten tests that took longest, and
those that were skipped, with the reasons that they gave."""
import collections
import json
import pathlib
import re
import sys


def tests_of(path):
    """(seconds, program, test) of each, of the results that GoogleTest wrote as JSON."""
    for suite in json.loads(path.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            yield float(test["time"].removesuffix("s")), path.stem, f"{suite['name']}.{test['name']}"


def skipped_in(log):
    """(reason, test) of each, of CTest's log of all that the programs printed."""
    return re.findall(r"^\S+:\d+: Skipped\n(.*?)\n+\[  SKIPPED \] (\S+)", log, re.MULTILINE | re.DOTALL)


def main(folder):
    tests = sorted((test for path in folder.glob("times/*.json") for test in tests_of(path)), reverse=True)
    if tests:
        print(f"\nThe slowest of {len(tests)} tests, which took {sum(test[0] for test in tests):.0f} s together:")
        for seconds, program, name in tests[:10]:
            print(f"{seconds:8.1f} s  {program}  {name}")
    reasons = collections.defaultdict(list)
    for reason, name in skipped_in((folder / "Temporary/LastTest.log").read_text(errors="replace")):
        reasons[" ".join(reason.split())].append(name)
    if reasons:
        print(f"\nSkipped {sum(map(len, reasons.values()))} tests:")
        for reason, names in reasons.items():
            print(f"{len(names):5} {names[0]}{' and more' if len(names) > 1 else ''}: {reason}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]))
