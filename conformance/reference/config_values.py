"""Chapter config: the directives, and what the value of each may be."""

from .config_servers import digits, is_port
from .config_text import shown
from .hashes import HASHES
from .limits import LIMITS
from .placement import DISTRIBUTIONS


def number(text, name, _before):
    if not digits(text):
        raise ValueError("is not a number")
    value = int(text.lstrip("0")[:11] or "0")
    if value > LIMITS["number_max"]:
        raise ValueError(f"is larger than {LIMITS['number_max']}")
    if name == "server_connections" and value == 0:
        raise ValueError("is 0")
    if name == "pool_size" and not 1 <= value <= LIMITS["pool_size_max"]:
        raise ValueError(f"is not 1 to {LIMITS['pool_size_max']}")
    return value


def boolean(text, _name, _before):
    if text not in ("true", "false"):
        raise ValueError('is not "true" or "false"')
    return text == "true"


def hash_name(text, _name, _before):
    if text not in HASHES:
        raise ValueError("is not a valid hash")
    return text


def distribution_name(text, _name, _before):
    if text not in DISTRIBUTIONS or text == "slots":
        raise ValueError('is not "ketama", "modula" or "random"')
    return text


def hash_tag(text, _name, _before):
    if len(text.encode()) != 2:
        raise ValueError("is not two bytes")
    return text


def engine(text, _name, _before):
    if text not in ("redis", "ssdb"):
        raise ValueError('is not "redis" or "ssdb"')
    return text


def read_from(text, _name, _before):
    if text not in ("master", "prefer_replica", "replica", "lowest_latency", "same_zone"):
        raise ValueError(
            'is not "master", "prefer_replica", "replica", "lowest_latency" or "same_zone"'
        )
    return text


def free_text(text, _name, _before):
    if len(text.encode()) > LIMITS["text_bytes_max"]:
        raise ValueError(f"is longer than {LIMITS['text_bytes_max']} bytes")
    return text


def tls_server_name(text, name, before):
    free_text(text, name, before)
    if len(text.encode()) > LIMITS["server_address_bytes_max"]:
        raise ValueError(f"is longer than {LIMITS['server_address_bytes_max']} bytes")
    return text


def path(text, name, before):
    if not text.startswith("/"):
        raise ValueError("is not an absolute path")
    return free_text(text, name, before)


def tls_verify(text, _name, _before):
    if text not in ("full", "ca", "none"):
        raise ValueError('is not "full", "ca" or "none"')
    return text


def mode_is_valid(text):
    sign = text[:1] if text[:1] in ("+", "-") else ""
    rest = text[len(sign) :]
    octal = rest[: len(rest) - len(rest.lstrip("01234567"))].lstrip("0")
    return not octal or (sign != "-" and len(octal) <= 3)


def listen(text, _name, listening):
    if text.startswith("/"):
        path, space, mode = text.rpartition(" ")
        if len((path if space else text).encode()) > LIMITS["unix_path_bytes_max"]:
            raise ValueError(f"has a path longer than {LIMITS['unix_path_bytes_max']} bytes")
        if space and not mode_is_valid(mode):
            raise ValueError("has an invalid mode")
    else:
        host, _, port = text.rpartition(":")
        if not host:
            raise ValueError('is not "host:port" or "/path mode"')
        if not is_port(port):
            raise ValueError("has an invalid port")
    for other, pool in listening:
        if other == text:
            raise ValueError(f'is the same as in server pool "{shown(pool)}"')
    return text


DIRECTIVES = {
    "listen": (listen, None),
    "servers": (None, None),
    "hash": (hash_name, "fnv1a_64"),
    "hash_tag": (hash_tag, None),
    "distribution": (distribution_name, "ketama"),
    "timeout": (number, 2000),
    "backlog": (number, 512),
    "client_connections": (number, 0),
    "tcpkeepalive": (boolean, False),
    "reuseport": (boolean, False),
    "preconnect": (boolean, False),
    "redis": (boolean, False),
    "redis_auth": (free_text, None),
    "redis_db": (number, 0),
    "auto_eject_hosts": (boolean, False),
    "server_connections": (number, 1),
    "server_retry_timeout": (number, 30000),
    "server_failure_limit": (number, 2),
    "engine": (engine, "redis"),
    "pool_size": (number, 16),
    "max_connection_age": (number, 3600000),
    "username": (free_text, None),
    "redis_auth_file": (path, None),
    "database": (number, None),
    "cluster": (boolean, False),
    "read_from": (read_from, "master"),
    "zone": (free_text, None),
    "tls": (boolean, False),
    "tls_ca_cert_file": (path, None),
    "tls_cert_file": (path, None),
    "tls_key_file": (path, None),
    "tls_key_file_pass": (free_text, None),
    "tls_server_name": (tls_server_name, None),
    "tls_verify": (tls_verify, "full"),
    "sentinels": (None, None),
    "sentinel_username": (free_text, None),
    "sentinel_password": (free_text, None),
    "sentinel_tls": (boolean, False),
    "replicas": (None, None),
    "host_zones": (None, None),
}
TLS = [name for name in DIRECTIVES if name.startswith("tls")]
HIDDEN = ("redis_auth", "username", "tls_key_file_pass", "sentinel_username", "sentinel_password")
SEQUENCES = {
    "servers": ("server", "pool_servers_max"),
    "sentinels": ("sentinel", "pool_sentinels_max"),
    "replicas": ("replica", "pool_servers_max"),
    "host_zones": ("zone", "pool_servers_max"),
}
OWN = {
    "engine",
    "pool_size",
    "max_connection_age",
    "username",
    "redis_auth_file",
    "database",
    "cluster",
    "read_from",
    "zone",
    *TLS,
    "sentinels",
    "sentinel_username",
    "sentinel_password",
    "sentinel_tls",
    "replicas",
    "host_zones",
}
WORDS = {
    boolean: ("true", "false"),
    hash_name: tuple(HASHES),
    distribution_name: ("ketama", "modula", "random"),
    engine: ("redis", "ssdb"),
    read_from: ("master", "prefer_replica", "replica", "lowest_latency", "same_zone"),
    tls_verify: ("full", "ca", "none"),
}
