from __future__ import annotations

import csv
import io
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from structchunk_core.formats import ParseOptions, _delimited_scan
from structchunk_core.formats._delimited_scan import (
    Reader,
    cell_spans,
    cell_value,
    make_dialect,
    record_end,
    scan_records,
    values_at,
)
from structchunk_core.formats.delimited import looks_delimited, parse
from structchunk_core.source import Source
from structchunk_core.table_model import Table
from structchunk_core.unit import Parsed, Tie, Unit

NASTY = "ab1,;\t|\"' \n\r\0\f\u2028\ud800\udc00e\u0301\ufeff\u3000#="


def parsed(text: str, path: str = "data.csv") -> Parsed:
    return parse(Source(text, path, "delimited"), ParseOptions())


def table(text: str, path: str = "data.csv") -> Unit:
    found = parsed(text, path).root.open()[-1]
    assert found.kind == "table"
    return found


def table_of(text: str) -> Table:
    (found,) = [unit.table for unit in parsed(text).root.open() if unit.table is not None]
    return found


def rows(text: str, path: str = "data.csv") -> list[list[str]]:
    """Each part of the table as the texts of its cells; its head as one text."""
    return [
        [text[cell.start : cell.end] for cell in part.open() or (part,)]
        for part in table(text, path).open()
    ]


def leaves(text: str, path: str) -> str:
    return "".join(
        text[unit.start : unit.end] for _, unit in parsed(text, path).root.walk() if not unit.open()
    )


def codes(text: str) -> list[str]:
    return [problem.code for problem in parsed(text).problems]


def test_head_rows_and_cells() -> None:
    text = "name,qty\nnut,1\nbolt,2\n"
    assert rows(text) == [["name,qty\n"], ["nut,", "1\n"], ["bolt,", "2\n"]]
    parts = table(text).open()
    assert [part.kind for part in parts] == ["table_head", "row", "row"]
    assert [part.tie for part in parts[1:]] == [Tie.HEAD, Tie.NEXT]
    repeat = table(text).repeat
    assert repeat is not None
    assert repeat.before == "name,qty\n"
    assert codes(text) == []


def test_a_quoted_line_end_does_not_end_a_record() -> None:
    text = 'id,comment,score\n1,"first line\nsecond line",5\n2,"has ""quotes"" and, comma",7\n'
    assert rows(text)[1] == ["1,", '"first line\nsecond line",', "5\n"]
    assert cell_value('"has ""quotes"" and, comma"') == 'has "quotes" and, comma'
    assert codes(text) == []


def test_a_byte_order_mark_is_not_part_of_the_first_name() -> None:
    text = "\ufeffcity,people\nOslo,700\n"
    repeat = table(text).repeat
    assert repeat is not None
    assert repeat.before == "city,people\n"
    assert table(text).start == 0
    assert rows('\ufeff"1,5",2\n4,5\n') == [['\ufeff"1,5",', "2\n"], ["4,", "5\n"]]


def test_ragged_rows_are_kept_and_told() -> None:
    text = "a,b,c\n1,2,3\n4,5\n6,7,8,9\n1,2,3\n"
    assert rows(text)[2:4] == [["4,", "5\n"], ["6,", "7,", "8,", "9\n"]]
    (problem,) = parsed(text).problems
    assert problem.code == "ragged-rows"
    assert problem.message == "2 rows have more or fewer cells than the header"
    assert text[problem.start : problem.end] == "4,5\n6,7,8,9\n"


def test_cells_are_text() -> None:
    text = "code,price,phone,size\n007,1.10,0047123,\n010,2.50,,1e5\n"
    assert rows(text)[1:] == [["007,", "1.10,", "0047123,", "\n"], ["010,", "2.50,", ",", "1e5\n"]]


