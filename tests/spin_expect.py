#!/usr/bin/env python3
"""Write into each model what SPIN says of it, or check that it still says so.

  spin_expect.py MODEL...            measure with SPIN 6.5.2 and rewrite the expect lines
  spin_expect.py --check MODEL...    compare only; exit 1 if a line differs

The lines stand in the head comment of the model, the first /* .. */ of the file:

  expect: verdict=verified stored=4 matched=0 transitions=4 atomic=0 depth=3 errors=0
      the full search for assertions and invalid end states, without claims:
      spin -o1 -o2 -o3 -a; gcc -DNOREDUCE -DSAFETY -DNOCLAIM; pan -m1000000 -c0 -n
  expect: refused          spin does not accept the model
  expect: partial TEXT     spin gave up at the error TEXT ("crash": pan itself died, or never came back)
  expect-liveness: property=NAME mode=acceptance fair=0 violated=1
      one line for each question: property=- is the never claim, or without one the accept labels of the model;
      mode=non-progress ignores claims; violated is what SPIN finds (spin -a; gcc -DNOREDUCE; pan -a|-l [-f] -N NAME).
      Write violated=? in a new line and let this script fill it in. A model with such lines needs no expect line,
      but keeps it if there is one.

A model on which SPIN is wrong says "SPIN errs here" and what is right; it is passed over. (docs/spin-differences.md)

A model that needs preprocessor options or a larger state vector says so:  spin-flags: -DN=4   gcc-flags: -DVECTORSZ=4096
"""
import argparse
import concurrent.futures
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile

SECONDS = 60
MEMORY = 8 << 30
EXPECT = re.compile(r"^([ \t]*(?:/?\* )?)expect: (.*?)( \*/)?$", re.M)
LIVENESS = re.compile(r"^([ \t]*(?:\* )?)expect-liveness: property=(\S+) mode=(\S+) fair=([01]) violated=(\S)$", re.M)
CYCLE = ("acceptance cycle", "non-progress cycle", "assertion violated", "end state in claim reached")


class Trouble(Exception):
    """The model cannot be measured."""


