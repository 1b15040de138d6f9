"""The built site as a zip that works from `file://`, with search.

The theme already asks for `search/search_index.js` instead of the JSON when a page comes from a file. What a browser
refuses there is a worker; `iframe-worker.js` puts a frame in its place. So the pages of a site need one more script,
and the site one more file; nothing is built again.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from datetime import date
from pathlib import Path

from generator.exports.published import ExportFault, site_of

FRAME_WORKER = "assets/iframe-worker.js"
INDEX, INDEX_SCRIPT = "search/search_index.json", "search/search_index.js"
LEFT_OUT = ("404.html", "sitemap.xml", "sitemap.xml.gz", "robots.txt")
"""What only a server needs; the addresses in the first of them begin at the root of the site."""

DOWNLOADS = "downloads/"
"""Folder of a release for what is made from its site; not a part of the site."""

_CONFIG = re.compile(r'(<script id="__config" type="application/json">)(.*?)(</script>)', re.DOTALL)
_THEME_SCRIPT = re.compile(r'<script src="([^"]*)assets/javascripts/bundle\.')
_PLAIN_FILE, _UNIX = 0o100644, 3
LEVEL = 6


def archive(site: Path) -> bytes:
    """The zip: one folder that names the release. The same bytes for the same site. Raises ExportFault."""
    index = site_of(site).api("index.json")
    folder = f"handbook-{index['release']}"
    stamp = (*date.fromisoformat(index["data_as_of"]).timetuple()[:3], 0, 0, 0)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL) as pack:
        for path, content in sorted(files(site).items()):
            entry = zipfile.ZipInfo(f"{folder}/{path}", stamp)
            entry.external_attr = _PLAIN_FILE << 16
            entry.create_system = _UNIX
            pack.writestr(entry, content, zipfile.ZIP_DEFLATED, LEVEL)
    return buffer.getvalue()


def files(site: Path) -> dict[str, bytes]:
    """Path -> content of everything that the offline site consists of."""
    found = {
        path.relative_to(site).as_posix(): path.read_bytes()
        for path in site.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }
    found = {path: found[path] for path in found if path not in LEFT_OUT and not path.startswith(DOWNLOADS)}
    for path in (INDEX, FRAME_WORKER):
        if path not in found:
            raise ExportFault(f"{site}: has no {path}, which search without a server needs; build it again")
    # The page gets the index from a script, because it may not read a file.
    found[INDEX_SCRIPT] = b"var __index = " + json.dumps(json.loads(found.pop(INDEX))).encode()
    for path, content in found.items():
        if path.endswith(".html"):
            found[path] = with_frame_worker(without_versions(content.decode()), path).encode()
    return found


def with_frame_worker(page: str, path: str) -> str:
    """A page that loads the frame worker ahead of the script of the theme, which makes the worker."""
    changed, places = _THEME_SCRIPT.subn(rf'<script src="\1{FRAME_WORKER}"></script>\g<0>', page)
    if places > 1:
        raise ExportFault(f"{path}: loads the script of the theme in {places} places instead of one")
    return changed


def without_versions(page: str) -> str:
    """A page that does not ask for the list of releases, which lies beside them on the server."""

    def settled(found: re.Match[str]) -> str:
        settings = json.loads(found[2])
        if not settings.get("version"):
            return found[0]
        return f"{found[1]}{json.dumps(settings | {'version': None})}{found[3]}"

    return _CONFIG.sub(settled, page)
