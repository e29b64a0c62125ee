#!/usr/bin/env python3
"""pv and SPIN on the same models, back to back, with the ratios.

For each model, both tools run alternately `--rounds` times and the fastest run of each counts:
  verdict   from keystroke to verdict: `pv check` against `spin -a`, `gcc -O2`, `pan`, all in wall-clock time
  search    transitions per second of the search itself (SPIN's compile time left out)
  memory    bytes per stored state: pv's tables against pan's states and hash table

Both make the same full search (no reduction, all errors); the counts must agree, or the row says so.

  benches/versus_spin.py [--pv target/release/pv] [--rounds 3] [MODEL ...]      default: examples/*.pml
  benches/versus_spin.py --large [MODEL[,NAME=VALUE ...] ...]                   default: instances over 500,000 states

With --large only the searches are compared, by their own processor time: pv depth first and breadth first against pan compiled
with -O2 and with -O3. A ratio above 1 says that pv makes more transitions per second.
"""
import argparse, glob, json, os, re, resource, shutil, subprocess, sys, tempfile, time

# Instances of the examples that have more than 500,000 states.
LARGE = ["paxos", "leader_ring,N=5", "philosophers,N=11", "raft_election,T=3", "readers_writers,READERS=5", "mulog3,ROUNDS=4",
         "two_phase_commit,N=4", "token_ring,N=6", "petersonn,N=4", "msi_directory,N=4"]
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def timed(command, cwd):
    start = time.perf_counter()
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return time.perf_counter() - start, done


def run_pv(pv, model):
    command = [pv, "check", model, "--json", "--no-claims", "--all-errors", "--no-bar", "--no-trail"]
    seconds, done = timed(command, os.path.dirname(model))
    found = json.loads(done.stdout)
    return {
        "wall": seconds,
        "search": found["seconds"]["search"],
        "stored": found["states"]["stored"],
        "transitions": found["transitions"],
        "bytes": found["memory_bytes"] / max(1, found["states"]["stored"]),
    }


