"""Pages: what is in their chunks, where it comes from, and what today's splitters lose of it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, Parsed
from structchunk_core.formats._html_lines import Line
from structchunk_core.formats._html_tokens import START, TEXT, read_attributes, tokens
from structchunk_core.formats._html_tree import Node
from structchunk_core.rendering import Rendering
from tests.benchmarks.pages import measured
from tests.browser import visible_words, words_of
from tests.cutting import cut, holder_of, told_by_opening
from tests.generators import html

_SIZES = pytest.mark.parametrize("size", [1500, 300, 80])


def parsed(page: str, path: str = "a.html", **more: Any) -> Parsed:
    return Chunker(tokenizer="characters", **more).parse(page, path=path)


def shown(page: str, path: str = "a.html", **more: Any) -> str:
    """The page as Markdown."""
    rendering = parsed(page, path, **more).rendering
    assert rendering is not None
    return rendering.text


# What today's splitters get wrong, each as a small input


@_SIZES
def test_the_text_of_every_element_is_kept(size: int) -> None:
    """Unstructured-IO/unstructured#3717; LlamaIndex's HTMLNodeParser with its default tags."""
    page = (
        "<html><body><h2>Prices</h2><div>All in euro.</div><table><tr><th>Fruit</th><th>Price</th>"
        "</tr><tr><td>Pear</td><td>3</td></tr></table><pre>run --fast</pre><dl><dt>SKU</dt>"
        "<dd>Stock number</dd></dl><blockquote>Buy now</blockquote></body></html>"
    )
    chunks = cut(page, "a.html", size)
    text = "\n".join(chunk.text for chunk in chunks)
    for words in ("All in euro.", "| Pear | 3 |", "run --fast", "SKU", "Stock number", "Buy now"):
        assert words in text
    assert all(chunk.path[:1] == ("Prices",) for chunk in chunks)


@_SIZES
def test_text_before_the_first_heading_has_no_path(size: int) -> None:
    """langchain-ai/langchain#38142, docling-project/docling#2487, ggozad/haiku.rag#640."""
    page = "<html><body><p>Lead text without heading.</p><h1>First</h1><p>Para.</p></body></html>"
    chunks = cut(page, "a.html", size, target_size=25)
    assert holder_of(chunks, "Lead text").path == ()
    assert holder_of(chunks, "Lead text").text == "Lead text without heading."
    assert holder_of(chunks, "Para.").path == ("First",)


@_SIZES
def test_headings_are_found_wherever_they_stand(size: int) -> None:
    """langchain-ai/langchain#29184."""
    page = (
        "<html><body><main><div class='hd'><h2>Install</h2></div><p>Run the setup file.</p>"
        "<div class='hd'><h2>Remove</h2></div><p>Delete the folder.</p></main></body></html>"
    )
    chunks = cut(page, "a.html", size, target_size=40)
    assert holder_of(chunks, "Run the setup file.").path == ("Install",)
    assert holder_of(chunks, "Delete the folder.").path == ("Remove",)


def test_spanned_labels_are_filled_in() -> None:
    """docling-project/docling-core#722, #528."""
    page = (
        "<body><h2>Sales</h2><table><caption>Sales by year</caption><thead><tr><th rowspan='2'>Shop"
        "</th><th colspan='2'>2023</th></tr><tr><th>Q1</th><th>Q2</th></tr></thead><tbody><tr>"
        "<td rowspan='2'>Oslo</td><td>11</td><td>12</td></tr><tr><td>13</td><td>14</td></tr><tr>"
        "<td>Bergen</td><td>21</td><td>22</td></tr></tbody></table></body>"
    )
    assert shown(page) == (
        "## Sales\n\nSales by year\n\n| Shop | 2023 / Q1 | 2023 / Q2 |\n|---|---|---|\n"
        "| Oslo | 11 | 12 |\n| Oslo | 13 | 14 |\n| Bergen | 21 | 22 |"
    )
    rows = "".join(f"<tr><td>Town {n}</td><td>{n}</td><td>{n}</td></tr>" for n in range(20))
    longer = page.replace("</tbody>", f"{rows}</tbody>")
    chunks = cut(longer, "a.html", 250, context="none")
    assert len(chunks) > 2
    for chunk in (chunk for chunk in chunks if not chunk.derived):
        assert "Sales by year\n\n| Shop | 2023 / Q1 | 2023 / Q2 |\n|---|---|---|\n" in chunk.text


