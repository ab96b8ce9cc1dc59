"""The parts of the conformance run: what each testee is asked and what the right answer is."""
