"""Chromium without a window: for tests of our page, and for pictures of it."""

from __future__ import annotations

import shutil
from typing import Any


def chromium_or_none(width: int = 1400, height: int = 900, scale: float = 1.0) -> Any:
    """A driver of the browser; None where browser or driver is not installed.

    Args:
        width: of its window, in pixels of the page.
        height: of its window.
        scale: pixels of a picture for each of them.
    """
    binary = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        return None
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = binary
    for argument in (
        "headless=new",
        "no-sandbox",
        "disable-dev-shm-usage",
        "disable-gpu",
        "hide-scrollbars",
        f"force-device-scale-factor={scale}",
        f"window-size={width},{height}",
    ):
        options.add_argument(f"--{argument}")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    chrome.set_page_load_timeout(60)
    return chrome


def prefer(chrome: Any, scheme: str) -> None:
    """Show pages as for a reader who prefers ``light`` or ``dark``."""
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
