#!/usr/bin/env python3
"""`pv explore` and `pv replay --html` in a real browser: step, branch, slider, undo, watch, run until, and that the text of a
hostile model stays text. Who has no token, or comes by another name, is refused.

Needs chromium and chromedriver (Debian: chromium, chromium-driver). The browser is driven over plain HTTP (WebDriver).

  tests/explore_browser.py                       with target/release/pv
  tests/explore_browser.py --pv target/debug/pv
  tests/explore_browser.py --pictures DIR        writes pictures of the pages instead: light, dark, narrow
"""

import argparse
import base64
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))

# Two ways at the start, a full and an empty channel, guards, a rendezvous, an atomic block, labels.
MODEL = """mtype = { ask, tell };
chan q = [1] of { mtype, byte };
chan meet = [0] of { byte };
byte x;
active proctype left() {
  byte mine = 7;
start:
  do
  :: x < 3 -> x++
  :: q!ask,x -> skip
  :: x == 3 -> break
  od;
  meet!mine
}
active proctype right() {
  byte got;
  do
  :: q?tell,got
  :: meet?got -> break
  od;
there: skip
}
"""

LASSO = """byte x;
active proctype turn() { do :: x = 1 - x :: x > 1 -> rest: skip od }
ltl p { <> (x == 9 || turn[0]@rest) }
"""

# Where a text can stand in a model, it asks to be executed.
ATTACK = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
HOSTILE = """/* %s */
// </script>%s
#define PAYLOAD "%s\\n"
#include "<img src=x onerror=window.hacked=2>.h"
byte x;
active proctype p() {
  printf(PAYLOAD);
  say(GIVEN);
  printf("</script>%s %%d\\n", x);
  x = 1;
  assert(x == 0) /* %s */
}
""" % ((ATTACK,) * 5)
HOSTILE_NAME = "<img src=x onerror=window.hacked=1>.pml"
HOSTILE_PART = 'inline say(text) { /* %s */\n  printf(text) }\n' % ATTACK


class Browser:
    """A headless browser with the WebDriver protocol."""

    def __init__(self, folder, *options):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(self.is_ready, "chromedriver is ready")
        profile = tempfile.mkdtemp(dir=folder)
        arguments = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
                     "--disable-component-update", "--disable-sync", "--hide-scrollbars", f"--user-data-dir={profile}", *options]
        wanted = {"goog:chromeOptions": {"args": arguments}, "goog:loggingPrefs": {"browser": "ALL"}}
        self.session = None
        self.session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})["sessionId"]

    def is_ready(self):
        try:
            return self.call("GET", "/status")["ready"]
        except OSError:
            return False

    session = None

    def call(self, method, path, body=None):
        if self.session and not path.startswith("/status"):
            path = f"/session/{self.session}{path}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, None if body is None else json.dumps(body), {"Content-Type": "application/json"})
        answer = json.load(connection.getresponse())["value"]
        if isinstance(answer, dict) and "error" in answer:
            raise AssertionError(f"{path}: {answer['error']}: {answer['message'].splitlines()[0]}")
        return answer

    def go(self, address):
        self.call("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        return self.call("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map(e => e.textContent)", selector)

    def click(self, selector):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{list(found.values())[0]}/click", {})

    def type(self, selector, text):
        found = self.call("POST", "/element", {"using": "css selector", "value": selector})
        self.call("POST", f"/element/{list(found.values())[0]}/value", {"text": text})

    def key(self, key):
        actions = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self.call("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def errors(self):
        return [entry["message"] for entry in self.call("POST", "/se/log", {"type": "browser"}) if entry["level"] == "SEVERE"]

    def picture(self, path, width, height):
        self.call("POST", "/window/rect", {"width": width, "height": height})
        # The page lays itself out anew first.
        self.call("POST", "/execute/async", {"script": "const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 200))", "args": []})
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("GET", "/screenshot")))

    def close(self):
        try:
            self.call("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


LEFT, RIGHT, HOME, END, TAB, ENTER = "\ue012", "\ue014", "\ue011", "\ue010", "\ue004", "\ue007"


def until(holds, what):
    """Waits for something that happens in another process; far longer than any machine needs is an error."""
    for _ in range(1200):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError(f"this did not happen: {what}")


class Explorer:
    """A running `pv explore`."""

    def __init__(self, pv, folder, *arguments):
        command = [pv, "explore", *arguments]
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), (self.address, self.process.stderr.read())
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.token = parts.port, parts.query.removeprefix("token=")

    def ask(self, method, path, headers, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait() == 0, self.process.returncode


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)
    return name


