"""What chunks of any splitter do to a document: found in it, and held against the rules."""
