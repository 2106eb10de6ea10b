#!/usr/bin/env python3
"""The tests that took longest: scripts/slowest_tests.py FOLDER [N], of the results that GoogleTest wrote there as JSON."""
import json
import pathlib
import sys


def tests_of(path):
    """(seconds, program, test) of each."""
    for suite in json.loads(path.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            yield float(test["time"].removesuffix("s")), path.stem, f"{suite['name']}.{test['name']}"


def main(folder, count=10):
    tests = sorted((test for path in pathlib.Path(folder).glob("*.json") for test in tests_of(path)), reverse=True)
    if not tests:
        return
    print(f"\nThe slowest of {len(tests)} tests, which took {sum(test[0] for test in tests):.0f} s together:")
    for seconds, program, name in tests[:count]:
        print(f"{seconds:8.1f} s  {program}  {name}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    main(sys.argv[1], *map(int, sys.argv[2:]))
