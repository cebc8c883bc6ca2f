"""The page in a real browser: Chromium, without a window and without a network.

Needs ``chromium`` and ``chromedriver`` (Debian: ``apt-get install chromium chromium-driver``).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from structchunk_core.auditing.splitters import splitter_named
from structchunk_core.viewing import page_of, viewed
from tests.chromium import chromium_or_none
from tests.corpus import ORDERS
from tests.test_viewing import BUDGET, HOSTILE, page

GUIDE = (
    "# Guide\n\n## Install\n\n```sh\n" + "echo one two three\n" * 5 + "```\n\n## Use\n\nRun it.\n"
)
NEEDED = "STRUCTCHUNK_NEEDS_BROWSER"
"""Set where tests have to run in a browser, so that they fail where there is none."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chrome = chromium_or_none()
    if chrome is None:
        message = "chromium and chromedriver are not installed"
        if os.environ.get(NEEDED):
            pytest.fail(message)
        pytest.skip(message)
    yield chrome
    chrome.quit()


def opened(browser: Any, tmp_path: Path, html: str) -> Any:
    """The browser with the page open, its log empty: nothing was refused, nothing raised."""
    file = tmp_path / "page.html"
    file.write_text(html, encoding="utf-8")
    browser.get(file.as_uri())
    assert browser.get_log("browser") == []
    return browser


def texts(browser: Any, selector: str) -> list[str]:
    return [one.text for one in browser.find_elements("css selector", selector)]


def press(browser: Any, keys: str) -> None:
    browser.find_element("css selector", "body").send_keys(keys)


def click(browser: Any, selector: str) -> None:
    browser.find_element("css selector", selector).click()


def wait_for(browser: Any, script: str) -> None:
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, 30).until(lambda one: one.execute_script(f"return {script}"))


SHOWN = "[...document.querySelectorAll('.column:first-child .chunk')].filter(c => !c.hidden).length"


def test_a_chunk_that_is_clicked_is_described(browser: Any, tmp_path: Path) -> None:
    opened(browser, tmp_path, page(("orders.py", ORDERS)))
    assert texts(browser, ".details .empty") == ["Choose a chunk, or press j."]
    cards = browser.find_elements("css selector", ".chunk")
    assert len(cards) == len(BUDGET.chunk(ORDERS, path="orders.py"))
    cards[1].click()
    assert "chosen" in cards[1].get_attribute("class")
    assert texts(browser, ".details .sub") == [f"chunk 2 of {len(cards)}, structchunk"]
    assert texts(browser, ".details .clean") == ["Nothing is broken here."]
    press(browser, "jj")
    assert texts(browser, ".details .sub") == [f"chunk 4 of {len(cards)}, structchunk"]
    press(browser, "k")
    assert texts(browser, ".details .sub") == [f"chunk 3 of {len(cards)}, structchunk"]
    assert browser.execute_script("return document.activeElement.className").endswith("chosen")


def test_units_lead_to_their_chunks(browser: Any, tmp_path: Path) -> None:
    opened(browser, tmp_path, page(("guide.md", GUIDE)))
    unit = next(
        one
        for one in browser.find_elements("css selector", ".tree button")
        if one.text.split("\n")[-1] == "Use" or one.text.endswith("Use")
    )
    unit.click()
    assert "Run it." in texts(browser, ".chunk.chosen pre")[0]
    press(browser, "u")
    assert not browser.find_element("css selector", ".tree").is_displayed()


def test_search_and_filters_leave_what_matches(browser: Any, tmp_path: Path) -> None:
    opened(browser, tmp_path, page(("guide.md", GUIDE), ("orders.py", ORDERS)))
    press(browser, "/")
    search = browser.find_element("css selector", "#search")
    search.send_keys("RUN it")
    wait_for(browser, f"{SHOWN} === 1")
    assert texts(browser, "mark") == ["Run it"]
    assert browser.find_element("css selector", "#matches").text.startswith("1 of ")
    search.send_keys("\ue00c")  # Escape
    wait_for(browser, f"{SHOWN} > 1")
    assert not texts(browser, "mark")
    click(browser, "#kinds button[data-key='code']")
    wait_for(browser, f"{SHOWN} < document.querySelectorAll('.chunk').length")
    click(browser, "#kinds button[data-key='code']")
    press(browser, "]")
    assert texts(browser, "#facts dd")[0] == "python"
    press(browser, "[")
    assert texts(browser, "#facts dd")[0] == "markdown"