def test_a_table_of_header_cells_only_is_kept() -> None:
    """Unstructured-IO/unstructured#1807, docling-project/docling-core#596."""
    page = (
        "<body><p>Columns:</p><table><thead><tr><th>Alpha</th><th>Beta</th></tr></thead></table>"
        "<p>No rows yet.</p></body>"
    )
    assert shown(page) == "Columns:\n\n| Alpha | Beta |\n|---|---|\n\nNo rows yet."


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<body></body>",
        "<body><div id=app></div><script>run()</script></body>",
        "<body><p hidden>words</p></body>",
        "<body><img src=a.png alt=''></body>",
    ],
)
def test_a_page_that_shows_nothing_has_no_chunks_whatever_its_head_says(body: str) -> None:
    head = "<title>Ports</title><meta name=description content='All the ports.'>"
    page = f"<!doctype html><html><head>{head}</head>{body}</html>\n"
    assert Chunker().chunk(page, path="a.html") == []
    assert Chunker().hierarchy(page, path="a.html").chunks == ()
    shown, *_ = Chunker().chunk(page.replace("</head>", "</head>Oslo."), path="a.html")
    assert shown.embed_text == "Ports\n\nOslo."


def test_functions_of_a_component_stay_whole() -> None:
    """abhigyanpatwari/GitNexus#603, Graphify-Labs/graphify#1468, cocoindex-io/cocoindex#1937."""
    items = "".join(f'    <li @click="pick({n})">item {n}</li>\n' for n in range(6))
    picks = "".join(
        f"function pick{n}(n: number): number {{\n  if (n < {n}) {{\n    return 0\n  }}\n"
        f"  chosen.value = n + {n}\n  return chosen.value\n}}\n\n"
        for n in range(5)
    )
    page = (
        f"<template>\n  <ul>\n{items}  </ul>\n</template>\n\n"
        f"<script setup lang=\"ts\">\nimport {{ ref }} from 'vue'\n\nconst chosen = ref(0)\n\n"
        f"{picks}</script>\n\n<style scoped>\nli {{\n  color: teal;\n}}\n</style>\n"
    )
    chunks = cut(page, "App.vue", 400)
    for number in range(5):
        holder = holder_of(chunks, f"function pick{number}(")
        assert holder.text.startswith(f"function pick{number}(")
        assert f"chosen.value = n + {number}\n  return chosen.value\n}}" in holder.text
        assert holder.language == "typescript"
        assert holder.symbols == (f"pick{number}",)
        assert holder.context == f"<!-- App.vue > script > pick{number} -->"
    assert "<script" not in holder_of(chunks, "<template>").text
    assert holder_of(chunks, "color: teal").language == "css"
    assert all(chunk.verbatim for chunk in chunks)


def test_scripts_of_a_component_tell_what_they_use() -> None:
    page = (
        "<script>\nimport { price } from './prices'\n\nexport function total(cart) {\n"
        "  return cart.map(price)\n}\n</script>\n\n<template>\n  <p>{{ shown }}</p>\n"
        "</template>\n\n<script setup>\nimport { ref } from 'vue'\n\n"
        "const cart = ref([])\nfunction show() {\n  shown.value = total(cart)\n}\n</script>\n\n"
        "<style>\np { color: red }\n</style>\n"
    )
    chunks = cut(page, "App.vue", 130)
    total, show = holder_of(chunks, "cart.map"), holder_of(chunks, "function show")
    assert total.imports == ("import { price } from './prices'",)
    assert total.callers == ("show",)
    assert "total" in show.calls
    assert holder_of(chunks, "{{ shown }}").imports == ()
    named = [chunk for chunk in cut(page, "App.vue", 200, outline="all") if chunk.entries]
    assert any("function show()" in entry.text for chunk in named for entry in chunk.entries)


@pytest.mark.parametrize("path", ["a.svelte", "a.astro"])
def test_markup_with_braces_does_not_disturb_the_scripts(path: str) -> None:
    script = "const go = () => {\n  return 1;\n};\n"
    head = (
        f"---\n{script}---\n" if path == "a.astro" else f'<script lang="ts">\n{script}</script>\n'
    )
    button = "<button on:click={() => go()}>{a < b} Go</button>"
    page = f"{head}\n{button}\n\n<style>\na {{}}\n</style>\n"
    chunks = cut(page, path, 70)
    assert holder_of(chunks, "const go").language == "typescript"
    assert script.rstrip() in holder_of(chunks, "const go").text
    assert holder_of(chunks, "</button>").text.startswith("<button")
    assert holder_of(chunks, "a {}").language == "css"


# How elements are rendered

