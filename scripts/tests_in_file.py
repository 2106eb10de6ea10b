#!/usr/bin/env python3
"""A filter for GoogleTest: scripts/tests_in_file.py PROGRAM FILE prints the tests of the program that stand in this file, if any do."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile


def tests_of(program):
    """(file, test) of each test of the program."""
    with tempfile.TemporaryDirectory() as folder:
        listing = pathlib.Path(folder) / "tests.json"
        subprocess.run([program, "--gtest_list_tests", f"--gtest_output=json:{listing}"], check=True, stdout=subprocess.DEVNULL,
                       env=os.environ | {"QT_QPA_PLATFORM": "offscreen"})
        for suite in json.loads(listing.read_text())["testsuites"]:
            for test in suite["testsuite"]:
                yield os.path.realpath(test["file"]), f"{suite['name']}.{test['name']}"


def main(program, file):
    print(":".join(test for place, test in tests_of(program) if place == os.path.realpath(file)))


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
