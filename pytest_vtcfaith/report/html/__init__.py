"""The HTML report: index.html, opened from disk without a network."""

from pytest_vtcfaith.report.html.run import Answer, HtmlRun, TierFound
from pytest_vtcfaith.report.html.write import write_html

__all__ = ["Answer", "HtmlRun", "TierFound", "write_html"]
