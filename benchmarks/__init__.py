"""akdask beside what else could be used, on the same files, in one run: ``python -m benchmarks``."""
