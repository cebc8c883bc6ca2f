"""Profiles of tables: every figure equals one that is computed in another way."""

from __future__ import annotations

import csv
import io
import random
import statistics
from collections.abc import Callable
from dataclasses import replace
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core import Chunk, Chunker, ConfigurationError, table_gathering, table_profile
from structchunk_core.table_columns import Column
from structchunk_core.table_model import Row, Table
from structchunk_core.table_profile import profile_of
from structchunk_core.table_values import (
    day_or_none,
    number_or_none,
    numbers_or_days,
    rounded,
    written_number,
)
from tests.promises import check_promises


def table_of(columns: dict[str, list[str]]) -> Table:
    """A table of these columns, whose text is the numbers of its rows."""
    rows = list(zip(*columns.values(), strict=True))
    return Table(tuple(columns), range(len(rows)), len(rows), lambda start, _: rows[start])


def only_column(cells: list[str], name: str = "x") -> Column:
    return profile_of(table_of({name: cells})).columns[0]


def exact(digits: int, scale: int) -> Decimal:
    return Decimal(digits).scaleb(-scale)


@pytest.mark.parametrize(
    ("cell", "value", "unit"),
    [
        ("1,250", "1250", ""),
        ("1,250.50", "1250.50", ""),
        ("1.250,50", "1250.50", ""),
        ("12,5", "12.5", ""),
        ("1\u202f250", "1250", ""),
        ("1'000'000", "1000000", ""),
        ("(1,250.00)", "-1250.00", ""),
        ("-3", "-3", ""),
        ("\u22123.5", "-3.5", ""),
        ("+7", "7", ""),
        ("$12.50", "12.50", "$"),
        ("-$12.50", "-12.50", "$"),
        ("12.50 EUR", "12.50", "EUR"),
        ("\u20ac 12", "12", "\u20ac"),
        ("45%", "45", "%"),
        ("45.5 %", "45.5", "%"),
        ("2e5", "200000", ""),
        ("2.5e-3", "0.0025", ""),
        (".5", "0.5", ""),
        ("**12**", "12", ""),
        ("0", "0", ""),
        ("0.07", "0.07", ""),
    ],
)
def test_numbers_are_read_exactly(cell: str, value: str, unit: str) -> None:
    number = number_or_none(cell)
    assert number is not None
    assert exact(number.digits, number.scale) == Decimal(value)
    assert number.unit == unit


@pytest.mark.parametrize(
    "cell", ["007", "1,2,3", "12,34,567", "1-2", "3.10.2024", "(5", "5)", "", "n/a", "1" * 130, "$"]
)
def test_what_is_no_number_is_none(cell: str) -> None:
    assert number_or_none(cell) is None


@given(
    st.decimals(
        allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9
    )
)
def test_any_decimal_is_read_as_it_is_written(value: Decimal) -> None:
    for written in (f"{value:f}", f"{value:,.3f}"):
        number = number_or_none(written)
        assert number is not None
        assert exact(number.digits, number.scale) == value
        assert Decimal(written_number(number.digits, number.scale)) == value


@given(st.integers(-(10**20), 10**20), st.integers(0, 6), st.integers(1, 999), st.integers(0, 8))
def test_rounding_is_half_to_even(digits: int, scale: int, divisor: int, places: int) -> None:
    with localcontext(prec=60):
        expected = (exact(digits, scale) / divisor).quantize(
            Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN
        )
        assert exact(*rounded(digits, scale, divisor, places)) == expected