def trail_of(pv, folder, name, *options):
    code = subprocess.run([pv, "check", name, "--quiet", *options], cwd=folder, stdout=subprocess.DEVNULL).returncode
    assert code == 1, code
    return name + ".trail.json"


def page_of(pv, folder, name, trail, html, *options):
    command = [pv, "replay", name, trail, "--html", html, *options]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return "file://" + urllib.parse.quote(os.path.join(folder, html))


def equal(one, other):
    assert one == other, f"{one!r} is not {other!r}"


def gate(pv, folder):
    """A second user who guesses the port, and a page of another site."""
    explorer = Explorer(pv, folder, write(folder, "gate.pml", MODEL))
    own, question = {"X-Pv-Token": explorer.token}, json.dumps({"branch": 0})
    status = lambda *request: explorer.ask(*request)[0]
    page = f"/?token={explorer.token}"
    equal(status("GET", "/", {}), 403)
    equal(status("GET", "/?token=" + "0" * 32, {}), 403)
    equal(status("GET", "/?token=", {}), 403)
    equal(status("GET", page, {"Host": f"evil.example:{explorer.port}"}), 403)
    equal(status("GET", page, {"Host": "127.0.0.1"}), 403)
    equal(status("POST", "/open", {}, question), 403)
    equal(status("POST", "/open" + page[1:], {}, question), 403)
    equal(status("POST", "/open", {**own, "Host": "evil.example"}, question), 403)
    equal(status("POST", "/open", {**own, "Origin": "http://evil.example"}, question), 403)
    equal(status("POST", "/open", own, question), 200)
    equal(status("POST", "/open", own, "no JSON"), 400)
    equal(status("POST", "/open", own, json.dumps({"branch": 5})), 409)
    equal(status("POST", "/nothing", own, question), 409)
    equal(status("PUT", "/open", own, question), 405)
    equal(status("GET", "/favicon.ico" + page[1:], {}), 404)
    code, headers, _ = explorer.ask("GET", page, {})
    equal(code, 200)
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'sha256-") and "unsafe" not in policy and "*" not in policy, policy
    # Somebody who connects and says nothing keeps nobody waiting.
    silent = [socket.create_connection(("127.0.0.1", explorer.port)) for _ in range(8)]
    silent[0].sendall(b"POST /open HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n")
    equal(status("GET", page, {}), 200)
    for one in silent:
        one.close()
    explorer.end()


