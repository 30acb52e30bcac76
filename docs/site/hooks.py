"""What mkdocs does to pages of the site besides turning Markdown into HTML.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import re


def on_page_content(html: str, **_: object) -> str:
    """In a line of text, code breaks between words only: not after a hyphen of `--restarts`."""

    def kept_whole(found: "re.Match[str]") -> str:
        words = re.split(r"(\s+)", found.group(1))
        short = (
            f'<span class="whole">{w}</span>' if "-" in w and len(w) < 30 else w for w in words
        )
        return f"<code>{''.join(short)}</code>"

    return re.sub(r"<code>([^<]*)</code>", kept_whole, html)
