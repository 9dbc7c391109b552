"""Headless Chromium through ChromeDriver's WebDriver protocol, with Python's standard library alone."""

import base64
import json
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

# Debian's, or those of another distribution.
CHROMIUM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
DRIVER = shutil.which("chromedriver")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
         "--force-device-scale-factor=1")
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """One window. Use as a context; the profile is a new folder."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.log = open(folder / "chromedriver.log", "wb")
        self.process = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.base = f"http://127.0.0.1:{self._port()}"
        options = {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={folder / 'profile'}"]}
        answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{answer['sessionId']}"

    def _port(self) -> int:
        for line in self.process.stdout:
            if "started successfully on port" in line:
                return int(line.rstrip(".\n").rsplit(" ", 1)[1])
        raise RuntimeError(f"chromedriver did not start; see {self.log.name}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", self.session)
        finally:
            self.process.terminate()
            self.process.wait(10)
            self.process.stdout.close()
            self.log.close()

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def do(self, name, body=None):
        return self._call("POST", f"{self.session}/{name}", body or {})

    def devtools(self, command, **parameters):
        return self.do("goog/cdp/execute", {"cmd": command, "params": parameters})

    def open(self, url, width=1280, height=900, shade="light"):
        self.devtools("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.devtools("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": shade}])
        self.do("url", {"url": "about:blank"})  # so that a changed fragment loads the page again
        self.do("url", {"url": url})
        self.wait("'ready' in document.documentElement.dataset")

    def run(self, script, *arguments):
        """The value of a function's body in the page."""
        return self.do("execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, condition, seconds=5):
        end = time.monotonic() + seconds
        while not (value := self.run(f"return {condition}")):
            assert time.monotonic() < end, condition
            time.sleep(0.02)
        return value

    def find(self, selector):
        return self.do("element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        """As a person does: scrolled to, and refused if something lies above it."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        self.do(f"element/{self.find(selector)}/click")

    def keys(self, selector, text):
        self.do(f"element/{self.find(selector)}/value", {"text": text})

    def choose(self, selector, value):
        self.run("const s = document.querySelector(arguments[0]); s.value = arguments[1];"
                 "s.dispatchEvent(new Event('change', {bubbles: true}))", selector, value)

    def drag(self, selector, x, y):
        """From the middle of an element by x, y."""
        self.run("document.querySelector(arguments[0]).scrollIntoView({block: 'center'})", selector)
        origin = {ELEMENT: self.find(selector)}
        self.do("actions", {"actions": [{"type": "pointer", "id": "hand", "parameters": {"pointerType": "mouse"}, "actions": [
            {"type": "pointerMove", "origin": origin, "x": 0, "y": 0}, {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "origin": origin, "x": x, "y": y, "duration": 50}, {"type": "pointerUp", "button": 0}]}]})

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def console(self):
        """What was written to the console since the last time: errors, refused loads, warnings."""
        return [entry["message"] for entry in self.do("se/log", {"type": "browser"})]

    def picture(self, path, whole=True):
        parameters = {"captureBeyondViewport": whole}
        if whole:
            size = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
            parameters["clip"] = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        Path(path).write_bytes(base64.b64decode(self.devtools("Page.captureScreenshot", **parameters)["data"]))

    def pdf(self):
        return base64.b64decode(self.do("print", {"background": True}))
