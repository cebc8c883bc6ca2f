"""Pages of HTML, as tests parse them."""

from __future__ import annotations

from typing import Any

from structchunk_core import Chunker, Parsed


def parsed(page: str, path: str = "a.html", **more: Any) -> Parsed:
    return Chunker(tokenizer="characters", **more).parse(page, path=path)


def shown(page: str, path: str = "a.html", **more: Any) -> str:
    """The page as Markdown."""
    rendering = parsed(page, path, **more).rendering
    assert rendering is not None
    return rendering.text


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
