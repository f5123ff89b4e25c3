"""The page of all tables and columns, from the row types: ``python tests/tables_page.py > docs/tables.md``."""

from __future__ import annotations

from astray.tables import ROW_TYPES, Row

HEAD = """# Tables

A study folder has `tables/NAME.parquet`; `astray.tables.read(folder, name)` gives a data frame. Measures, pages and
files for papers are made from these alone. This page is made from the row types in `astray/tables/rows.py`.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(_table(name, row) for name, row in ROW_TYPES.items())])


def _table(name: str, row: type[Row]) -> str:
    lines = [f"| `{column}` | {field.description} |" for column, field in row.model_fields.items()]
    return "\n".join(
        [f"## `{name}`", "", (row.__doc__ or "").strip(), "", "| column | what |", "|---|---|", *lines, ""]
    )


if __name__ == "__main__":
    print(page(), end="")
