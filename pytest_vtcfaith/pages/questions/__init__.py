"""Pages that questions are asked about: charts, tables, word lists and notices, and their reduced pictures."""
