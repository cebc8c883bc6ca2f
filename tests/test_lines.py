"""Cuts in what is too large for a chunk: at the ends of lines, and none behind a lone head."""

from __future__ import annotations

from typing import Any

import pytest

from structchunk_core import Chunk, Chunker
from structchunk_core.formats.code import readable
from structchunk_core.lines import Lines
from structchunk_core.profiles import profile
from structchunk_core.sizing import CharacterMeasure
from tests.cutting import cut, holder_of


def chunks_of(text: str, path: str, size: int) -> list[Chunk]:
    chunker = Chunker(tokenizer="characters", chunk_size=size, context="none")
    return chunker.chunk(text, path=path)


def cut_lines(text: str, chunks: list[Chunk]) -> list[str]:
    """What stands in front of each cut on its line."""
    return [
        before
        for chunk in chunks[1:]
        if (before := text[: chunk.span.start].rpartition("\n")[2].strip())
    ]


CALL = """\
def report(session, names):
    first = session.load(names)
    result = session.request(
        "a first argument of some length",
        "a second argument of some length",
        "a third argument of some length",
    ).join(
        "a fourth argument of some length",
        "a fifth argument of some length",
        "a sixth argument of some length",
    )
    return first + result
"""
TEXT = '''\
TABLE = {
    "first": "a short value",
    "second": decoded(b"""
        a first line of text that is long
        a second line of text that is long
        a third line of text that is long
        a fourth line of text that is long
    """),
    "third": "a short value",
}
'''
CONDITION = """\
function pick(items, options) {
  const found = items.length > options.most && options.mode === "a rather long name" ? {
    first: items[0],
    second: items[1],
    third: items[2],
  } : {
    first: items[3],
    second: items[4],
    third: items[5],
  };
  return found;
}
"""


@pytest.mark.parametrize(
    ("text", "path"), [(CALL, "report.py"), (TEXT, "table.py"), (CONDITION, "pick.js")]
)
@pytest.mark.parametrize("size", [100, 140, 180, 240])
def test_no_line_that_fits_is_cut(text: str, path: str, size: int) -> None:
    chunks = chunks_of(text, path, size)
    assert len(chunks) > 1
    assert cut_lines(text, chunks) == []


def test_what_fits_with_its_line_stays_whole() -> None:
    inner = TEXT[TEXT.index('    "second"') : TEXT.index('    "third"')].rstrip()
    assert any(inner in chunk.text for chunk in chunks_of(TEXT, "table.py", len(inner) + 1))
    parted = chunks_of(TEXT, "table.py", len(inner) - 1)
    assert not any(inner in chunk.text for chunk in parted)
    assert cut_lines(TEXT, parted) == []


def test_a_line_that_does_not_fit_is_cut_inside() -> None:
    text = "values = [" + ", ".join(f'"value {number}"' for number in range(60)) + "]\n"
    chunks = chunks_of(text, "values.py", 120)
    assert len(cut_lines(text, chunks)) == len(chunks) - 1 > 5
    assert "".join("".join(chunk.text.split()) for chunk in chunks) == "".join(text.split())


def test_definitions_that_share_a_line_share_a_chunk() -> None:
    text = "int first() { return 1; } int second() { return 2; }\nint third() { return 3; }\n"
    chunker = Chunker(tokenizer="characters", chunk_size=60, target_size=20, context="none")
    texts = [chunk.text for chunk in chunker.chunk(text, path="a.c")]
    assert texts == text.splitlines()


def test_a_first_statement_is_opened_beside_a_long_signature() -> None:
    text = """\
<?php
function carries(
    string $first_of_the_names,
    string $second_of_the_names
): array {
    return array_merge(
        [$first_of_the_names => true],
        [$second_of_the_names => true],
    );
}
"""
    first, *others = chunks_of(text, "a.php", 130)
    assert first.text.endswith("return array_merge(")
    assert others
    assert cut_lines(text, [first, *others]) == []


def test_the_comment_above_a_class_stays_with_its_line_rather_than_the_first_member() -> None:
    head = "// What follows is a set of sums, kept apart.\nclass Sums {\n"
    member = "  add(first, second) {\n    return first + second;\n  }\n"
    text = head + member + "\n" + member.replace("add", "sum") + "}\n"
    whole = len((head + member).rstrip())
    assert chunks_of(text, "a.js", whole)[0].text == (head + member).rstrip()
    assert [chunk.text for chunk in chunks_of(text, "a.js", whole - 1)][:2] == [
        head.rstrip(),
        member.rstrip(),
    ]


