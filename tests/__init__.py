"""The tests; ``python -m tests`` runs all that has to hold before a change goes in."""