def test_splitters_stand_side_by_side_with_their_findings(browser: Any, tmp_path: Path) -> None:
    opened(browser, tmp_path, page(("guide.md", GUIDE)))
    assert len(browser.find_elements("css selector", ".column")) == 1
    click(browser, "#toggle-compare")
    assert texts(browser, ".column h2 small:last-child")[0] == "nothing broken"
    assert texts(browser, ".column h2 small:last-child")[1].endswith(" broken")
    browser.find_elements("css selector", ".column:last-child .chunk")[0].click()
    assert browser.find_elements("css selector", ".column:first-child .related")
    press(browser, "f")
    assert browser.find_elements("css selector", ".details .finding strong")
    assert "Lost: " in texts(browser, ".details .finding .loss")[0]
    rule = browser.find_element("css selector", "#rules button")
    rule.click()
    wait_for(browser, f"{SHOWN} === 0")  # ours have none
    press(browser, "?")
    assert browser.find_element("css selector", "dialog").is_displayed()


def test_hostile_documents_are_shown_and_do_not_run(browser: Any, tmp_path: Path) -> None:
    hostile = HOSTILE.replace("\ud800", "")  # the driver could not read it back
    opened(browser, tmp_path, page(("<img src=x onerror=alert(1)>.md", hostile)))
    assert browser.title == "Chunks of <docs> & more"
    shown = "".join(texts(browser, ".chunk pre"))
    assert "<img src=x onerror=\"document.title='owned'\">" in shown
    assert "</script><script>" in shown
    assert not browser.find_elements("css selector", "main img, main b:not(.meter b), main script")
    assert not texts(browser, "img")
    press(browser, "jfc")
    assert browser.get_log("browser") == []


def test_thousands_of_chunks_are_laid_out_when_they_are_seen(browser: Any, tmp_path: Path) -> None:
    text = "".join(f"## Part {number}\n\nWords of part {number}.\n\n" for number in range(5000))
    split = splitter_named("structchunk(split_level=2)", BUDGET).split(text, "a.md")
    assert len(split) == 5000
    opened(browser, tmp_path, page_of([viewed(text, "a.md", [("ours", split)], BUDGET)], "Many"))
    assert browser.execute_script("return document.querySelectorAll('.chunk').length") == 5000
    style = "getComputedStyle(document.querySelector('.chunk')).contentVisibility"
    assert browser.execute_script(f"return {style}") == "auto"
    browser.execute_script("window.first = document.querySelector('.chunk')")
    press(browser, "/")
    browser.find_element("css selector", "#search").send_keys("part 4999.")
    wait_for(browser, f"{SHOWN} === 1")
    assert browser.execute_script("return window.first.isConnected")  # hidden, not made again
    assert browser.get_log("browser") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable_in_light_and_dark(browser: Any, tmp_path: Path, scheme: str) -> None:
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
    opened(browser, tmp_path, page(("guide.md", GUIDE)))
    click(browser, "#toggle-compare")
    press(browser, "f")
    assert browser.execute_script(CONTRASTS) == []
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


CONTRASTS = """
const rgb = (color) => {
  const context = Object.assign(document.createElement('canvas'), {width: 1, height: 1})
    .getContext('2d');
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  return [...context.getImageData(0, 0, 1, 1).data];
};
const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const back = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const color = rgb(getComputedStyle(one).backgroundColor);
    if (color[3] === 255) return color;
  }
  return [255, 255, 255, 255];
};
const poor = [];
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  if (!own || !element.checkVisibility() || element.closest('script, style')) continue;
  const [a, b] = [luminance(rgb(getComputedStyle(element).color)), luminance(back(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) poor.push(`${element.className || element.tagName} ${ratio.toFixed(2)}`);
}
return poor;
"""