class Oracle:
    """One model in a folder of its own, and the tools run on it."""

    def __init__(self, path, folder, optimise):
        self.folder = folder
        self.optimise = optimise
        text = open(path, encoding="utf-8").read()
        self.spin_flags = self.flags(text, "spin-flags")
        self.gcc_flags = self.flags(text, "gcc-flags")
        self.has_never = re.search(r"^\s*never\b", text, re.M) is not None
        shutil.copy(path, os.path.join(folder, "model.pml"))
        # Files that the model includes stand beside it.
        for name in re.findall(r'^\s*#include\s+"([^"/]+)"', text, re.M):
            shutil.copy(os.path.join(os.path.dirname(os.path.abspath(path)), name), folder)

    @staticmethod
    def flags(text, name):
        found = re.search(rf"\b{name}:((?: -\S+)+)", text)
        return found.group(1).split() if found else []

    def run(self, *command):
        """The exit code (None: no answer in time) and everything that was printed."""
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        try:
            done = subprocess.run(command, cwd=self.folder, timeout=SECONDS, preexec_fn=limit, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
            return done.returncode, done.stdout
        except subprocess.TimeoutExpired:
            return None, ""

    def compile(self, *gcc_flags):
        """Build pan; a message if spin refuses the model."""
        code, said = self.run("spin", "-o1", "-o2", "-o3", *self.spin_flags, "-a", "model.pml")
        if code != 0 or not os.path.exists(os.path.join(self.folder, "pan.c")):
            return said.strip() or "refused"
        code, said = self.run("gcc", self.optimise, "-w", "-DNOREDUCE", *gcc_flags, *self.gcc_flags, "-o", "pan", "pan.c")
        if code != 0:
            raise Trouble(f"gcc cannot compile what spin made of the model:\n{said}")
        return None

    def safety(self):
        """The text of the expect line."""
        if self.compile("-DSAFETY", "-DNOCLAIM") is not None:
            return "refused"
        code, said = self.run("./pan", "-m1000000", "-c0", "-n")
        counts = {
            name: int(found.group(1))
            for name, found in (
                ("stored", re.search(r"^\s*(\d+) states, stored", said, re.M)),
                ("matched", re.search(r"^\s*(\d+) states, matched", said, re.M)),
                ("transitions", re.search(r"^\s*(\d+) transitions \(=", said, re.M)),
                ("atomic", re.search(r"^\s*(\d+) atomic steps", said, re.M)),
                ("depth", re.search(r"depth reached (\d+)", said)),
                ("errors", re.search(r"errors: (\d+)", said)),
            )
            if found
        }
        messages = [m for m in re.findall(r"^pan:\s*(?:\d+:)?\s*(.*)$", said, re.M) if not m.startswith("wrote")]
        if code is None or code < 0 or len(counts) < 6:
            return "partial crash"
        if "Search not completed" in said or "max search depth too small" in said:
            first = re.sub(r" \(at depth -?\d+\)|^error, |, recompile.*", "", messages[0]) if messages else "search not completed"
            return "partial max search depth too small" if "max search depth too small" in said else f"partial {first}"
        verdict = "violated" if counts["errors"] else "verified"
        return f"verdict={verdict} " + " ".join(f"{name}={value}" for name, value in counts.items())

    def liveness(self, name, mode, fair):
        """Does SPIN find a violation? 0 or 1."""
        np = mode == "non-progress"
        noclaim = [] if np or name != "-" or self.has_never else ["-DNOCLAIM"]
        trouble = self.compile("-DNFAIR=3", *(["-DNP"] if np else []), *noclaim)
        if trouble:
            raise Trouble(f"spin refuses the model:\n{trouble}")
        options = ["-m1000000", "-n", "-E", "-l" if np else "-a"] + (["-f"] if fair else [])
        options += ["-N", name] if name != "-" else []
        code, said = self.run("./pan", *options)
        errors = re.search(r"errors: (\d+)", said)
        if code is None or not errors:
            raise Trouble(f"pan gave no answer:\n{said}")
        if errors.group(1) != "0" and not any(message in said for message in CYCLE):
            raise Trouble(f"pan found something else than a violation of the property:\n{said}")
        return "1" if errors.group(1) != "0" else "0"


def measured(path, optimise):
    """The text of the model with the expect lines as SPIN would have them."""
    text = open(path, encoding="utf-8").read()
    with tempfile.TemporaryDirectory() as folder:
        oracle = Oracle(path, folder, optimise)
        asked = LIVENESS.search(text)
        if EXPECT.search(text):
            line = oracle.safety()
            text = EXPECT.sub(lambda m: f"{m.group(1)}expect: {line}{m.group(3) or ''}", text, count=1)
        elif not asked:
            line = oracle.safety()
            start, end = text.find("/*"), text.find("*/")
            if start == 0:
                text = text[:end].rstrip() + f"\n\n   expect: {line}\n" + text[end:]
            else:
                text = f"/* expect: {line} */\n" + text
        answer = lambda m: (f"{m.group(1)}expect-liveness: property={m.group(2)} mode={m.group(3)} fair={m.group(4)} "
                            f"violated={oracle.liveness(m.group(2), m.group(3), m.group(4) == '1')}")
        return LIVENESS.sub(answer, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="compare only")
    parser.add_argument("--jobs", type=int, default=1, help="models measured at once")
    parser.add_argument("--optimise", default="-O0", help="gcc option: -O0 compiles fast, -O2 is for large models")
    parser.add_argument("models", nargs="+")
    options = parser.parse_args()

    def measure(path):
        try:
            return measured(path, options.optimise), None
        except Trouble as trouble:
            return None, trouble

    right = [path for path in options.models if "SPIN errs here" not in open(path, encoding="utf-8").read()]
    passed_over = len(options.models) - len(right)
    options.models = right
    differ = troubled = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for path, (text, trouble) in zip(options.models, pool.map(measure, options.models)):
            if trouble:
                troubled += 1
                print(f"{path}: {trouble}")
                continue
            old = open(path, encoding="utf-8").read()
            if text == old:
                continue
            differ += 1
            lines = [line.strip() for line in text.split("\n") if line not in old.split("\n") and "expect" in line]
            print(f"{path}: " + "\n    ".join(lines))
            if not options.check:
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
    print(f"{len(options.models)} models, {differ} {'differ' if options.check else 'rewritten'}, {troubled} not measured, "
          f"{passed_over} passed over")
    return 1 if troubled or (options.check and differ) else 0


if __name__ == "__main__":
    sys.exit(main())
