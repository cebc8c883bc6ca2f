"""What the class of an element, or its id, tells: a control, navigation, a note, a language."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache


def words_of(words: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(words.split())


# What the names of a class, or an id, tell.
(
    CONTROL,
    COPIES,
    NUMBERS,
    SELF_LINK,
    FALLBACK,
    FORMULA,
    ANYWHERE,
    SURROUNDS,
    ADMONITION,
) = (1 << number for number in range(9))
_TRAITS: Mapping[str, int] = {
    **dict.fromkeys(
        words_of("copybtn mw-editsection view-source-button viewcode-back viewcode-link"), CONTROL
    ),
    **dict.fromkeys(
        words_of(
            "code-line-number gutter hljs-ln-line-number hljs-ln-numbers line-number "
            "line-numbers-rows linenodiv lineno linenos linenumber linenumbers ln lnt rouge-gutter"
        ),
        NUMBERS,
    ),
    **dict.fromkeys(
        words_of(
            "anchor anchor-link anchorjs-link doc-anchor hash-link header-anchor headerlink "
            "heading-anchor heading-link permalink"
        ),
        SELF_LINK,
    ),
    **dict.fromkeys(
        words_of("mwe-math-fallback-image-display mwe-math-fallback-image-inline"), FALLBACK
    ),
    **dict.fromkeys(
        words_of(
            "a11y-nav breadcrumb breadcrumbs catlinks md-skip mw-jump-link navbox navfooter "
            "navheader skip-link skip-nav skip-to-content skiplink skipnav sphinxsidebar "
            "table-of-contents toc vertical-navbox wy-breadcrumbs"
        ),
        ANYWHERE,
    ),
    **dict.fromkeys(
        words_of(
            "bottomnav dropdown-menu footer global-footer global-header mw-footer mw-panel nav "
            "nav-bar navbar navigation page-footer page-header page-navigation page-sidebar "
            "prev-next related rst-versions side-bar sidebar sidenav site-footer site-header "
            "site-nav subnav top-bar topbar topnav wy-nav-side wy-nav-top"
        ),
        SURROUNDS,
    ),
    **dict.fromkeys(
        words_of("admonition callout custom-block markdown-alert notecard theme-admonition"),
        ADMONITION,
    ),
}
_NOTICE = re.compile(r"(?:cookie|gdpr|consent)[-_]?(?:bar|banner|box|consent|notice|popup)?+$")


@lru_cache(maxsize=1024)  # a page has few values, very often
def traits_of(names: tuple[str, ...]) -> int:
    """What names of a class, in small letters, tell: a sum of the constants above."""
    found = 0
    for name in names:
        found |= _TRAITS.get(name, 0)
        if "copy" in name or "clip" in name:
            found |= COPIES
        if "mathml" in name:
            found |= FORMULA
        if _NOTICE.match(name):
            found |= SURROUNDS
    return found


NAMES = words_of("descname sig-name")
SCOPES = words_of("descclassname sig-prename")
LANGUAGE_CLASS = re.compile(
    r"(?:language|lang|highlight-source|highlight|prettyprint-lang|src|brush:?)[-:]([\w+#.-]+)"
)
CODE_CLASSES = frozenset(
    {"brush", "brush:", "highlight", "hljs", "literal-block", "prettyprint", "sourcecode", "src"}
)


def is_telling(names: tuple[str, ...]) -> bool:
    """Whether anybody asks an element inside a line with these names of a class for them."""
    return traits_of(names) != 0 or any(
        name in NAMES
        or name in SCOPES
        or name in CODE_CLASSES
        or LANGUAGE_CLASS.fullmatch(name) is not None
        for name in names
    )
