"""Whether a document is well-formed XML, and if not, where that begins: what expat says of it.

The scan of the elements reads on over what is wrong and knows only of tags. Expat knows all the
rest (entities, attributes, characters, declarations), stops at the first fault, and takes a seventh
of the time of the scan; nothing is fetched, and what entities in attributes grow to is bounded by
its own guard, without which it is not asked, and that is noted.
"""

from __future__ import annotations

from xml.parsers import expat

from structchunk_core.formats._records_units import Faults
from structchunk_core.source import parsable

_OF_TAGS = frozenset(  # the scan of the elements says where, of each one
    {
        expat.errors.XML_ERROR_TAG_MISMATCH,
        expat.errors.XML_ERROR_NO_ELEMENTS,
        expat.errors.XML_ERROR_UNCLOSED_TOKEN,
        expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    }
)
_HAS_GUARD = expat.version_info >= (2, 4, 1)


def note_fault(text: str, faults: Faults) -> None:
    """Note the first place where the text is no XML, unless that is about tags that are noted.

    Args:
        text: the document.
        faults: what has been found so far; takes one more at most.
    """
    if not _HAS_GUARD and "<!ENTITY" in text:
        faults.note_unchecked("this Python has an expat before 2.4.1, which entities may overwhelm")
        return
    parser = expat.ParserCreate("utf-8")  # whatever the declaration says: it is decoded already
    parser.DefaultHandler = len  # takes references as they stand, in place of what they stand for
    written = parsable(text).encode()
    try:
        parser.Parse(written, True)
    except expat.ExpatError as error:
        message = expat.ErrorString(error.code)
        if message in _OF_TAGS and not faults.is_empty():
            return
        position = len(written[: parser.ErrorByteIndex].decode("utf-8", "ignore"))
        faults.note_line(text, f"expat reads no further: {message}", position)
