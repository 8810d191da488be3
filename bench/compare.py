#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two builds of faultline-bench alternately: what became faster or slower. CPU seconds, no profiler.

usage: bench/compare.py OLD NEW SUITE... [--repeats N]     (FAULTLINE_MATRIX=TEXT narrows the suite matrix)

Prints for each rate (figures in …/s) new : old, the median over consecutive runs with the least and the most.
"""
import argparse
import json
import statistics
import subprocess


def rates(program, suites):
    """By case, figure and occurrence: engines may be new, and several engines may share a case."""
    answer = subprocess.run([program, *suites], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True)
    found = {}
    for figure in json.loads(answer.stdout):
        if not figure["unit"].endswith("/s"):
            continue
        name, number = f"{figure['case']} {figure['figure']}", 1
        while (name, number) in found:
            number += 1
        found[name, number] = figure["value"]
    return found


def main():
    options = argparse.ArgumentParser()
    options.add_argument("old")
    options.add_argument("new")
    options.add_argument("suite", nargs="+")
    options.add_argument("--repeats", type=int, default=5)
    asked = options.parse_args()
    pairs = [(rates(asked.old, asked.suite), rates(asked.new, asked.suite)) for _ in range(asked.repeats)]
    for key in pairs[0][0]:
        ratios = sorted(new[key] / old[key] for old, new in pairs if key in new)
        if ratios:
            print(f"{statistics.median(ratios):.3f} ({ratios[0]:.3f} … {ratios[-1]:.3f})  {key[0]}")


if __name__ == "__main__":
    main()