def steps(pv, folder, browser):
    """Step, branch, slider, undo, watch, conditions: all with the keyboard."""
    explorer = Explorer(pv, folder, write(folder, "steps.pml", MODEL))
    browser.go(explorer.address)
    position = lambda: browser.text("#position")
    at = lambda text: until(lambda: position().startswith(text), f"{text}, not {position()}")
    equal(browser.text("#title"), "steps.pml")
    reasons = browser.texts(".move.cannot .why")
    assert "x is 0" in reasons and "the channel q is empty" in reasons and "nobody sends on meet" in reasons, reasons
    can = lambda: browser.texts(".move.can .code")
    equal(can(), ["x < 3", "q!ask,x"])
    browser.key("1")
    at("1 of 1")
    equal(can(), ["x++"])
    browser.key("1")
    at("2 of 2")
    changed = lambda: browser.texts("tr.changed")
    equal(changed(), ["x01"])
    equal(browser.texts(".line.done .number"), ["9"])
    # Back and forth, by key and by slider.
    browser.key(LEFT)
    at("1 of 2")
    equal(changed(), [])
    browser.key(HOME)
    at("0 of 2")
    browser.run("const s = document.getElementById('slider'); s.value = 2; s.dispatchEvent(new Event('input'))")
    at("2 of 2")
    equal(changed(), ["x01"])
    # Another step in the middle starts a branch; the step of the run itself does not.
    browser.key(HOME)
    browser.key("1")
    at("1 of 2")
    browser.key(HOME)
    browser.click(".move.can:last-of-type")
    at("1 of 1")
    until(lambda: len(browser.texts("#branches .pick")) == 2, "two branches")
    assert "the channel q is full (1 of 1)" in browser.texts(".move.cannot .why") or can() == ["skip"], can()
    browser.key("1")
    at("2 of 2")
    assert "the channel q is full (1 of 1)" in browser.texts(".move.cannot .why"), browser.texts(".move.cannot .why")
    assert "the first message in q is [ask,0]" in browser.texts(".move.cannot .why"), browser.texts(".move.cannot .why")
    browser.key("u")
    at("1 of 1")
    browser.key("u")
    at("0 of 2")
    equal(len(browser.texts("#branches .pick")), 1)
    # Watch, in the scope of the model; locals as in a claim.
    browser.key(END)
    for expression in ["x + len(q)", "left[0]:mine", "left@start"]:
        browser.key("w")
        browser.type("#expression", expression + ENTER)
        until(lambda: expression in browser.texts("#watched .code:first-child"), f"{expression} is watched")
        browser.run("document.activeElement.blur()")
    equal(browser.texts("#watched .value"), ["1", "7", "1"])
    browser.key(HOME)
    equal(browser.texts("#watched .value"), ["0", "7", "1"])
    browser.type("#expression", "nothing + 1" + ENTER)
    until(lambda: "nothing" in browser.text("#notice"), "an unknown name is told")
    # Find in the run, run on until it holds, go to a label.
    browser.type("#condition", "x == 1" + ENTER)
    at("2 of 2")
    browser.run("const c = document.getElementById('condition'); c.value = 'x == 3'")
    browser.click("#rununtil")
    until(lambda: "x" in "".join(changed()) and changed()[0] == "x23", "x comes to be 3")
    browser.run("const c = document.getElementById('condition'); c.value = 'there'")
    until_there = lambda: any(text.endswith("skip") for text in browser.texts(".move.can")) or browser.click("#rununtil")
    until(until_there, "a process comes to the label")
    # By chance, and a branch that is opened again.
    browser.run("document.activeElement.blur()")
    browser.key(HOME)
    browser.key("r")
    until(lambda: not browser.run("return document.body.hasAttribute('aria-busy')") and not position().startswith("0 of"), "a step by chance")
    browser.click("#branches .pick")
    until(lambda: browser.run("return document.querySelector('#branches .pick').getAttribute('aria-current')") == "true", "the first branch")
    # Keyboard only: everything that can be used can be reached.
    reached = set()
    for _ in range(60):
        browser.key(TAB)
        reached.add(browser.run("return document.activeElement.id || document.activeElement.className"))
    assert {"first", "slider", "undo", "condition", "expression", "files", "lanes", "pick"} <= reached, reached
    only_here(browser, explorer.port)
    # The browser notes what the server has refused: the unknown name.
    equal([message for message in browser.errors() if "409" not in message], [])
    browser.go(explorer.address)
    until(lambda: len(browser.texts("#branches .pick")) >= 1, "a page that is loaded again has the tree")
    explorer.end()


def only_here(browser, port):
    """Nothing was loaded from elsewhere."""
    loaded = browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith(f"http://127.0.0.1:{port}/") for name in loaded), loaded