@given(
    st.lists(
        st.one_of(
            st.decimals(
                allow_nan=False, allow_infinity=False, places=2, min_value=-999, max_value=999
            ),
            st.integers(-(10**6), 10**6),
        ),
        min_size=1,
        max_size=60,
    ),
    st.integers(0, 5),
)
def test_figures_of_numbers_equal_those_of_the_standard_library(
    values: list[Decimal | int], empty: int
) -> None:
    cells = [str(value) for value in values]
    exactly = [Decimal(value) for value in values]
    column = only_column([*cells, *[""] * empty])
    assert (column.filled, column.empty) == (len(values), empty)
    assert column.distinct == len(set(cells))
    if column.kind == "year":
        return
    assert column.is_number
    assert exact(column.total, column.scale) == sum(exactly)
    assert column.least is not None
    assert column.greatest is not None
    assert Decimal(column.least.written) == min(exactly)
    assert Decimal(column.greatest.written) == max(exactly)
    assert column.least.row == exactly.index(min(exactly))
    assert column.greatest.row == exactly.index(max(exactly))
    assert column.middle is not None
    assert exact(column.middle, column.scale + 1) == statistics.median(exactly)


def test_many_rows_of_many_scales_come_out_the_same_over_batches() -> None:
    chance = random.Random(5)  # no secret
    cells = [f"{chance.uniform(-1000, 1000):.{chance.randint(0, 4)}f}" for _ in range(9000)]
    exactly = [Decimal(cell) for cell in cells]
    column = only_column(cells)
    assert exact(column.total, column.scale) == sum(exactly)
    assert column.middle is not None
    assert exact(column.middle, column.scale + 1) == statistics.median(exactly)
    assert column.greatest is not None
    assert column.greatest.row == exactly.index(max(exactly))
    assert column.distinct == len(set(cells))


def test_numbers_beyond_64_bits_have_a_sum_and_no_median() -> None:
    cells = ["999999999999999999"] * 30 + ["0.0000001"]
    column = only_column(cells)
    assert exact(column.total, column.scale) == sum(map(Decimal, cells))
    assert column.middle is None


@pytest.mark.parametrize(
    ("cells", "least", "greatest"),
    [
        (["0.5", "1.2345678901234567e-05", "0.25"], "1.2345678901234567e-05", "0.5"),
        (["12", "2.5e21", "13"], "12", "2.5e21"),
        (["12", "-3.5e-100", "13"], "-3.5e-100", "13"),
        (["12", "12345678901234567890", "13"], "12", "12345678901234567890"),
    ],
)
def test_long_numbers_are_extremes_too(cells: list[str], least: str, greatest: str) -> None:
    column = only_column(cells)
    assert column.least is not None
    assert column.greatest is not None
    assert (column.least.written, column.greatest.written) == (least, greatest)
    with localcontext(prec=300):
        assert exact(column.total, column.scale) == sum(map(Decimal, cells))


@pytest.mark.parametrize(
    "cells",
    [
        ["1", "2", "3", "1e1000"],
        ["1", "2", "3", "-5e-400"],
        ["1", "2", "3", "9" * 50],
        ["1", "2", "3", ",".join(["123"] * 12)],
        ["$5", "10%", "7", "8"],
        ["$5", "6 EUR", "7", "8", "9"],
        ["5%", "6%", "7"],
        ["5", "6", "7%"],
    ],
)
def test_what_cannot_be_compared_has_no_figures(cells: list[str]) -> None:
    column = only_column(cells)
    assert column.is_number
    assert column.filled == len(cells)
    assert (column.least, column.greatest, column.total, column.middle) == (None, None, 0, None)


@pytest.mark.parametrize(
    ("cells", "kind", "unit"),
    [
        (["1", "2", "3"], "integer", ""),
        (["1", "2.5"], "decimal", ""),
        (["1.234,5", "1.250", "3"], "decimal", ""),
        (["$1", "$2.50", "3"], "money", "$"),
        (["5 %", "7%"], "percentage", ""),
        (["$1", "5 EUR"], "text", ""),
        (["2019", "2020", "2021"], "year", ""),
        (["007", "010"], "text", ""),
        (["007", "123", "456"], "text", ""),
        (["yes", "No", "yes"], "boolean", ""),
        (["2024-01-02", "2024-03-01"], "date", ""),
        (["a", "b"], "text", ""),
        (["1", "2", "about 3"], "integer", ""),
        (["", ""], "empty", ""),
    ],
)
def test_kinds_of_columns(cells: list[str], kind: str, unit: str) -> None:
    column = only_column(cells)
    assert (column.kind, column.unit) == (kind, unit)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Year", "year"),
        ("fiscal_year", "year"),
        ("birthYear", "year"),
        ("YEAR", "year"),
        ("Baujahr", "year"),
        ("ann\u00e9e", "year"),
        ("yearly_sales", "integer"),
        ("sales per year", "integer"),
        ("anonymous", "integer"),
        ("cannot", "integer"),
        ("x", "integer"),
    ],
)
def test_years_are_known_by_whole_words_of_the_name(name: str, kind: str) -> None:
    assert only_column(["1100", "1250", "2100"], name).kind == kind


