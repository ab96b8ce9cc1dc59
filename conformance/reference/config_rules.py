"""Chapter config: the rules about several directives of a pool."""

import re

from .config_values import PAGE, ROWS, default


def rules(given, seen, is_own):
    """Section 5, end of a pool: those that are broken, with the directive that each names first,
    and whether it misses something.
    """

    def is_so(term):
        if term.startswith("!"):
            return not is_so(term[1:])
        if term == "OneHop pool":
            return is_own
        if term.startswith("server "):
            return any(SERVERS[term](server) for server in given["servers"])
        name, colon, value = term.partition(": ")
        said = given.get(name, default(ROWS[name]))
        return str(said).lower() == value if colon else name in seen

    for rule in PAGE["rules"]:
        if all(map(is_so, rule["if"])):
            named = re.search(r'"(\w+)', rule["reason"])[1]
            yield rule["reason"], named, "misses" in rule


SERVERS = {
    "server with a weight": lambda server: server["weight"] != 1,
    "server on a unix socket": lambda server: server["address"].startswith("/"),
    "server without a name": lambda server: ":" in server["name"],
}
