#!/usr/bin/env python3
"""Instructions per transition of a few searches, counted by valgrind, beside the figures kept in the repository.

Seconds on a shared machine say little; instructions are the same every time, to one in a thousand. The figures of the last change
that was meant to be faster or slower are in benches/instructions.txt.

  benches/instructions.py [--pv target/release/pv]     prints the table; exit 1 if a figure is over the kept one by more than 5 %
  benches/instructions.py --keep                       writes the kept figures anew
"""
import argparse, json, os, re, shutil, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
KEPT = os.path.join(ROOT, "benches", "instructions.txt")
ALLOWED = 1.05
# Large enough that compiling and reading the model are a small part.
RUNS = {
    "mulog3 dfs": ["mulog3"],
    "mulog3 bfs": ["mulog3", "--search", "bfs"],
    "mulog3 workers": ["mulog3", "--workers", "1"],
    "mulog3 dfs interpreted": ["mulog3", "--no-native"],
    "token_ring dfs": ["token_ring"],
    "token_ring bfs": ["token_ring", "--search", "bfs"],
    "petersonn dfs": ["petersonn"],
    "pftp dfs": ["pftp"],
    "raft_election dfs": ["raft_election"],
}


def count(pv, options):
    model = os.path.join(ROOT, "examples", options[0] + ".pml")
    command = [pv, "check", model, "--full", "--all-errors", "--no-claims", "--no-bar", "--no-trail", "--json", *options[1:]]
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind")
        valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=" + out]
        done = subprocess.run([*valgrind, *command], capture_output=True, text=True, cwd=folder)
        collected = re.search(r"Collected : (\d+)", done.stderr)
        if not collected:
            sys.exit("valgrind has counted nothing: " + done.stderr.strip()[-200:])
    return int(collected.group(1)) / json.loads(done.stdout)["transitions"]


def kept():
    with open(KEPT) as file:
        return {name: float(value) for name, value in (line.rsplit(":", 1) for line in file if ":" in line)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(ROOT, "target/release/pv"))
    parser.add_argument("--keep", action="store_true")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("instructions: valgrind is not installed: apt-get install valgrind")
    counted = {name: count(os.path.abspath(options.pv), run) for name, run in RUNS.items()}
    if options.keep:
        with open(KEPT, "w") as file:
            file.writelines(f"{name}: {value:.0f}\n" for name, value in counted.items())
        return 0
    before, worse = kept(), 0
    for name, value in counted.items():
        ratio = value / before[name] if name in before else 1.0
        worse += ratio > ALLOWED
        print(f"{name:26} {value:8.0f} instructions a transition, {ratio:.3f} of the kept figure")
    return 1 if worse else 0


sys.exit(main())