RENDERED = {
    "entities": (
        "<p>a &amp; b&nbsp;c &copy d &#x41; &bogus; &lt;p></p>",
        "a & b c © d A &bogus; <p>",
    ),
    "white space": ("<p> a\n   b <b> c</b>d\t</p>", "a b cd"),
    "breaks": ("a<br>b<br><br>c", "a\nb\n\nc"),
    "a soft hyphen": ("<p>hy&shy;phen wb<wbr>r</p>", "hyphen wbr"),
    "nested lists": ("<ul><li>a<ul><li>b<li>c</ul><li>d</ul>", "- a\n  - b\n  - c\n- d"),
    "a list in a list": ("<ul><li>a</li><ul><li>b</li></ul></ul>", "- a\n  - b"),
    "paragraphs of an item": ("<ol><li><p>a<p>b</ol>", "1. a\n\n   b"),
    "numbers": ("<ol start=3><li>a<li value=9>b<li>c</ol>", "3. a\n9. b\n10. c"),
    "letters": ("<ol type=a><li>x<li>y</ol><ol type=I start=4><li>z</ol>", "a. x\nb. y\n\nIV. z"),
    "counting down": ("<ol reversed><li>x<li>y</ol>", "2. x\n1. y"),
    "boxes to tick": ("<ul><li><input type=checkbox checked>a</ul>", "- [x] a"),
    "boxes in a paragraph": (
        "<p><input type=checkbox checked>a<br><input type=checkbox id=b>b</p>",
        "[x] a\n[ ] b",
    ),
    "a box in a definition": ("<dl><dt>a<dd><input type=checkbox>b</dl>", "a\n: [ ] b"),
    "a box that is a switch": ("<p><input type=checkbox role=switch checked>a</p>", "[x] a"),
    **{
        f"a box to work with the page: {mark}": (f"<p><input type=checkbox {mark}>a</p>", "a")
        for mark in (
            "aria-hidden=true",
            "tabindex=-1",
            "role=button",
            "aria-controls=m",
            "class='x md-toggle'",
            "class=sidebar-toggle",
            "id=__drawer",
            "id=Nav-Menu",
        )
    },
    "a box beside the page": ("<body><input type=checkbox id=b><p>a", "a"),
    "definitions": ("<dl><dt>a<dd>b<dt>c<dt>d<dd>e<dd>f</dl>", "a\n: b\n\nc\nd\n: e\n: f"),
    "a quote": ("<blockquote><p>a<p>b<ul><li>c</ul></blockquote>", "> a\n>\n> b\n>\n> - c"),
    "an image": ("<p>see <img src=x alt='a  cat'> <img src=y></p>", "see ![a cat]"),
    "a figure": ("<figure><img alt=cat><figcaption>Fig.</figcaption></figure>", "![cat]\n\nFig."),
    "details": ("<details><summary>More</summary>words</details>", "More\n\nwords"),
    "a rule": ("a<hr>b", "a\n\n---\n\nb"),
    "code": (
        "<pre><code class='language-c'>\nint x;\n\n  y\n</code></pre>",
        "```c\nint x;\n\n  y\n```",
    ),
    "code of a class": (
        '<p><code class="python">a</code></p><pre><code class="python">x = 1</code></pre>',
        "a\n\n```python\nx = 1\n```",
    ),
    "code with a language": (
        "<pre><code data-lang=python>x = 1</code></pre>",
        "```python\nx = 1\n```",
    ),
    "an element in capitals": ('<p>a <SPAN CLASS="x" HIDDEN>b</SPAN></p>', "a"),
    "Sphinx's code": (
        "<div class='highlight-python'><pre>x = 1</pre></div>",
        "```python\nx = 1\n```",
    ),
    "MDN's code": ("<pre class='brush: js notranslate'>f()</pre>", "```js\nf()\n```"),
    "a console": ("<pre class='highlight text'>$ ls</pre>", "```\n$ ls\n```"),
    "line numbers": (
        "<pre><span class='linenos'>1</span>a\n<span class='linenos'>2</span>b</pre>",
        "```\na\nb\n```",
    ),
    "numbers in a cell": (
        "<table class='lntable'><tr><td class='ln'><pre>1\n2</pre><td><pre>a\nb</pre></table>",
        "```\na\nb\n```",
    ),
    "lines of elements": (
        "<pre><div>a</div><div>b<br></div><br><div>c</div></pre>",
        "```\na\nb\n\nc\n```",
    ),
    "ticks in code": ("<pre>```\n</pre>", "````\n```\n````"),
    "no heading": ("<p># no heading</p><p>> no quote</p>", "\\# no heading\n\n\\> no quote"),
    "a bar in a cell": ("<table><tr><th>a|b</table>", "| a\\|b |\n|---|"),
    "no header": ("<table><tr><td>a<td>b</table>", "|  |  |\n|---|---|\n| a | b |"),
    "row headers": (
        "<table><tr><th>x<th>y<tr><th>a<td>b</table>",
        "| x | y |\n|---|---|\n| a | b |",
    ),
    "alignment": (
        "<table><tr><th align=right>x<th style='text-align: center'>y<tr><td>1<td>2</table>",
        "| x | y |\n|---:|:---:|\n| 1 | 2 |",
    ),
    "a foot": (
        "<table><thead><tr><th>x<tfoot><tr><td>sum<tbody><tr><td>1</table>",
        "| x |\n|---|\n| 1 |\n| sum |",
    ),
    "blocks in a cell": (
        "<table><tr><th>x<tr><td><p>a<p>b<ul><li>c<li>d</ul></table>",
        "| x |\n|---|\n| a b; c; d |",
    ),
    "a table in a table": (
        "<table><tr><th>x<tr><td><table><tr><td>a<td>b</table></table>",
        "| x |\n|---|\n| a b |",
    ),
    "layout": ("<table><tr><td><h1>T</h1><p>a<td><p>b</table>", "# T\n\na\n\nb"),
    "misplaced": ("<table>a<tr><td>b<td>c</table>", "a\n\n|  |  |\n|---|---|\n| b | c |"),
    "a formula": (
        "<math><mi>E</mi><annotation encoding='application/x-tex'>E=mc^2</annotation></math>",
        "$E=mc^2$",
    ),
    "hidden": (
        "<p hidden>a</p><p aria-hidden=true>b</p><p style='display: none'>c</p><svg>d</svg>j",
        "j",
    ),
    "never shown": (
        "<template>e</template><script>f</script><style>g</style><!-- h --><dialog>i</dialog>j",
        "j",
    ),
    "a tab": ("<div role=tabpanel hidden>npm i kit</div>", "npm i kit"),
    "marks": (
        "<h2>A <a class='headerlink' href='#a'>¶</a></h2><button class='copy'>Copy</button>",
        "## A",
    ),
    "code beside a name": (
        "<p><b>each</b><code>kit.each(a)</code><span>Alias: <b>walk</b></span></p>",
        "each kit.each(a) Alias: walk",
    ),
    "code in pieces": (
        "<p><code>kit.</code><code>buy</code> <code>x</code><sub>2</sub> <code>un</code>set</p>",
        "kit.buy x2 unset",
    ),
    "a bare angle": ("<p>a < b and c<d</p>", "a < b and c"),
    "a cut tag": ("<p>words</p><a href='x", "words\n\n<a href='x"),
    "a lost quote": ("<p title='x>one</p><p>two</p>", "one\n\ntwo"),
    "misnested": ("<b><i>x</b></i> y", "x y"),
    "no end tags": ("<p>a<p>b<ul><li>c<li>d</ul>e", "a\n\nb\n\n- c\n- d\n\ne"),
    "admonition": (
        "<div class='admonition note'><p class='admonition-title'>Note</p><p>Careful.</p></div>",
        "> Note\n>\n> Careful.",
    ),
}


