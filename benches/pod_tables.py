#!/usr/bin/env python3
"""Coverage and time of precision on demand: pv's own version of Tables 1 to 6 of the POD paper.

For each store (compact: Tables 1 to 3; bloom: Tables 4 to 6), signature bits or hash functions, table size and chain
length K: the share of states visited, what it adds to K = 0, and the time it costs, averaged over the models. A size of
1.0 is one slot per state.

How large the paper's Bloom filters were is not clear from its text, so `--bloom` offers three readings, in bits for k
functions, n states and size x:
  optimal   k x n / ln 2, the usual formula for the best number of functions turned round, which the text hints at;
  same      k x n, the memory of the compact table with signatures of k bits;
  paper     (k - 1) x n, which fits the paper's own tables. There hash compaction loses about twice as many states as it
            omits, whatever the bits and the size; with the same factor the coverage of the Bloom filters comes out for
            3, 4, 5, 10 and 20 functions with 2, 3, 4, 9 and 19 bits of memory per state, and for 2 functions with 1
            or less. It is a fit, made because the other readings do not give the paper's coverage: at 2 bits and size
            1.0 pv covers 45% with it (70% and 82% with the others), the paper 44%; at 3 bits 69% against 75%; at 5 and
            10 bits they are within two points.
What POD 1 regains at 2 bits and size 1.0 depends on it: 17%, 10% and 6%, over three seeds, from `paper` to `optimal`.

Time is the processor time of the child, less what it takes to start and read the model; the least of `--times` runs. The
run with K = 0 is taken again beside each K > 0, so that a machine that gets slower or faster does it to both.

Checked, for each model and for the average: coverage grows with bits, with size and with K. What falls by more than
`--slack` is printed. The exit code is 1 if any run with K > 0 covers less than the one without.

The models: one each of what the Murphi distribution is made of, where the paper's three come from. Mutual exclusion
(petersonn), data transfer (pftp, the session layer of a file transfer) and cache coherence (msi_directory), each with
10^5 to 10^6 states. Among the models at hand they lie in the middle: the gain is larger where states have few
predecessors (hajek, dtp, cambridge of SPIN's examples) and smaller where they have many (sort, token_ring).

  benches/pod_tables.py [--pv target/release/pv] [--stores compact,bloom] [--pods 0,1,2,3,4] [--bits 2,3,4,5,10,20]
                        [--sizes 1.0,1.5,2.0,2.5,3.0] [--bloom paper|same|optimal] [--times R] [--seed N] [--each] [MODEL ...]
"""
import argparse, json, os, subprocess, sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MODELS = ["petersonn", "pftp", "msi_directory"]
FLAGS = ["--json", "--no-claims", "--all-errors", "--no-bar", "--no-trail"]


def mean(values):
    return sum(values) / len(values)


def child(command):
    """What it prints, and the processor time of this child alone."""
    running = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT)
    text = running.stdout.read()
    _, status, usage = os.wait4(running.pid, 0)
    running.returncode = os.waitstatus_to_exitcode(status)
    return text, usage.ru_utime + usage.ru_stime


def check(pv, model, *options):
    text, seconds = child([pv, "check", model, *FLAGS, *options])
    try:
        return json.loads(text)["states"]["stored"], seconds
    except (ValueError, KeyError):
        sys.exit(f"no result for {model} with {' '.join(map(str, options))}")