def test_an_unclosed_quote_swallows_nothing() -> None:
    text = 'id,txt\n1,"abc\n2,"def"\n3,x"y\n'
    assert rows(text)[1:] == [["1,", '"abc\n'], ["2,", '"def"\n'], ["3,", 'x"y\n']]
    (problem,) = parsed(text).problems
    assert problem.code == "unclosed-quote"
    assert text[problem.start : problem.end] == '1,"abc\n'


@pytest.mark.parametrize(
    ("text", "path", "delimiter"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", "x.csv", ";"),
        ("1,5;2,5;3,5\n1,5;2,5;3,5\n", "x.csv", ";"),
        ("a\tb, c\n1\t2, 3\n", "x.tsv", "\t"),
        ("a|b\n1|2\n", "x", "|"),
        ("id,tags,x\n1,a|b,3\n2,c|d,4\n", "x.csv", ","),
        ("sep=;\na,1;b\nc,2;d\n", "x.csv", ";"),
        ("sep=^\na^b\nc^d\n", "x.csv", "^"),
        ("text\nWell, yes\nno\n", "x.csv", ","),
    ],
)
def test_the_delimiter_is_the_one_that_fits_most_records(
    text: str, path: str, delimiter: str
) -> None:
    first_row = rows(text, path)[-1]
    cells = [cell.rstrip("\n") for cell in first_row]
    assert all(cell.endswith(delimiter) for cell in cells[:-1])
    assert not cells[-1].endswith(delimiter)


def test_lines_above_the_header_are_a_paragraph() -> None:
    text = "Sales report\nof 2024,,\n\nname,qty,price\na,1,2\nb,3,4\n"
    first, second = parsed(text).root.open()
    assert (first.kind, second.kind, second.tie) == ("paragraph", "table", Tie.CLOSE)
    assert text[first.start : first.end] == "Sales report\nof 2024,,\n\n"
    assert second.table is not None
    assert second.table.caption == "Sales report"
    assert second.repeat is not None
    assert second.repeat.before == "Sales report\n\nname,qty,price\n"


def test_comments_above_the_header() -> None:
    text = "##fileformat=1\n#CHROM\tPOS\tID\n1\t2\t3\n"
    first, second = parsed(text, "x.tsv").root.open()
    assert text[first.start : first.end] == "##fileformat=1\n"
    assert second.repeat is not None
    assert second.repeat.before == "#CHROM\tPOS\tID\n"


@pytest.mark.parametrize(
    ("text", "has_head"),
    [
        ("1,2\n3,4\n", False),
        ("5.1,3.5,setosa\n4.9,3.0,setosa\n", False),
        ("2024-01-01,ok\n2024-01-02,ok\n", False),
        ("country,2019,2020\nNorway,1,2\n", True),
        (",2019,2020\nNorway,1,2\n", True),
        ("1,Alice\n2,Bob\n", True),
        ("name\nAda\n", True),
        ("name,qty\n", False),
    ],
)
def test_a_header_is_assumed_unless_it_plainly_is_data(text: str, has_head: bool) -> None:
    assert (table(text).open()[0].kind == "table_head") is has_head
    assert ("no-header" in codes(text)) is (not has_head and text.count("\n") > 1)


def test_blank_lines_belong_to_the_row_above() -> None:
    text = "\n\na,b\n\n1,2\n \n3,4\n\n\n"
    assert rows(text) == [["\n\na,b\n\n"], ["1,", "2\n \n"], ["3,", "4\n\n\n"]]
    repeat = table(text).repeat
    assert repeat is not None
    assert repeat.before == "a,b\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_line_ends(line_end: str) -> None:
    text = line_end.join(["a,b", '1,"x"', "2,3"])
    assert rows(text) == [[f"a,b{line_end}"], ["1,", f'"x"{line_end}'], ["2,", "3"]]


def test_a_lone_return_ends_no_record_where_lines_do() -> None:
    assert rows("a,b\n1\r2,3\n") == [["a,b\n"], ["1\r2,", "3\n"]]