@pytest.mark.parametrize("name", RENDERED)
def test_an_element_is_rendered(name: str) -> None:
    page, expected = RENDERED[name]
    assert shown(page) == expected


def test_xhtml_closes_elements_in_their_own_tag() -> None:
    page = "<?xml version='1.0'?><html><body><a id='x'/><p>a</p><script src='x'/><p>b</p></body>"
    assert shown(page, "a.xhtml") == "a\n\nb"
    assert shown("<p><![CDATA[a < b]]></p>", "a.xhtml") == "a < b"


def test_attributes_are_read_as_the_standard_says() -> None:
    assert dict(read_attributes(" a=1 B='2 &amp; 3' c = \"4>\" d a=5 e=x'y / f")) == {
        "a": "1",
        "b": "2 & 3",
        "c": "4>",
        "d": "",
        "e": "x'y",
        "f": "",
    }


@given(html())
@settings(deadline=None)
def test_tokens_are_in_order_and_inside_the_text(page: str) -> None:
    position = 0
    for begin, start, end, kind, name, attributes in tokens(page):
        assert position <= begin <= start <= end <= len(page)
        assert (kind == TEXT) == (name == "")
        if kind == START:
            assert page[start + 1 : start + 1 + len(name)].lower() == name
            assert attributes in page[start:end]
        position = end


# Entries of an API reference

API = """<html><head><title>kit — Kit 1.0 documentation</title></head><body>
<div class="related" role="navigation"><ul><li><a href="#">index</a></li></ul></div>
<div class="body" role="main">
<section id="module-kit"><h1>kit<a class="headerlink" href="#x">¶</a></h1>
<p>Parts for kits.</p>
<dl class="py class"><dt class="sig sig-object py" id="kit.Kit">
<em class="property">class </em><span class="sig-prename descclassname">kit.</span><span
class="sig-name descname">Kit</span>(<em>size</em>)<a class="headerlink" href="#kit.Kit">¶</a></dt>
<dd><p>A kit of parts, which are bought together.</p>
<dl class="py method"><dt class="sig sig-object py" id="kit.Kit.open">
<span class="sig-name descname">open</span>(<em>force=False</em>)</dt>
<dd><p>Opens the kit, unless it is open already.</p>
<dl class="field-list simple"><dt>Parameters</dt><dd><p><b>force</b> with a knife</p></dd>
</dl></dd></dl>
<dl class="py method"><dt class="sig sig-object py" id="kit.Kit.close">
<span class="sig-name descname">close</span>()</dt><dd><p>Closes the kit for good.</p></dd></dl>
</dd></dl>
<dl class="py function"><dt class="sig sig-object py" id="kit.buy">
<span class="sig-prename">kit.</span><span class="sig-name">buy</span>(n)</dt>
<dd><p>Buys some.</p></dd></dl></section></div>
<div class="footer">© us</div></body></html>"""