class CountedLines(Lines):
    """Lines that count how many were read."""

    read = 0

    def _line(self, start: int, position: int) -> tuple[int, int, bool]:
        type(self).read += 1
        return super()._line(start, position)


def test_a_long_line_is_read_once_however_often_it_is_asked_about() -> None:
    text = "short\n" + "x " * 5000 + "\nshort again\n"
    lines = CountedLines(text, CharacterMeasure().scale(text), 100)
    assert not lines.is_inside(0)
    assert lines.is_inside(2)
    assert not any(lines.is_inside(position) for position in range(6, 10_000))
    assert lines.is_inside(len(text) - 3)
    assert CountedLines.read == 3


@pytest.mark.parametrize("size", range(150, 270, 10))
def test_a_signature_stays_with_its_body_rather_than_a_class_with_its_first_member(
    size: int,
) -> None:
    text = """\
extension Redirector: RedirectHandler {
    public func task(_ task: SessionTask,
                     for response: Response) {
        switch behavior {
        case .follow:
            completion(request)
        case .doNotFollow:
            completion(nil)
        }
    }
}
"""
    signature = text[text.index("    public") : text.index("        case .follow")].rstrip()
    assert any(signature in chunk.text for chunk in chunks_of(text, "a.swift", size))


def test_the_line_that_opens_a_statement_is_left_alone_before_the_signature_is() -> None:
    text = """\
class Sums {
  newFactory(base, sub) {
    return new Factory({
      create(first_of_them, second_of_them) {
        return first_of_them + second_of_them + first_of_them;
      },
      toString() {
        return "Factory of sums";
      },
    });
  }
}
"""
    function = "  newFactory(base, sub) {\n    return new Factory({"
    texts = [chunk.text for chunk in chunks_of(text, "a.js", 150)]
    assert any(function in part for part in texts)


@pytest.mark.parametrize("granularity", ["definition", "packed"])
def test_blocks_of_definitions_are_apart_like_definitions(granularity: Any) -> None:
    block = "#ifdef _{0}\nint {0}(void) {{\n  return 1;\n}}\n#endif\n"
    text = block.format("first") + "\n" + block.format("second") + "\nint third;\n"
    chunker = Chunker(
        tokenizer="characters",
        chunk_size=120,
        target_size=120,
        granularity=granularity,
        context="none",
    )
    texts = [chunk.text for chunk in chunker.chunk(text * 2, path="a.c")]
    shared = any("first(" in part and "second(" in part for part in texts)
    assert shared == (granularity == "packed")


def test_small_blocks_of_no_definitions_share_a_chunk() -> None:
    block = "#ifdef {0}\n#include <{0}.h>\n#endif\n"
    text = "".join(block.format(name) for name in ("one", "two", "three", "four", "five"))
    texts = [chunk.text for chunk in chunks_of(text, "a.c", 150)]
    assert len(texts) == 2


def test_what_fits_without_the_label_above_it_stays_whole() -> None:
    method = "  explicit Message(int code) {\n    text_ = format(code);\n    show(text_);\n  }"
    text = f"class Message {{\n  int code;\n\n public:\n{method}\n\n  int other;\n}};\n"
    assert any(method in chunk.text for chunk in chunks_of(text, "a.cpp", len(method)))


def test_a_comment_at_the_end_of_what_indentation_ends_belongs_to_what_follows() -> None:
    second = "  // What two is.\n  def two: Int =\n    1 + 1"
    text = f"object Sums {{\n  def one: Int =\n    0 + 1\n\n{second}\n\n  // End.\n}}\n"
    texts = [chunk.text for chunk in chunks_of(text, "a.scala", 55)]
    assert second in texts


MACROS = """\
template <typename T> class Buffer : public Sums {{
  T data_;

 public:
  explicit Buffer(T out) : data_(out) {{}}

  void flush(T begin, T end) {{
{body}
  }}

  auto out() -> T {{
    flush(data_, data_);
    return data_;
  }}
}};
"""


def test_macros_in_place_of_keywords_do_not_take_the_class_along() -> None:
    body = "    LIB_TRY { add(begin); }\n    LIB_CATCH(...) { add(end); }"
    text = MACROS.format(body=body)
    chunker = Chunker(tokenizer="characters", chunk_size=160, context="none")
    symbols = [chunk.symbols for chunk in chunker.chunk(text, path="buffer.cpp")]
    assert ("Buffer::flush",) in symbols
    assert ("Buffer::out",) in symbols


def test_a_macro_between_if_and_its_condition_is_not_shown_to_the_grammar() -> None:
    text = "if LIB_CONSTEXPR20 (sums<T>()) add();\nif (LIB_SUMS (one)) add();\n"
    shown = text.replace("LIB_CONSTEXPR20", " " * len("LIB_CONSTEXPR20"))
    assert readable(text, profile("cpp")) == shown