class Bench:
    def __init__(self, options):
        self.options = options
        self.pv = os.path.abspath(options.pv)
        self.models = [os.path.abspath(model) for model in options.models]
        self.models = self.models or [os.path.join(ROOT, "examples", name + ".pml") for name in MODELS]
        self.full = {model: check(self.pv, model)[0] for model in self.models}
        self.start = {model: min(self.start_of(model) for _ in range(3)) for model in self.models}
        # By (store, bits, size, pod): coverage of each model, gain over K = 0, time over K = 0.
        self.coverage, self.gain, self.time = {}, {}, {}

    def start_of(self, model):
        return child([self.pv, "check", model, *FLAGS, "--max-depth", 1])[1]

    def run(self, model, store, bits, size, pod):
        slots = size * self.full[model]
        reading = self.options.bloom if store == "bloom" else "same"
        slots = max(1, round(slots * (bits - 1) / bits if reading == "paper" else slots))
        room = "--expect-states" if reading == "optimal" else "--slots"
        stored, seconds = check(self.pv, model, "--store", store, "--bits", bits, room, slots, "--pod", pod,
                                "--seed", self.options.seed)
        return stored, max(seconds - self.start[model], 0.001)

    def cell(self, store, bits, size, pods):
        for pod in pods:
            coverage, gain, time = [], [], []
            for model in self.models:
                runs = [(self.run(model, store, bits, size, 0), self.run(model, store, bits, size, pod) if pod else None)
                        for _ in range(self.options.times if pod else 1)]
                plain = min(run[0] for run in runs)
                precise = min(run[1] for run in runs) if pod else plain
                coverage.append(precise[0] / self.full[model])
                gain.append(precise[0] / plain[0] - 1)
                time.append(precise[1] / plain[1])
            key = store, bits, size, pod
            self.coverage[key], self.gain[key], self.time[key] = coverage, gain, time
            each = "  ".join(f"{c:.4f} {g:+.4f} {t:.2f}" for c, g, t in zip(coverage, gain, time))
            print(f"{bits:4} {size:4.1f} {pod:3} {mean(coverage):9.6f} {mean(gain):9.6f} {mean(time):6.2f}"
                  + (f"   {each}" if self.options.each else ""), flush=True)

    def judge(self):
        """What should grow and does not, by more than the slack."""
        found = []
        for (store, bits, size, pod), here in self.coverage.items():
            larger = {"bits": [(store, b, size, pod) for b in self.options.bits if b > bits][:1],
                      "size": [(store, bits, s, pod) for s in self.options.sizes if s > size][:1],
                      "POD": [(store, bits, size, p) for p in self.options.pods if p > pod][:1]}
            for what, keys in larger.items():
                for key in keys:
                    names = [os.path.basename(model) for model in self.models] + ["average"]
                    pairs = zip(names, here + [mean(here)], self.coverage[key] + [mean(self.coverage[key])])
                    found += [f"coverage falls with {what}, {name}: {store} {bits} bits, size {size}, POD {pod}: "
                              f"{less:.6f}; {key[1]} bits, size {key[2]}, POD {key[3]}: {more:.6f}"
                              for name, less, more in pairs if more < less - self.options.slack]
        return found


def main():
    numbers = lambda kind: lambda text: sorted({kind(word) for word in text.split(",")})
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(ROOT, "target/release/pv"))
    parser.add_argument("--stores", default="compact,bloom")
    parser.add_argument("--pods", type=numbers(int), default="0,1,2,3,4")
    parser.add_argument("--bits", type=numbers(int), default="2,3,4,5,10,20")
    parser.add_argument("--sizes", type=numbers(float), default="1.0,1.5,2.0,2.5,3.0")
    parser.add_argument("--bloom", choices=["paper", "same", "optimal"], default="paper")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--slack", type=float, default=0.0)
    parser.add_argument("--each", action="store_true", help="coverage, gain and time of each model, too")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    options.pods = sorted({0, *options.pods})
    bench = Bench(options)
    print("models:", ", ".join(f"{os.path.basename(model)} ({bench.full[model]} states)" for model in bench.models))
    for store in options.stores.split(","):
        note = f" ({options.bloom} size)" if store == "bloom" else ""
        print(f"\n{store}{note}\n{'bits':>4} {'size':>4} {'POD':>3} {'coverage':>9} {'gain':>9} {'time':>6}")
        for bits in options.bits:
            for size in options.sizes:
                bench.cell(store, bits, size, options.pods)
    falls = bench.judge()
    worse = [key for key, gains in bench.gain.items() if min(gains) < 0]
    slow = [key for key, times in bench.time.items() if key[3] == 1 and mean(times) > 1.8]
    print()
    for line in falls:
        print(line)
    for key in worse:
        print("less coverage than without POD:", *key)
    least = options.bits[0], options.sizes[0]
    for store in options.stores.split(","):
        if 1 in options.pods:
            print(f"{store}: POD 1 regains {mean(bench.gain[store, *least, 1]):.1%} at {least[0]} bits and size {least[1]}")
    ones = [mean(times) for key, times in bench.time.items() if key[3] == 1]
    if ones:
        print(f"POD 1 takes {mean(ones):.2f} times as long on average, {max(ones):.2f} in the worst row; "
              f"{len(slow)} rows over 1.8")
    print(f"{len(falls)} falls of coverage with bits, size or POD; {len(worse)} rows where POD covers less than none on some model")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
