"""What was found, as lines and as tables of Markdown, in percent and with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import times_result

from tests.benchmarks.retrieval.scoring import Result, interval, interval_of_means

ORACLE = "oracle"
OURS = ("structchunk", "structchunk, entries")

Column = dict[str, Result]
"""How all did in one task, by name; the first one is what the others are held against."""


def line(name: str, column: Mapping[str, Result], seconds: float) -> str:
    """One contestant, and how far it is ahead of the first one, in 95 of 100 cases."""
    first, one = next(iter(column.values())), column[name]
    found = [
        f"{way} {one.share(way):6.1%} ({low:+6.1%} to {high:+6.1%})"
        for way in one.marks
        for low, high in [interval(one.marks[way], first.marks[way])]
    ]
    costs = f"{one.pieces:5} chunks  {one.tokens:8,} tokens  {seconds:5.0f} s"
    return f"  {name:24} {'  '.join(found)}  {costs}"


def table(way: str, rows: Sequence[str], columns: Mapping[str, Column]) -> Iterator[str]:
    """What all found with one way of ranking, and how far ours are ahead in 95 of 100 cases."""
    rows = _present(rows, columns)
    yield from _head(way, columns)
    for name in (*rows, ORACLE):
        yield _row(name, _shares(way, name, columns))
    others = [name for name in rows if name not in OURS]
    best = {name: _best(way, others, column) for name, column in columns.items()}
    yield _row(
        "best other",
        (
            f"{100 * columns[name][other].share(way):.0f}" if other else ""
            for name, other in best.items()
        ),
    )
    for ours in (name for name in OURS if name in rows):
        leads = (_lead(way, ours, best[name], column) for name, column in columns.items())
        yield _row(f"{ours}: ahead of the best other", leads)


def ablations(way: str, rows: Sequence[str], columns: Mapping[str, Column]) -> Iterator[str]:
    """As the other table, with what each setting changes in the mean over the tasks that it is in.

    In 95 of 100 cases it is between the two numbers.
    """
    yield from _head(way, columns, "against the defaults")
    first, *others = _present(rows, columns)
    yield _row(first, [*_shares(way, first, columns), ""])
    for name in others:
        there = [column for column in columns.values() if name in column]
        marks = [(column[name].marks[way], column[first].marks[way]) for column in there]
        yield _row(name, [*_shares(way, name, columns), _between(*interval_of_means(marks))])
    yield _row(ORACLE, [*_shares(way, ORACLE, columns), ""])


def took(begin: times_result, end: times_result) -> str:
    """How long it took, and how much processor time with that of the workers."""
    spent = [after - before for before, after in zip(begin[:4], end[:4], strict=True)]
    return f"{end.elapsed - begin.elapsed:.0f} s, {sum(spent):.0f} s of processor time"


def _present(rows: Sequence[str], columns: Mapping[str, Column]) -> list[str]:
    """Those who take part in a task."""
    return [name for name in rows if any(name in column for column in columns.values())]


def _head(way: str, columns: Mapping[str, Column], *more: str) -> Iterator[str]:
    yield _row(f"by {way}", [*columns, *more])
    yield "|---|" + "---|" * (len(columns) + len(more))
    asked = (len(next(iter(column.values())).marks[way]) for column in columns.values())
    yield _row("questions", [*map(str, asked), *("" for _ in more)])


def _row(name: str, cells: Iterable[str]) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _shares(way: str, name: str, columns: Mapping[str, Column]) -> Iterator[str]:
    """What one found in each task, in percent; nothing where it does not take part."""
    for column in columns.values():
        yield f"{100 * column[name].share(way):.0f}" if name in column else ""


def _between(low: float, high: float) -> str:
    return f"{100 * low:+.1f} to {100 * high:+.1f}"


def _best(way: str, others: Sequence[str], column: Mapping[str, Result]) -> str:
    """Which of them found most; ``""`` where none takes part."""
    there = [name for name in others if name in column]
    return max(there, key=lambda name: column[name].share(way), default="")


def _lead(way: str, ours: str, other: str, column: Mapping[str, Result]) -> str:
    """How far one of ours is ahead of the best of the others, in 95 of 100 cases."""
    if ours not in column or not other:
        return ""
    low, high = interval(column[ours].marks[way], column[other].marks[way])
    return f"{_signed(low)} to {_signed(high)}"


def _signed(share: float) -> str:
    """In whole percent with its sign; 0 has none."""
    percent = round(100 * share)
    return f"{percent:+d}" if percent else "0"
