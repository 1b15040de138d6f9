"""Hands the rendered handbook to MkDocs; run by the gen-files plugin once per build.

The only module that imports `mkdocs_gen_files`.  Under `mkdocs serve` the hooks forget the package first, so that the
import below reads edited code.
"""

from pathlib import Path

import mkdocs_gen_files

from generator.pages import site

TEMPLATES = "chapters/"

config = mkdocs_gen_files.config
handbook = site(Path(config.config_file_path).parent, release=config.extra.get("release", ""))

for path, content in handbook.files.items():
    with mkdocs_gen_files.open(path, "wb") as file:
        file.write(content)

# A rendered chapter replaces its template of the same name.  A template that was not rendered must not appear raw.
# `exclude_docs` cannot say this: it would exclude the rendered page as well.
for file in mkdocs_gen_files.files:
    if file.src_uri.startswith(TEMPLATES) and file.src_uri not in handbook.files:
        file.inclusion = type(file.inclusion).EXCLUDED

config.nav = handbook.nav
