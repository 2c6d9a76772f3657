"""Pictures for the README: report, label page and calibration report, made from the shipped sample in a headless Chromium.

    python scripts/screenshots.py [--out docs/images] [--batch FILE --gold FILE --documents DIR]

Needs Debian's chromium and chromium-driver and the dev group. Everything runs offline on this machine.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

ROOT = Path(__file__).resolve().parents[1]
SAMPLE = ROOT / "judge" / "samples" / "deal"
OPEN_FIRST = """
const rank = ["hallucination", "fail", "partial", "undecided"], box = document.getElementById("f-outcome");
box.value = rank.find((o) => [...box.options].some((x) => x.value === o)) || "";
box.dispatchEvent(new Event("change"));
const data = JSON.parse(document.getElementById("data").textContent);
const altered = data.items.find((i) => i.fi.some((f) => f[0] === "ALTERED_QUOTE") && i.p.some((p) => p.views));
const row = (altered && document.getElementById("row-" + altered.n)) || document.querySelector("#item-list .row");
row.click();
row.scrollIntoView();
"""


def judge(folder: Path, *arguments: str) -> None:
    """Runs a command of the program; a failing gate (1) or an open one (4) is an answer, not a fault."""
    done = subprocess.run([sys.executable, "-m", "judge.cli", *arguments], cwd=folder, stdout=subprocess.DEVNULL, check=False)
    if done.returncode not in (0, 1, 4):
        raise SystemExit(f"judge {' '.join(arguments)} ended with {done.returncode}")


@contextmanager
def browser(width: int, height: int, *, is_dark: bool = False) -> Iterator[Chrome]:
    """Chromium at a given size and colour scheme."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
    for flag in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
        options.add_argument(flag)
    driver = Chrome(options=options, service=Service(shutil.which("chromedriver") or "/usr/bin/chromedriver"))
    try:
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if is_dark else "light"}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
        yield driver
    finally:
        driver.quit()


def shoot_file(page: Path, picture: Path, width: int, height: int, *, script: str = "", is_dark: bool = False) -> None:
    """A picture of a page on disk, after a script."""
    with browser(width, height, is_dark=is_dark) as driver:
        driver.get(page.as_uri())
        if script:
            driver.execute_script(script)
            time.sleep(0.4)
        driver.save_screenshot(str(picture))


def shoot_label_page(folder: Path, picture: Path) -> None:
    """A picture of the label page at its first item."""
    command = [sys.executable, "-m", "judge.cli", "label", "results", "--sample", "20", "--no-browser"]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline() if server.stdout else ""
            with browser(1280, 860) as driver:
                driver.get(line.removeprefix("Label at ").strip())
                driver.find_element(By.ID, "annotator").send_keys("M. Tan\n")
                time.sleep(1.5)
                driver.save_screenshot(str(picture))
        finally:
            server.terminate()


def main() -> None:
    """Judges the sample, builds every page, takes the pictures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images")
    for name, default in (("batch", "batch.jsonl"), ("gold", "gold.jsonl"), ("documents", "documents")):
        parser.add_argument(f"--{name}", type=Path, default=SAMPLE / default)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        inputs = [str(given.batch.resolve()), "--gold", str(given.gold.resolve()), "--documents", str(given.documents.resolve())]
        judge(folder, "run", *inputs, "--out", "results", "--judge", "offline", "--display", "none")
        report = folder / "results" / "report.html"
        shoot_file(report, given.out / "report.png", 1280, 900)
        shoot_file(report, given.out / "report-item.png", 1280, 900, script=OPEN_FIRST)
        shoot_file(report, given.out / "report-dark.png", 1280, 900, is_dark=True)
        shoot_file(report, given.out / "report-phone.png", 390, 844)
        shoot_label_page(folder, given.out / "label.png")
        judge(folder, "calibrate", str(ROOT / "judge" / "samples" / "labels.jsonl"), "--out", "calibration")
        shoot_file(folder / "calibration" / "calibration.html", given.out / "calibration.png", 1280, 900)
    print("\n".join(str(p) for p in sorted(given.out.glob("*.png"))))


if __name__ == "__main__":
    main()