def test_an_entry_is_one_unit_with_its_signature_and_name() -> None:
    chunks = cut(API, "kit.html", 200, target_size=90)
    opens = holder_of(chunks, "Opens the kit")
    assert opens.text.startswith("`open(force=False)`")
    assert opens.path == ("kit", "kit.Kit", "open")
    assert opens.anchor == "kit.Kit.open"
    assert opens.context == "Kit 1.0 documentation > kit > kit.Kit > open"
    assert "with a knife" in opens.text
    assert holder_of(chunks, "A kit of parts").text.startswith("`class kit.Kit(size)`")
    assert holder_of(chunks, "Buys some").path == ("kit", "kit.buy")


def test_parts_of_an_entry_carry_its_signature() -> None:
    words = "It does this and that, one after the other. " * 20
    page = API.replace("Opens the kit, unless it is open already.", words)
    chunks = [chunk for chunk in cut(page, "kit.html", 300) if "this and that" in chunk.text]
    assert len(chunks) > 2
    assert all("`open(force=False)`\n\n" in chunk.text for chunk in chunks)


def test_the_survey_of_a_section_says_what_opening_it_gives() -> None:
    more = "<h2>More</h2><table><tr><th>a<tr><td>1</table><pre>x</pre><ul><li>a</ul><h3>Deep</h3>"
    page = API.replace(
        "</section>", f"{more}<p>w<details><summary>s</summary>t</details></section>"
    )
    units = [unit for _, unit in parsed(page).root.walk() if unit.survey() is not None]
    assert len(units) > 6
    for unit in units:
        assert sorted(unit.survey() or ()) == sorted(told_by_opening(unit))
    kinds = {kind for kind, _ in units[0].survey() or ()}
    assert kinds >= {"boilerplate", "details", "fence", "heading", "list", "table"}


def test_the_end_of_an_entry_that_is_split_stands_with_no_other_entry() -> None:
    long = "<dd>" + "<p>Buys some of them, or all. </p>" * 12
    page = API.replace("<dd><p>Buys some.</p>", long).replace(
        "</section>",
        '<dl class="py data"><dt class="sig"><span class="sig-name">ALL</span></dt></dl>',
    )
    chunks = cut(page, "kit.html", 300, context="none")
    last = [chunk for chunk in chunks if "Buys some" in chunk.text][-1]
    assert last.path[-1] == "kit.buy"
    assert holder_of(chunks, "`ALL`").path[-1] == "ALL"


def named(*paragraphs: str) -> tuple[tuple[str, ...], ...]:
    """The paths of the paragraphs, under the heading T."""
    words = [f"{one}<br>about {number}</p>" for number, one in enumerate(paragraphs)]
    chunks = cut("<h1>T</h1>" + "".join(words), "a.html", 40, context="none")
    return tuple(holder_of(chunks, f"about {number}").path for number in range(len(words)))


def test_paragraphs_with_an_id_and_a_bold_name_are_entries() -> None:
    heads = "<p id=a>\n <b>each</b> ", "<p id=b><strong class=header>keep</strong>(x)"
    assert named(*heads) == (("T", "each"), ("T", "keep"))
    assert named(*heads, "<h2>U</h2><p>")[2] == ("T", "U")
    assert named(*heads, "</div><p>") == (("T", "each"), ("T", "keep"), ("T", "keep"))
    nested = named("<div>" + heads[0], heads[1], "</div><p>")
    assert nested == (("T", "each"), ("T", "keep"), ("T",))
    for others in (
        ("<p id=a><b>each</b> ", "<p id=b>keep "),  # one name is none of several
        ("<p><b>Note</b> ", "<p><b>Tip</b> "),
        ("<p id=a>the <b>each</b> ", "<p id=b>the <b>keep</b> "),
        (f"<p id=a><b>{'each ' * 30}</b> ", f"<p id=b><b>{'keep ' * 30}</b> "),
    ):
        assert named(*others) == (("T",), ("T",))


