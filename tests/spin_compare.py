#!/usr/bin/env python3
"""Compare pv with SPIN, to the digit: stored, matched, transitions, atomic steps, depth, verdict.

  spin_compare.py [--pv target/release/pv] [--only TEXT] [--jobs N] [--no-package] [FOLDER...]

Two sources of truth:
- the models of this project (tests/corpus and examples, or the folders given) say in their head comments what SPIN answers;
  those lines are written by spin_expect.py, which also tells what they mean;
- the example models of the installed spin package are measured on the spot: spin -a, gcc, pan. Those that SPIN itself does
  not finish in a few seconds, and those with embedded C, are left out.

Every violation is also replayed. Prints one line for each difference and, at the end, "N passed, N failed".
"""
import argparse
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

import spin_expect

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
COUNTS = ("stored", "matched", "transitions", "atomic", "depth")
SECONDS = 120
EXPECT = re.compile(r"\bexpect: (.*?)(?: \*/)?$", re.M)
LIVENESS = re.compile(r"\bexpect-liveness: property=(\S+) mode=(\S+) fair=([01]) violated=([01])", re.M)


class Pv:
    """The program under test."""

    def __init__(self, path):
        self.path = path

    def check(self, model, *options):
        """The exit code and the JSON (None if there is none), with what went to standard error."""
        command = [self.path, "check", model, "--json", "--no-bar", *options]
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return None, None, f"no answer in {SECONDS} s"
        try:
            return done.returncode, json.loads(done.stdout), done.stderr
        except ValueError:
            return done.returncode, None, (done.stderr.strip() or "nothing said").split("\n")[0]

    def replays(self, model, trail, flags):
        """None, or why the trail does not replay."""
        done = subprocess.run([self.path, "replay", *flags, model, trail], capture_output=True, text=True, errors="replace")
        return None if done.returncode == 0 else f"the trail does not replay: {done.stderr.strip()[:200]}"


def counts_of(found):
    return {
        "stored": found["states"]["stored"],
        "matched": found["states"]["matched"],
        "transitions": found["transitions"],
        "atomic": found["atomic_steps"],
        "depth": found["depth"],
    }


def compare_safety(pv, model, expected, flags):
    """None if pv says what SPIN says, else the difference."""
    with tempfile.TemporaryDirectory() as folder:
        trail = os.path.join(folder, "trail.json")
        if expected.startswith("refused"):
            # A wrong formula keeps only its own property from being checked, so all are asked for here.
            code, _, _ = pv.check(model, "--trail", trail, *flags)
            return None if code == 2 else f"spin refuses the model, pv exits {code}"
        code, found, said = pv.check(model, "--all-errors", "--no-claims", "--trail", trail, *flags)
        if expected.startswith("partial"):
            # SPIN gave up; pv has to give an answer.
            return None if code in (0, 1, 3) else f"exit {code}: {said}"
        if found is None:
            return f"exit {code}: {said}"
        wanted = dict(pair.split("=") for pair in expected.split())
        got = counts_of(found)
        differs = [f"{name} {got[name]} is {wanted[name]} in spin" for name in COUNTS if str(got[name]) != wanted[name]]
        if found["verdict"] != wanted["verdict"]:
            differs.append(f"verdict {found['verdict']} is {wanted['verdict']} in spin")
        if code != (1 if wanted["verdict"] == "violated" else 0) and not differs:
            differs.append(f"exit code {code}")
        if found["errors"] and os.path.exists(trail):
            trouble = pv.replays(model, trail, flags)
            differs += [trouble] if trouble else []
        return "; ".join(differs) or None


def compare_liveness(pv, model, name, mode, fair, violated, flags):
    options = ["--property", name] if name != "-" else []
    options += ["--non-progress"] if mode == "non-progress" else []
    options += ["--fair"] if fair == "1" else []
    label = " ".join(options) or "acceptance"
    with tempfile.TemporaryDirectory() as folder:
        trail = os.path.join(folder, "trail.json")
        code, found, said = pv.check(model, "--trail", trail, *options, *flags)
        if found is None:
            return f"{label}: exit {code}: {said}"
        if (found["verdict"] == "violated") != (violated == "1") or found["verdict"] == "incomplete":
            return f"{label}: verdict {found['verdict']}, in spin {'violated' if violated == '1' else 'no error'}"
        if found["errors"] and os.path.exists(trail):
            trouble = pv.replays(model, trail, flags)
            return f"{label}: {trouble}" if trouble else None
    return None


def own_model(pv, path):
    """Yields one result for each expect line of a model."""
    text = open(path, encoding="utf-8").read()
    flags = spin_expect.Oracle.flags(text, "spin-flags")
    expected = EXPECT.search(text)
    questions = LIVENESS.findall(text)
    if expected:
        yield compare_safety(pv, path, expected.group(1), flags)
    for question in questions:
        yield compare_liveness(pv, path, *question, flags)
    if not expected and not questions:
        yield "no expect line"


def package_model(pv, path):
    """Yields the result for a model of the spin package, measured now; nothing if SPIN has no full answer."""
    text = open(path, encoding="utf-8", errors="replace").read()
    if re.search(r"\bc_(code|expr|decl|state|track)\b", text):
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            expected = spin_expect.Oracle(path, folder, "-O1").safety()
        except (spin_expect.Trouble, OSError, UnicodeDecodeError):
            return
    if expected.startswith("partial"):
        return
    yield compare_safety(pv, path, expected, [])


def package_models():
    listing = subprocess.run(["dpkg", "-L", "spin"], capture_output=True, text=True).stdout.split("\n")
    return sorted(path for path in listing if "/Examples/" in path and path.endswith(".pml"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(ROOT, "target", "release", "pv"))
    parser.add_argument("--only", default="", help="models whose path has this text in it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--no-package", action="store_true", help="leave the models of the spin package out")
    parser.add_argument("--package-seconds", type=int, default=20, help="what SPIN gets for each model of its package")
    parser.add_argument("folders", nargs="*", default=[os.path.join(HERE, "corpus"), os.path.join(ROOT, "examples")])
    options = parser.parse_args()
    pv = Pv(os.path.abspath(options.pv))
    spin_expect.SECONDS = options.package_seconds
    work = [(own_model, path) for folder in options.folders for path in sorted(glob.glob(os.path.join(folder, "**", "*.pml"), recursive=True))]
    if not options.no_package:
        found = package_models()
        if not found:
            print("the spin package is not installed (apt-get install spin): its examples are left out")
        work += [(package_model, path) for path in found]
    work = [(how, path) for how, path in work if options.only in path]

    def results(item):
        how, path = item
        return [(path, trouble) for trouble in how(pv, path)]

    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for outcome in pool.map(results, work):
            for path, trouble in outcome:
                if trouble is None:
                    passed += 1
                else:
                    failed += 1
                    print(f"{os.path.relpath(path, ROOT) if path.startswith(ROOT) else path}: {trouble}", flush=True)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
