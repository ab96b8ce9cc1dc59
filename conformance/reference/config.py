"""Chapter config: from a text to server pools, or errors with their lines."""

import yaml

from .config_pool import PoolWalk
from .config_text import Rejected, checked_text, shown, suggestion
from .config_values import ROWS
from .limits import LIMITS


class Document(PoolWalk):
    """Sections 3 and 5: reads the document."""

    def pools(self):
        self.next()  # The stream begins.
        start = self.next()
        if isinstance(start, yaml.StreamEndEvent):
            raise Rejected([(1, "there is no server pool")])
        self.check_marker(start)
        if start.version or start.tags:
            self.own.append(self.error(start.start_mark.line + 1, "% lines are not allowed"))
        pools = self.root()
        if pools is None:
            return self.result([])
        self.check_marker(self.next())
        following = self.next()
        if not isinstance(following, yaml.StreamEndEvent):
            self.check_marker(following)
            line = following.start_mark.line + 1
            self.own.append(self.error(line, "there is more than one document"))
        return self.result(pools)

    def check_marker(self, event):
        if event.explicit:
            self.refuse_for_proxy(
                event.start_mark.line + 1, "document markers and % lines are not allowed"
            )

    def root(self):
        pools = {}
        event = self.events[self.at]
        root = self.node()
        if root and not root.is_mapping:
            self.fail(root.line, "the document is not a mapping of server pools")
            self.skip_inside(event)
        if not root or not root.is_mapping:
            return []
        while self.is_more(yaml.MappingEndEvent):
            event = self.events[self.at]
            name = self.node()
            fault = name and self.fault_of_pool_name(name, pools)
            if fault:
                self.fail(name.line, fault)
                self.skip_inside(event)
            if not name or fault:
                self.skip_node()
                continue
            if len(pools) == LIMITS["config_pools_max"]:
                self.fail(
                    name.line, f"there are more than {LIMITS['config_pools_max']} server pools"
                )
                return None  # The visit ends.
            pools[name.text] = self.pool(name)
        return list(pools.values())

    @staticmethod
    def fault_of_pool_name(name, pools):
        if not name.is_scalar:
            return "the name of a server pool is not a scalar"
        if not name.text:
            return "the name of a server pool is empty"
        if len(name.text.encode()) > LIMITS["pool_name_bytes_max"]:
            return f"the name of a server pool is longer than {LIMITS['pool_name_bytes_max']} bytes"
        if name.text in pools:
            return f'server pool "{shown(name.text)}" is a duplicate'
        return None

    def pool(self, name):
        event = self.events[self.at]
        mapping = self.node(name.line)
        if mapping and not mapping.is_mapping:
            self.fail(name.line, f'server pool "{shown(name.text)}" is not a mapping of directives')
            self.skip_inside(event)
        if not mapping or not mapping.is_mapping:
            return None
        before = len(self.found)
        values, sequences, seen = (
            [],
            {name: [] for name, row in ROWS.items() if "item" in row},
            {},
        )
        while self.is_more(yaml.MappingEndEvent):
            self.directive(values, sequences, seen)
        return self.finished_pool(name, values, sequences, seen, before)

    def directive(self, values, sequences, seen):
        event = self.events[self.at]
        name = self.node()
        fault = name and self.fault_of_directive(name, seen)
        if fault:
            self.fail(name.line, fault)
            self.skip_inside(event)
        if not name or fault:
            self.skip_node()
            return
        seen[name.text] = name.line
        event = self.events[self.at]
        value = self.node(name.line)
        if not value:
            return
        subject = f'directive "{name.text}"'
        if value.is_scalar and not value.text:
            self.fail(name.line, f"{subject} has no value")
        elif "item" in ROWS[name.text] and not value.is_sequence:
            self.fail(name.line, f'{subject} is not a sequence: begin each item with "- "')
            self.skip_inside(event)
        elif "item" in ROWS[name.text]:
            self.items(name, sequences[name.text])
        elif not value.is_scalar:
            self.fail(name.line, f"{subject} is not a scalar: put its value in quotes")
            self.skip_inside(event)
        else:
            values.append((name.text, value.text, name.line))

    @staticmethod
    def fault_of_directive(name, seen):
        if not name.is_scalar:
            return "the name of a directive is not a scalar"
        if name.text not in ROWS:
            near = suggestion(name.text, ROWS)
            return f'directive "{shown(name.text)}" is unknown{near}'
        if name.text in seen:
            return f'directive "{name.text}" is a duplicate'
        return None

    def items(self, name, items):
        one, most = ROWS[name.text]["item"], LIMITS[ROWS[name.text]["most"]]
        if isinstance(self.events[self.at], yaml.SequenceEndEvent):
            self.fail(name.line, f'directive "{name.text}" has no value')
        while self.is_more(yaml.SequenceEndEvent):
            event = self.events[self.at]
            item = self.node()
            if not item:
                continue
            if len(items) == most:
                self.fail(item.line, f"there are more than {most} {one}s")
                self.skip_inside(event)
                while self.is_more(yaml.SequenceEndEvent):
                    self.skip_node()
                return
            if not item.is_scalar:
                self.fail(item.line, f"the {one} is not a scalar: write it as one text")
                self.skip_inside(event)
            else:
                items.append((item.text, item.line))


def read_config(data, environment=None):
    """The server pools of a configuration, or raises Rejected."""
    return Document(checked_text(data), environment or {}).pools()


def find_pool(config, name):
    try:
        pools = read_config(config.encode("utf-8", "surrogatepass"))
    except Rejected as error:
        raise ValueError(f"line {error.line}: {error.reason}") from error
    for pool in pools:
        if pool["name"] == name:
            return pool
    raise ValueError(f"no server pool is named {name}")