def counterexample(pv, folder, browser):
    """A trail in the explorer: its steps, its cycle, and a branch off it."""
    name = write(folder, "lasso.pml", LASSO)
    trail = trail_of(pv, folder, name)
    explorer = Explorer(pv, folder, name, trail)
    browser.go(explorer.address)
    assert "cycle" in browser.text("#verdict"), browser.text("#verdict")
    assert "↻" in browser.text("#position"), browser.text("#position")
    length = lambda: int(browser.text("#position").split()[2])
    total = length()
    # The steps of the claim are left out, and nothing waits for them; who asks for them sees them in the words of the model.
    def walk(steps):
        told = []
        for _ in range(steps):
            browser.key(LEFT)
            told.append(browser.text("#now") + " " + browser.text("#choices") + " ".join(browser.texts(".line .tag")))
        return " ".join(told)
    told = walk(total)
    assert "claim" not in told and "x = 1 - x" in told, told
    equal(browser.text("#position").split()[0], "0")
    equal(browser.text("#now-title"), "The initial state")
    browser.key("p")
    until(lambda: length() > total, "the steps of the claim are shown")
    browser.key(END)
    told = walk(length())
    assert "claim p" in told and "turn[0]@rest" in told and "_p==" not in told and "moves first" in told, told
    browser.click("#claims")
    until(lambda: length() == total, "the steps of the claim are left out again")
    browser.key("c")
    until(lambda: "↻" in browser.text("#position"), "the cycle")
    # A counterexample is not added to.
    browser.key(END)
    until(lambda: browser.text("#position").startswith(f"{total} of"), "the end")
    browser.key("1")
    until(lambda: len(browser.texts("#branches .pick")) == 2, "a branch behind the counterexample")
    equal(browser.text("#verdict"), "exploration")
    # On the branch the claim moves as in a search: its steps come along with those of the process, and are undone together with them.
    equal((length(), browser.text("#said").startswith("turn(0)")), (total + 1, True))
    browser.key("1")
    until(lambda: length() == total + 2, "a step of the process")
    equal(browser.texts("#branches .pick")[1], f"run 2 · from step {total} · 2 steps")
    assert browser.texts("#choices h3") == ["turn(0)"], browser.texts("#choices h3")
    browser.key("p")
    until(lambda: browser.text("#said").startswith("claim p"), "the claim has moved behind the process")
    browser.key("p")
    browser.key("u")
    until(lambda: length() == total + 1, "the step is undone with those of the claim")
    browser.key("r")
    until(lambda: length() == total + 2, "a step of the process by chance")
    # x is never 9: the search says so.
    browser.type("#condition", "x == 9")
    browser.click("#rununtil")
    until(lambda: "no state that can be reached" in browser.text("#notice"), "the whole space was searched")
    # The browser notes what the server has refused.
    equal([message for message in browser.errors() if "409" not in message], [])
    explorer.end()


