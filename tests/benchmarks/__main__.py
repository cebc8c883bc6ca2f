"""Every number of the README, measured here: ``python -m tests.benchmarks``."""

from tests.benchmarks import quality, throughput

throughput.main()
quality.main()
