#!/usr/bin/env python3
"""Which state a full depth-first cache should forget: all replacement rules on many models and cache sizes.

    python3 benches/replacement.py                    # the table of docs/papers.md
    python3 benches/replacement.py --rules random,cost --sizes 20,10 examples/urp.pml

For each model the search with sleep sets and room for every state is made once. Then each rule searches with caches of so many per cent of
the states, and with twice the longest path. A cell is the transitions as a multiple of those of the search with room for all; "-" is a
search that gave up (more than --rate of its insertions were revisits) or took longer than --time, "path" one whose path alone did not fit.
Below, the rules side by side, over all sizes that hold the path: how many of the searches came to an end, how often the rule was best or
within 2% of the best, and the geometric mean of the multiples, where a search that did not end counts as --penalty.

Counts depend on the seed alone, not on the machine; only --time does, so give it room.
"""

import argparse
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
RULES = ["random", "type", "most-visited", "least-visited", "largest-class", "smallest-subtree", "cost"]
MODELS = """
examples/go_back_n.pml
examples/leader_ring.pml
examples/mulog3.pml
examples/needham_schroeder_bug.pml
examples/raft_election.pml
examples/readers_writers.pml
examples/tcp_handshake.pml
examples/two_phase_commit.pml
examples/urp.pml
examples/bounded_buffer_bug.pml
examples/petersonn.pml
examples/two_phase_commit_bug.pml
/usr/share/doc/spin/examples/Examples/snoopy.pml
/usr/share/doc/spin/examples/Examples/leader0.pml
/usr/share/doc/spin/examples/Examples/dtp.pml
examples/papers/mulog3.pml
examples/papers/urp.pml
examples/papers/mcslock1.pml
examples/papers/mcslock2.pml
examples/papers/n_peterson.pml -DN=4
"""


def check(pv, model, options, seconds):
    """The report of one search."""
    line = [pv, "check", *model.split(), *options, "--no-claims", "--all-errors", "--no-trail", "--quiet", "--json"]
    done = subprocess.run(line + ["--time", str(seconds)], cwd=ROOT, capture_output=True, text=True)
    return json.loads(done.stdout)


def sizes_of(whole, shares):
    """Name and number of states of each cache, largest first."""
    states = whole["states"]["stored"]
    sizes = [(f"{share}%", max(1, states * share // 100)) for share in shares]
    return sizes + [("2 x path", min(states, 2 * whole["depth"]))]


def row(args, model, whole, cache):
    """Multiples of the transitions, by rule; None where the search did not end, or no multiples at all where the path does not fit."""
    multiples = {}
    for rule in args.rules:
        options = ["--sleep", "--cache", str(cache), "--replace", rule, "--max-collision-rate", str(args.rate)]
        report = check(args.pv, model, options, args.time)
        why = " ".join([report.get("reason") or "", *report.get("notes", [])])
        if "the path alone" in why:
            return {}
        ended = report["verdict"] != "incomplete" and "did not come to its end" not in why
        multiples[rule] = report["transitions"] / whole["transitions"] if ended else None
    return multiples


def show(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def summary(args, rows):
    """The rules side by side."""
    print()
    show(["rule", "came to an end", "best, or within 2%", "geometric mean"])
    show(["---"] * 4)
    for rule in args.rules:
        ended = sum(1 for row in rows if row[rule] is not None)
        best = 0
        for row in rows:
            known = [multiple for multiple in row.values() if multiple is not None]
            best += row[rule] is not None and row[rule] <= 1.02 * min(known)
        logs = [math.log(row[rule] or args.penalty) for row in rows]
        show([rule, f"{ended} of {len(rows)}", str(best), f"{math.exp(sum(logs) / max(1, len(logs))):.2f}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", help="models, each with its -D in one word; default: our examples")
    parser.add_argument("--pv", default=str(ROOT / "target/release/pv"))
    parser.add_argument("--rules", type=lambda text: text.split(","), default=RULES)
    parser.add_argument("--sizes", type=lambda text: [int(part) for part in text.split(",")], default=[50, 20, 10, 5])
    parser.add_argument("--time", type=float, default=60, help="seconds of each search")
    parser.add_argument("--rate", type=float, default=0.95)
    parser.add_argument("--penalty", type=float, default=20, help="the multiple of a search that did not end")
    args = parser.parse_args()
    show(["model", "states", "cache", *args.rules])
    show(["---"] * (3 + len(args.rules)))
    rows = []
    for model in args.models or MODELS.split("\n")[1:-1]:
        if not (ROOT / model.split()[0]).exists():
            print(f"{model}: there is no such file")
            continue
        whole = check(args.pv, model, ["--sleep"], args.time)
        if whole["verdict"] == "incomplete":
            print(f"{model}: the search with room for all did not end")
            continue
        for name, cache in sizes_of(whole, args.sizes):
            multiples = row(args, model, whole, cache)
            rows += [multiples] if multiples else []
            cells = [f"{multiples[rule]:.2f}" if multiples[rule] else "-" for rule in args.rules if multiples]
            cells = cells or ["path"] * len(args.rules)
            show([pathlib.Path(model.split()[0]).stem, f"{whole['states']['stored']:,}", f"{cache:,} ({name})", *cells])
    summary(args, rows)


if __name__ == "__main__":
    main()