def kept(pv, folder, browser):
    """The page that `pv replay --html` writes."""
    name = write(folder, "kept.pml", MODEL.replace("there: skip", "there: assert(got == 0)"))
    trail = trail_of(pv, folder, name, "--shortest")
    browser.go(page_of(pv, folder, name, trail, "kept.html"))
    total = int(browser.text("#position").split()[2])
    assert "assertion violated" in browser.text("#said"), browser.text("#said")
    browser.key(HOME)
    equal(browser.text("#position"), f"0 of {total}")
    for step in range(1, total + 1):
        browser.key(RIGHT)
        equal(browser.text("#position"), f"{step} of {total}")
    equal(browser.texts("#variables tr:first-child td")[0], "3")
    browser.run("const s = document.getElementById('slider'); s.value = 1; s.dispatchEvent(new Event('input'))")
    equal(browser.text("#position"), f"1 of {total}")
    equal(browser.texts("#variables tr:first-child td")[0], "0")
    equal(browser.texts(".move.cannot .why"), ["the channel q is empty", "nobody sends on meet"])
    equal(browser.run("return [...document.querySelectorAll('.live')].filter(e => e.offsetParent).length"), 0)
    # Variables can be watched without a server; expressions were given when the page was written.
    browser.key("w")
    browser.type("#expression", "left[0]:mine" + ENTER)
    equal(browser.texts("#watched li"), ["left[0]:mine7✕"])
    browser.type("#expression", "x + 1" + ENTER)
    assert "--watch" in browser.text("#notice"), browser.text("#notice")
    browser.run("document.activeElement.blur()")
    browser.go(page_of(pv, folder, name, trail, "watched.html", "--watch", "x * 2"))
    equal(browser.texts("#watched .code"), ["x * 2", "6"])
    # On paper the whole chart is there, though only a part of it is drawn on the screen.
    count = write(folder, "count.pml", "byte x; active proctype p() { do :: x < 90 -> x++ :: else -> break od; assert(false) }")
    browser.go(page_of(pv, folder, count, trail_of(pv, folder, count), "count.html"))
    drawn = lambda: browser.run("return document.querySelectorAll('#lanes svg g').length")
    shown = drawn()
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert drawn() > shown, (drawn(), shown)
    browser.run("dispatchEvent(new Event('afterprint'))")
    equal(drawn(), shown)
    # A window of another size keeps the line in view that the step is about.
    long = write(folder, "long.pml", "byte x;\n" + "\n" * 60 + "active proctype p() { x = 1;\n" + "\n" * 60 + "assert(false) }\n")
    browser.call("POST", "/window/rect", {"width": 600, "height": 2000})
    browser.go(page_of(pv, folder, long, trail_of(pv, folder, long), "long.html"))
    browser.call("POST", "/window/rect", {"width": 1200, "height": 700})
    in_view = """const line = document.querySelector('.line.done').getBoundingClientRect(), box = document.getElementById('files').getBoundingClientRect();
      return line.top >= box.top - 2 && line.bottom <= box.bottom + 2"""
    until(lambda: browser.run(in_view), "the line of the step is in view")
    # A chart of many processes is as wide as the paper.
    many = write(folder, "many.pml", "byte x; active [12] proctype p() { x++; assert(x < 12) }")
    browser.go(page_of(pv, folder, many, trail_of(pv, folder, many), "many.html"))
    wide = lambda: browser.run("return document.querySelector('#lanes .rows').getBoundingClientRect().width")
    assert wide() > 800, wide()
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert wide() < 700, wide()
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert wide() > 800, wide()
    equal(browser.run("return document.documentElement.scrollWidth <= innerWidth"), True)
    browser.go(page_of(pv, folder, name, trail, "end.html", "--last", "2"))
    equal(browser.text("#position"), "2 of 2")
    browser.go(page_of(pv, folder, "lasso.pml", "lasso.pml.trail.json", "lasso.html"))
    assert "↻" in browser.text("#position") and browser.texts("svg .cycleword"), browser.text("#position")
    # Every step has its number and its line, as the slider counts.
    total = int(browser.text("#position").split()[2])
    equal(browser.texts("svg .stepno"), [f"{step} · l.2" for step in range(1, total + 1)])
    # Both stay in view when a wide chart is scrolled.
    wide = write(folder, "wide.pml", "byte x; active [14] proctype p() { do :: _pid == 13 -> x = 1 - x od }\nltl q { <> (x == 9) }\n")
    browser.go(page_of(pv, folder, wide, trail_of(pv, folder, wide), "wide.html"))
    browser.run("document.getElementById('lanes').scrollLeft = 900")
    in_view = """const box = document.getElementById('lanes').getBoundingClientRect();
      return document.getElementById('lanes').scrollLeft > 500 && ['.cycleword', '.stepno'].every(name => { const word = document.querySelector('svg ' + name).getBoundingClientRect();
        return word.left >= box.left && word.right <= box.right; })"""
    until(lambda: browser.run(in_view), "the words at the left of the chart are in view")
    equal(browser.errors(), [])