def test_the_short_head_is_a_valid_record_of_names() -> None:
    names = ["identifier of the customer", 'said "so", twice', "x"]
    out = io.StringIO()
    csv.writer(out).writerows([names, ["1", "2", "3"]])
    repeat = table(out.getvalue()).repeat
    assert repeat is not None
    (short,) = csv.reader(io.StringIO(repeat.shorter[0], newline=""))
    assert short == ["identifier\u2026", "said so twi\u2026", "x"]
    assert repeat.shorter[0].endswith("\r\n")


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "sep=;\n", " \n"])
def test_nothing_to_tabulate(text: str) -> None:
    assert leaves(text, "x.csv") == text
    assert parsed(text).problems == ()


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("id,name\n1,Ada\n2,Bob\n", ","),
        ("id;name;x\n1;Ada;2\n", ";"),
        ("id\tname\n1\tAda, B.\n2\tC\n", "\t"),
        ('id,txt\n1,"a, b"\n2,"c\nd"\n', ","),
        ("Dear Sir, hello\nI am well, thanks\nBye, now\n", ""),
        ("foo(a, b);\nbar(c, d);\nbaz(e, f);\n", ""),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n", ""),
        ("2024-01-01 10:00:00,123 INFO a\n2024-01-01 10:00:01,456 INFO b\n2024,7 x\n", ""),
        ("\tint a, b\n\tint c, d\n\tint e, f\n", ""),
        ('{"a": 1, "b": 2}\n{"a": 3, "b": 4}\n{"a": 5, "b": 6}\n', ""),
        ("just one line, with a comma", ""),
        ("word\nword\nword\n", ""),
        ("", ""),
    ],
)
def test_content_without_a_name_is_a_table_only_when_plainly_so(text: str, delimiter: str) -> None:
    assert looks_delimited(text) == delimiter


@given(st.text(NASTY, max_size=80), st.sampled_from(["x.csv", "x.tsv", "x.psv", "x"]))
def test_leaves_spell_any_text(text: str, path: str) -> None:
    assert leaves(text, path) == text
    looks_delimited(text)


@given(st.text(max_size=80))
def test_leaves_spell_any_unicode(text: str) -> None:
    assert leaves(text, "x.csv") == text


cells = st.text("ab1,;\t|\"' \n\r\0\f\u2028e\u0301=", max_size=6)


@given(
    st.integers(2, 4).flatmap(
        lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1)
    ),
    st.sampled_from(",;\t|"),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_records_and_cells_are_those_of_the_csv_module(
    records: list[list[str]], delimiter: str, quoting: Literal[0, 1, 2], line_end: str
) -> None:
    if line_end == "\n":  # the csv module then leaves a lone return unquoted, and cannot read it
        records = [[cell.replace("\r", "") for cell in record] for record in records]
    out = io.StringIO()
    csv.writer(out, delimiter=delimiter, quoting=quoting, lineterminator=line_end).writerows(
        records
    )
    prefix = f"sep={delimiter}\n"
    text = prefix + out.getvalue()

    def read(piece: str) -> list[list[str]]:
        return list(csv.reader(io.StringIO(piece, newline=""), delimiter=delimiter))

    found: list[list[str]] = []
    preamble, whole = parsed(text).root.open()
    found += read(text[len(prefix) : preamble.end])
    for part in whole.open():
        (record,) = read(text[part.start : part.end])
        found.append(record)
        if part.kind == "row":
            raw = [text[cell.start : cell.end] for cell in part.open()]
            assert [cell_value(cell.removesuffix(delimiter)) for cell in raw[:-1]] == record[:-1]
            assert cell_value(raw[-1].removesuffix(line_end)) == record[-1]
    assert found == records
    assert codes(text) in ([], ["no-header"])


