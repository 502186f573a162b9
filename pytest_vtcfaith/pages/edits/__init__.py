"""Pages of the embedded editing set: reports, tables, forms and slides, and what an edit changes on them."""
