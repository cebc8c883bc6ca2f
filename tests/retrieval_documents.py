"""Documents that the benchmark of retrieval is asked about in tests."""

from __future__ import annotations

import json

from tests.benchmarks.retrieval.corpus import Document

PYTHON = Document(
    "shop/prices.py",
    '''class Prices:
    def discount(self, voucher):
        """What a voucher takes off the invoice. It is rounded."""
        rate = self.rates.get(voucher)
        return round(rate, 2)

    def shipping(self, parcel):
        """Tell the price of sending a parcel.

        More words.
        """
        return self.weights[parcel] * 2

    def short(self):
        """Nothing is asked about so little."""
        return 1
''',
)
RUST = Document(
    "src/lib.rs",
    """/// Builds the matcher that all patterns share. More.
///
/// Second paragraph.
pub fn build(patterns: &[Pattern]) -> Matcher {
    let mut made = Matcher::new();
    made.extend(patterns);
    made
}
""",
)
GUIDE = Document(
    "guide.md",
    """# Guide

## Set up

Write this file before you start the server:

```toml
[server]
address = "localhost"
folder = "/srv/shop"
```

## Words

The first sentence of a paragraph says what it is about. The second one says it with other words,
so that it can be asked for. The third one ends what has been said here at some length.
""",
)
STOCK = Document(
    "stock.csv",
    "name,count,place\nred paint,12,shelf one\nblue paint,7,shelf two\n" * 1
    + "green paint,3,shelf nine\n",
)
PAGE = Document(
    "index.html",
    """<p id="map"><b class="header">map</b><code>_.map(list, f)</code>
    <br />
    Produces a new array of values by calling a function. It is <b>lazy</b>.
    </p>
    <pre>
_.map([1, 2, 3], double);
=&gt; [2, 4, 6]
</pre>
""",
)
MEDALS = Document(
    "medals.csv",
    '"Rank","Nation","Medals","Points"\n'
    + "".join(f'"{n}","Land {n} \\"a|b\\"","{n * 3}","3,{n + 100}"\n' for n in range(1, 15)),
    title="Games of 1904",
)
SCHEMA = Document(
    "schema.json",
    json.dumps(
        {
            "description": "Short.",
            "properties": {
                name: {"description": f"What the {name} of a parcel is and how it is told."}
                for name in ("weight", "destination", "sender", "insurance", "reference", "x")
            },
            "oneOf": [{"description": "The same words stand here as well, in both of these."}] * 2,
        }
    ),
)
