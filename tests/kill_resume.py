#!/usr/bin/env python3
"""kill -9 at random moments, then `pv resume`: the same counts and the same verdict as a search that nobody disturbed.

A search with --checkpoint-every is killed, its checkpoint resumed, the resumed search killed again, and so on; one that
comes to its end is compared with the undisturbed one and another begins, until there were as many kills as asked for.
At the end nothing may be left in the work folder, and nothing but the checkpoint beside it.

  tests/kill_resume.py                      20 kills in every mode
  tests/kill_resume.py --mode disk --times 100 --seed 7
  tests/kill_resume.py --cross              each mode killed once, then resumed in other modes
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))

# Errors, atomic blocks, many levels: SIZE ** 3 states.
MODEL = """
active [3] proctype P() {
  byte i;
  end: do
  :: atomic { i < SIZE - 1 -> i++ }
  :: atomic { i > 0 -> i-- }
  :: atomic { i == SIZE - 4 && _pid == 1 -> assert(i != SIZE - 4) }
  od
}
"""


def modes(states):
    """Name, options, and whether the counts are those of the exact search."""
    cache = ["--cache", str(states * 19 // 20), "--max-collision-rate", "1"]
    serial = ["--serial", "--cache", str(states // 5)]
    return {
        "exact": ([], True),
        "exact-memory": (["--memory", "256M"], True),
        "cache": (cache, False),
        "cache-memory": (cache + ["--memory", "256M"], False),
        "cache-compact": (cache + ["--store", "compact"], False),
        "hub": (cache + ["--hub", "--hub-overwrite", "0.01"], False),
        "disk": (["--disk", "--memory", "9M"], True),
        "disk-exact": (["--disk", "--store", "exact", "--memory", "14M"], True),
        "disk-compact": (["--disk", "--store", "compact", "--bits", "48", "--memory", "9M"], True),
        "disk-window": (["--disk", "--disk-window", "0.5", "--memory", "9M"], False),
        "serial": (serial + ["--memory", "64M"], False),
        "serial-hub": (serial + ["--hub", "--store", "compact", "--memory", "64M"], False),
        "compact": (["--store", "compact", "--slots", str(states * 2)], True),
        "bloom": (["--store", "bloom", "--expect-states", str(states)], False),
    }


# From a mode into others: where whole states are kept all counts but those of memory are the exact ones at the end.
CROSS = {
    "exact": ["disk", "disk-exact", "cache", "hub", "serial", "compact", "bloom"],
    "disk-exact": ["exact", "disk", "cache", "hub", "serial", "compact", "bloom"],
    "disk": [],
    "cache": ["exact", "hub", "disk", "disk-exact"],
    "hub": ["exact", "cache", "disk"],
    "serial": ["exact", "disk-exact", "disk"],
    "cache-compact": ["disk-compact-40"],
}


class Bench:
    def __init__(self, arguments, folder, size):
        self.pv = arguments.pv
        self.every = arguments.every
        self.random = random.Random(arguments.seed)
        self.folder = folder
        self.model = os.path.join(folder, "m.pml")
        self.work = os.path.join(folder, "work")
        self.checkpoint = os.path.join(folder, "checkpoints", "c")
        os.makedirs(self.work)
        os.makedirs(os.path.dirname(self.checkpoint))
        with open(self.model, "w") as file:
            file.write(MODEL.replace("SIZE", str(size)))

    def check(self, options, kept=True):
        line = [self.pv, "check", self.model, "--search", "bfs", "--all-errors", "--no-trail", "--json", *options]
        if any(option in options for option in ("--disk", "--cache", "--store")):
            line += ["--work-dir", self.work]
        if kept:
            line += ["--checkpoint", self.checkpoint, "--checkpoint-every", str(self.every)]
        return line

    def resume(self, options=()):
        return [self.pv, "resume", self.checkpoint, "--json", *options]

    def run(self, line):
        """Runs to the end; gives the report."""
        done = subprocess.run(line, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"exit code {done.returncode}: {' '.join(line)}\n{done.stdout}{done.stderr}")
        return json.loads(done.stdout)

    def run_until(self, line, seconds):
        """Runs and kills; gives the report if the end came first."""
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
            return None
        if process.returncode not in (0, 1):
            raise SystemExit(f"exit code {process.returncode}: {' '.join(line)}\n{out}{err}")
        return json.loads(out)

    def clean(self):
        """Nothing is left but the checkpoint."""
        left = os.listdir(self.work) + [n for n in os.listdir(os.path.dirname(self.checkpoint)) if n != "c"]
        if left:
            raise SystemExit(f"left behind: {left}")


def figures(report):
    """All that must not show whether the search was interrupted."""
    wanted = ("verdict", "states", "transitions", "atomic_steps", "depth", "error_count", "collision_rate",
              "omission_probability", "unreached")
    found = {name: report.get(name) for name in wanted}
    found["errors"] = [(e["kind"], e["message"], e["line"], e["depth"]) for e in report["errors"]]
    return found


def exact_figures(report):
    found = figures(report)
    counts = ("stored", "matched", "vector_bytes")
    return {"states": {name: found["states"][name] for name in counts},
            **{name: found[name] for name in ("transitions", "atomic_steps", "depth", "error_count", "unreached")}}


def differ(what, expected, found):
    if expected != found:
        raise SystemExit(f"{what}:\n  expected {json.dumps(expected)}\n  found    {json.dumps(found)}")


def kill_again_and_again(bench, name, options, times, exact):
    start = time.time()
    undisturbed = bench.run(bench.check(options, kept=False))
    seconds = time.time() - start
    expected = figures(undisturbed)
    if exact:
        differ(f"{name}, undisturbed", exact_figures(exact), exact_figures(undisturbed))
    start = time.time()
    saved = bench.run(bench.check(options))
    with_checkpoints = time.time() - start
    if name.startswith("exact"):
        # Without checkpoints its table is its own queue: another search, with the same counts.
        differ(f"{name}, with checkpoints", exact_figures(undisturbed), exact_figures(saved))
        expected = figures(saved)
    differ(f"{name}, with checkpoints", expected, figures(saved))
    kills = resumed = ends = 0
    while kills < times or ends == 0:
        if os.path.exists(bench.checkpoint):
            os.remove(bench.checkpoint)
        report = None
        while report is None:
            there = os.path.exists(bench.checkpoint)
            resumed += there
            line = bench.resume() if there else bench.check(options)
            wait = bench.random.uniform(0, seconds) if kills < times else None
            report = bench.run_until(line, wait)
            kills += report is None
        ends += 1
        differ(f"{name}, killed {kills} times", expected, figures(report))
        bench.clean()
    print(f"{name:15} {seconds:6.2f} s, with checkpoints {with_checkpoints:6.2f} s: {kills} kills, {resumed} times "
          f"resumed, {ends} ends, all the same", flush=True)


def into_other_modes(bench, every_mode, exact):
    for origin, targets in CROSS.items():
        for target in targets:
            mode = target.removesuffix("-40")
            if os.path.exists(bench.checkpoint):
                os.remove(bench.checkpoint)
            while not os.path.exists(bench.checkpoint):
                bench.run_until(bench.check(every_mode[origin][0]), bench.random.uniform(0.2, 0.8))
            options = [o for o in every_mode[mode][0]]
            if target.endswith("-40"):
                options[options.index("--bits") + 1] = "40"
            if mode == "exact":
                options += ["--store", "exact"]
            report = bench.run(bench.resume(options))
            same = exact_figures(report)
            if every_mode[origin][1] and every_mode[mode][1]:
                differ(f"{origin} to {target}", exact_figures(exact), same)
            elif mode != "bloom" and same["states"]["stored"] < exact["states"]["stored"]:
                raise SystemExit(f"{origin} to {target}: {same['states']}, fewer than {exact['states']}")
            for field in ("unreached",):
                differ(f"{origin} to {target}, {field}", exact.get(field), report.get(field))
            if (report["error_count"] > 0) != (exact["error_count"] > 0):
                raise SystemExit(f"{origin} to {target}: other errors")
            bench.clean()
            print(f"{origin} to {target}: {report['verdict']}, {report['states']['stored']} states", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(HERE, "..", "target", "release", "pv"))
    parser.add_argument("--times", type=int, default=20, help="kills in each mode")
    parser.add_argument("--mode", action="append", help="only this one (may be repeated)")
    parser.add_argument("--size", type=int, default=64, help="the model has SIZE ** 3 states")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=0.05, help="seconds between checkpoints")
    parser.add_argument("--cross", action="store_true", help="kill once, resume in other modes")
    arguments = parser.parse_args()
    every_mode = modes(arguments.size ** 3)
    for name in arguments.mode or ():
        if name not in every_mode:
            parser.error(f"no mode {name}; there are: {', '.join(every_mode)}")
    with tempfile.TemporaryDirectory(prefix="kill-resume-") as folder:
        bench = Bench(arguments, folder, arguments.size)
        exact = bench.run(bench.check([], kept=False))
        if arguments.cross:
            into_other_modes(bench, every_mode, exact)
            return
        for name, (options, is_exact) in every_mode.items():
            if arguments.mode and name not in arguments.mode:
                continue
            kill_again_and_again(bench, name, options, arguments.times, exact if is_exact else None)


if __name__ == "__main__":
    sys.exit(main())
