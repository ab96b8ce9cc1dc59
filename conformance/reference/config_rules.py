"""Chapter config: the rules about several directives of a pool."""

from .config_values import TLS


def rules(given, seen, is_own):
    """Section 5, end of a pool: the rules about several directives."""
    is_redis, is_ssdb = given.get("redis"), given.get("engine") == "ssdb"
    yield "listen" not in seen and not is_own, 'directive "listen" is missing'
    yield "servers" not in seen, 'directive "servers" is missing'
    for directive in ("redis_auth", "redis_auth_file", "username", "database"):
        yield directive in seen and not is_redis, f'directive "{directive}" needs "redis: true"'
    yield (
        "username" in seen and not seen & {"redis_auth", "redis_auth_file"},
        'directive "username" needs "redis_auth"',
    )
    yield (
        "redis_auth" in seen and "redis_auth_file" in seen,
        'directives "redis_auth" and "redis_auth_file" exclude each other',
    )
    yield (
        "database" in seen and "redis_db" in seen,
        'directives "database" and "redis_db" exclude each other',
    )
    yield is_ssdb and not is_redis, '"engine: ssdb" needs "redis: true"'
    for directive in ("username", "database"):
        yield is_ssdb and directive in seen, f'directive "{directive}" is not for "engine: ssdb"'
    yield from cluster_rules(given, seen)
    yield from tls_rules(given, seen)
    yield from rules_of_sentinels(given, seen)
    yield from rules_of_replicas(given, seen)


def cluster_rules(given, seen):
    cluster, zoned = given.get("cluster"), given.get("read_from") == "same_zone"
    servers = given["servers"]
    yield cluster and not given.get("redis"), '"cluster: true" needs "redis: true"'
    yield cluster and given.get("engine") == "ssdb", '"cluster: true" is not for "engine: ssdb"'
    for directive in ("hash", "hash_tag", "distribution"):
        yield cluster and directive in seen, f'directive "{directive}" is not for "cluster: true"'
    yield (
        cluster and given.get("auto_eject_hosts"),
        '"auto_eject_hosts: true" is not for "cluster: true"',
    )
    yield (
        cluster and given.get("redis_db"),
        '"cluster: true" needs "database" instead of "redis_db"',
    )
    yield (
        cluster and any(server["weight"] != 1 for server in servers),
        '"cluster: true" has no server of another weight than 1',
    )
    yield (
        cluster and any(server["address"].startswith("/") for server in servers),
        '"cluster: true" has no server on a unix socket',
    )
    may_have_replicas = cluster or seen & {"sentinels", "replicas"}
    yield (
        "read_from" in seen and not may_have_replicas,
        'directive "read_from" needs "cluster: true", "sentinels" or "replicas"',
    )
    for directive in ("zone", "host_zones"):
        yield (
            directive in seen and not zoned,
            f'directive "{directive}" needs "read_from: same_zone"',
        )
    yield zoned and "zone" not in seen, '"read_from: same_zone" needs "zone"'


def rules_of_sentinels(given, seen):
    watched = "sentinels" in seen
    servers = given["servers"]
    yield watched and not given.get("redis"), 'directive "sentinels" needs "redis: true"'
    yield (
        watched and given.get("engine") == "ssdb",
        'directive "sentinels" is not for "engine: ssdb"',
    )
    yield watched and given.get("cluster"), 'directive "sentinels" is not for "cluster: true"'
    yield (
        watched and given.get("auto_eject_hosts"),
        '"auto_eject_hosts: true" is not for "sentinels"',
    )
    yield (
        watched and any(server["address"].startswith("/") for server in servers),
        '"sentinels" has no server on a unix socket',
    )
    yield (
        watched and any(":" in server["name"] for server in servers),
        'directive "sentinels" needs a name for each server',
    )
    for directive in ("sentinel_username", "sentinel_password"):
        yield directive in seen and not watched, f'directive "{directive}" needs "sentinels"'
    yield (
        "sentinel_username" in seen and "sentinel_password" not in seen,
        'directive "sentinel_username" needs "sentinel_password"',
    )
    yield ("sentinel_tls" in seen and not watched, 'directive "sentinel_tls" needs "sentinels"')


def rules_of_replicas(given, seen):
    if "replicas" not in seen:
        return
    yield not given.get("redis"), 'directive "replicas" needs "redis: true"'
    yield given.get("engine") == "ssdb", 'directive "replicas" is not for "engine: ssdb"'
    yield given.get("cluster"), 'directive "replicas" is not for "cluster: true"'
    yield "sentinels" in seen, 'directive "replicas" is not for "sentinels"'
    yield given.get("auto_eject_hosts"), '"auto_eject_hosts: true" is not for "replicas"'


def tls_rules(given, seen):
    yield given.get("tls") and not given.get("redis"), '"tls: true" needs "redis: true"'
    for directive in TLS[1:]:
        yield (
            directive in seen and not given.get("tls") and not given.get("sentinel_tls"),
            f'directive "{directive}" needs "tls: true"',
        )
    for directive, needed in (
        ("tls_cert_file", "tls_key_file"),
        ("tls_key_file", "tls_cert_file"),
        ("tls_key_file_pass", "tls_key_file"),
    ):
        yield (
            directive in seen and needed not in seen,
            f'directive "{directive}" needs "{needed}"',
        )