def run_spin(model, folder):
    name = os.path.basename(model)
    for other in glob.glob(os.path.join(os.path.dirname(model), "*.h")) + [model]:
        shutil.copy(other, folder)
    generate, done = timed(["spin", "-o1", "-o2", "-o3", "-a", name], folder)
    if not os.path.exists(os.path.join(folder, "pan.c")):
        raise RuntimeError("spin: " + done.stdout.strip().split("\n")[-1])
    flags = ["-O2", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=8000", "-DVECTORSZ=8192"]
    compile_seconds, done = timed(["gcc", *flags, "-o", "pan", "pan.c"], folder)
    if done.returncode:
        raise RuntimeError("gcc: " + done.stderr.strip().split("\n")[0])
    search, done = timed(["./pan", "-m1000000", "-c0", "-n"], folder)
    text = done.stdout

    def number(pattern, default=0.0):
        found = re.search(pattern, text)
        return float(found.group(1)) if found else default

    stored = number(r"([\d.]+(?:e\+\d+)?) states, stored")
    megabytes = number(r"([\d.]+)\s+actual memory usage for states") + number(r"([\d.]+)\s+memory used for hash table")
    if not megabytes:
        megabytes = number(r"([\d.]+)\s+total actual memory usage")
    return {
        "wall": generate + compile_seconds + search,
        "search": max(number(r"pan: elapsed time ([\d.]+)", search), 0.001),
        "stored": int(stored),
        "transitions": int(number(r"([\d.]+(?:e\+\d+)?) transitions")),
        "bytes": megabytes * 1024 * 1024 / max(1, stored),
    }


def processor_seconds(command, cwd):
    """Processor time of a command in user mode, and what it printed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    return max(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, 0.001), done.stdout


def compare_large(pv, instance, rounds):
    """One row: states, seconds of pv depth first, breadth first, pan -O2, pan -O3."""
    name, *defines = instance.split(",")
    model = name if name.endswith(".pml") else os.path.join(ROOT, "examples", name + ".pml")
    macros = [word for define in defines for word in ("-D", define)]
    check = [pv, "check", os.path.abspath(model), "--full", "--all-errors", "--no-claims", "--no-bar", "--no-trail", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(model, os.path.join(folder, "m.pml"))
        subprocess.run(["spin", "-o1", "-o2", "-o3", *("-D" + define for define in defines), "-a", "m.pml"],
                       cwd=folder, capture_output=True)
        flags = ["-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=16000", "-DVECTORSZ=8192"]
        for level in ("-O2", "-O3"):
            if subprocess.run(["gcc", level, *flags, "-o", "pan" + level, "pan.c"], cwd=folder).returncode:
                raise RuntimeError("gcc does not compile pan.c")
        commands = {
            "dfs": [*check, *macros], "bfs": [*check, *macros, "--search", "bfs"],
            "-O2": ["./pan-O2", "-m4000000", "-c0", "-n", "-w24"], "-O3": ["./pan-O3", "-m4000000", "-c0", "-n", "-w24"],
        }
        seconds = {}
        for _ in range(rounds):
            for key, command in commands.items():
                used, text = processor_seconds(command, folder)
                seconds[key] = min(used, seconds.get(key, used))
                if key == "dfs":
                    found = json.loads(text)
                elif key == "-O2":
                    stored = re.search(r"([\d.]+(?:e\+\d+)?) states, stored", text)
    states = found["states"]["stored"]
    theirs = float(stored.group(1)) if stored else 0.0
    # pan prints seven digits.
    if abs(theirs - states) > max(1, states) * 1e-6:
        raise RuntimeError(f"counts differ: {states} against {theirs:.0f}")
    return states, seconds


def large(options):
    print(f"{'instance':28} {'states':>10} | {'dfs s':>7} {'bfs s':>7} {'pan -O2':>7} {'pan -O3':>7} | "
          f"{'dfs/-O2':>7} {'dfs/-O3':>7} {'bfs/-O2':>7} {'bfs/-O3':>7}")
    failed = 0
    for instance in options.models or LARGE:
        try:
            states, seconds = compare_large(os.path.abspath(options.pv), instance, options.rounds)
        except (RuntimeError, ValueError, KeyError, OSError) as error:
            print(f"{os.path.basename(instance):28} {error}")
            failed += 1
            continue
        times = [seconds[key] for key in ("dfs", "bfs", "-O2", "-O3")]
        ratios = [seconds[pan] / seconds[ours] for ours in ("dfs", "bfs") for pan in ("-O2", "-O3")]
        print(f"{os.path.basename(instance):28} {states:10} | " + " ".join(f"{time:7.2f}" for time in times) + " | "
              + " ".join(f"{ratio:6.2f}x" for ratio in ratios), flush=True)
    return 1 if failed else 0


def best(runs):
    return {key: min(run[key] for run in runs) for key in runs[0]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(ROOT, "target/release/pv"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="compare the searches alone, on large instances")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    for tool in ("spin", "gcc"):
        if not shutil.which(tool):
            sys.exit(f"versus_spin: {tool} is not installed: apt-get install spin gcc")
    if options.large:
        return large(options)
    models = options.models or sorted(glob.glob(os.path.join(ROOT, "examples", "*.pml")))
    print(f"{'model':28} {'states':>9} | {'verdict s':>9} {'spin':>7} {'ratio':>6} | "
          f"{'Mtrans/s':>8} {'pan':>6} {'ratio':>6} | {'B/state':>7} {'pan':>6}")
    failed = 0
    for model in map(os.path.abspath, models):
        ours, theirs = [], []
        try:
            for _ in range(options.rounds):
                ours.append(run_pv(os.path.abspath(options.pv), model))
                with tempfile.TemporaryDirectory() as folder:
                    theirs.append(run_spin(model, folder))
        except (RuntimeError, ValueError, KeyError) as error:
            print(f"{os.path.basename(model):28} {error}")
            failed += 1
            continue
        a, b = best(ours), best(theirs)
        if a["stored"] != b["stored"]:
            print(f"{os.path.basename(model):28} counts differ: {a['stored']} against {b['stored']}")
            failed += 1
            continue
        rate_a, rate_b = a["transitions"] / a["search"] / 1e6, b["transitions"] / b["search"] / 1e6
        print(f"{os.path.basename(model):28} {a['stored']:9} | {a['wall']:9.3f} {b['wall']:7.2f} "
              f"{b['wall'] / a['wall']:5.1f}x | {rate_a:8.2f} {rate_b:6.2f} {rate_a / rate_b:5.2f}x | "
              f"{a['bytes']:7.0f} {b['bytes']:6.0f}", flush=True)
    return 1 if failed else 0


sys.exit(main())
