"""How Sphinx makes the site of these pages: `make docs` writes it to build/site, and no warning is let pass.

Nothing is fetched while it is built or read: fonts are the reader's own, search runs in the browser.
"""

from soulread import __version__

project = "soulread"
author = "the soulread authors"
copyright = author
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["evidence/unfinished"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = f"soulread {__version__}"
html_show_sphinx = False
html_copy_source = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {"footer_icons": []}
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
default_role = "code"
python_maximum_signature_line_length = 88
highlight_language = "none"
