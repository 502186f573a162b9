"""The papers' tables as data, for comparison: figures as printed, with caption, unit and source.

A folder a paper, a JSON file a table; see `tables` for the form of a file, `consistency` for where tables disagree.
"""

from pytest_vtcfaith.published.tables import Row, Table, load_table, papers, published_value, table_numbers

__all__ = ["Row", "Table", "load_table", "papers", "published_value", "table_numbers"]
