"""A headless Chromium for the tests of pages; every request that is not to loopback fails."""

import base64
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pymupdf
import pytest
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service


def chromium_options(width: int = 1200, height: int = 900, *, dark: bool = False) -> ChromeOptions:
    """Flags for a container without a display; both paths are given, so that selenium downloads nothing."""
    options = ChromeOptions()
    options.binary_location = shutil.which("chromium") or "/usr/bin/chromium"
    flags = ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", f"--window-size={width},{height}", "--hide-scrollbars"]
    flags += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", "--disable-background-networking"]
    if dark:
        flags.append("--blink-settings=preferredColorScheme=0")
    for flag in flags:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return options


@contextmanager
def browser(width: int = 1200, height: int = 900, *, dark: bool = False) -> Iterator[Chrome]:
    """An open browser; closed at the end. A machine without Chromium leaves the test out and says so; CI never does."""
    service = Service(shutil.which("chromedriver") or "/usr/bin/chromedriver")
    if not (shutil.which("chromium") and shutil.which("chromedriver")) and not os.environ.get("CI"):
        pytest.skip("Chromium and chromedriver are not installed here: `.ci/run browser` installs them")
    driver = Chrome(options=chromium_options(width, height, dark=dark), service=service)
    try:
        yield driver
    finally:
        driver.quit()


@contextmanager
def seen_as(driver: Chrome, width: int, scheme: str) -> Iterator[None]:
    """A screen of this width in the light or dark scheme, until the end."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    try:
        yield
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def printed(driver: Chrome) -> list[str]:
    """What stands on each sheet of paper."""
    data = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"])
    sheets = list(pymupdf.open(stream=data))
    assert len({(sheet.rect.width, sheet.rect.height) for sheet in sheets}) == 1
    return [sheet.get_text() for sheet in sheets]
