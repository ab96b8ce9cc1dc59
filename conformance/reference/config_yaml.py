"""Chapter config: a walk through the events of a YAML text, and the errors on its way."""

import yaml

from .config_text import Rejected, allowed
from .limits import LIMITS


class Value:
    """One node of the document, reduced to what the rules need."""

    def __init__(self, event, text):
        self.line = event.start_mark.line + 1
        self.is_scalar = isinstance(event, yaml.ScalarEvent)
        self.is_mapping = isinstance(event, yaml.MappingStartEvent)
        self.is_sequence = isinstance(event, yaml.SequenceStartEvent)
        self.text = event.value if self.is_scalar else None
        self.is_flow = False
        self.offence = self.first_offence(event, text)

    def first_offence(self, event, text):
        # The tag `!` before a plain scalar changes nothing in the event but its position: no other
        # scalar begins with it.
        begins = text[event.start_mark.index : event.start_mark.index + 1]
        if (
            isinstance(event, yaml.AliasEvent)
            or event.anchor
            or event.tag
            or (begins == "!" and self.text)
        ):
            return "anchors, aliases and tags are not allowed"
        begin, is_empty = event.start_mark.index, event.start_mark.index == event.end_mark.index
        if not is_empty and text[max(begin - 1, 0) : begin] == "?":
            return '"?" needs a space after it'
        if not self.is_scalar:
            self.is_flow = bool(event.flow_style)
            return None
        if event.style in ("|", ">"):
            return "block scalars are not allowed"
        for character in self.text:
            if not allowed(ord(character)):
                return f"character U+{ord(character):04X} is not allowed"
        return None


class Walk:
    """Sections 3 and 5: goes through the nodes of a document, and keeps what is wrong with them."""

    def __init__(self, text, environment):
        self.text, self.environment = text, environment
        self.found = []  # (line, order, reason)
        self.proxy = None  # The first document marker or flow style.
        self.own = []  # Errors in its place, if the text has a OneHop pool.
        self.is_own = False
        self.order = 0
        self.listening = []  # (text, name of the pool)
        try:
            self.events = list(self.read(text))
        except yaml.MarkedYAMLError as error:
            line = error.problem_mark.line + 1
            raise Rejected([(line, "the text is not valid YAML")]) from error
        self.at = 0

    @staticmethod
    def read(text):
        depth = 0
        for event in yaml.parse(text, Loader=yaml.CLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > LIMITS["yaml_depth_max"]:
                reason = f"there are more than {LIMITS['yaml_depth_max']} levels"
                raise Rejected([(event.start_mark.line + 1, reason)])
            yield event

    # ---- Errors ----

    def error(self, line, reason):
        self.order += 1
        return line, self.order, reason

    def fail(self, line, reason):
        self.found.append(self.error(line, reason))

    def refuse_for_proxy(self, line, reason):
        error = self.error(line, reason)
        self.proxy = self.proxy or error

    def result(self, pools):
        found = self.found + (self.own if self.is_own else [self.proxy] if self.proxy else [])
        errors = [(line, reason) for line, _, reason in sorted(found)]
        if errors:
            most = LIMITS["config_errors_max"]
            raise Rejected(errors[:most], max(0, len(errors) - most))
        return pools

    # ---- Nodes ----

    def next(self):
        self.at += 1
        return self.events[self.at - 1]

    def skip_node(self):
        """Skips the next node."""
        self.skip_inside(self.next())

    def skip_inside(self, event):
        """Skips the content of a node whose first event was just read."""
        depth = int(isinstance(event, yaml.CollectionStartEvent))
        while depth:
            event = self.next()
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)

    def node(self, line=None):
        """The next node, or None if it had an offence and was skipped."""
        event = self.next()
        value = Value(event, self.text)
        if value.is_flow and not value.offence:
            self.refuse_for_proxy(line or value.line, "flow style is not allowed")
        if value.offence:
            self.fail(line or value.line, value.offence)
            self.skip_inside(event)
            return None
        return value

    def is_more(self, end):
        """False if the next event closes the collection; that event is then taken."""
        if isinstance(self.events[self.at], end):
            self.at += 1
            return False
        return True
