"""Pages: what is in their chunks, where it comes from, and what today's splitters lose of it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from structchunk_core import Chunker
from structchunk_core.rendering import Rendering
from tests.cutting import cut, holder_of
from tests.generators import html
from tests.html_pages import parsed, shown

_SIZES = pytest.mark.parametrize("size", [1500, 300, 80])


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
