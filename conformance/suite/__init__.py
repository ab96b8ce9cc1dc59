"""The parts of the conformance run: what is asked of every testee, and what the right answer is."""
