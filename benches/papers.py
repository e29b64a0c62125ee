#!/usr/bin/env python3
"""The papers' tables beside ours, on the papers' own protocols, as Markdown: what docs/papers.md shows.

  benches/papers.py hub        Exploiting Hub States, Fig. 7 and 9
  benches/papers.py serial     the serialization paper, Table 1
  benches/papers.py disk       Stern and Dill 1998, slowdown against savings factor (Fig. 3 and 4)
  benches/papers.py pod        Melatti, Palmer, Gopalakrishnan 2007, Tables 1 to 6 (POD 0 and 1)
  benches/papers.py caching    Godefroid, Holzmann, Pirottin 1995, Tables 1 and 2, Fig. 4 and 5
  benches/papers.py all

The papers counted states up to symmetry. The models of examples/papers have no symmetry reduction; `--reduced FOLDER` takes models of the same
protocols in which every state is brought to a normal form (mcs1_4_sym.pml, mcs2_3_sym.pml, np7_sym.pml), whose counts are those of
the papers.

Counts depend on the seed alone. Time is user + system seconds, the least of --repeat runs; runs that are compared take turns. The runs are
made by the benches for our own models (low_memory.py, pod_tables.py, replacement.py). In Fig. 4 and 5 "gave up" is a search of which 98% of the
insertions were revisits, "time" one that took longer than --time, "path" a cache that is smaller than the path.
"""

import argparse
import os
import sys

import low_memory
import pod_tables
import replacement

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SPIN = "/usr/share/doc/spin/examples/Examples"

# Name, our model, the model up to symmetry; of the paper's Fig. 7: states, kilobytes that they needed.
PROTOCOLS = [
    ("mcslock1", ("papers/mcslock1.pml", ["-DN=4"]), "mcs1_4_sym.pml", 23_644, 120),
    ("mcslock2", ("papers/mcslock2.pml", ["-DN=3"]), "mcs2_3_sym.pml", 540_219, 2693),
    ("n_peterson", ("papers/n_peterson.pml", ["-DN=5"]), "np7_sym.pml", 163_298, 813),
]
# The bits that the papers' tool needs for a state: 40 of signature, and its share of the queue.
BITS_PER_STATE = 43.2
# Fig. 9: by share of memory, states and time of hub over cache; a number alone: the states of hub, where the cache did not finish.
FIGURE_9 = {
    "mcslock1": {0.60: (0.603, 0.69), 0.59: (0.352, 0.42), 0.58: 72_358, 0.57: 104_019, 0.56: 134_834},
    "mcslock2": {0.60: (0.99, 1.19), 0.58: (0.956, 1.14), 0.56: (0.919, 1.09), 0.54: (0.805, 0.96), 0.53: (0.714, 0.84),
                 0.52: 1_164_348, 0.50: 2_085_105},
    "n_peterson": {0.70: (1.079, 1.2), 0.68: (1.028, 1.14), 0.66: (1.071, 1.18), 0.64: (1.635, 1.82), 0.62: (1.032, 1.14),
                   0.61: 5_588_575},
}
# Table 1 of the serialization paper, by share of memory: rules, states and time of serial over disk.
SERIALIZATION = {
    "mcslock1": {0.5: (0.594, 0.820, 0.837), 0.4: (0.587, 0.770, 1.109), 0.3: (0.510, 0.632, 0.836)},
    "mcslock2": {0.5: (0.673, 1.006, 0.984), 0.4: (0.760, 1.030, 1.169), 0.3: (0.843, 1.050, 1.040)},
    "n_peterson": {0.5: (0.635, 1.002, 0.959), 0.4: (0.689, 0.984, 0.952), 0.3: (0.739, 0.951, 1.009)},
}
# Coverage in Tables 1 to 6, by bits: for tables of 1.0, 1.5, 2.0, 2.5, 3.0 times the states, without POD and with POD 1.
SIZES = [1.0, 1.5, 2.0, 2.5, 3.0]
COVERAGE = {
    "compact": {
        2: [(0.7033, 0.7831), (0.8063, 0.8648), (0.8583, 0.9032), (0.8896, 0.9252), (0.9102, 0.9391)],
        3: [(0.8040, 0.8605), (0.8871, 0.9225), (0.9211, 0.9467), (0.9406, 0.9599), (0.9525, 0.9680)],
        4: [(0.8788, 0.9154), (0.9379, 0.9579), (0.9584, 0.9720), (0.9679, 0.9792), (0.9755, 0.9836)],
        5: [(0.9302, 0.9524), (0.9671, 0.9781), (0.9786, 0.9856), (0.9843, 0.9894), (0.9874, 0.9916)],
        10: [(0.9972, 0.9982), (0.9989, 0.9993), (0.9993, 0.9995), (0.9995, 0.9997), (0.9996, 0.9997)],
    },
    "bloom": {
        2: [(0.4381, 0.5333), (0.5722, 0.6677), (0.6686, 0.7537), (0.7397, 0.8115), (0.7910, 0.8517)],
        3: [(0.7540, 0.8189), (0.8791, 0.9159), (0.9318, 0.9534), (0.9584, 0.9719), (0.9721, 0.9817)],
        4: [(0.8589, 0.9005), (0.9435, 0.9624), (0.9720, 0.9804), (0.9886, 0.9923), (0.9926, 0.9953)],
        5: [(0.9250, 0.9465), (0.9819, 0.9883), (0.9911, 0.9937), (0.9974, 0.9983), (0.9981, 0.9986)],
        10: [(0.9935, 0.9956), (0.9996, 0.9998), (0.9999, 1.0), (1.0, 1.0), (1.0, 1.0)],
    },
}
# Tables 1 and 2 of the caching paper: states, matched, transitions and depth without sleep sets; matched and transitions with them.
CACHING = [
    ("PFTP", os.path.join("examples", "pftp.pml"), (409_257, 771_265, 1_180_522, 5_044), (183_638, 592_895)),
    ("URP", os.path.join("examples", "papers", "urp.pml"), (15_378, 27_709, 43_087, 202), (1_884, 17_262)),
    ("MULOG3", os.path.join("examples", "papers", "mulog3.pml"), (100_195, 254_183, 354_378, 119), (3_736, 103_931)),
    ("DTP", os.path.join(SPIN, "dtp.pml"), (251_409, 397_058, 648_467, 545), (11_152, 262_561)),
]
CACHES = [50, 33, 25, 20, 10, 5, 2, 1]


