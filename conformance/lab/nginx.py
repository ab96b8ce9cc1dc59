"""A real nginx in front of a php-fpm, on a unix socket.

    with Fpm(workers=4) as fpm, Nginx(fpm) as nginx:
        status, body = nginx.get("/path/to/script.php", query="key=user:1")

Each page request uses its own connection to php-fpm, so any idle worker can take it. With a `port`
it listens there, too, for clients that cannot use a unix socket.
"""

import os
import socket

from .process import Process, Running, is_listening

CONFIG = """daemon off;
master_process off;
pid nginx.pid;
error_log stderr crit;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {{
        listen unix:nginx.sock;{also}
        location / {{
            fastcgi_pass unix:{path};
            fastcgi_param SCRIPT_FILENAME $uri;
            fastcgi_param QUERY_STRING $args;
            fastcgi_param REQUEST_METHOD $request_method;
            fastcgi_read_timeout 60s;
        }}
    }}
}}
"""


class Nginx(Running):
    def __init__(self, fpm, port=None):
        # The prefix is the scratch directory. Errors go to the same stderr before the file is read.
        also = f" listen 127.0.0.1:{port};" if port else ""
        self.process = Process(
            ["nginx", "-p", ".", "-e", "stderr", "-c", "nginx.conf"],
            name="nginx",
            files={"nginx.conf": CONFIG.format(path=fpm.path, also=also)},
        )
        self.path = os.path.join(self.process.directory, "nginx.sock")
        try:
            self.process.wait_until(lambda: is_listening(self.path), what="listen")
        except BaseException:
            self.stop()
            raise

    def get(self, script, *, query="", seconds=30.0):
        """The page of a script: (HTTP status, body as bytes)."""
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(seconds)
            connection.connect(self.path)
            connection.sendall(f"GET {script}?{query} HTTP/1.0\r\n\r\n".encode())
            with connection.makefile("rb") as stream:
                head, _, body = stream.read().partition(b"\r\n\r\n")
        return int(head.split(b" ", 2)[1]), body