@pytest.mark.parametrize("name", ["price", "Unit price", "totalAmount", "count", "Sales"])
def test_amounts_are_no_years_whatever_their_range(name: str) -> None:
    column = only_column(["1999", "2010", "2020"], name)
    assert (column.kind, column.total) == ("integer", 6029)


def test_one_cell_tells_how_all_of_a_column_are_read() -> None:
    column = only_column(["1.234,5", "1.250", "3"])
    assert exact(column.total, column.scale) == Decimal("2487.5")
    column = only_column(["1,234.5", "1,250", "3"])
    assert exact(column.total, column.scale) == Decimal("2487.5")


def test_dates_are_compared_as_time_goes() -> None:
    column = only_column(["3 May 2024", "2023-12-31", "2024-05-02", "Dec. 1, 2022"])
    assert column.least is not None
    assert column.greatest is not None
    assert (column.least.written, column.least.row) == ("Dec. 1, 2022", 3)
    assert (column.greatest.written, column.greatest.row) == ("3 May 2024", 0)
    american = only_column(["3/4/2024", "12/31/2023", "2/5/2024"])
    assert american.greatest is not None
    assert american.greatest.written == "3/4/2024"
    european = only_column(["3/4/2024", "31/12/2023", "2/5/2024"])
    assert european.greatest is not None
    assert european.greatest.written == "2/5/2024"
    unclear = only_column(["3/4/2024", "2/5/2024"])
    assert (unclear.kind, unclear.least) == ("date", None)
    assert day_or_none("2024-02-30") is None
    assert day_or_none("2024-13-01") is None


@pytest.mark.parametrize(
    "cells",
    [
        ["2024-05-03 9:30", "2024-05-03 10:00"],
        ["2024-05-03 12:30 AM", "2024-05-03 1:00 AM", "2024-05-03 12:00 PM", "2024-05-03 1:00 pm"],
        ["2024-05-03T00:30+02:00", "2024-05-02T23:00Z", "2024-05-02T22:30-0100"],
        ["2024-05-03", "2024-05-03 00:00", "2024-05-03 00:00:01.5", "2024-05-03 00:00:02"],
        ["Apr 2024", "2024-04-01", "2024-04-30", "May 2024"],
    ],
)
def test_times_of_the_day_are_compared_as_time_goes(cells: list[str]) -> None:
    for order in (cells, cells[::-1]):
        column = only_column(order)
        assert column.least is not None
        assert column.greatest is not None
        assert (column.least.written, column.greatest.written) == (cells[0], cells[-1])


def test_times_with_and_without_an_offset_have_no_extremes() -> None:
    column = only_column(["2024-05-03T00:30+02:00", "2024-05-03 01:00", "0000-02-29"])
    assert (column.kind, column.least, column.greatest) == ("date", None, None)


CELLS = st.one_of(
    st.from_regex(r"-?(0|[1-9][0-9]{0,3})(\.[0-9]{1,4})?", fullmatch=True),
    st.from_regex(r"[0-9]{1,3}(,[0-9]{3}|,[0-9]{2}|%| EUR|th Street)", fullmatch=True),
    st.from_regex(r"2020-[01][0-9]-[0-3][0-9]([T ][01][0-9]:[0-5][0-9])?", fullmatch=True),
    st.from_regex(r"[0-3]?[0-9]/[01]?[0-9]/2020", fullmatch=True),
    st.from_regex(r"0[xX]?[0-9a-f]{1,8}%?", fullmatch=True),
    st.sampled_from(
        ["", "yes", "b", "(4)", "007", "*7*", "May 3, 2020", "\u017fep 2020", "x" * 50]
    ),
)