def show(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def head(title, *cells):
    print(f"\n## {title}\n")
    show(*cells)
    show(*["---"] * len(cells))


def number(value):
    return f"{value:,}"


def models(arguments):
    """Name, model, states in the paper, places of a cache that are all of the paper's memory, by the states there are."""
    for name, ours, reduced, states, kilobytes in PROTOCOLS:
        if arguments.only and name not in arguments.only:
            continue
        places = kilobytes * 1024 * 8 / BITS_PER_STATE / states
        path, defines = (os.path.join(arguments.reduced, reduced), []) if arguments.reduced else ours
        yield (name, os.path.abspath(path) if arguments.reduced else path, [*defines, "--no-end-states", "--full"]), states, places


def whole(runner, model):
    return runner.once(model, [])


def hub(runner, arguments):
    head("Hub states, Fig. 7 and 9", "protocol", "states (paper)", "share of memory", "places", "states hub/cache (paper)", "time hub/cache (paper)")
    for model, reach, places in models(arguments):
        full = whole(runner, model)["states"]
        for share, paper in FIGURE_9[model[0]].items():
            slots = int(share * places * full)
            common = ["--store", "compact", "--bits", "40", "--max-collision-rate", "0.99", "--cache", str(slots), "--time", str(arguments.time)]
            # Whether a search ends hardly depends on the machine: only those that do are run again.
            pair = runner.once(model, common), runner.once(model, [*common, "--hub"])
            if all(run["finished"] for run in pair):
                pair = runner.turns(model, common, [*common, "--hub"])
            cache, hubs = pair
            told = [f"{number(paper)}*", ""] if isinstance(paper, int) else [f"{ratio:.3f}" for ratio in paper]
            if all(run["finished"] for run in pair):
                ours = [f"{hubs[what] / max(cache[what], 1e-9):.3f}" for what in ("states", "cpu")]
            elif hubs["finished"]:
                ours = [f"{number(hubs['states'])}*", f"{hubs['cpu']:.2f} s*"]
            else:
                ours = ["only the cache" if cache["finished"] else f"neither (rates {cache['rate']:.2f}, {hubs['rate']:.2f})", ""]
            cells = [f"{own} ({paper})" if paper else own for own, paper in zip(ours, told)]
            show(model[0], f"{number(full)} ({number(reach)})", f"{share:.2f}", number(slots), *cells)
    print("\n\\*: only the search with hubs came to its end; what it visited.")


def serial(runner, arguments):
    head("Serialization, Table 1: serial over disk", "protocol", "states", "share of memory", "transitions (paper)", "states (paper)",
         "time (paper)")
    times = []
    for model, _, _ in models(arguments):
        full = whole(runner, model)["states"]
        for share, paper in SERIALIZATION[model[0]].items():
            places = int(full * share)
            # The same bytes for both: 8 for each place of the cache.
            common = ["--store", "compact", "--bits", "40", "--memory", str(places * 8 * 4 // 3 + (12 << 20))]
            disks, serials = runner.turns(model, ["--disk", *common], ["--serial", "--cache", str(places), *common])
            ratios = [serials[what] / disks[what] for what in ("transitions", "states", "cpu")]
            times.append(ratios[2])
            show(model[0], number(full), f"{share}", *(f"{own:.3f} ({paper:.3f})" for own, paper in zip(ratios, paper)))
    print(f"\nTime: {sum(times) / len(times):.2f} on average, {max(times):.2f} at the worst (paper, nine protocols: 0.99 and 1.17).")


def disk(runner, arguments):
    head("Disk: time over breadth-first search in memory", "protocol", "states", "levels", "savings factor", "--memory", "peak",
         "time (paper at 50: 1.20 and 1.29)")
    for model, _, _ in models(arguments):
        exact = whole(runner, model)
        for factor in (5, 10, 20, 50):
            budget = int(exact["tables"] / factor) + (8 << 20)
            memory, disks = runner.turns(model, [], ["--disk", "--memory", str(budget)])
            show(model[0], number(disks["states"]), number(disks["depth"] + 1), str(factor), low_memory.mebibytes(budget),
                 low_memory.mebibytes(disks["rss"]), f"{disks['cpu'] / memory['cpu']:.2f}")


def pod(runner, arguments):
    options = argparse.Namespace(pv=arguments.pv, models=[], bloom="paper", times=1, seed=1, each=False, bits=arguments.bits, sizes=SIZES,
                                 pods=[0, 1], slack=0.0)
    # Its rows go with ours below.
    out, sys.stdout = sys.stdout, open(os.devnull, "w")
    try:
        bench = pod_tables.Bench(options)
        for store in COVERAGE:
            for bits in arguments.bits:
                for size in SIZES:
                    bench.cell(store, bits, size, [0, 1])
    finally:
        sys.stdout.close()
        sys.stdout = out
    mean = pod_tables.mean
    for store, table in COVERAGE.items():
        head(f"POD, coverage, {'hash compaction (Tables 1 to 3)' if store == 'compact' else 'Bloom filters (Tables 4 to 6)'}", "bits", "size",
             "without POD (paper)", "POD 1 (paper)", "POD 1 adds (paper)", "time of POD 1")
        for bits in arguments.bits:
            for size, (plain, precise) in zip(SIZES, table[bits]):
                own = [mean(bench.coverage[store, bits, size, k]) for k in (0, 1)]
                show(str(bits), f"{size}", f"{own[0]:.4f} ({plain:.4f})", f"{own[1]:.4f} ({precise:.4f})",
                     f"{mean(bench.gain[store, bits, size, 1]):+.1%} ({precise / plain - 1:+.1%})",
                     f"{mean(bench.time[store, bits, size, 1]):.2f}")


def caching(runner, arguments):
    head("Caching, Tables 1 and 2", "protocol", "states (paper)", "matched (paper)", "transitions (paper)", "depth (paper)",
         "matched with sleep sets (paper)", "transitions with sleep sets (paper)")
    reports = {}
    chosen = [entry for entry in CACHING if (not arguments.only or entry[0].lower() in arguments.only) and os.path.exists(os.path.join(ROOT, entry[1]))]
    for name, model, paper, slept in chosen:
        full, sleep = (replacement.check(arguments.pv, model, options, 600) for options in (["--full"], ["--sleep"]))
        reports[name] = full, sleep
        own = [full["states"]["stored"], full["states"]["matched"], full["transitions"], full["depth"], sleep["states"]["matched"],
               sleep["transitions"]]
        show(name, *(f"{number(mine)} ({number(theirs)})" for mine, theirs in zip(own, [*paper, *slept])))
    head("Caching, Fig. 4 and 5: transitions as a multiple of those with room for all", "protocol", "states", "cache", "no sleep sets, random",
         "sleep sets, random", "sleep sets, type", "sleep sets, cost (ours)")
    settings = [(0, ["--replace", "random"]), (1, ["--sleep", "--replace", "random"]), (1, ["--sleep", "--replace", "type"]),
                (1, ["--sleep", "--replace", "cost"])]
    for name, model, _, _ in chosen if not arguments.counts else []:
        states = reports[name][0]["states"]["stored"]
        for percent in CACHES:
            slots = max(1, states * percent // 100)
            cells = []
            for which, options in settings:
                report = replacement.check(arguments.pv, model, [*options, "--cache", str(slots)], arguments.time)
                why = " ".join([report.get("reason") or "", *report.get("notes", [])])
                if "the path alone" in why:
                    cells.append("path")
                elif report["verdict"] == "incomplete":
                    cells.append("time" if "--time" in why else "gave up")
                else:
                    cells.append(f"{report['transitions'] / reports[name][which]['transitions']:.2f}")
            show(name, number(states), f"{number(slots)} ({percent}%)", *cells)


def main():
    tables = {"hub": hub, "serial": serial, "disk": disk, "pod": pod, "caching": caching}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=[*tables, "all"])
    parser.add_argument("--pv", default=os.path.join(ROOT, "target", "release", "pv"))
    parser.add_argument("--reduced", help="a folder with the protocols up to symmetry")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", help="only this protocol (may be repeated)")
    parser.add_argument("--bits", type=lambda text: [int(part) for part in text.split(",")], default=[2, 3, 4, 5, 10], help="pod: bits of a signature")
    parser.add_argument("--time", type=float, default=60, help="hub, caching: seconds of each search with a cache")
    parser.add_argument("--counts", action="store_true", help="caching: Tables 1 and 2 only")
    parser.add_argument("--work-dir", help="where the files go")
    parser.add_argument("--log", help="append every run to this file")
    arguments = parser.parse_args()
    arguments.pv, arguments.extra = os.path.abspath(arguments.pv), None
    runner = low_memory.Runner(arguments)
    for name in tables if arguments.table == "all" else [arguments.table]:
        tables[name](runner, arguments)


if __name__ == "__main__":
    sys.exit(main())