def test_headings_in_what_is_said_of_a_member_end_with_it() -> None:
    member = "<{0} id='m.{1}'><input type=checkbox tabindex=-1><div class='attr'>def {1}()</div>"
    outer, inner = member.format("section", "Kit"), member.format("div", "open")
    page = (
        f"<h1>m</h1><h2>Usage</h2><p>Use it so, in no other way.</p>{outer}<p>A kit of it.</p>"
        f"<h6>Parameters</h6><p>how large it is</p>{inner}<p>Opens it wide.</p></div></section>"
        f"{member.format('section', 'buy')}<p>Buys one of them.</p></section>"
    )
    chunks = cut(page, "a.html", 40, context="none")
    assert holder_of(chunks, "A kit").path == ("m", "Kit")
    assert holder_of(chunks, "how large").path == ("m", "Kit", "Parameters")
    assert holder_of(chunks, "Opens it").path == ("m", "Kit", "open")
    assert holder_of(chunks, "Buys one").path == ("m", "buy")
    assert holder_of(chunks, "Buys one").text.startswith("`def buy()`")


def test_entries_without_a_unit_of_their_own_are_counted() -> None:
    chunker = Chunker(table_profile=False)
    counts = measured(API, "kit.html", chunker)
    assert (counts.entries, counts.entries_without_unit) == (4, 0)
    assert (counts.parts, counts.parts_without_name, counts.parts_with_signature) == (4, 0, 4)
    unknown = measured(API.replace('dl class="py ', 'dl class="x-'), "kit.html", chunker)
    assert (unknown.entries, unknown.entries_without_unit) == (4, 4)
    long = API.replace("Buys some.", "Buys some of them. " * 200)
    parts = measured(long, "kit.html", Chunker(chunk_size=200, table_profile=False))
    assert (parts.parts_without_name, parts.parts) == (0, parts.parts_with_signature)
    assert parts.parts > 5


def test_items_with_headings_are_entries_named_by_the_words_above_them() -> None:
    item = "<li><div><code>{0}</code></div><p>What {0} is.</p><h4>Declaration</h4><p>let {0}</p>"
    items = "".join(item.format(name) for name in ("red", "green"))
    page = f"<h2>Types</h2><p>{'All of them. ' * 2}</p><ul>{items}</ul><p>No other.</p>"
    chunks = cut(page, "a.html", 40, context="none", target_size=20)
    for name in ("red", "green"):
        assert holder_of(chunks, f"What {name} is").path == ("Types", name)
        assert holder_of(chunks, f"let {name}").path == ("Types", name, "Declaration")
    assert holder_of(chunks, "No other").path == ("Types",)


# What surrounds the main text

PAGE = """<body><header><a href="/">Site</a></header><nav><ul><li>Home<li>Docs</ul></nav>
<main><h1>Guide</h1><p>Words of the guide.</p><aside>An aside in it.</aside><h2>Part</h2>
<p>More.</p></main>
<button type="button">Back to top</button><div><ul class="dropdown-menu"><li>Dark</ul></div>
<div class="cookie-banner">We use cookies.</div><footer>© us</footer></body>"""


def test_what_surrounds_the_main_text_is_labelled() -> None:
    chunks = cut(PAGE, "a.html", 60, context="none")
    for words in ("Site", "Home", "Back to top", "Dark", "cookies", "© us"):
        chunk = holder_of(chunks, words)
        assert (chunk.element_type, chunk.path) == ("boilerplate", ())
    for words in ("Words of the guide.", "An aside in it.", "More."):
        assert holder_of(chunks, words).element_type == "prose"


@pytest.mark.parametrize("granularity", ["definition", "packed"])
@pytest.mark.parametrize(
    ("main", "element_types"),
    [
        ("<p>Few words.</p>", ("prose", "boilerplate")),
        ("<p>A list:</p><ul><li>of one</ul>", ("list", "prose", "boilerplate")),
        ("<h1>A title</h1>", ("prose", "boilerplate")),
        ("<h1>A title</h1><pre>code()</pre>", ("code", "boilerplate")),
    ],
)
def test_a_page_is_labelled_by_its_main_text_however_much_surrounds_it(
    main: str, element_types: tuple[str, ...], granularity: str
) -> None:
    navigation = "".join(f"<li><a href='{number}'>Part {number}</a>" for number in range(7))
    page = f"<nav><ul>{navigation}</ul></nav><main>{main}</main><footer>© us</footer>"
    (chunk,) = cut(page, "a.html", 4000, context="none", granularity=granularity)
    assert chunk.element_types == element_types
    assert chunk.element_type == element_types[0]


def test_what_stands_in_navigation_that_is_split_is_labelled_with_what_stands_beside_it() -> None:
    items = "".join(f"<li>part {number}" for number in range(40))
    page = f"<h1>T</h1><p>{'Words. ' * 40}</p><nav><h2>Menu</h2><ul>{items}</ul><h2>See</h2><ul>"
    chunks = cut(f"{page}<li>more</ul></nav><footer>© us</footer>", "a.html", 300, context="none")
    chunk = holder_of(chunks, "See")
    assert chunk is holder_of(chunks, "© us")  # the end of the one stands with the other
    assert chunk.element_types == ("boilerplate",)


