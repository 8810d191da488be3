#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_skips.py ALLOWED RESULTS...: fails when a test was skipped that ALLOWED (tests/allowed_skips.txt) does not list.

RESULTS are files of `ctest --output-junit`, or FOLDER.PART.xml that tests/FOLDER wrote with --gtest_output. Fails also if
one of them has no test, and for a line of ALLOWED that matches no test in any of them, so that no permission outlives its
test.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree


def read_allowed(path):
    """Pairs (test, reason) of compiled regular expressions."""
    allowed = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            test, separator, reason = line.partition(" : ")
            if not separator or not reason:
                sys.exit(f"{path}:{number}: must be TEST : REASON")
            allowed.append((re.compile(test), re.compile(reason)))
    return allowed


def of_ctest(case):
    output = case.findtext("system-out") or ""
    found = re.search(r": Skipped\n(.*)", output)
    return case.get("name"), case.get("status") not in ("run", "fail"), output, found[1] if found else case.get("status")


def of_google_test(case, folder):
    reasons = "\n".join(skip.get("message", "") for skip in case.findall("skipped"))
    name = f"{folder}.{case.get('classname')}.{case.get('name')}"
    return name, case.get("result") != "completed", reasons, reasons.strip().split("\n")[-1]


def read_cases(path):
    """Of each test: its name, whether it was skipped, its output, why."""
    root = ElementTree.parse(path).getroot()
    if root.tag == "testsuites":
        folder = pathlib.Path(path).name.partition(".")[0]
        cases = [of_google_test(case, folder) for case in root.iter("testcase")]
    else:
        cases = [of_ctest(case) for case in root.findall("testcase")]
    if not cases:
        sys.exit(f"{path}: no test was run")
    return cases


def main(allowed_path, *results_paths):
    allowed = read_allowed(allowed_path)
    errors, names = [], set()
    for path in results_paths:
        cases = read_cases(path)
        names.update(name for name, *_ in cases)
        skipped = [case for case in cases if case[1]]
        for name, _, output, why in skipped:
            if not any(test.fullmatch(name) and reason.search(output) for test, reason in allowed):
                errors.append(f"{path}: {name} was skipped: {why}")
        print(f"{len(cases)} tests, {len(skipped)} skipped, in {path}")
    errors += [
        f"{allowed_path}: no test matches {test.pattern}"
        for test, _ in allowed
        if not any(test.fullmatch(name) for name in names)
    ]
    if errors:
        sys.exit("\n".join([*errors, f"only the skips of {allowed_path} are allowed"]))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
