"""Entries of the pages of an API reference."""

from __future__ import annotations

from structchunk_core import Chunker
from tests.benchmarks.pages import measured
from tests.cutting import cut, holder_of, told_by_opening
from tests.html_pages import parsed

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
