#!/usr/bin/env python3
"""Random models: pv against SPIN 6.5.2, to the digit.

  fuzz_spin.py [--seed N] [--count N] [--seconds S] [--no-spin] [--shrink] [--pv target/release/pv] [--keep FOLDER] [--print] [MODEL...]

Makes small random Promela models, number N from seed N, and compares for each of them
- whether spin and pv accept it;
- stored, matched, transitions, atomic steps, depth and errors of the full search without claims:
  spin -o1 -o2 -o3 -a; gcc -DNOREDUCE -DSAFETY -DNOCLAIM; pan -c0 -n    against    pv check --all-errors --no-claims;
- pv with itself: breadth-first (stored states), sleep sets (stored states, verdict), partial-order reduction and a
  cache of 200 states (verdict), the built-in checks of the reductions, and the model as `pv fmt` prints it.

With --no-spin SPIN is not asked, which is some twenty times faster, and pv is compared with itself alone: what `pv check` does
when nothing is said, breadth first, without merging and without dead variables, against `--full --all-errors`. The verdict is the
same, and the error that is told is one of those of the full search: the same kind, on the same line.

With models on the command line those are compared instead of random ones. A model that SPIN cannot finish within the
limits (with --no-spin: pv --full) is left out. What differs is written to FOLDER as seed-N.pml; with --shrink the statements and declarations that
the difference does not need are deleted first. Exit code 1 if anything differs.

The models stay clear of what is undefined in SPIN's verifier: division by zero, an index out of range, a channel
variable without a channel. Each model uses a random half of the language's features, so that the features of one
model meet more often.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
SECONDS = 20
MAX_DEPTH = 100_000
MAX_STORED = 20_000
MOST_ERRORS = 32  # pv tells no more than these


# ---- models as trees -------------------------------------------------------------------------------------------------
#
# A model is a list of nodes. A Leaf is text; a Block is text around bodies, which are lists of nodes. That is all the
# structure that shrinking needs: it deletes nodes, options and labels, and puts a body in the place of its block.


class Leaf:
    def __init__(self, text):
        self.text = text
        self.labels = []

    def bodies(self):
        return []

    def render(self, indent):
        return self.text


class Block:
    """`before`, the bodies each opened by `opening` and joined by `between`, `after`."""

    def __init__(self, before, bodies, after, opening="", between="", droppable=False):
        self.before, self.after, self.opening, self.between = before, after, opening, between
        self.content = bodies
        self.droppable = droppable
        self.labels = []

    def bodies(self):
        return self.content

    def render(self, indent):
        pad = "\t" * indent
        parts = [f"{pad}{self.opening}\t" + sequence(body, indent + 1).lstrip("\t") for body in self.content]
        between = f"\n{pad}{self.between}\n" if self.between else "\n"
        return f"{self.before}\n" + between.join(parts) + f"\n{pad}{self.after}"


def sequence(nodes, indent):
    pad = "\t" * indent
    lines = [pad + "".join(f"{label}: " for label in node.labels) + node.render(indent) for node in nodes]
    return ";\n".join(lines)


def text_of(model):
    """Declarations end with a semicolon, process types and the like need none."""
    return "".join(node.render(0) + (";\n" if isinstance(node, Leaf) and node.text[-1] != "}" else "\n") for node in model)


# ---- the generator ---------------------------------------------------------------------------------------------------


CONTROL = set("rendezvous timeout goto end_labels atomic dstep unless inline for_ select blocks else_ end_of_block nested asserts "
              "late_locals".split())


class Variable:
    """A place that can be read and written, and how: `text` is an expression."""

    def __init__(self, text, kind):
        self.text, self.kind = text, kind


class Channel:
    def __init__(self, text, capacity, fields):
        self.text, self.capacity, self.fields = text, capacity, fields


class Scope:
    """What a statement may use."""

    def __init__(self, gen, name):
        self.gen, self.name = gen, name
        self.variables = list(gen.variables)
        self.channels = list(gen.channels)
        self.labels = []
        self.loops = 0
        self.dstep = False
        self.atomic = False

    def inner(self):
        other = Scope.__new__(Scope)
        other.__dict__.update(self.__dict__)
        other.variables, other.channels = list(self.variables), list(self.channels)
        return other


FEATURES = (
    "arrays typedefs mtypes hidden initialisers wild rendezvous sorted random_receive copy eval_ poll nested timeout goto "
    "end_labels other_labels atomic dstep unless inline for_ select run active_many provided priority remote asserts "
    "late_locals chan_params local_chans chan_arrays last nr_pr enabled conditional printf blocks else_ struct_messages "
    "alias end_of_block xr odd set_priority for_in chan_fields result prefix"
).split()

RARE = {"wild": 0.15, "last": 0.1, "enabled": 0.12, "priority": 0.15, "provided": 0.2, "set_priority": 0.3, "odd": 0.1, "xr": 0.1,
        "remote": 0.3, "hidden": 0.25}


# Kinds of variables that hold all values of a field of 1 bit, 8, 16 and 32 bits.
WIDE = (("bit", "bool", "byte", "pid", "mtype", "unsigned", "short", "int"), ("byte", "pid", "mtype", "short", "int"), ("short", "int"), ("int",))


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)
        if self.random.random() < 0.6:
            self.on = {name for name in FEATURES if self.random.random() < RARE.get(name, 0.5)}
        else:
            # Control flow above all.
            self.on = {name for name in FEATURES if self.random.random() < (0.75 if name in CONTROL else 0.1)}
        if "priority" in self.on:
            self.on.discard("rendezvous")  # the verifier's C code refuses to be compiled with both
        self.counter = 0
        self.variables, self.channels, self.mtypes, self.inlines = [], [], [], []
        self.runnable = []  # (name, parameter kinds)
        self.remote = []  # (proctype, pid, label) and (proctype, pid, variable)
        self.structs = []
        self.arrays = []
        self.hidden = set()
        self.asker = None
        self.size = self.random.choice((2, 3, 3, 4, 5))

    def name(self, letter):
        self.counter += 1
        return f"{letter}{self.counter}"

    def chance(self, probability):
        return self.random.random() < probability

    def has(self, feature, probability=1.0):
        return feature in self.on and self.chance(probability)

    def pick(self, options):
        return self.random.choice(list(options))

    # ---- declarations

    def base_type(self):
        return self.pick(("bit", "bool", "byte", "byte", "byte", "short", "int", "pid", "unsigned") + (("mtype",) * 2 if self.mtypes else ()))

    def declare(self, scope, local):
        """A variable, added to the scope's; returns its declaration."""
        kind = self.base_type()
        name = self.name("l" if local else "g")
        width = f" : {self.random.randint(1, 5)}" if kind == "unsigned" else ""
        if not local and self.has("hidden", 0.4) and kind not in ("bit", "bool", "unsigned"):
            kind_text = "hidden " + kind
            self.hidden.add(name)
        else:
            kind_text = kind
        if self.has("arrays", 0.3) and not width:
            size = self.pick((2, 4))
            scope.variables.append(Variable(f"{name}[%{size}]", kind))
            self.arrays.append((name, size, scope if local else None))
            init = ""
            if self.has("initialisers", 0.4):
                init = " = " + (self.constant(kind) if self.chance(0.5) else "{ " + ", ".join(self.constant(kind) for _ in range(size)) + " }")
            return Leaf(f"{kind_text} {name}[{size}]{init}")
        scope.variables.append(Variable(name, kind))
        init = f" = {self.constant(kind)}" if self.has("initialisers", 0.5) else ""
        if local and init and self.chance(0.3):
            # spin looks for remote references in a first declaration while it reads the file, and finds nothing.
            kept, self.on = self.on, self.on - {"remote"}
            init = f" = {self.expression(scope, 1, without=name)}"
            self.on = kept
        return Leaf(f"{kind_text} {name}{width}{init}")

    def declare_channel(self, scope, local):
        name = self.name("c" if local else "q")
        capacity = 0 if self.has("rendezvous", 0.45) else self.pick((1, 1, 2, 3))
        fields = [self.pick(("bit", "bool", "byte", "byte", "short", "int", "pid") + (("mtype",) * 3 if self.mtypes else ())) for _ in range(self.pick((1, 1, 2, 2, 3)))]
        if self.structs and self.has("struct_messages", 0.3):
            fields[-1] = self.structs[0][0]
        if not local and self.has("chan_fields", 0.3) and self.channels:
            fields[self.random.randrange(len(fields))] = "chan"
        of = f"[{capacity}] of {{ {', '.join(fields)} }}"
        if self.has("chan_arrays", 0.25):
            scope.channels.append(Channel(f"{name}[%2]", capacity, fields))
            return Leaf(f"chan {name}[2] = {of}")
        scope.channels.append(Channel(name, capacity, fields))
        return Leaf(f"chan {name} = {of}")

    def constant(self, kind="byte"):
        if kind == "mtype" and self.mtypes and self.chance(0.8):
            return self.pick(self.mtypes)
        if self.has("wild", 0.1):
            return self.pick(("255", "256", "300", "32767", "70000", "-1", "- 2"))
        return str(self.pick((0, 1, 1, 2, 2, 3)))

    # ---- expressions

    def place(self, text, scope, depth=0):
        """The text of a variable with its index filled in; an index is always in range."""
        def index(found):
            size = int(found.group(1))
            if depth > 0 and self.chance(0.4):
                inner = self.expression(scope, depth - 1)
                # A step that changes its own index is not undone rightly by spin's verifier.
                if text.split("[")[0] not in inner:
                    return f"[({inner}) & {size - 1}]"
            return f"[{self.random.randrange(size)}]"
        return re.sub(r"\[%(\d)\]", index, text)

    def variable(self, scope, depth=1, kind=None):
        fitting = [v for v in scope.variables if kind is None or (v.kind == "mtype") == (kind == "mtype")]
        # A hidden variable must not decide anything that is stored under two names; reading it is fine all the same.
        return self.place(self.pick(fitting or scope.variables).text, scope, depth)

    def expression(self, scope, depth=2, without=None):
        readable = [v for v in scope.variables if v.text != without]
        choices = ["variable"] * 4 + ["constant"] * 3
        if depth > 0:
            choices += ["arithmetic"] * 2 + ["compare"] * 2 + ["unary"]
            choices += ["conditional"] * self.has("conditional", 0.7) + ["len"] * self.has("nested", 0.7)
            choices += ["pid"] + ["nr_pr"] * self.has("nr_pr", 0.5) + ["last"] * self.has("last", 0.5)
            choices += ["poll"] * self.has("poll", 0.3)
            choices += ["remote"] * (self.has("remote", 0.6) and bool(self.remote)) * 2
            choices += ["priority"] * self.has("priority", 0.3)
        what = self.pick(choices)
        if what == "variable" and readable:
            return self.place(self.pick(readable).text, scope, depth)
        if what == "arithmetic":
            op = self.pick(("+", "-", "*", "&", "|", "^"))
            a, b = self.expression(scope, depth - 1, without), self.expression(scope, depth - 1, without)
            text = self.pick((f"({a} {op} {b})", f"({a} {op} {b})", f"({a} % 3)", f"({a} / 2)", f"({a} << 1)", f"({a} >> 1)"))
            return text
        if what == "compare":
            return "(" + self.condition(scope, depth - 1, without) + ")"
        if what == "unary":
            return self.pick(("!", "-", "~")) + f"({self.expression(scope, depth - 1, without)})"
        if what == "conditional":
            return f"({self.condition(scope, 0, without)} -> {self.expression(scope, depth - 1, without)} : {self.expression(scope, depth - 1, without)})"
        if what == "len" and scope.channels:
            return f"len({self.place(self.pick(scope.channels).text, scope)})"
        if what == "pid":
            return "_pid"
        if what == "nr_pr":
            return "_nr_pr"
        if what == "last":
            return "_last"
        if what == "priority":
            return "_priority" if self.chance(0.5) else "get_priority(_pid)"
        if what == "remote":
            proctype, pid, where = self.pick(self.remote)
            return f"{proctype}[{pid}]{where}"
        if what == "poll" and scope.channels:
            return self.poll(scope)
        return self.constant()

    def condition(self, scope, depth=1, without=None):
        a = self.expression(scope, depth, without)
        op = self.pick(("==", "==", "!=", "<", "<=", ">", ">="))
        text = f"{a} {op} {self.expression(scope, 0, without) if self.chance(0.4) else self.constant()}"
        if depth > 0 and self.chance(0.2):
            text = f"({text}) {self.pick(('&&', '||'))} ({self.condition(scope, 0, without)})"
        return text

    def guard(self, scope):
        """A condition as a statement: also what may only stand there."""
        if scope.channels and self.chance(0.15):
            channel = self.place(self.pick(scope.channels).text, scope)
            return f"{self.pick(('empty', 'full', 'nempty', 'nfull'))}({channel})"
        if scope.channels and self.has("poll", 0.2):
            return self.poll(scope)
        if self.has("timeout", 0.12) and not scope.dstep:
            return "timeout"
        # Only one process asks: spin's verifier executes a d_step that is asked whether it is enabled and asks itself.
        if self.has("enabled", 0.2) and self.asker in (None, scope.name) and re.match(r"active proctype|init", scope.name):
            self.asker = scope.name
            return f"enabled({self.random.randint(0, 2)})"
        return f"({self.condition(scope)})" if self.chance(0.5) else self.condition(scope)

    # ---- channels

    def channel(self, scope, buffered=False):
        found = [c for c in scope.channels if not buffered or c.capacity > 0]
        return self.pick(found) if found else None

    def struct_fields(self, kind):
        return next((s for s in self.structs if s[0] == kind), None)

    def message(self, scope, channel):
        values = []
        for kind in channel.fields:
            struct = self.struct_fields(kind)
            if struct:
                values.append(self.pick(struct[2]))
            elif kind == "chan":
                values.append(self.place(self.pick(self.plain_channels).text, scope))
            else:
                values.append(self.constant(kind) if self.chance(0.6) else self.expression(scope, 1))
        return values

    def send(self, scope, buffered=False):
        channel = self.channel(scope, buffered)
        if not channel:
            return None
        sign = "!!" if self.has("sorted", 0.3) and channel.capacity > 0 and not any(self.struct_fields(f) for f in channel.fields) else "!"
        values = self.message(scope, channel)
        text = self.place(channel.text, scope, 1)
        if self.has("prefix", 0.4) and len(values) > 1:
            return f"{text}{sign}{values[0]}({', '.join(values[1:])})"
        return f"{text}{sign}{', '.join(values)}"

    def pattern(self, scope, channel, polling=False):
        values, used = [], set()
        for kind in channel.fields:
            struct = self.struct_fields(kind)
            if struct:
                values.append(self.pick(struct[2]))
                continue
            if kind == "chan":
                values.append("_" if polling or not self.chan_sink else self.pick(self.chan_sink))
                continue
            what = self.pick(("variable", "variable", "variable", "constant", "constant", "any", "eval"))
            if what == "eval" and "eval_" in self.on:
                # To undo a receive, spin's verifier evaluates this again: it must not depend on the step.
                value = self.expression(scope, 1)
                stays = "len(" not in value and "[" not in value and not any(word in value for word in used)
                if stays and re.search(r"[a-z]+\d", value):
                    used.update(re.findall(r"[a-z]+\d+(?:\.\w+)?", value))
                values.append(f"eval({value})" if stays else self.constant(kind))
            elif what == "any" and not polling:
                values.append("_")
            elif what == "variable" or polling and what == "any":
                # When spin's verifier undoes a receive it puts the variable's value back, so it must hold the field's.
                wide = {"bit": WIDE[0], "bool": WIDE[0], "short": WIDE[2], "int": WIDE[3]}.get(kind, WIDE[1])
                wide = WIDE[1] if wide is WIDE[0] and len(channel.fields) == 1 else wide
                fitting = [v for v in scope.variables if v.kind in wide]
                text = self.place(self.pick(fitting or scope.variables).text, scope)
                if text in used or not fitting:
                    values.append("_" if not polling else "1")
                else:
                    used.add(text)
                    values.append(text)
            else:
                values.append(self.constant(kind))
        return values

    def receive(self, scope, buffered=False):
        channel = self.channel(scope, buffered)
        if not channel:
            return None
        values = self.pattern(scope, channel)
        sign = "??" if self.has("random_receive", 0.3) and channel.capacity > 0 else "?"
        # No index that the receive itself may change: spin's verifier undoes the receive in another channel then.
        text = self.place(channel.text, scope)
        if self.has("copy", 0.25) and channel.capacity > 0:
            return f"{text}{sign}<{', '.join(values)}>"
        if self.has("prefix", 0.4) and len(values) > 1:
            return f"{text}{sign}{values[0]}({', '.join(values[1:])})"
        return f"{text}{sign}{', '.join(values)}"

    def poll(self, scope):
        found = [c for c in scope.channels if c.capacity > 0 or self.chance(0.1)]
        found = [c for c in found if not any(self.struct_fields(f) or f == "chan" for f in c.fields)]
        if not found:
            return f"({self.condition(scope, 0)})"
        channel = self.pick(found)
        sign = "??" if self.has("random_receive", 0.4) else "?"
        return f"{self.place(channel.text, scope)}{sign}[{', '.join(self.pattern(scope, channel, polling=True))}]"

    # ---- statements

    def assignment(self, scope):
        target = self.pick(scope.variables)
        text = self.place(target.text, scope, 1)
        if self.chance(0.2):
            return Leaf(f"{text}{self.pick(('++', '--'))}" if "wild" in self.on or target.kind in ("bit", "bool", "unsigned") else f"{text} = 1 - {text}")
        value = self.constant(target.kind) if self.chance(0.5) else self.expression(scope)
        if "wild" not in self.on and not value.isidentifier() and not value.isdigit() and self.chance(0.7):
            value = f"({value}) & {self.pick((1, 3))}"
        return Leaf(f"{text} = {value}")

    def simple(self, scope):
        """One statement without a body."""
        choices = ["assign"] * 5 + ["guard"] * 2
        if scope.channels:
            choices += ["send"] * 3 + ["receive"] * 3
        choices += ["assert"] * self.has("asserts") + ["printf"] * self.has("printf", 0.5) + ["skip"]
        choices += ["run"] * (self.has("run") and bool(self.runnable)) * 2
        choices += ["goto"] * (self.has("goto") and bool(scope.labels)) * 2
        choices += ["break"] * (scope.loops > 0)
        choices += ["inline"] * (self.has("inline") and bool(self.inlines)) * 2
        choices += ["set_priority"] * (self.has("priority") and self.has("set_priority"))
        choices += ["select"] * self.has("select")
        what = self.pick(choices)
        if scope.dstep and what in ("guard", "send", "receive", "run", "goto", "break", "inline") and not self.has("odd", 0.3):
            what = "assign"
        text = None
        if what == "guard":
            text = self.guard(scope)
        elif what == "send":
            text = self.send(scope)
        elif what == "receive":
            text = self.receive(scope)
        elif what == "assert":
            text = f"assert({self.condition(scope)})"
        elif what == "printf":
            text = f'printf("%d\\n", {self.expression(scope, 1)})'
        elif what == "skip":
            text = self.pick(("skip", "true"))
        elif what == "run":
            text = self.run(scope)
        elif what == "goto":
            text = f"goto {self.pick(scope.labels)}"
        elif what == "break":
            text = "break"
        elif what == "inline":
            name, arity = self.pick(self.inlines)
            # spin takes any comma in an actual parameter for the next one, and stumbles over conditionals.
            kept, self.on = self.on, self.on - {"conditional", "poll"}
            arguments = [self.variable(scope, 0)] + [self.expression(scope, 1) for _ in range(arity - 1)]
            self.on = kept
            text = f"{name}({', '.join(arguments[:arity])})"
        elif what == "set_priority":
            text = f"set_priority({self.pick(('_pid', '0', '1'))}, {self.random.randint(1, 3)})"
        elif what == "select":
            low = self.random.randint(0, 1)
            bound = self.variable(scope) if self.chance(0.2) else str(low + self.random.randint(0, 2))
            plain = [v.text for v in scope.variables if "[" not in v.text and "." not in v.text and v.kind not in ("bit", "bool", "unsigned")]
            if plain:
                text = f"select({self.pick(plain)} : {low} .. {bound})"
        return Leaf(text) if text else self.assignment(scope)

    def run(self, scope):
        name, kinds = self.pick(self.runnable)
        arguments = []
        for kind in kinds:
            if isinstance(kind, Channel):
                same = [c for c in scope.channels if c.fields == kind.fields and (c.capacity > 0) == (kind.capacity > 0)]
                arguments.append(self.place(self.pick(same).text, scope) if same else self.place(kind.text, scope))
            else:
                arguments.append(self.expression(scope, 1))
        priority = f" priority {self.random.randint(1, 3)}" if self.has("priority", 0.4) else ""
        call = f"run {name}({', '.join(arguments)}){priority}"
        plain = [v.text for v in scope.variables if "[" not in v.text and v.kind in ("byte", "int", "short", "pid")]
        if plain and self.has("result", 0.5) and not priority:
            return f"{self.pick(plain)} = {call}"
        if self.has("result", 0.2) and not priority:
            return f"({call})"
        return call

    def body(self, scope, budget, depth):
        """A sequence of one statement or more."""
        scope = scope.inner()
        nodes = []
        for _ in range(self.random.randint(1, max(1, budget))):
            if self.has("late_locals", 0.12):
                if self.has("local_chans", 0.2) and self.has("odd"):
                    nodes.append(self.declare_channel(scope, True))
                else:
                    nodes.append(self.declare(scope, True))
            node = self.statement(scope, budget - 1, depth)
            # spin takes no label in front of the first statement of an option, an escape or an atomic.
            if nodes and not scope.dstep or self.has("odd", 0.1):
                if self.future_labels and self.chance(0.25):
                    node.labels.append(self.future_labels.pop())
                if self.has("end_labels", 0.08):
                    node.labels.append(self.name("end"))
                if self.has("other_labels", 0.08):
                    node.labels.append(self.name(self.pick(("accept", "progress"))))
            nodes.append(node)
        if isinstance(nodes[-1], Leaf) and "=" not in nodes[-1].text and re.match(r"(byte|bit|bool|short|int|pid|mtype|unsigned|chan)\b", nodes[-1].text):
            nodes.append(self.assignment(scope))
        return nodes

    def statement(self, scope, budget, depth):
        if depth <= 0 or budget <= 0 or self.chance(0.5):
            return self.simple(scope)
        choices = ["if"] * 3 + ["do"] * (2 if not scope.dstep else 0)
        choices += ["atomic"] * (self.has("atomic") and not scope.dstep) * 2 + ["dstep"] * (self.has("dstep") and not scope.dstep) * 2
        choices += ["unless"] * (self.has("unless") and (not scope.dstep or self.has("odd", 0.1))) * 3
        choices += ["for"] * self.has("for_") + ["block"] * self.has("blocks")
        choices += ["for_in"] * (self.has("for_in") and bool(self.arrays))
        what = self.pick(choices)
        if what in ("if", "do"):
            return self.choice(scope, budget, depth, what)
        if what == "atomic":
            inner = scope.inner()
            inner.atomic = True
            return Block("atomic {", [self.body(inner, budget + 1, depth - 1)], "}")
        if what == "dstep":
            inner = scope.inner()
            inner.dstep = True
            # spin's verifier does not restore hidden variables when it goes back over a d_step.
            inner.variables = [v for v in inner.variables if v.text.split("[")[0] not in self.hidden] or [Variable("guard", "byte")]
            inner.loops = 0
            body = self.body(inner, budget + 1, depth - 1)
            # spin refuses some braces at the end of a d_step.
            if isinstance(body[-1], Block) and body[-1].before == "{":
                body.append(self.assignment(inner))
            # spin overlooks assignments among the options of an `if` at the start of a d_step (docs/spin-differences.md).
            if self.chance(0.5) or isinstance(body[0], Block):
                first = self.pick((Leaf(self.guard(inner)), Leaf(self.receive(inner, True) or "skip"), Leaf(self.send(inner, True) or "skip")))
                body.insert(0, first)
            return Block("d_step {", [body], "}")
        if what == "unless":
            main = self.body(scope, budget, depth - 1)
            inner = scope.inner()
            escape = self.body(inner, max(1, budget - 1), depth - 1)
            if self.chance(0.7):
                first = Leaf(self.guard(inner) if self.chance(0.6) or not inner.channels else self.receive(inner))
                escape.insert(0, first)
            shape = self.pick(("{", "{", "{", "atomic {")) if "atomic" in self.on else "{"
            if shape != "{" and self.chance(0.5):
                return Block("{", [main, escape], "}", between="} unless atomic {")
            return Block(shape, [main, escape], "}", between="} unless {")
        if what == "for":
            inner = scope.inner()
            plain = [v.text for v in scope.variables if "[" not in v.text and "." not in v.text and v.kind in ("byte", "int", "short", "pid")]
            if plain:
                inner.loops += not scope.dstep
                high = self.variable(scope) if self.chance(0.15) else self.random.randint(1, 2)
                index = self.pick(plain)
                inner.variables = [v for v in inner.variables if v.text != index] or inner.variables
                return Block(f"for ({index} : {self.pick((0, 1, 1))} .. {high}) {{", [self.body(inner, min(budget, 2), depth - 1)], "}")
        if what == "for_in":
            arrays = [a for a in self.arrays if a[2] is None]
            plain = [v.text for v in scope.variables if "[" not in v.text and "." not in v.text and v.kind in ("byte", "int", "short", "pid")]
            if arrays and plain:
                inner = scope.inner()
                inner.loops += not scope.dstep
                name, _, _ = self.pick(arrays)
                index = self.pick(plain)
                inner.variables = [v for v in inner.variables if v.text != index] or inner.variables
                return Block(f"for ({index} in {name}) {{", [self.body(inner, min(budget, 2), depth - 1)], "}")
        if what == "block":
            return Block("{", [self.body(scope, budget, depth - 1)], "}")
        return self.simple(scope)

    def choice(self, scope, budget, depth, what):
        inner = scope.inner()
        inner.loops = scope.loops + (what == "do")
        options = []
        for _ in range(self.pick((1, 2, 2, 3))):
            body = self.body(inner, max(1, min(budget, 3)), depth - 1)
            if self.chance(0.5):
                first = Leaf(self.guard(inner))
                if inner.channels and not inner.dstep and self.chance(0.3):
                    first = Leaf(self.receive(inner) if self.chance(0.6) else self.send(inner))
                body.insert(0, first)
            options.append(body)
        if scope.dstep or self.has("else_", 0.5):
            last = self.body(inner, 1, 0 if self.chance(0.7) else depth - 1) if self.chance(0.7) else []
            if what == "do" and self.chance(0.7):
                last = [Leaf("break")]
            options.insert(self.random.randint(0, len(options)) if self.chance(0.2) else len(options), [Leaf("else")] + last)
        elif what == "do" and self.chance(0.6):
            options.append([Leaf(self.guard(inner)), Leaf("break")] if self.chance(0.5) else [Leaf("break")])
        return Block(what, options, {"if": "fi", "do": "od"}[what], opening="::", droppable=True)

    # ---- the model

    def process(self, head, parameters, budget):
        """A process type with its locals and labels."""
        scope = Scope(self, head)
        self.chan_sink = []
        for text, item in parameters:
            (scope.channels if isinstance(item, Channel) else scope.variables).append(item)
        nodes = []
        for _ in range(self.pick((0, 0, 1, 1, 2))):
            nodes.append(self.declare(scope, True))
        if self.has("local_chans", 0.3):
            nodes.append(self.declare_channel(scope, True))
        if self.has("alias", 0.3) and self.plain_channels:
            source = self.pick(self.plain_channels)
            name = self.name("d")
            nodes.append(Leaf(f"chan {name} = {self.place(source.text, scope)}"))
            scope.channels.append(Channel(name, source.capacity, source.fields))
        if any("chan" in c.fields for c in scope.channels):
            # All the channels that travel have the type of the first one, so what arrives can be used.
            source = self.plain_channels[0]
            name = self.name("d")
            nodes.append(Leaf(f"chan {name} = {self.place(source.text, scope)}"))
            self.chan_sink = [name]
            scope.channels.append(Channel(name, source.capacity, source.fields))
        if self.has("xr", 0.5) and self.plain_channels:
            nodes.append(Leaf(f"{self.pick(('xr', 'xs'))} {self.place(self.pick(self.plain_channels).text, scope)}"))
        self.future_labels = []
        if "goto" in self.on:
            scope.labels = [self.name("L") for _ in range(self.random.randint(1, 3))]
            self.future_labels = list(scope.labels)
        for _ in range(self.random.randint(1, budget)):
            nodes += self.body(scope, self.pick((1, 1, 1, 3)), 3)
        while self.future_labels:
            node = self.assignment(scope)
            node.labels.append(self.future_labels.pop())
            nodes.insert(self.random.randint(min(len(nodes), 2), len(nodes)), node)
        if self.has("end_of_block", 0.15):
            nodes.append(Leaf(""))
            nodes[-1].labels.append(self.name("end" if self.chance(0.4) else "L"))
        return Block(head + " {", [nodes], "}")

    def model(self):
        top = [Leaf("byte guard")] if "hidden" in self.on else []
        if self.has("mtypes"):
            self.mtypes = ["ma", "mb", "mc"][: self.pick((2, 3))]
            top.append(Leaf(f"mtype = {{ {', '.join(self.mtypes)} }}"))
        if self.has("typedefs"):
            name = self.name("T")
            top.append(Leaf(f"typedef {name} {{ byte f; bit b{'; short a[2]' if self.chance(0.5) else ''} }}"))
            values = [self.name("s") for _ in range(self.pick((1, 2)))]
            for value in values:
                if self.chance(0.3):
                    top.append(Leaf(f"{name} {value}[2]"))
                    self.variables += [Variable(f"{value}[%2].f", "byte"), Variable(f"{value}[%2].b", "bit")]
                else:
                    top.append(Leaf(f"{name} {value}"))
                    self.variables += [Variable(f"{value}.f", "byte"), Variable(f"{value}.b", "bit")]
            whole = [v for v, leaf in zip(values, top[-len(values):]) if "[2]" not in leaf.text]
            if whole and ";" in top[-1 - len(values)].text and "short" not in top[-1 - len(values)].text:
                self.structs.append((name, ["byte", "bit"], whole))
        for _ in range(self.random.randint(1, 3)):
            top.append(self.declare(self, False))
        self.plain_channels = []
        for _ in range(self.random.randint(0, 3)):
            top.append(self.declare_channel(self, False))
        if self.channels:
            first = next((c for c in self.channels if "chan" not in c.fields), None)
            self.plain_channels = [c for c in self.channels if first and c.fields == first.fields and (c.capacity > 0) == (first.capacity > 0)]
            if not self.plain_channels:
                self.channels = []
        if self.has("inline"):
            for _ in range(self.pick((1, 2))):
                top.append(self.inline())
        instances = 0
        names = []
        pending = []
        runnable = []
        if "run" in self.on:
            for _ in range(self.pick((1, 1, 2))):
                name = self.name("R")
                parameters = []
                for _ in range(self.random.randint(0, 2)):
                    if self.has("chan_params", 0.5) and self.plain_channels:
                        source = self.pick(self.plain_channels)
                        parameter = self.name("c")
                        parameters.append((f"chan {parameter}", Channel(parameter, source.capacity, source.fields)))
                    else:
                        kind = self.pick(("byte", "bit", "short", "int", "bool", "pid"))
                        parameter = self.name("a")
                        parameters.append((f"{kind} {parameter}", Variable(parameter, kind)))
                kinds = [next(c for c in self.plain_channels if c.fields == i.fields) if isinstance(i, Channel) else i.kind for _, i in parameters]
                runnable.append((name, kinds))
                pending.append((name, parameters))
        for name, parameters in pending:
            head = f"proctype {name}({'; '.join(text for text, _ in parameters)}){self.clauses()}"
            # Only the active processes run others, so that their number is bounded by the loops they run in.
            self.runnable = runnable[:1] if self.chance(0.1) else []
            top.append(self.process(head, parameters, 2))
        self.runnable = runnable
        for number in range(self.pick((1, 2, 2, 3)) - (1 if pending and self.chance(0.5) else 0)):
            name = self.name("P")
            many = 2 if self.has("active_many", 0.3) else 1
            head = f"active {f'[{many}] ' if many > 1 else ''}proctype {name}(){self.clauses()}"
            process = self.process(head, [], self.size)
            top.append(process)
            if "remote" in self.on:
                for node in process.content[0]:
                    self.remote += [(name, instances, f"@{label}") for label in node.labels]
                    declared = re.match(r"(?:byte|bit|bool|short|int|pid|mtype) (l\d+)(?: = |$)", node.text) if isinstance(node, Leaf) else None
                    if declared:
                        self.remote.append((name, instances, f":{declared.group(1)}"))
            instances += many
            names.append(name)
        if pending or self.chance(0.2) or not instances:
            top.append(self.process("init" + (" priority 2" if self.has("priority", 0.3) else ""), [], self.size))
        return top

    def clauses(self):
        text = f" priority {self.random.randint(1, 3)}" if self.has("priority", 0.5) else ""
        if self.has("provided", 0.5):
            scope = Scope(self, "provided")
            plain = [v for v in scope.variables if "%" not in v.text]
            if plain:
                text += f" provided ({self.pick(plain).text} {self.pick(('==', '!=', '<'))} {self.pick((0, 1, 2))})"
        return text

    def inline(self):
        name = self.name("I")
        arity = self.pick((1, 2))
        formals = [self.name("z") for _ in range(arity)]
        scope = Scope(self, name)
        self.chan_sink, self.future_labels = [], []
        scope.variables.append(Variable(formals[0], "byte"))
        scope.variables.append(Variable(formals[0], "byte"))
        kept, self.on = self.on, self.on - {"goto", "run", "inline", "end_labels", "other_labels"}
        body = self.body(scope, 3, 2)
        if arity > 1:
            body.append(Leaf(f"{formals[0]} = {formals[1]} & 1"))
        self.on = kept
        self.inlines.append((name, arity))
        return Block(f"inline {name}({', '.join(formals)}) {{", [body], "}")


