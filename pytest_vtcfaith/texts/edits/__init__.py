"""The embedded editing set: pages written for it, the edits asked of them, and the manifest rows they become.

The texts and tables lie in `pages/`, a TOML file a page.
"""