def test_what_surrounds_the_main_text_can_be_left_out() -> None:
    assert shown(PAGE, strip_boilerplate=True) == (
        "# Guide\n\nWords of the guide.\n\nAn aside in it.\n\n## Part\n\nMore."
    )


@pytest.mark.parametrize(
    "page",
    [
        "<nav><p>The only words of the page.</p></nav>",
        "<header><h1>The only heading</h1><p>with its words</p></header>",
        "<div class='sidebar'><main>the main part is in it</main></div>",
        "<footer><article>an article</article></footer>",
    ],
)
def test_the_main_text_is_never_left_out(page: str) -> None:
    assert shown(page, strip_boilerplate=True) == shown(page)


def test_the_path_of_what_is_around_does_not_reach_the_main_text() -> None:
    page = "<nav><h2>Menu</h2><p>a</p></nav><main><p>Before.</p><h1>T</h1><p>In it.</p></main>"
    chunks = cut(page, "a.html", 20, context="none")
    assert holder_of(chunks, "Before.").path == ()
    assert holder_of(chunks, "In it.").path == ("T",)


def test_a_heading_above_a_table_of_contents_does_not_stand_alone() -> None:
    page = f"<h1>T</h1><div class='toc'><ul><li>a<li>b</ul></div><p>{'word ' * 60}</p>"
    assert "- a\n- b" in holder_of(cut(page, "a.html", 200, context="none"), "# T").text


def test_headings_in_items_quotes_and_articles_end_with_them() -> None:
    page = (
        "<h1>T</h1><ul><li><h2>Card</h2><p>in the card</p></li></ul><p>below the cards</p>"
        "<article><h2>Post</h2><p>in the post</p></article><p>below the post</p>"
        "<blockquote><h2>Said</h2><p>in the quote</p></blockquote><p>below the quote</p>"
    )
    chunks = cut(page, "a.html", 30, context="none")
    assert holder_of(chunks, "in the card").path == ("T", "Card")
    assert holder_of(chunks, "in the post").path == ("T", "Post")
    for words in ("below the cards", "below the post", "below the quote"):
        assert holder_of(chunks, words).path == ("T",)


@pytest.mark.parametrize(
    ("title", "heading", "expected"),
    [
        ("Guide", "", "Guide"),
        ("Guide — Kit 1.0", "Guide", "Kit 1.0"),
        ("Kit | Guide", "Guide", "Kit"),
        ("Guide", "Guide", "Guide"),
        ("Guides", "Guide", "Guides"),
        ("A Guide for B", "Guide", "A Guide for B"),
    ],
)
def test_the_title_does_not_repeat_the_main_heading(
    title: str, heading: str, expected: str
) -> None:
    main = f"<h1>{heading}</h1>" if heading else ""
    assert parsed(f"<title>{title}</title>{main}<p>words").title == expected


# Where it comes from


def test_spans_and_lines_are_those_of_the_source() -> None:
    page = "<h1>T</h1>\n\n<p>One &amp; two.</p>\n<p>Three\n   four.</p>\n<ul>\n <li>five\n</ul>\n"
    chunks = cut(page, "a.html", 12, context="none")
    spans = {chunk.text: page[chunk.span.start : chunk.span.end] for chunk in chunks}
    assert spans["# T"] == "<h1>T</h1>"
    assert spans["One & two."] == "<p>One &amp; two.</p>"
    assert spans["Three four."] == "<p>Three\n   four.</p>"
    assert spans["- five"] == "<ul>\n <li>five\n</ul>"
    assert [(chunk.start_line, chunk.end_line) for chunk in chunks] == [
        (1, 1),
        (3, 3),
        (4, 5),
        (6, 8),
    ]


def test_code_and_cells_know_their_places() -> None:
    page = "<pre>a &lt; b\nc &gt; d</pre><table><tr><th>h<tr><td>x &amp; y<td>z</table>"
    rendering = parsed(page).rendering
    assert isinstance(rendering, Rendering)
    for words, origin in (
        ("c >", "c &gt;"),
        ("> d", "&gt; d"),
        ("y |", "y<td>"),
        ("z |", "z</table"),
    ):
        assert page[rendering.origin(rendering.text.index(words)) :].startswith(origin)


@given(html())
@settings(deadline=None)
def test_places_ascend(page: str) -> None:
    rendering = parsed(page).rendering
    assert rendering is not None
    origins = [rendering.origin(at) for at in range(len(rendering.text) + 1)]
    assert origins == sorted(origins)
    assert origins[-1] == len(page) or not rendering.text


# Against another parser