def test_a_struct_without_a_name_is_a_container_still() -> None:
    methods = [
        f"  int get_{name}() {{\n    return {name} + {name};\n  }}"
        for name in ("one", "two", "three")
    ]
    text = "struct {\n" + "\n\n".join(methods) + "\n} sums;\n"
    texts = [chunk.text for chunk in chunks_of(text, "a.cpp", 70)]
    assert all(any(method in part for part in texts) for method in methods)
    assert not any("get_one" in part and "get_two" in part for part in texts)


SWITCH = """\
extension Redirector: Handler {
    func answer(_ call: Call, {parameters}) {
        switch behavior {
        case .follow:
            completion(request)
        case .stop:
            completion(nil)
        }
    }
}
"""
ATTRIBUTES = """\
#[cfg(any(feature = "std", not(no_core_net)))]
#[inline]
fn digits(mut number: u8, out: &mut [u8]) -> usize {
    if number >= 100 {
        out[0] = b'0' + number / 100;
        out[1] = b'0' + number / 10 % 10;
        out[2] = b'0' + number % 10;
        3
    } else {
        out[0] = b'0' + number;
        1
    }
}
"""


@pytest.mark.parametrize(
    ("text", "path", "head"),
    [(SWITCH, "a.swift", "        switch behavior {"), (ATTRIBUTES, "a.rs", "    if number >=")],
)
@pytest.mark.parametrize("granularity", ["definition", "packed"])
def test_what_closes_a_function_and_stands_above_it_counts_with_its_only_statement(
    text: str, path: str, head: str, granularity: str
) -> None:
    """Head and statement would fit, but not with the bracket behind and the attributes above."""
    text = text.replace("{parameters}", "for request: Request, then completion: Completion")
    start = text.index("    func") if "func" in text else 0
    closed = text.rstrip("}\n ")
    for size in range(len(closed) - start, len(text) - 1):
        chunks = cut(text, path, size, granularity, context="none")
        signature = holder_of(chunks, "{\n" + head)
        assert head.strip() in signature.text, size


def test_the_first_half_of_a_line_is_cut_off_above_it_rather_than_in_it() -> None:
    body = "".join(f"        assert(number({n}) == {n})\n" for n in range(45))
    text = (
        f'object Tests extends Suite {{\n  def tests = Tests {{\n    test("call") {{\n'
        f'      test - prep {{ wd =>\n{body}      }}\n    }}\n    test("more") {{\n'
        f"      test - prep {{ wd =>\n{body}      }}\n    }}\n  }}\n}}\n"
    )
    for size in range(len(body), len(body) + 90, 5):
        assert cut_lines(text, cut(text, "Tests.scala", size)) == [], size


def test_a_bracket_that_opens_members_in_a_line_is_no_part_of_the_first_one() -> None:
    body = "".join(f"      step({number})\n" for number in range(12))
    text = (
        "object List {\n  def apply(argument: Path, depth: Int) = new Generator[Path]{\n"
        f"    def generate(handle: Path => Action) = {{\n{body}    }}\n  }}\n}}\n"
    )
    size = len(body) + 60
    assert cut_lines(text, chunks_of(text, "list.scala", size)) == []
    chunks = cut(text, "list.scala", size, context="none")
    assert holder_of(chunks, "def generate").text.startswith("    def generate")


def test_the_end_of_a_statement_with_members_is_no_company_for_the_next_one() -> None:
    def adapter(name: str, steps: int) -> str:
        work = "".join(f"        work({number});\n" for number in range(steps))
        return (
            f"  static final Adapter<{name}> {name} =\n    new Adapter<{name}>() {{\n"
            f"      public {name} read(Reader in) {{\n{work}      }}\n\n"
            f"      public void write(Writer out) {{\n        out.value(1);\n      }}\n    }};\n"
        )

    first, second = adapter("Address", 40), adapter("Number", 12)
    text = f"class Adapters {{\n{first}\n  static final Factory FACTORY = of();\n\n{second}}}\n"
    for size in range(900, 1100, 20):
        chunks = cut(text, "Adapters.java", size, context="none")
        written = [chunk for chunk in chunks if "void write" in chunk.text]
        assert len(written) == 2, size
        assert "FACTORY" not in written[0].text


