"""A hook of MkDocs: links out of docs/ lead to the repository's file, which must exist.

On a forge `../spec/README.md` leads to a file of the repository. The site has only docs/, so there
the link becomes an address of the repository.
"""

import re
from pathlib import Path

from mkdocs.exceptions import PluginError

LINK = re.compile(r"\]\(\.\./([^)#\s]+)(#[^)\s]*)?\)")


def on_page_markdown(markdown, page, config, **_):
    root = Path(config.config_file_path).parent

    def outside(match):
        path, anchor = match.group(1), match.group(2) or ""
        if not (root / path).exists():
            raise PluginError(f"{page.file.src_path}: ../{path} leads nowhere")
        return f"]({config.repo_url}/blob/main/{path}{anchor})"

    return LINK.sub(outside, markdown)