@pytest.mark.parametrize(
    "name", [name for name in RENDERED if name not in {"a formula", "a cut tag"}]
)
def test_the_words_are_those_of_an_html5_parser(name: str) -> None:
    page = f"<!DOCTYPE html><body>{RENDERED[name][0]}"
    own = words_of(shown(page))
    lost = Counter(word.text for word in visible_words(page)) - Counter(own)
    assert not lost


@given(html())
@settings(deadline=None, max_examples=300)
def test_no_visible_character_is_lost(page: str) -> None:
    """Drawings and formulas are left out when they are broken off in front of what hides text."""
    is_foreign = "<svg" in page or "<math" in page
    assume(not is_foreign or not any(f"<{name}" in page for name in _HIDING))
    page = f"<!DOCTYPE html><body>{page}"
    own = Counter("".join(words_of(shown(page))))
    truth = Counter("".join(word.text for word in visible_words(page)))
    assert not truth - own


_HIDING = ("script", "style", "table", "template", "title")


# Hostile pages

HOSTILE = {
    "nested divs": lambda n: "<div>" * n + "x",
    "nested lists": lambda n: "<ul><li>" * n + "x",
    "nested tables": lambda n: "<table><tr><td>" * (n // 4) + "x",
    "nested quotes": lambda n: "<blockquote>a" * (n // 8) + "x",
    "nested hidden spans": lambda n: "<span hidden>a" * n + "</span>" * n + "x",
    "paragraphs closed over and over": lambda n: "<p><object>" + "<div>" * n + "</p>" * n + "x",
    "items below divs": lambda n: "<ul>" + "<div>" * n + "<li></li>" * n + "x",
    "tags that never end": lambda n: "<a x='<a' " * n + "x",
    "quotes in quotes": lambda n: "<a x='<a y=z' w='>' " * n + "x",
    "angles": lambda n: "<" * n + "x",
    "comments": lambda n: "x" + "<!--" * n,
    "titles": lambda n: "<title>" * n + "x",
    "ampersands": lambda n: "&" * n + "&amp" * n + "x",
    "spans of cells": lambda n: (
        "<table>" + "<tr><td rowspan=60000>abc<td colspan=1000>x" * (n // 20)
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_page_is_done_and_keeps_its_words(name: str) -> None:
    page = HOSTILE[name](50_000)
    chunks: list[Chunk] = Chunker(tokenizer="characters", chunk_size=2000).chunk(
        page, path="a.html"
    )
    assert any("x" in chunk.text for chunk in chunks)
    assert sum(len(chunk.text) for chunk in chunks) < 20 * len(page)


def test_what_is_nested_too_deeply_is_noted() -> None:
    page = "<blockquote>" * 40 + "<p>deep</p>"
    (chunk,) = Chunker().chunk(page, path="a.html")
    assert [problem.code for problem in chunk.problems] == ["nested-too-deeply"]
    assert "deep" in chunk.text


@given(st.text(alphabet="<>/!-='\"ab &;#", max_size=60))
@settings(deadline=None)
def test_any_text_is_a_page(page: str) -> None:
    shown(page)
    shown(page, "a.xhtml")


_ATTRIBUTES = st.lists(
    st.sampled_from(
        [
            *(
                ' class="A b"',
                " class",
                " class=x",
                ' class=""',
                " class='p q'",
                ' class="a&amp;b"',
            ),
            *(
                ' id="i"',
                ' data-class="n"',
                " title=' class=\"t\"'",
                ' CLASS="U"',
                "/",
                " ",
                " hidden",
            ),
            *('\n\tclass="w  v"', ' class-x="y"', ' a="b"class="c"', ' x="class="', '"'),
        ]
    ),
    max_size=4,
).map("".join)


@given(_ATTRIBUTES)
@settings(max_examples=400)
def test_classes_are_those_of_the_attributes(source: str) -> None:
    written = read_attributes(source).get("class", "")
    assert Node("p", 0, source).classes == tuple(written.lower().split())


@given(
    st.lists(st.sampled_from(["a", "bc", " ", "  ", "\n", "\n\t", "\u2003", "\xe9"]), max_size=12)
)
def test_running_text_knows_where_each_of_its_characters_comes_from(pieces: list[str]) -> None:
    words = "".join(pieces)
    line = Line()
    line.add(words, 100)
    text = line.text()
    assert text == " ".join(words.split())
    assert line.space is (bool(words) and words[-1].isspace())
    if not text:
        return
    assert line.places[0][0] == 0
    flat = "".join(" " if character.isspace() else character for character in words)
    ends = [*(at for at, _ in line.places[1:]), len(text)]
    for (at, origin), end in zip(line.places, ends, strict=True):
        shown = text[at:end].rstrip(" ")
        assert flat.startswith(shown, origin - 100)
