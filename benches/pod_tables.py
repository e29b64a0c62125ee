#!/usr/bin/env python3
"""Coverage and time of precision on demand: pv's own version of Tables 1 to 6 of the POD paper.

For each store (compact, bloom), signature bits or hash functions, table size (times the number of states) and chain
length K: the share of states visited, what it adds to K = 0, and the time it costs, averaged over the models.

  benches/pod_tables.py [--pv target/release/pv] [--pods 0,1,2,3,4] [--bits 2,3,4,5,10,20] [--sizes 1.0,1.5,2.0,2.5,3.0]
                        [--seed N] [MODEL ...]                 default: petersonn, pftp, msi_directory of examples/
"""
import argparse, json, os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = ["petersonn", "pftp", "msi_directory"]


def check(pv, model, *options):
    command = [pv, "check", model, "--json", "--no-claims", "--all-errors", "--no-bar", "--no-trail", *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    found = json.loads(done.stdout)
    return found["states"]["stored"], found["seconds"]["search"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(ROOT, "target/release/pv"))
    parser.add_argument("--pods", default="0,1,2,3,4")
    parser.add_argument("--bits", default="2,3,4,5,10,20")
    parser.add_argument("--sizes", default="1.0,1.5,2.0,2.5,3.0")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    pv = os.path.abspath(options.pv)
    models = options.models or [os.path.join(ROOT, "examples", name + ".pml") for name in MODELS]
    numbers = lambda text, kind: [kind(word) for word in text.split(",")]
    pods, bits, sizes = numbers(options.pods, int), numbers(options.bits, int), numbers(options.sizes, float)
    full = {model: check(pv, model)[0] for model in models}
    print("models:", ", ".join(f"{os.path.basename(model)} ({full[model]} states)" for model in models))
    worse = slow = 0
    for store in ("compact", "bloom"):
        print(f"\n{store}\n{'bits':>4} {'size':>4} {'POD':>3} {'coverage':>9} {'gain':>9} {'time':>6}")
        for b in bits:
            for size in sizes:
                plain = {}
                for pod in [0] + [pod for pod in pods if pod]:
                    coverage = gain = time = 0.0
                    for model in models:
                        states = round(size * full[model])
                        room = ["--slots", states] if store == "compact" else ["--expect-states", states]
                        stored, seconds = check(pv, model, "--store", store, "--bits", b, *room,
                                                "--pod", pod, "--seed", options.seed)
                        if pod == 0:
                            plain[model] = stored, seconds
                        coverage += stored / full[model] / len(models)
                        gain += (stored / plain[model][0] - 1) / len(models)
                        time += seconds / plain[model][1] / len(models)
                        worse += stored < plain[model][0]
                    slow += pod == 1 and time > 1.8
                    print(f"{b:4} {size:4.1f} {pod:3} {coverage:9.6f} {gain:9.6f} {time:6.2f}", flush=True)
    print(f"\n{worse} runs with less coverage than without POD, {slow} rows where POD 1 takes more than 1.8 times as long")
    return 1 if worse else 0


sys.exit(main())