def test_the_delimiter_is_that_of_most_of_the_file() -> None:
    lines = "".join(f"note {n}, about the station, made by hand, kept here\n" for n in range(2000))
    rows = "".join(f"{n};{n * 2};{n * 3}\n" for n in range(20_000))
    (table,) = [unit.table for unit in parsed(lines + rows).root.open() if unit.table is not None]
    assert len(lines) > 1 << 16
    assert next(table.rows(len(table) - 1)).values == ["19999", "39998", "59997"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_rows_with_and_without_quotes_are_read_alike(line_end: str) -> None:
    rows = [["a b", "", " c ", "1"], ["2", "x'y", "", ""], ["", "", "", "3"]]
    plain = line_end.join(",".join(row) for row in [list("NMOP"), *rows]) + line_end * 2
    quoted = line_end.join(",".join(f'"{c}"' for c in row) for row in [list("NMOP"), *rows])
    for text in (plain, quoted):
        (table,) = [unit.table for unit in parsed(text).root.open() if unit.table is not None]
        assert [list(row.values) for row in table.rows()] == rows


NEAR = st.lists(
    st.sampled_from(
        ["a", "1", ",", ",", "\n", "\n", '"', '"', '""', ' "', '",', "\r\n", "\r", " "]
    ),
    max_size=60,
).map("".join)


@given(NEAR, st.sampled_from("\n\r"), st.booleans(), st.sampled_from([1, 3, 1 << 16]))
def test_records_are_those_that_a_walk_from_cell_to_cell_finds(
    text: str, line_end: str, blank_before_quote: bool, at_once: int
) -> None:
    text = text.replace("\n", "\r") if line_end == "\r" else text
    dialect = make_dialect(",", line_end, blank_before_quote=blank_before_quote)
    starts, widths, values = [], [], []
    position = 0
    while position < len(text):
        end = record_end(text, position, dialect)
        if not text[position:end].isspace():
            starts.append(position)
            widths.append(len(list(cell_spans(text, position, dialect))))
            values.append(values_at(text, position, dialect))
        position = end
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_delimited_scan, "_AT_ONCE", at_once)
        scan = scan_records(text, 0, dialect)
    assert (list(scan.starts), list(scan.widths)) == (starts, widths)
    if not starts:
        return
    reader = Reader(text, scan, dialect, 0, 0)
    ends = [*starts[1:], len(text)]
    assert [reader.read(*span) for span in zip(starts, ends, strict=True)] == values
    assert reader.read_rows(0, len(starts)) in (values, None)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_rows_are_read_at_once_where_all_are_written_alike(line_end: str) -> None:
    lines = ["a,b", "1,2", '"3,4",5', '"6""7",8', '"9\n10",']
    text = line_end.join(lines) + line_end
    table = table_of(text)
    assert table.read_rows is not None
    assert table.read_rows(0, 2) == [["1", "2"], ["3,4", "5"]]
    assert table.read_rows(2, 4) == [['6"7', "8"], ["9\n10", ""]]
    odd = table_of(text + 'x"y,z' + line_end)
    assert odd.read_rows is not None
    assert odd.read_rows(0, 1) == [["1", "2"]]
    assert odd.read_rows(1, 2) is None  # one by one, since one in the file is written otherwise
    assert odd.values(1, 2) == [["3,4", "5"]]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("odd", ["", 'o"dd,"1"2'])
def test_a_carriage_return_in_quotes_belongs_to_the_cell(odd: str, line_end: str) -> None:
    """However the other records of the file are written."""
    table = table_of(line_end.join(["a,b", '1,"x\r"', "2,y", '"3","z"', odd]))
    assert table.values(0, 3) == [["1", "x\r"], ["2", "y"], ["3", "z"]]
    assert [list(row.values) for row in table.rows()][:3] == table.values(0, 3)


def test_a_cell_beyond_the_limit_of_the_csv_module_is_read_all_the_same() -> None:
    long = "x" * 200_000
    table = table_of(f'a,b\n1,"{long}"\n')
    assert table.values(0, 1) == [["1", long]]
    assert next(table.rows()).values == ["1", long]