# ---- the two tools ---------------------------------------------------------------------------------------------------


def call(command, folder, stdin=None, seconds=SECONDS):
    """Exit code (None: too late), standard output, standard error."""
    try:
        done = subprocess.run(command, cwd=folder, input=stdin, capture_output=True, text=True, errors="replace", timeout=seconds,
                              stdin=subprocess.DEVNULL if stdin is None else None)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired:
        return None, "", ""


REFUSED_BY_PAN = ("self-loop", "inherits 2")


def ask_spin(text, folder):
    """("refused", why), ("counts", {..}), ("partial", why) or ("skip", why)."""
    for name in ("pan.c", "pan"):
        if os.path.exists(os.path.join(folder, name)):
            os.remove(os.path.join(folder, name))
    with open(os.path.join(folder, "m.pml"), "w", encoding="utf-8") as file:
        file.write(text)
    code, said, more = call(["spin", "-o1", "-o2", "-o3", "-a", "m.pml"], folder)
    if code is None or code < 0:
        return "skip", "spin crashed"
    if code != 0 or not os.path.exists(os.path.join(folder, "pan.c")):
        return "refused", (said + more).strip()
    code, said, more = call(["gcc", "-O0", "-w", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192", "-o", "pan", "pan.c"], folder, seconds=60)
    if code != 0:
        return "skip", "gcc: " + more[:300]
    code, said, more = call(["./pan", f"-m{MAX_DEPTH}", "-c0", "-n", "-w18"], folder)
    said += more
    if code is None:
        return "skip", "pan is too slow"
    if any(words in said for words in REFUSED_BY_PAN):
        return "refused", said.strip().split("\n")[0]
    if code < 0 or "states, stored" not in said:
        return "skip", "pan crashed: " + said[:200]
    number = lambda pattern: int(re.search(pattern, said, re.M).group(1))
    counts = {
        "stored": number(r"^\s*([\d.e+]+) states, stored") if re.search(r"^\s*\d+ states, stored", said, re.M) else 10**9,
        "matched": number(r"^\s*(\d+) states, matched"),
        "transitions": number(r"^\s*(\d+) transitions \(="),
        "atomic": number(r"^\s*(\d+) atomic steps"),
        "depth": number(r"depth reached (\d+)"),
        "errors": number(r"errors: (\d+)"),
    }
    if counts["stored"] > MAX_STORED or "max search depth too small" in said:
        return "skip", "too large"
    if "Search not completed" in said:
        return "partial", next((line for line in said.split("\n") if line.startswith("pan:")), "?")
    return "counts", counts


class Pv:
    def __init__(self, path):
        self.path = os.path.abspath(path)

    def check(self, folder, *options, stdin=None, all_errors=True):
        """Exit code, counts or None, verdict, standard error."""
        model = "m.pml" if stdin is None else "-"
        command = [self.path, "check", model, "--json", "--no-claims", "--no-bar", "--no-trail", *options]
        command += ["--all-errors"] if all_errors else []
        code, said, more = call(command, folder, stdin)
        try:
            found = json.loads(said)
        except ValueError:
            return code, None, None, more.strip()
        counts = {"stored": found["states"]["stored"], "matched": found["states"]["matched"], "transitions": found["transitions"],
                  "atomic": found["atomic_steps"], "depth": found["depth"], "errors": found["error_count"]}
        return code, counts, found["verdict"], more.strip()


    def errors(self, folder, *options):
        """Exit code, verdict, the set of (kind, line) of the errors (None: these are not all that were asked for), standard error."""
        command = [self.path, "check", "m.pml", "--json", "--no-claims", "--no-bar", "--no-trail", *options]
        code, said, more = call(command, folder)
        try:
            found = json.loads(said)
        except ValueError:
            return code, None, set(), more.strip()
        errors = {(error["kind"], error.get("line") or 0) for error in found["errors"]}
        stopped = any("did not come to its end" in note for note in found.get("notes") or [])
        is_all = not stopped and len(found["errors"]) < MOST_ERRORS
        return code, found["verdict"], errors if is_all else None, more.strip()


def difference(text, pv, folder, only=None):
    """None, or (kind, what differs); ("skip", why) if SPIN has no answer. `only`: look for this kind of difference."""
    kind, answer = ask_spin(text, folder)
    if kind == "skip":
        return "skip", answer
    code, counts, verdict, said = pv.check(folder, all_errors=kind != "partial")
    if code is None:
        return "hang", "pv gives no answer"
    if code not in (0, 1, 2, 3):
        return "crash", f"exit {code}: {said[:500]}"
    if kind == "refused":
        return None if code == 2 else ("accepts", f"spin: {answer[:300]}")
    if code == 2:
        return "refuses", said[:500]
    if kind == "partial":
        # SPIN gave up at an error: pv has to find one too.
        return None if verdict != "verified" else ("partial", f"{answer}; pv: {verdict}")
    differs = [f"{name} {counts[name]} is {answer[name]} in spin" for name in answer if counts[name] != answer[name]]
    if verdict != ("violated" if answer["errors"] else "verified"):
        differs.append(f"verdict {verdict}")
    if differs and "priority" in text and re.search(r"\b(bit|bool|unsigned)\b", text):
        return "skip", "bits beside a priority: docs/spin-differences.md"
    if differs and only in (None, "counts"):
        return "counts", "; ".join(differs)
    if only == "counts":
        return None
    fatal = len(differs) > 0

    def reduced(name, *options, stored=False, all_verdicts=True):
        code, found, its, said = pv.check(folder, *options)
        if code is None and not all_verdicts:
            return None  # a small cache may take very long
        if found is None:
            return None if code == 2 and ("not available" in said or "cannot" in said or "not " in said) else (name, f"exit {code}: {said[:500]}")
        if stored and found["stored"] != counts["stored"]:
            return name, f"{' '.join(options)}: stored {found['stored']}, without {counts['stored']}"
        if its != verdict and (all_verdicts or its != "incomplete"):
            return name, f"{' '.join(options)}: verdict {its}, without {verdict}"
        return None

    def default(*options):
        """What pv check does when nothing is said: the verdict of the full search, and a path that replays."""
        code, found, its, said = pv.check(folder, *options, all_errors=False)
        if code is None or code not in (0, 1, 2, 3):
            return "default", f"exit {code}: {said[:500]}"
        return None if its == verdict else ("default", f"by default {its}, in full {verdict}")

    def formatted():
        code, printed, said = call([pv.path, "fmt", "m.pml"], folder)
        if code != 0:
            return "fmt", f"fmt exits {code}: {said[:300]}"
        code, found, its, said = pv.check(folder, stdin=printed)
        if found != counts or its != verdict:
            return "fmt", f"formatted: {its} {found}, exit {code} {said[:300]}, original: {verdict} {counts}"
        return None

    tests = {
        "bfs": lambda: reduced("bfs", "--search", "bfs", stored=True),
        "default": lambda: default(),
        "sleep": lambda: reduced("sleep", "--sleep", stored=True),
        "por": lambda: reduced("por", "--por"),
        "por-sleep": lambda: reduced("por-sleep", "--por", "--sleep"),
        "cache": lambda: reduced("cache", "--cache", "200", "--sleep", all_verdicts=False),
        "independence": lambda: reduced("independence", "--check-independence"),
        "persistent": lambda: reduced("persistent", "--por", "--check-por"),
        "fmt": formatted,
    }
    for name, test in tests.items():
        if fatal and name != only or "hidden" in text and name != "fmt":
            continue  # what a state with hidden variables leads to depends on the path to it
        if only in (None, name):
            found = test()
            if found:
                return found
    return None


# What is compared with the full search, and the memory of the full search: a model that needs more may have no end. The others keep
# more for each state, but not so much more.
STATIC = {"default": [], "default-bfs": ["--search", "bfs"], "no-merging": ["--no-merging"], "no-dead": ["--no-dead-variables"]}
BUDGET, LARGER = "64M", "256M"


def static_difference(text, pv, folder, only=None):
    """As `difference`, but pv without options against pv --full; SPIN is not asked."""
    with open(os.path.join(folder, "m.pml"), "w", encoding="utf-8") as file:
        file.write(text)
    code, verdict, errors, said = pv.errors(folder, "--full", "--all-errors", "--memory", BUDGET)
    if code is None or code == 3:
        return "skip", "the full search does not end"
    if code not in (0, 1):
        return ("skip", "refused") if code == 2 else ("crash", f"--full: exit {code}: {said[:500]}")
    is_complete = errors is not None
    for name, options in STATIC.items():
        if only not in (None, name):
            continue
        shown = "pv check " + " ".join(options)
        code, its, found, said = pv.errors(folder, *options, "--memory", LARGER)
        if code in (None, 3) and not is_complete:
            continue  # the full search has met an error, but it has no end either
        if code not in (0, 1):
            return name, f"{shown}: exit {code}: {said[:500]}"
        if its != verdict:
            return name, f"{shown}: {its}, in full {verdict}"
        if is_complete and found and not found <= errors:
            return name, f"{shown}: {sorted(found - errors)} is no error of the full search: {sorted(errors)}"
    return None


# ---- shrinking -------------------------------------------------------------------------------------------------------


def sequences(nodes):
    """All the lists of nodes in the model, outermost first."""
    yield nodes
    for node in nodes:
        for body in node.bodies():
            yield from sequences(body)


def edits(model):
    """Functions that make the model smaller in place and return how to undo that."""
    for nodes in list(sequences(model)):
        for node in list(nodes):
            def delete(nodes=nodes, node=node):
                if node not in nodes or (len(nodes) == 1 and nodes is not model):
                    return None
                at = nodes.index(node)
                nodes.remove(node)
                return lambda: nodes.insert(at, node)
            yield delete
    for nodes in list(sequences(model)):
        for node in list(nodes):
            if node.labels:
                def unlabel(node=node):
                    kept, node.labels = node.labels, []
                    return lambda: setattr(node, "labels", kept)
                yield unlabel
            if isinstance(node, Leaf) and nodes is not model and node.text not in ("skip", "break", "else"):
                def skip(node=node):
                    kept, node.text = node.text, "skip"
                    return lambda: setattr(node, "text", kept)
                yield skip
            if isinstance(node, Leaf) and " provided " not in node.text:
                for number in re.findall(r"\((?:[^()]|\([^()]*\))*\)", node.text)[:3]:
                    def simplify(node=node, number=number, by="1"):
                        kept = node.text
                        node.text = kept.replace(number, by, 1)
                        return lambda: setattr(node, "text", kept)
                    if not re.match(r"\w+\(", node.text):
                        yield simplify
            if isinstance(node, Block):
                if node.droppable and len(node.content) > 1:
                    for body in list(node.content):
                        def drop(node=node, body=body):
                            if body not in node.content or len(node.content) == 1:
                                return None
                            at = node.content.index(body)
                            node.content.remove(body)
                            return lambda: node.content.insert(at, body)
                        yield drop
                if nodes is not model:
                    for body in list(node.content):
                        def hoist(nodes=nodes, node=node, body=body):
                            if node not in nodes:
                                return None
                            kept = list(nodes)
                            at = nodes.index(node)
                            nodes[at : at + 1] = body
                            return lambda: nodes.__setitem__(slice(None), kept)
                        yield hoist
                if nodes is model and (" provided" in node.before or " priority" in node.before):
                    for clause in (r" provided \(.*\)", r" priority \d"):
                        def unclause(node=node, clause=clause):
                            kept, node.before = node.before, re.sub(clause, "", node.before)
                            return (lambda: setattr(node, "before", kept)) if kept != node.before else None
                        yield unclause


def shrink(model, kind, pv, folder, difference):
    """Edit the model while the difference of this kind stays."""
    only = kind if kind not in ("accepts", "refuses", "hang", "crash", "partial") else None
    progress = True
    while progress:
        progress = False
        for edit in edits(model):
            undo = edit()
            if undo is None:
                continue
            found = difference(text_of(model), pv, folder, only)
            if found and found[0] == kind:
                progress = True
            else:
                undo()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(ROOT, "target", "release", "pv"))
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--count", type=int, default=100, help="how many models")
    parser.add_argument("--seconds", type=float, help="begin no further model after this time")
    parser.add_argument("--no-spin", action="store_true", help="compare pv with pv --full only")
    parser.add_argument("--shrink", action="store_true", help="make models that differ smaller")
    parser.add_argument("--keep", default=".", help="folder for the models that differ")
    parser.add_argument("--print", action="store_true", dest="show", help="print the models and do nothing else")
    parser.add_argument("--verbose", action="store_true", help="say what happened to each model")
    parser.add_argument("models", nargs="*")
    options = parser.parse_args()
    pv = Pv(options.pv)
    differs = static_difference if options.no_spin else difference
    began = time.monotonic()
    compared = skipped = differ = refused = 0
    why = {}
    with tempfile.TemporaryDirectory() as folder:
        for job in options.models or range(options.seed, options.seed + options.count):
            if options.seconds and time.monotonic() - began > options.seconds:
                break
            if options.models:
                text = open(job, encoding="utf-8", errors="replace").read()
            else:
                model = Generator(job).model()
                text = text_of(model)
            if options.show:
                print(f"/* seed {job} */\n{text}")
                continue
            found = differs(text, pv, folder)
            if found and found[0] == "skip":
                skipped += 1
                why[found[1][:40]] = why.get(found[1][:40], 0) + 1
                if options.verbose:
                    print(f"{job}: skip: {found[1]}")
                continue
            compared += 1
            refused += not options.no_spin and not os.path.exists(os.path.join(folder, "pan"))
            if not found:
                continue
            differ += 1
            print(f"{job}: {found[0]}: {found[1]}", flush=True)
            if options.models:
                continue
            path = os.path.join(options.keep, f"seed-{job}.pml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            if options.shrink:
                shrink(model, found[0], pv, folder, differs)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text_of(model))
                print(f"    shrunk to {path}", flush=True)
    if not options.show:
        spin = "" if options.no_spin else f" ({refused} refused by spin)"
        print(f"{compared} models compared{spin}, {differ} differ, {skipped} left out {why}")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
