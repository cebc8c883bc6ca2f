"""What an audit looks for. Each rule says what it finds and what a reader of the chunk loses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from structchunk_core.errors import ConfigurationError


class Rule(NamedTuple):
    """Something that may be wrong with the chunks of a document.

    Attributes:
        id: its name in reports and options; it does not change from release to release.
        finds: what one finding of it is, in a few words.
        loss: what a reader, or a model that is given the chunk, loses by it.
        promise: the number of the promise of this package that it checks, or 0 for what is worth
            knowing but may be meant so.
    """

    id: str
    finds: str
    loss: str
    promise: int


_ALL = (
    Rule(
        "cut-definition",
        "a function, method or class that fits the budget is in no chunk as a whole",
        "no chunk says what it takes, does and returns",
        1,
    ),
    Rule(
        "torn-comment",
        "a comment, decorator or attribute is in another chunk than its definition",
        "the definition is read without what explains or changes it, and the comment without what "
        "it is about",
        1,
    ),
    Rule(
        "lone-signature",
        "a chunk ends with the signature of a function although its body could begin there",
        "a search for the function finds its name and nothing of what it does",
        1,
    ),
    Rule(
        "cut-fence",
        "a block of code that fits the budget is in no chunk as a whole",
        "the example can neither be read nor run",
        1,
    ),
    Rule(
        "open-fence",
        "a part of a block of code lacks its opening or closing line",
        "code is shown as prose and prose as code, from there to the end of the prompt",
        4,
    ),
    Rule(
        "cut-table",
        "a table that fits the budget is in no chunk as a whole",
        "rows cannot be compared, counted or added up",
        1,
    ),
    Rule(
        "headless-rows",
        "rows of a table stand without its header",
        "values without the names of their columns: nobody can tell what they mean",
        4,
    ),
    Rule(
        "captionless-rows",
        "rows of a table stand without its caption",
        "nobody can tell what the table is about",
        4,
    ),
    Rule(
        "cut-record",
        "a table row or a record that fits the budget is in no chunk as a whole",
        "its values are no longer those of one thing",
        1,
    ),
    Rule(
        "cut-item",
        "a list item that fits the budget is in no chunk as a whole",
        "half a statement, which may say the opposite of the whole",
        1,
    ),
    Rule(
        "cut-procedure",
        "a numbered procedure that fits the budget is in no chunk as a whole",
        "steps are left out, and nothing says so",
        1,
    ),
    Rule(
        "cut-block",
        "a paragraph, statement, note or another unit that fits the budget is cut",
        "a thought or a statement without its end",
        1,
    ),
    Rule(
        "cut-word",
        "a chunk begins or ends inside a word that fits the budget",
        "neither half is found by a search for the word",
        1,
    ),
    Rule(
        "lone-heading",
        "a heading is in another chunk than the text right under it",
        "a heading that answers nothing, and a text that nobody can place",
        1,
    ),
    Rule(
        "missing-heading",
        "a chunk stands inside a section that neither it nor its metadata name",
        "what the text is about: the heading is what people search for",
        4,
    ),
    Rule(
        "missing-scope",
        "a chunk stands inside a class or module that it does not name",
        "which of many methods of that name it is",
        4,
    ),
    Rule(
        "missing-signature",
        "a chunk stands inside a function that it does not name",
        "statements without the function that they belong to",
        4,
    ),
    Rule(
        "over-budget",
        "what is embedded of a chunk measures more than the budget",
        "embedding models cut off, without a word, what is too long",
        3,
    ),
    Rule(
        "lost-text",
        "visible characters of the document are in no chunk",
        "no search will ever find them",
        2,
    ),
    Rule(
        "repeated-text",
        "visible characters of the document are in several chunks as their own text",
        "results that say the same, and room in the prompt for nothing new",
        2,
    ),
    Rule(
        "invented-text",
        "a chunk says words that the document does not hold",
        "the source is quoted for what it does not say",
        2,
    ),
    Rule(
        "wrong-position",
        "a chunk names another place in the document than the one its text stands at",
        "links and quotes lead to the wrong lines",
        2,
    ),
    Rule(
        "blank-chunk",
        "a chunk holds nothing visible",
        "a result that says nothing",
        2,
    ),
    Rule(
        "duplicate-chunk",
        "a chunk says, of the same place, what an earlier chunk says",
        "two results for one answer",
        2,
    ),
    Rule(
        "missing-position",
        "a chunk does not name its place in the document",
        "nobody can be sent to the lines that an answer comes from",
        0,
    ),
    Rule(
        "tiny-chunk",
        "a chunk of a larger document measures less than a tenth of the budget",
        "a result with hardly any content, ranked by a word or two",
        0,
    ),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _ALL}
"""Every rule by its id, in the order of reports."""

PROMISE_RULES = tuple(rule.id for rule in _ALL if rule.promise)
"""The ids of those that chunks of this package never break."""


def rules_named(names: str | Sequence[str]) -> tuple[str, ...]:
    """The ids that are named: by ids, ``promises`` or ``all``, in a text with commas between them.

    Raises:
        ConfigurationError: one of them is no rule.
    """
    found: dict[str, None] = {}
    parts = names.split(",") if isinstance(names, str) else names
    for name in (part.strip() for part in parts):
        if name == "promises":
            found |= dict.fromkeys(PROMISE_RULES)
        elif name == "all":
            found |= dict.fromkeys(RULES)
        elif name in RULES:
            found[name] = None
        else:
            raise ConfigurationError(
                f"a rule must be promises, all, or one of {', '.join(RULES)}, got {name!r}"
            )
    return tuple(found)