GROUPED = st.one_of(
    st.from_regex(r"-?[1-9][0-9]{0,2}(,[0-9]{3}){1,2}", fullmatch=True),
    st.sampled_from(["", "0,5", "-7,25", "1.5", "12", "$4,000", "1 234,5"]),
)


@given(
    st.lists(CELLS, min_size=1, max_size=30) | st.lists(GROUPED, min_size=1, max_size=12),
    st.integers(2, 9),
)
def test_cells_read_together_mean_what_each_means_alone(cells: list[str], batch: int) -> None:
    together, alone = [*cells, "a b"], [*cells, "a\nb"]  # several lines: each is read alone
    expected = only_column(alone)
    with pytest.MonkeyPatch.context() as patch:
        for longest in (batch, 2048):
            patch.setattr(table_profile, "_BATCH", longest)
            column = only_column(together)
            assert replace(column, frequent=expected.frequent) == expected
    for cell in filter(None, cells):
        known = (number_or_none(cell), day_or_none(cell), day_or_none(cell, month_first=True))
        assert any(known) <= (numbers_or_days(cell) == [cell])


@pytest.mark.parametrize(
    ("cells", "most"),
    [
        ([f"{n}.{n % 7}" for n in range(6000)], 0),
        ([f"2024-01-{n % 28 + 1:02d} 10:{n % 60:02d}" for n in range(6000)], 0),
        ([f"Flight {n} to Oslo" for n in range(6000)], 0),
        (["yes", "no"] * 3000, 0),
        ([f"-{n % 900 + 1},{n % 1000:03d}" for n in range(6000)], 0),
        ([f"{n % 90 + 1},{n % 1000:03d},000" for n in range(6000)], 0),
        ([f"${n % 40}" for n in range(6000)], 40),
        ([f"{n % 40 + 1}/{n % 12 + 1}/2024" for n in range(6000)], 3 * 120),
        ([f"{n}/B4" for n in range(6000)], 3 * 4096),  # decided: half of all rows are text
    ],
)
def test_few_cells_are_read_one_by_one(
    cells: list[str], most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counting(function: Callable[..., Any]) -> Callable[..., Any]:
        def counted(cell: str, **options: bool) -> Any:
            read.append(cell)
            return function(cell, **options)

        return counted

    for name in ("number_or_none", "read_otherwise", "day_or_none"):
        monkeypatch.setattr(table_gathering, name, counting(getattr(table_gathering, name)))
    assert only_column(cells).filled == len(cells)
    assert len(read) <= most


def test_rows_of_extremes_are_named_and_read_once() -> None:
    read: list[int] = []
    count = 3000
    columns = {"city": [f"City {n}" for n in range(count)]}
    columns |= {f"c{k}": [str((n * 7 + k) % count) for n in range(count)] for k in range(40)}
    rows = list(zip(*columns.values(), strict=True))

    def reading(start: int, _end: int) -> Any:
        read.append(start)
        return rows[start]

    profile = profile_of(Table(tuple(columns), range(count), count, reading))
    for column in profile.columns[1:]:
        for extreme in (column.least, column.greatest):
            assert extreme is not None
            assert extreme.key == ("city", f"City {extreme.row}")
            assert columns[column.name][extreme.row] == extreme.written
    named = {e.row for c in profile.columns for e in (c.least, c.greatest) if e is not None}
    assert len(read) == count + len(named)


def test_ragged_rows_are_counted_with_all_their_values() -> None:
    rows = [["1"], ["2", "a", "extra"], ["3", "b"]]
    table = Table(("n", "w"), range(3), 3, lambda start, _: rows[start])
    profile = profile_of(table)
    assert [column.name for column in profile.columns] == ["n", "w", "column_3"]
    assert [column.filled for column in profile.columns] == [3, 2, 1]
    assert [column.empty for column in profile.columns] == [0, 1, 2]
    assert list(table.rows(1, 2)) == [Row(1, 2, rows[1])]


ORDERS = "order;customer;amount;paid\n" + "".join(
    f"{n:04d};Customer {n % 7};{n * 37 % 1000},{n % 100:02d};{'yes' if n % 3 else 'no'}\n"
    for n in range(300)
)


def chunks_of(text: str, size: int = 512, **settings: Any) -> list[Chunk]:
    chunker = Chunker(chunk_size=size, **settings)
    chunks = chunker.chunk(text, path="orders.csv")
    check_promises(text, chunks, chunker)
    return chunks


def test_a_split_table_has_a_profile_behind_its_parts() -> None:
    *parts, profile = chunks_of(ORDERS)
    assert profile.derived
    assert profile.kind == "table_profile"
    assert not any(part.derived for part in parts)
    assert profile.child_ids == tuple(part.id for part in parts)
    assert {part.parent_id for part in parts} == {profile.parent_id} != {""}
    rows = list(csv.DictReader(io.StringIO(ORDERS), delimiter=";"))
    amounts = [Decimal(row["amount"].replace(",", ".")) for row in rows]
    most = max(rows, key=lambda row: Decimal(row["amount"].replace(",", ".")))
    assert "300 rows, 4 columns" in profile.text
    assert f"sum {sum(amounts)}" in profile.text
    assert f"median {statistics.median(amounts).normalize()}" in profile.text
    assert f"max {most['amount']} (order: {most['order']})" in profile.text
    assert "Customer 0 (43)" in profile.text
    assert "yes (200), no (100)" in profile.text
    assert Chunker().count(profile.text) <= 512
    assert profile.size <= 512 // 8 + 20
    assert "sum" not in profile.embed_text


def test_who_gets_a_profile_is_a_setting() -> None:
    small = "a,b\n1,2\n3,4\n"
    assert [chunk.derived for chunk in chunks_of(small)] == [False]
    whole, profile = chunks_of(small, table_profile="always")
    assert profile.child_ids == (whole.id,)
    assert "2 rows, 2 columns" in profile.text
    assert not any(chunk.derived for chunk in chunks_of(ORDERS, table_profile=False))
    with pytest.raises(ConfigurationError, match="table_profile must be True, False or 'always'"):
        Chunker(table_profile="sometimes")  # type: ignore[arg-type]  # that is what is tested
    prints = {Chunker(table_profile=value).fingerprint for value in (True, False, "always")}
    assert len(prints) == 3


def test_a_wide_table_has_several_profiles_of_its_columns() -> None:
    names = [f"measurement {number}" for number in range(60)]
    rows = "".join(",".join(str(n * k % 97) for k in range(60)) + "\n" for n in range(50))
    chunks = chunks_of(f"{','.join(names)}\n{rows}", 400)
    profiles = [chunk for chunk in chunks if chunk.derived]
    assert len(profiles) > 3
    for name in names:
        assert sum(f"- {name}: " in profile.text for profile in profiles) == 1
    assert all(Chunker().count(profile.text) <= 400 for profile in profiles)
    assert len({profile.child_ids for profile in profiles}) == 1


@pytest.mark.parametrize("tokenizer", ["characters", "cl100k_base"])
@pytest.mark.parametrize("size", [200, 400, 1000, 2000])
def test_profiles_with_their_context_in_the_text_keep_the_budget(size: int, tokenizer: str) -> None:
    names = [f"column number {number}" for number in range(45)]
    rows = "".join(",".join(str(n * k % 97) for k in range(45)) + "\n" for n in range(60))
    path = "reports/2024/finance/very_long_name_of_file.csv"
    chunker = Chunker(chunk_size=size, tokenizer=tokenizer, context="inline")
    chunks = chunker.chunk(f"{','.join(names)}\n{rows}", path=path)
    profiles = [chunk for chunk in chunks if chunk.derived]
    assert profiles
    assert all(chunker.count(profile.text) <= size for profile in profiles)
    assert all(profile.context or size < 400 for profile in profiles)
    for name in names:
        assert sum(f"- {name}: " in profile.text for profile in profiles) == 1


@pytest.mark.parametrize("size", [8, 12, 20, 40])
def test_tiny_budgets_hold(size: int) -> None:
    chunks_of(ORDERS[:600], size)


def test_rows_can_be_linked_to_their_groups() -> None:
    chunks = chunks_of(ORDERS, table_rows="linked", table_profile=False)
    entries = [entry for chunk in chunks for entry in chunk.entries]
    assert len(entries) == 300
    assert len({entry.id for entry in entries}) == 300
    for chunk in chunks:
        for entry in chunk.entries:
            context, _, text = entry.text.partition("\n\n")
            head, row = text.split("\n")
            assert (context, head) == ("orders.csv", "order;customer;amount;paid")
            assert row in chunk.text
            assert (entry.chunk_id, entry.parent_id) == (chunk.id, chunk.parent_id)
            assert entry.kind == "row"
    plain = chunks_of(ORDERS, table_profile=False)
    assert [chunk.id for chunk in plain] == [chunk.id for chunk in chunks]
    assert not any(chunk.entries for chunk in plain)
    with pytest.raises(ConfigurationError, match="table_rows must be 'grouped' or 'linked'"):
        Chunker(table_rows="each")  # type: ignore[arg-type]  # that is what is tested


def test_rows_of_tables_that_stay_whole_are_linked_too() -> None:
    text = "# Fares\n\n- Ports:\n\n  | To | Fare |\n  |---|---|\n  | Oslo | 5 |\n  | Bergen | 7 |\n"
    (chunk,) = Chunker(table_rows="linked").chunk(text, path="a.md")
    assert [entry.text.split("\n")[-1] for entry in chunk.entries] == [
        "  | Oslo | 5 |",
        "  | Bergen | 7 |",
    ]


def test_pages_have_profiles_that_point_at_their_tables() -> None:
    rows = "".join(f"<tr><td>Port {n}<td>{n * 3}</tr>\n" for n in range(200))
    page = f"<h1>Guide</h1><p>Text.</p><table><tr><th>Port<th>Fare</tr>{rows}</table><p>End.</p>"
    chunker = Chunker(chunk_size=300, table_rows="linked")
    chunks = chunker.chunk(page, path="a.html")
    check_promises(page, chunks, chunker)
    profile = chunks[-1]
    assert profile.derived
    assert page[profile.span.start :].startswith("<table>")
    assert "sum 59700" in profile.text
    assert sum(len(chunk.entries) for chunk in chunks) == 200


@pytest.mark.parametrize(
    ("name", "cells", "kind"),
    [
        ("id", ["3", "7", "9"], "identifier"),
        ("trip_id", ["3", "3", "9"], "identifier"),
        ("customerID", ["3", "7", "9"], "identifier"),
        ("zip", ["10115", "20095", "20095"], "identifier"),
        ("message", ["1453267891234567890", "1453267891234567891"], "identifier"),
        ("wei", ["1453267891234567890", "1453267891234567890"], "integer"),
        ("account", ["4111111111111111", ""], "integer"),
        ("ideas", ["3", "7", "9"], "integer"),
        ("paid", ["3", "7", "9"], "integer"),
        ("id", ["3.5", "7", "9"], "decimal"),
    ],
)
def test_numbers_that_name_something_have_no_sum(name: str, cells: list[str], kind: str) -> None:
    column = only_column(cells, name)
    assert column.kind == kind
    assert column.is_number == (kind != "identifier")
    filled = [cell for cell in cells if cell]
    assert column.least is not None
    assert column.least.written == min(filled, key=Decimal)
