#!/usr/bin/env python3
"""Compares pv's process automata with those of SPIN's verifier (`pan -d`): states, targets, escapes, atomicity, labels,
order of transitions. SPIN 6.5 and gcc must be installed.

  cargo test --no-run --test automata          builds the lister and prints where it is
  tests/spin_automata.py LISTER MODEL...       a model that only one of the two accepts counts as a difference

Claims made from `ltl` formulas are left out: pv has its own, smaller, translation.
"""
import os, re, subprocess, sys, tempfile

HEAD = re.compile(r"(proctype \S+|init|trace assertion|notrace assertion)$")
PAN = re.compile(r"\tstate +(\d+) -\(tr +\d+\)-> state +(\d+)  \[id +\d+ tp +[\d,]+(?: org +(\d+))?\] \[(.)(...).\]")
OURS = re.compile(r"\tstate +(\d+) -> state +(\d+)(?: \[org +(\d+)\])? \[(.)(...)\]")
# pan calls a trace "notrace" and the other way round.
SWAPPED = {"trace assertion": "notrace assertion", "notrace assertion": "trace assertion"}


def automata(lines, pattern, pan):
    found, here = {}, None
    for line in lines:
        if head := HEAD.match(line):
            name = SWAPPED.get(head.group(1), head.group(1)) if pan else head.group(1)
            here = found.setdefault(name, {})
        elif re.match(r"claim ", line):
            here = None
        elif here is not None and (row := pattern.match(line)):
            state, target, escape, step, flags = row.groups()
            # pan marks a d_step in an atomic block with A, another one with D.
            step = "A" if step == "D" else step
            here.setdefault(int(state), []).append((int(target), int(escape or 0), step, flags))
    return found


def spin(model):
    """The automata, or None if SPIN or its verifier refuses the model."""
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *command: subprocess.run(command, cwd=folder, capture_output=True, text=True)
        subprocess.run(["cp", "-r", os.path.dirname(os.path.abspath(model)) + "/.", folder], capture_output=True)
        if run("spin", "-o1", "-o2", "-o3", "-a", os.path.basename(model)).returncode:
            return None
        if run("gcc", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-o", "pan", "pan.c").returncode:
            return None
        if "error: proctype" in run("./pan", "-m1").stdout:
            return None
        return automata(run("./pan", "-d").stdout.split("\n"), PAN, True)


def ours(lister, model):
    environment = dict(os.environ, PV_AUTOMATA=model)
    lines = subprocess.run([lister, "list", "--nocapture"], env=environment, capture_output=True, text=True).stdout.split("\n")
    start = next((at for at, line in enumerate(lines) if "@@ " in line), None)
    if start is None or not lines[start].endswith(" OK"):
        return None
    return automata(lines[start:], OURS, False)


def difference(theirs, mine):
    if (theirs is None) != (mine is None):
        return f"{'refused' if theirs is None else 'accepted'} by spin, {'refused' if mine is None else 'accepted'} by pv"
    for name, states in (theirs or {}).items():
        for state, row in states.items():
            if row != mine.get(name, {}).get(state):
                return f"{name}, state {state}: {row} in spin, {mine.get(name, {}).get(state)} in pv"
        if extra := set(mine.get(name, {})) - set(states):
            return f"{name}: states {sorted(extra)} are not in spin"
    return None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    lister, wrong = os.path.abspath(sys.argv[1]), 0
    for model in sys.argv[2:]:
        if said := difference(spin(model), ours(lister, os.path.abspath(model))):
            wrong += 1
            print(f"{model}: {said}")
    print(f"{len(sys.argv) - 2 - wrong} agree, {wrong} differ")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