def test_what_fits_without_a_hidden_line_behind_it_stays_whole() -> None:
    function = "    func open(size: Int) -> Stream? {\n        return stream(size)\n    }\n"
    doc = "    /// Gives the stream of what has been received until now.\n"
    text = f"class Request {{\n    #if canImport(Foundation)\n{doc}{function}    #endif\n\n"
    text += "    var size = 0\n}\n"
    for size in range(len(function), len(doc) + len(function)):
        chunks = cut(text, "Request.swift", size, context="none")
        assert function.strip() in holder_of(chunks, "return stream").text, size


def test_what_fits_with_its_comment_stays_with_it_without_the_label() -> None:
    comment = "  // The limiter must outlive this instance.\n"
    function = "  File(int fd, Limiter* limiter) : limiter_(limiter) {\n    open(fd);\n  }\n"
    text = f"class File {{\n public:\n{comment}{function}\n  ~File() {{ close(); }}\n}};\n"
    chunks = cut(text, "file.cc", len(comment) + len(function), context="none")
    assert holder_of(chunks, "open(fd)").text.startswith(comment)


def test_a_function_that_is_assigned_several_times_at_once_is_one() -> None:
    text = (
        "/**\n * Says what a value is.\n *\n * @example kindOf(1) // number\n */\n"
        "var kindOf = (exports.kindOf = function kindOf(value) {\n"
        "  return typeof value;\n});\nmodule.a = module.b = () => {\n  return 1;\n};\n"
    )
    root = Chunker(tokenizer="characters").parse(text, path="utils.cjs").root
    found = [(unit.kind, unit.label) for unit in root.open()]
    assert found == [("function", "kindOf"), ("function", "module.a")]
    chunks = cut(text, "utils.cjs", 100, context="none")
    assert holder_of(chunks, "typeof").text.startswith("var kindOf")


def test_bindings_of_a_function_are_statements_in_a_row() -> None:
    text = (
        "let process config items =\n"
        "  let size = List.length items in\n"
        "  let open Syntax in\n"
        "  let helper index value =\n"
        "    let scaled = scale_by_a_factor config value in\n"
        "    store_a_value config index scaled\n"
        "  in\n"
        "  let* third = compute_a_third_value config helper in\n"
        "  report config size;\n"
        "  Ok third\n"
    )
    helper = text[text.index("  let helper") : text.index("  let* third")].rstrip()
    for size in range(len(helper), 260, 7):
        chunks = cut(text, "process.ml", size, context="none")
        assert helper in holder_of(chunks, "let scaled").text, size
        assert not any(chunk.text.lstrip().startswith("in\n") for chunk in chunks), size


def test_functions_in_the_clauses_of_a_statement_have_chunks_of_their_own() -> None:
    body = "".join(f"        step({number})\n" for number in range(12))
    text = (
        f"try:\n    from fast import find, keep\nexcept ImportError:\n    LIMIT = 1\n\n"
        f"    def find(value):\n{body}\n    def keep(value):\n{body}\n\n"
        "OTHER = LIMIT + 1\n"
    )
    for size in range(len(text), len(text) + 200, 40):
        chunks = cut(text * 2, "cases.py", size, context="none")
        for chunk in chunks:
            functions = sum(f"def {name}" in chunk.text for name in ("find", "keep"))
            assert functions + ("OTHER" in chunk.text) < 2, size


def test_templates_in_other_languages_and_patterns_are_left_as_they_are() -> None:
    text = (
        'class Cart {\n  render() {\n    return html`\n      <ul class="cart">\n'
        "        ${this.items.map((item) => html`<li>${item.name}</li>`)}\n      </ul>`;\n  }\n\n"
        "  load() {\n    const text = sql`select * from carts where id = ${this.id} and '%{%'`;\n"
        "    return gql`query Cart { cart(id: 1) { name items { id } } }`;\n  }\n\n"
        "  find() {\n    return /[{\"'`]+\\/[^}]*/g;\n  }\n}\n"
    )
    for size in range(150, 300, 10):
        chunks = cut(text, "cart.js", size, context="none")
        assert "</ul>`;" in holder_of(chunks, "html`\n").text, size
        assert "'%{%'`;" in holder_of(chunks, "sql`").text, size
        assert "return /[{\"'`]+\\/[^}]*/g;" in holder_of(chunks, "find()").text, size


def test_white_space_that_is_no_blank_makes_no_chunk_of_its_own() -> None:
    text = '<h1 id="top">The <em>first</em></h1>\n' * 6
    text += '<dl class="py"><span class="sig-name descna\x8bY\\Ì\x85\x1c' + text
    chunker = Chunker(chunk_size=4, length_function=lambda part: len(part.encode()))
    assert all(chunk.text.strip() for chunk in chunker.chunk(text, path="a.vue"))