def hostile(pv, folder, browser):
    """Text that asks to be executed is shown."""
    name = write(folder, HOSTILE_NAME, HOSTILE)
    write(folder, "<img src=x onerror=window.hacked=2>.h", HOSTILE_PART)
    given = ["-D", f'GIVEN="</script>{ATTACK}"']
    trail = trail_of(pv, folder, name, *given)
    with open(os.path.join(folder, trail)) as file:
        kept_trail = json.load(file)
    kept_trail["error"]["message"] = ATTACK
    kept_trail["model"] = ATTACK
    with open(os.path.join(folder, trail), "w") as file:
        json.dump(kept_trail, file)
    explorer = Explorer(pv, folder, name, trail, *given)
    for address in [page_of(pv, folder, name, trail, "hostile.html", *given), explorer.address]:
        browser.go(address)
        whole = []
        for _ in range(12):
            whole.append(browser.text("main"))
            browser.key(LEFT)
        whole = " ".join(whole) + browser.text("header")
        assert whole.count(ATTACK) > 6, whole.count(ATTACK)
        assert "<img src=x onerror=window.hacked=2>.h" in whole and "</script>" + ATTACK in whole, whole
        assert "onerror" in browser.text("#title"), browser.text("#title")
        equal(browser.run("return [document.scripts.length, document.images.length, typeof window.hacked]"), [2, 0, "undefined"])
        assert "onerror" in browser.run("return document.title")
        equal(browser.errors(), [])
    browser.type("#expression", ATTACK + ENTER)
    until(lambda: browser.text("#notice"), "what is wrong with it")
    browser.type("#condition", "\"" + ATTACK + ENTER)
    equal(browser.run("return [document.scripts.length, document.images.length, typeof window.hacked]"), [2, 0, "undefined"])
    explorer.end()


def pictures(pv, folder, target):
    """The pages as pictures, to be looked at."""
    examples = os.path.join(HERE, "..", "examples")
    for name in ["needham_schroeder_bug.pml", "bounded_buffer_bug.pml"]:
        shutil.copy(os.path.join(examples, name), folder)
    trail = trail_of(pv, folder, "needham_schroeder_bug.pml", "--shortest")
    write(folder, "lasso.pml", LASSO)
    kept_page = page_of(pv, folder, "needham_schroeder_bug.pml", trail, "kept.html")
    lasso = page_of(pv, folder, "lasso.pml", trail_of(pv, folder, "lasso.pml"), "lasso.html")
    for theme in ["light", "dark"]:
        options = ["--blink-settings=preferredColorScheme=" + ("0" if theme == "dark" else "1")]
        browser = Browser(folder, *options)
        explorer = Explorer(pv, folder, "needham_schroeder_bug.pml", trail)
        browser.call("POST", "/window/rect", {"width": 1400, "height": 1150})
        browser.go(explorer.address)
        other = ".move.can:not(:has(.next))"
        while not browser.texts(other):
            browser.key(LEFT)
        browser.type("#expression", "len(net) + len(in_b)" + ENTER)
        until(lambda: browser.texts("#watched li"), "a watch")
        browser.run("document.activeElement.blur()")
        browser.click(other)
        until(lambda: len(browser.texts("#branches .pick")) == 2, "a branch")
        browser.click("#branches .pick")
        until(lambda: browser.run("return document.querySelector('#branches .pick').getAttribute('aria-current')") == "true", "the first")
        while not browser.texts(".move.can + .move.can"):
            browser.key(LEFT)
        browser.run("scrollTo(0, 0)")
        browser.picture(os.path.join(target, f"explore-{theme}.png"), 1400, 1440)
        browser.picture(os.path.join(target, f"explore-{theme}-narrow.png"), 500, 2600)
        explorer.end()
        browser.go(kept_page)
        browser.picture(os.path.join(target, f"kept-{theme}.png"), 1200, 1000)
        browser.go(lasso)
        browser.picture(os.path.join(target, f"lasso-{theme}.png"), 1000, 900)
        browser.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pv", default=os.path.join(HERE, "..", "target", "release", "pv"))
    parser.add_argument("--pictures", metavar="DIR")
    arguments = parser.parse_args()
    pv = os.path.abspath(arguments.pv)
    with tempfile.TemporaryDirectory() as folder:
        if arguments.pictures:
            pictures(pv, folder, arguments.pictures)
            return
        gate(pv, folder)
        print("ok  gate")
        browser = Browser(folder)
        try:
            for test in [steps, counterexample, kept, hostile]:
                test(pv, folder, browser)
                print("ok ", test.__name__)
        finally:
            browser.close()


if __name__ == "__main__":
    sys.exit(main())
