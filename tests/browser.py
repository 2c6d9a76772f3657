"""A headless Chromium for the tests of pages; every request that is not to loopback fails."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

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
