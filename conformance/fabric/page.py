"""The live page of a served fabric in Chromium: screenshots, errors and script time per frame.

    python conformance/fabric/page.py [--machine aurora] [--out DIR] [--browser PATH]

Requires `pip install playwright` and Chromium. A message on the browser's console, an exception of
the page, or a median frame of more than 33 ms of script fails the run.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path

from serving import Service

LIMIT_MS = 33.0
# Places to show: the name of the screenshot, and the script that goes there.
PLACES = {
    "fabric": "go(null)",
    "matrix": "view.mode = 'matrix'; go(null)",
    "group": "go(3)",
    "switch": "go(3, fabric.members[3][5])",
    "port": "go(3, fabric.members[3][5], PORT)",
    "maintenance": "go(null); view.mode = 'ring'; tab = 'maintenance'; refresh()",
    "alarms": "tab = 'alarms'; refresh()",
    "jobs": "tab = 'jobs'; refresh()",
}


def main() -> int:
    """Serve a fabric with faults, visit its page, and return the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--machine", default="aurora")
    parser.add_argument("--out", type=Path, default=Path("out/fabric-page"))
    parser.add_argument("--browser", default=shutil.which("chromium"))
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with Service(given.machine) as service:
        port = disturb(service)
        problems = visit(service, given, port)
    print(*problems, sep="\n")
    return int(bool(problems))


def disturb(service: Service) -> str:
    """Jobs, faults and a maintenance. Returns the xname of a port with a fault."""
    client = service.client
    client.request("POST", "/simulation/jobs", {"name": "climate", "nodeCount": 2000})
    client.request("POST", "/simulation/clock/advance", {"seconds": 20})
    switch = sorted_switches(client)[3 * 32 + 5]
    port = client.get(f"/fabric/switches/{switch}")["fabricPortLinks"][40].rpartition("/")[2]
    client.request("POST", "/simulation/faults", {"target": port, "kind": "DOWN"})
    client.request("POST", "/simulation/faults", {"kind": "RANDOM", "count": 30, "seconds": 10})
    other = sorted_switches(client)[9 * 32]
    client.request("POST", "/fabric/maintenances", {"name": "swap-9", "targets": [other]})
    client.request("POST", "/simulation/clock/advance", {"seconds": 25})
    return port


def sorted_switches(client) -> list[str]:
    """All switches, by group."""
    return client.get("/simulation/layout")["switches"]["xname"]


def visit(service: Service, given: argparse.Namespace, port: str) -> list[str]:
    """Go to all places. Returns the problems."""
    from playwright.sync_api import sync_playwright

    problems: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=given.browser, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900})
        page.on("console", lambda message: problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: problems.append(f"exception: {error}"))
        page.goto(f"{service.address}/#token={service.token}")
        wait(page, "fabric !== null")
        page.wait_for_timeout(1500)
        for name, code in PLACES.items():
            page.evaluate(code.replace("PORT", repr(port)))
            page.wait_for_timeout(1200)
            shown = page.inner_text("#frames")
            frames = sorted(page.evaluate("Array.from({ length: 9 }, () => timed(draw))"))
            print(f"{name:12} {shown}; drawn again: {frames[4]:.1f} ms (median of 9)")
            if frames[4] > LIMIT_MS:
                problems.append(f"{name}: a frame of {frames[4]} ms")
            page.screenshot(path=given.out / f"{name}.png")
        problems += confirm(page, given.out)
        browser.close()
    return problems


def wait(page, code: str) -> None:
    """Wait until an expression is true. The page's policy forbids `wait_for_function`."""
    for _ in range(300):
        if page.evaluate(code):
            return
        page.wait_for_timeout(200)
    raise TimeoutError(code)


def confirm(page, out: Path) -> list[str]:
    """Take a switch out of service: the page shows the cost before it is confirmed."""
    page.evaluate("go(4, fabric.members[4][0])")
    page.wait_for_timeout(800)
    page.click("text=Take out of service")
    wait(page, "!document.getElementById('confirm').disabled")
    page.click("[data-packets]")
    wait(page, "document.querySelector('[data-packets]') === null")
    page.screenshot(path=out / "cost.png")
    text = page.inner_text("#dialog-text")
    page.click("#confirm")
    page.wait_for_timeout(1500)
    shown = page.inner_text("#panel")
    problems = [] if "climate" in text else [f"no cost of the job: {text}"]
    if not re.search(r"\d\.\d / \d+\.\d / \d+\.\d", text):
        problems.append(f"no cost at packet fidelity: {text}")
    return problems + ([] if "DRAINING" in shown else [f"no maintenance: {shown}"])


if __name__ == "__main__":
    sys.exit(main())
