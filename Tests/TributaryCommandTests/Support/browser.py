#!/usr/bin/env python3
"""Uses a page in a headless Chromium as a person does, through the DevTools protocol.

Usage: browser.py CHROMIUM PROFILE < steps

Steps are a JSON array of objects, each of one of these:
  {"go": ADDRESS}      loads a page
  {"wait": SCRIPT}     evaluates until it is true
  {"value": SCRIPT}    adds what it evaluates to to the results
  {"keys": [KEY, …]}   presses Tab, Enter, or types a text
  {"width": PIXELS}    the width of the window
  {"scheme": "dark"}   what the person prefers, or "light"
  {"names": ROLE}      adds the names of what a screen reader finds with that role
Prints the results as a JSON array. https://chromedevtools.github.io/devtools-protocol/
"""

import json
import os
import subprocess
import sys
import time


class Browser:
    def __init__(self, program, profile):
        read, self.output = os.pipe()
        self.input, write = os.pipe()
        self.process = subprocess.Popen(
            ["sh", "-c", f'exec "$0" "$@" 3<&{read} 4>&{write}', program, "--headless", "--no-sandbox",
             "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-dev-shm-usage", f"--user-data-dir={profile}",
             "--remote-debugging-pipe"],
            pass_fds=(read, write), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(read)
        os.close(write)
        self.rest = b""
        self.number = 0
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Accessibility"):
            self.call(domain + ".enable")

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            while b"\0" not in self.rest:
                part = os.read(self.input, 1 << 16)
                if not part:
                    sys.exit("the browser has ended")
                self.rest += part
            line, self.rest = self.rest.split(b"\0", 1)
            answer = json.loads(line)
            if answer.get("id") == self.number:
                if "error" in answer:
                    sys.exit(f"{method}: {answer['error']}")
                return answer["result"]

    def value(self, script):
        answer = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            sys.exit(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def press(self, key):
        known = {"Tab": 9, "Enter": 13}
        if key not in known:
            self.call("Input.insertText", text=key)
            return
        event = {"key": key, "code": key, "windowsVirtualKeyCode": known[key]}
        if key == "Enter":
            event["text"] = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", **event)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in event.items() if k != "text"})

    def names(self, role):
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        return [node.get("name", {}).get("value", "") for node in nodes
                if not node["ignored"] and node.get("role", {}).get("value") == role]


def run(browser, step):
    (kind, argument), = step.items()
    if kind == "go":
        browser.call("Page.navigate", url=argument)
    elif kind == "wait":
        # The caller limits how long that may take.
        while not browser.value(argument):
            time.sleep(0.02)
    elif kind == "value":
        return [browser.value(argument)]
    elif kind == "keys":
        for key in argument:
            browser.press(key)
    elif kind == "width":
        browser.call("Emulation.setDeviceMetricsOverride", width=argument, height=900,
                     deviceScaleFactor=1, mobile=False)
    elif kind == "scheme":
        browser.call("Emulation.setEmulatedMedia",
                     features=[{"name": "prefers-color-scheme", "value": argument}])
    elif kind == "names":
        return [browser.names(argument)]
    else:
        sys.exit(f"there is no step {kind}")
    return []


browser = Browser(sys.argv[1], sys.argv[2])
print(json.dumps([result for step in json.load(sys.stdin) for result in run(browser, step)]))
browser.process.kill()
