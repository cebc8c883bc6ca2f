"""How fast documents and code are cut, and how well code is: ``python -m tests.benchmarks``."""

from tests.benchmarks import quality, throughput

throughput.main()
quality.main()
