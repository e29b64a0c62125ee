#!/usr/bin/env python3
"""The figures of the breadth-first searches with little memory: three tables, as Markdown, and all runs as JSON lines.

  benches/low_memory.py hub                 hub against cache at falling budgets       (Exploiting Hub States, Fig. 9)
  benches/low_memory.py disk                disk against exact breadth-first search    (Stern and Dill 1998, Table 1)
  benches/low_memory.py serial              serial against disk                        (the serialization paper, Table 1)
  benches/low_memory.py memory              peak memory within --memory, in every mode
  benches/low_memory.py all --repeat 5 --log runs.jsonl

Every run is a process of its own. Time is the least of --repeat runs: user + system seconds ("cpu", the figure that a
noisy machine spoils least) and seconds on the wall, in which waiting for the disk counts. Runs that are compared take
turns. Peak memory is what the system says of the process (ru_maxrss), asked by GNU time: asked by Python itself it would
be at least Python's own.

hub: budgets are shares of the states of the model, in per cent; both keep signatures (--store compact), as the paper's
    experiments do, with --max-collision-rate 0.99 (its bound). The smallest budget where both finish is found to one per
    cent, as in the paper; "hub alone" are the budgets of the list where only hub finishes.
disk: the memory savings factor f means that the tables of the disk search have 1/f of the bytes that the tables of exact
    breadth-first search had (as pv reports them), and --memory is that plus 8 MiB for the program itself; the ratio of
    the peaks of both processes is printed beside it. Exact search is the best that pv has: table and queue in one.
serial: the full need is the number of states for which the cache has to have room to forget nothing (1.0 = as many places
    as states); serial has --cache of 0.5, 0.4, 0.3 of it and disk has --memory of the same bytes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "..", "examples")
SPIN = "/usr/share/doc/spin/examples"

# Name, file, preprocessor options. All examples of 10^4 to 5 * 10^5 states, and a few in another size. First those that run
# for ever, as the paper's do: in a search that forgets, a step back to an old state begins everything anew. Then those
# that come to an end: their levels hardly ever look back, and a cache of a few per cent is enough, with hubs or without.
HUB = [
    ("go_back_n", "go_back_n.pml", []),
    ("go_back_n W=3", "go_back_n.pml", ["-DW=3"]),
    ("urp", "urp.pml", []),
    ("data_transfer", "data_transfer.pml", []),
    ("sliding_window", "sliding_window.pml", []),
    ("pftp", "pftp.pml", []),
    ("msi_directory", "msi_directory.pml", []),
    ("token_ring", "token_ring.pml", []),
    ("token_ring 4", "token_ring.pml", ["-DN=4"]),
    ("readers_writers", "readers_writers.pml", []),
    ("readers_writers 4", "readers_writers.pml", ["-DREADERS=4"]),
    ("philosophers 8", "philosophers.pml", ["-DN=8"]),
    ("petersonn", "petersonn.pml", []),
    ("leader_ring", "leader_ring.pml", []),
    ("raft_election", "raft_election.pml", []),
    ("two_phase_commit", "two_phase_commit.pml", []),
    ("mulog3", "mulog3.pml", []),
    ("tcp_handshake 6", "tcp_handshake.pml", ["-DTRIES=6"]),
]
# At least 10^6 states.
LARGE = [
    ("paxos", "paxos.pml", []),
    ("leader_ring 5", "leader_ring.pml", ["-DN=5"]),
    ("raft_election T=3", "raft_election.pml", ["-DT=3"]),
    ("two_phase_commit 4", "two_phase_commit.pml", ["-DN=4"]),
    ("token_ring 6", "token_ring.pml", ["-DN=6"]),
]
SERIAL = [
    ("data_transfer", "data_transfer.pml", []),
    ("msi_directory", "msi_directory.pml", []),
    ("pftp", "pftp.pml", []),
    ("sliding_window", "sliding_window.pml", []),
    ("token_ring", "token_ring.pml", []),
    ("paxos", "paxos.pml", []),
]
BUDGETS = [90, 80, 70, 60, 50, 45, 40, 35, 30, 25, 20, 15, 12, 10, 8, 6, 5, 4, 3, 2]


class Runner:
    def __init__(self, arguments):
        self.pv = arguments.pv
        self.repeat = arguments.repeat
        self.work = arguments.work_dir
        self.log = open(arguments.log, "a") if arguments.log else None
        self.extra = arguments.extra.split() if arguments.extra else []

    def once(self, model, options):
        name, file, defines = model
        path = file if os.path.isabs(file) else os.path.join(EXAMPLES, file)
        line = [self.pv, "check", path, *defines, "--search", "bfs", "--no-claims", "--json", "--quiet", "--no-trail",
                *options]
        if self.work and any(option in options for option in ("--disk", "--serial")):
            line += ["--work-dir", self.work]
        with tempfile.NamedTemporaryFile("r") as times:
            start = time.perf_counter()
            process = subprocess.Popen(["/usr/bin/time", "-o", times.name, "-f", "%M", *line], stdout=subprocess.PIPE)
            out = process.stdout.read()
            # Of GNU time and of the search below it; its own printout knows only hundredths of a second.
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            wall = time.perf_counter() - start
            rss = float(times.read().split()[-1])
        if not out:
            raise SystemExit(f"no report: {' '.join(line)}")
        report = json.loads(out)
        run = {"model": name, "options": options, "verdict": report["verdict"], "reason": report.get("reason"),
               "states": report["states"]["stored"], "transitions": report["transitions"], "depth": report["depth"],
               "rate": report.get("collision_rate"),
               "cpu": usage.ru_utime + usage.ru_stime, "wall": wall, "rss": rss * 1024,
               "tables": report["memory_bytes"],
               "finished": report["verdict"] not in ("incomplete",)}
        if self.log:
            self.log.write(json.dumps(run) + "\n")
            self.log.flush()
        return run

    def turns(self, model, *settings):
        """The best of several runs of each setting, which take turns."""
        best = [None] * len(settings)
        for _ in range(self.repeat):
            for at, options in enumerate(settings):
                run = self.once(model, options)
                if best[at] is None:
                    best[at] = run
                for what in ("cpu", "wall"):
                    best[at][what] = min(best[at][what], run[what])
                best[at]["rss"] = max(best[at]["rss"], run["rss"])
        return best


def chosen(models, arguments):
    return [model for model in models if not arguments.only or model[0] in arguments.only]


def mebibytes(number):
    return f"{number / (1 << 20):.1f}M"


def hub(runner, arguments):
    print("## hub against cache\n")
    print("| protocol | states | budget % | states hub/cache | cpu hub/cache | wall hub/cache | collision rates |")
    print("|---|---|---|---|---|---|---|")
    summary = []
    for model in chosen(HUB, arguments):
        states = runner.once(model, [])["states"]
        known = {}

        def options(budget):
            return ["--store", "compact", "--bits", "40", "--max-collision-rate", str(arguments.bound), "--cache",
                    str(max(1, states * budget // 100)), *runner.extra]

        def both(budget):
            """Cache and hub with this budget. Whether a search ends does not depend on the machine; a first run tells."""
            if budget not in known:
                pair = runner.once(model, options(budget)), runner.once(model, [*options(budget), "--hub"])
                if all(run["finished"] for run in pair):
                    pair = runner.turns(model, options(budget), [*options(budget), "--hub"])
                known[budget] = pair
                line(budget)
            return known[budget]

        def ratios(budget):
            cache, hubs = both(budget)
            return [hubs[what] / max(cache[what], 1e-9) for what in ("states", "cpu", "wall")]

        def line(budget):
            cache, hubs = known[budget]
            if cache["finished"] and hubs["finished"]:
                cells = [f"{value:.3f}" for value in ratios(budget)]
            elif hubs["finished"]:
                cells = [f"{hubs['states']}*", f"{hubs['cpu']:.2f} s*", f"{hubs['wall']:.2f} s*"]
            else:
                cells = ["only cache" if cache["finished"] else "neither", "", ""]
            rates = f"{cache['rate']:.3f}, {hubs['rate']:.3f}"
            print(f"| {model[0]} | {states} | {budget} | {' | '.join(cells)} | {rates} |", flush=True)

        finished = lambda budget: [run["finished"] for run in both(budget)]
        for budget in arguments.budgets:
            if not any(finished(budget)):
                break
        # To one per cent: between the smallest where both finish and the next smaller one of the list.
        with_both = [budget for budget in known if all(finished(budget))]
        if with_both:
            above = min(with_both)
            below = max((budget for budget in known if budget < above), default=above - 1)
            while above - below > 1:
                middle = (above + below) // 2
                if all(finished(middle)):
                    above = middle
                else:
                    below = middle
        last = (above, *ratios(above)) if with_both else None
        alone = sorted((b for b in known if finished(b) == [False, True]), reverse=True)
        cache_alone = sorted((b for b in known if finished(b) == [True, False]), reverse=True)
        summary.append((model[0], states, last, alone, cache_alone))
    print("\n| protocol | states | smallest budget of both | states | cpu | wall | hub alone | cache alone |")
    print("|---|---|---|---|---|---|---|---|")
    for name, states, last, alone, cache_alone in summary:
        cells = (f"{last[0]}%", *(f"{value:.2f}" for value in last[1:])) if last else ("none", "", "", "")
        lists = [", ".join(f"{budget}%" for budget in budgets) or "no" for budgets in (alone, cache_alone)]
        print(f"| {name} | {states} | {' | '.join(cells)} | {' | '.join(lists)} |")
    with_both = [entry for entry in summary if entry[2]]
    saving = [entry for entry in with_both if entry[2][2] <= 0.84]
    print(f"\nAt least 16% of the cpu time saved on {len(saving)} of {len(with_both)}; a budget where only hub finishes "
          f"on {sum(bool(entry[3]) for entry in summary)} of {len(summary)}, where only cache does on "
          f"{sum(bool(entry[4]) for entry in summary)}.\n")


def disk(runner, arguments):
    print("## disk against exact breadth-first search in memory\n")
    print("| protocol | states | factor | --memory | exact cpu, wall, peak | disk cpu, wall, peak | peaks | cpu ratio | wall ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    for model in chosen(LARGE, arguments):
        need = runner.once(model, [])["tables"]
        for factor in (10, 20, 50):
            budget = int(need / factor) + (8 << 20)
            settings = ["--disk", "--memory", str(budget)] + (["--store", "exact"] if arguments.whole else [])
            exact, disks = runner.turns(model, [], settings)
            cells = [f"{run['cpu']:.2f} s, {run['wall']:.2f} s, {mebibytes(run['rss'])}" for run in (exact, disks)]
            over = " **over**" if disks["rss"] > budget else ""
            print(f"| {model[0]} | {disks['states']} | {factor} | {mebibytes(budget)} | {cells[0]} | "
                  f"{cells[1]}{over} | {exact['rss'] / disks['rss']:.0f} | {disks['cpu'] / exact['cpu']:.2f} | {disks['wall'] / exact['wall']:.2f} |", flush=True)
    print()


def serial(runner, arguments):
    print("## serial against disk\n")
    print("| protocol | states | share | cache | disk cpu, wall | serial cpu, wall | states visited | cpu ratio | wall ratio |")
    print("|---|---|---|---|---|---|---|---|---|")
    ratios = []
    for model in chosen(SERIAL, arguments):
        states = runner.once(model, [])["states"]
        for share in (0.5, 0.4, 0.3):
            places = int(states * share)
            # 8 bytes a place; the same bytes are M of the disk search, and the program's own come on top for both.
            memory = str(places * 8 * 4 // 3 + (12 << 20))
            common = ["--store", "compact", "--bits", "40", "--memory", memory]
            disks, serials = runner.turns(model, ["--disk", *common], ["--serial", "--cache", str(places), *common])
            ratio = serials["cpu"] / disks["cpu"], serials["wall"] / disks["wall"]
            ratios.append(ratio)
            print(f"| {model[0]} | {states} | {share} | {places} | {disks['cpu']:.2f} s, {disks['wall']:.2f} s | "
                  f"{serials['cpu']:.2f} s, {serials['wall']:.2f} s | {serials['states']} | {ratio[0]:.2f} | {ratio[1]:.2f} |",
                  flush=True)
    for at, what in enumerate(("cpu", "wall")):
        values = [ratio[at] for ratio in ratios]
        print(f"\n{what}: {sum(values) / len(values):.2f} on average, {max(values):.2f} at the worst", end="")
    print("\n")


def memory(runner, arguments):
    print("## peak memory\n")
    print("| protocol | mode | --memory | peak | verdict | states |")
    print("|---|---|---|---|---|---|")
    for model in chosen(LARGE, arguments):
        vector = 128
        for budget in (8, 16, 32, 64, 128, 256):
            # As much as fits: eight mebibytes and a sixteenth are not for tables.
            tables = max(budget * 15 / 16 - 8, budget / 8) * (1 << 20)
            whole, signatures = str(int(tables * 0.8 / vector)), str(int(tables * 0.8 / 8))
            for options in ([], ["--disk"], ["--disk", "--store", "exact"], ["--cache", whole], ["--cache", whole, "--hub"],
                            ["--cache", signatures, "--store", "compact"], ["--cache", whole, "--serial"]):
                run = runner.once(model, [*options, "--memory", f"{budget}M"])
                over = " **over**" if run["rss"] > budget << 20 else ""
                print(f"| {model[0]} | {' '.join(options) or 'exact'} | {budget}M | {mebibytes(run['rss'])}{over} | "
                      f"{run['verdict']} | {run['states']} |", flush=True)
    print()


def main():
    tables = {"hub": hub, "disk": disk, "serial": serial, "memory": memory}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=[*tables, "all"])
    parser.add_argument("--pv", default=os.path.join(HERE, "..", "target", "release", "pv"))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", help="only this model (may be repeated)")
    parser.add_argument("--budgets", type=lambda text: [int(part) for part in text.split(",")], default=BUDGETS,
                        help="hub: shares in per cent, falling")
    parser.add_argument("--bound", type=float, default=0.99, help="hub: --max-collision-rate")
    parser.add_argument("--whole", action="store_true", help="disk: whole states on disk")
    parser.add_argument("--work-dir", help="where the files go")
    parser.add_argument("--extra", help="hub: more options for both")
    parser.add_argument("--log", help="append every run to this file")
    arguments = parser.parse_args()
    runner = Runner(arguments)
    for name in tables if arguments.table == "all" else [arguments.table]:
        tables[name](runner, arguments)


if __name__ == "__main__":
    sys.exit(main())
