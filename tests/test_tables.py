"""Tables: schemas from row types, round trips, writes that are whole or not there, errors that name the file."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from astray import tables
from astray.errors import AstrayError, InputError
from astray.tables import NO_ANSWER, ROW_TYPES, SCORED, VOID, Outcome, OutcomeRow, Row, SampleRow, TranscriptRow

OUTCOME_COLUMNS = [
    "study", "model", "judge", "user", "book", "benchmark", "subset", "sample_id", "arm", "epoch", "round",
    "outcome", "value", "answer", "strategy", "judge_spoke", "critique_valid", "limit", "error",
    "input_tokens", "output_tokens", "cost_usd", "seconds", "turns",
]  # fmt: skip
"""As INTERFACE.md names them; others may stand among them."""


def outcome_row(**fields: Any) -> OutcomeRow:
    given = {
        "study": "s", "model": "m", "benchmark": "b", "sample_id": "q1", "arm": "original",
        "epoch": 1, "round": 0, "outcome": "correct", "value": 1.0,
    }  # fmt: skip
    return OutcomeRow(**(given | fields))


def sample_row(**fields: Any) -> SampleRow:
    return SampleRow(**({"study": "s", "benchmark": "b", "sample_id": "q1", "question": "?", "gold": "A"} | fields))


def test_outcomes_has_the_columns_of_the_interface_in_order() -> None:
    names = tables.schema("outcomes").names
    assert [name for name in names if name in OUTCOME_COLUMNS] == OUTCOME_COLUMNS
    assert list(OutcomeRow.model_fields) == names


@pytest.mark.parametrize("name", ROW_TYPES)
def test_every_column_is_described_and_typed(name: str) -> None:
    for field in tables.schema(name):
        assert field.metadata[b"description"].decode().strip().endswith("."), field.name
        assert field.type in (pa.string(), pa.int64(), pa.float64(), pa.bool_()), field.name


@pytest.mark.parametrize("name", ROW_TYPES)
def test_every_table_says_what_it_is(name: str) -> None:
    assert (ROW_TYPES[name].__doc__ or "").strip()


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ("sample_id", pa.string()),
        ("outcome", pa.string()),
        ("epoch", pa.int64()),
        ("value", pa.float64()),
        ("judge_spoke", pa.bool_()),
        ("critique_valid", pa.bool_()),
        ("input_tokens", pa.int64()),
        ("cost_usd", pa.float64()),
    ],
)
def test_types_come_from_the_row_type(column: str, kind: pa.DataType) -> None:
    assert tables.schema("outcomes").field(column).type == kind


def test_the_classes_of_an_outcome_are_closed_and_disjoint() -> None:
    assert {outcome.value for outcome in Outcome} == {
        "correct", "wrong", "partial", "both", "abstained", "refused", "unparsed", "empty", "limit",
        "error", "grader_failed", "judge_failed",
    }  # fmt: skip
    assert set(Outcome) == SCORED | NO_ANSWER | VOID
    assert len(SCORED) + len(NO_ANSWER) + len(VOID) == len(Outcome)
    for outcome in Outcome:
        assert outcome.void == (outcome in VOID)
        assert outcome.scored == (outcome in SCORED)


@pytest.mark.parametrize(
    "fields",
    [{"outcome": "perhaps"}, {"value": 1.5}, {"value": -0.1}, {"epoch": 0}, {"round": -1}, {"colour": "red"}],
    ids=str,
)
def test_a_row_that_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(fields))):
        outcome_row(**fields)


HOSTILE = [
    "",
    "äöü ß",
    "🦜🏽 said “no”",
    "a\nb\tc\r\n",
    "x\u2028y",
    "\u202eright to left",
    "\x00nul",
    "NaN",
    "null",
    "0",
]


def test_round_trip_with_nulls_and_every_script(tmp_path: Path) -> None:
    rows = [outcome_row(sample_id=text or "empty", answer=text, subset=None) for text in HOSTILE]
    rows.append(outcome_row(outcome="error", value=None, error="boom", input_tokens=None))
    rows.append(outcome_row(input_tokens=2**40, seconds=0.25, judge_spoke=True, critique_valid=False))
    tables.write(tmp_path, "outcomes", rows)
    frame = tables.read(tmp_path, "outcomes")
    assert list(frame.columns) == list(OutcomeRow.model_fields)
    assert frame.answer.tolist()[: len(HOSTILE)] == HOSTILE
    assert frame.subset.isna().all()
    assert frame.outcome.tolist()[-2:] == ["error", "correct"]
    assert pd.isna(frame["value"].iloc[-2])
    assert frame.input_tokens.iloc[-1] == 2**40
    assert frame.critique_valid.tolist()[-1] is False
    assert frame.critique_valid.iloc[0] is None


printable = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.builds(
            TranscriptRow,
            study=printable, model=printable, benchmark=printable, sample_id=printable, arm=printable,
            epoch=st.integers(1, 9), step=st.integers(1, 99), round=st.integers(0, 20), speaker=printable,
            text=printable, reasoning=st.none() | printable, tool_calls=st.none() | printable,
            advice=st.none() | printable, seconds=st.none() | st.floats(0, 1e6),
        ),
        max_size=4,
    )
)  # fmt: skip
def test_any_rows_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, rows: list[Row]) -> None:
    folder = tmp_path_factory.mktemp("tables")
    path = tables.write(folder, "transcripts", rows)
    assert pq.read_table(path).to_pylist() == [row.model_dump() for row in rows]


def test_no_rows_are_a_table_with_columns(tmp_path: Path) -> None:
    tables.write(tmp_path, "outcomes", [])
    frame = tables.read(tmp_path, "outcomes")
    assert list(frame.columns) == list(OutcomeRow.model_fields)
    assert len(frame) == 0


def test_tables_are_found_from_the_study_folder_and_from_its_tables(tmp_path: Path) -> None:
    path = tables.write(tmp_path / "tables", "samples", [sample_row()])
    assert tables.find(tmp_path, "samples") == tables.find(tmp_path / "tables", "samples") == path
    assert tables.read(str(tmp_path), "samples").gold.tolist() == ["A"]


def test_settings_travel_with_a_table(tmp_path: Path) -> None:
    asked = {"model": "m", "arms": ["original", "xy"], "name": "größer 🦜", "limit": None}
    tables.write(tmp_path, "outcomes", [outcome_row()], asked)
    assert tables.read_settings(tmp_path) == asked
    tables.write(tmp_path, "outcomes", [outcome_row()])
    assert tables.read_settings(tmp_path) == {}


def test_settings_of_a_table_from_elsewhere_are_empty(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "outcomes.parquet")
    assert tables.read_settings(tmp_path) == {}


@pytest.mark.parametrize("name", ROW_TYPES)
def test_columns_carry_their_descriptions_in_the_file(name: str, tmp_path: Path) -> None:
    path = tables.write(tmp_path, name, [])
    written = pq.read_schema(path)
    for column, info in ROW_TYPES[name].model_fields.items():
        assert written.field(column).metadata[b"description"].decode() == info.description


# Reading what can't be read


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"nowhere: no such folder; give the --out folder"):
        tables.read(tmp_path / "nowhere", "outcomes")


def test_no_table_in_the_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no tables/critiques\.parquet"):
        tables.read(tmp_path, "critiques")


def test_no_such_table(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"no table is called 'outcome'; there are outcomes, critiques"):
        tables.read(tmp_path, "outcome")


@pytest.mark.parametrize("keep", [0, 3, 100, -8], ids=["nothing", "magic-only", "head", "no-footer"])
def test_a_truncated_file_is_named(tmp_path: Path, keep: int) -> None:
    path = tables.write(tmp_path, "outcomes", [outcome_row(sample_id=f"q{i}") for i in range(50)])
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(InputError, match=r"outcomes\.parquet: not a readable parquet file"):
        tables.read(tmp_path, "outcomes")


def test_a_file_that_is_no_parquet_is_named(tmp_path: Path) -> None:
    (tmp_path / "outcomes.parquet").write_text("study,model\ns,m\n" * 20)
    with pytest.raises(InputError, match=r"outcomes\.parquet: not a readable parquet file"):
        tables.read(tmp_path, "outcomes")


def test_the_settings_of_a_truncated_file_are_an_input_error_too(tmp_path: Path) -> None:
    path = tables.write(tmp_path, "outcomes", [outcome_row()], {"model": "m"})
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.raises(InputError, match=r"outcomes\.parquet"):
        tables.read_settings(tmp_path)


def test_missing_columns_are_named(tmp_path: Path) -> None:
    path = tables.write(tmp_path, "outcomes", [outcome_row()])
    pq.write_table(pq.read_table(path).drop_columns(["arm", "seconds"]), path)
    with pytest.raises(InputError, match=r"columns missing: arm; the file is from another version.*'astray run'"):
        tables.read(tmp_path, "outcomes")


def test_columns_that_an_earlier_version_did_not_have_are_at_their_default(tmp_path: Path) -> None:
    path = tables.write(tmp_path, "outcomes", [outcome_row()])
    whole = tables.read(tmp_path, "outcomes")
    pq.write_table(pq.read_table(path).drop_columns(["seconds", "elicited", "acknowledged"]), path)
    found = tables.read(tmp_path, "outcomes")
    assert set(found.columns) == set(whole.columns)
    assert found["seconds"].isna().all()
    assert found["acknowledged"].isna().all()
    assert not found["elicited"].any()


def test_a_column_more_does_no_harm(tmp_path: Path) -> None:
    path = tables.write(tmp_path, "outcomes", [outcome_row()])
    table = pq.read_table(path)
    pq.write_table(table.append_column("later", pa.array([1])), path)
    assert tables.read(tmp_path, "outcomes").arm.tolist() == ["original"]


# Writing


def files_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def write_half(path: Path, error: BaseException) -> None:
    with tables.replacing(path) as handle:
        handle.write(b"new and ha")
        handle.flush()
        raise error


def test_a_writer_that_fails_midway_leaves_the_old_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old and whole")
    with pytest.raises(RuntimeError, match="midway"):
        write_half(path, RuntimeError("midway"))
    assert path.read_bytes() == b"old and whole"
    assert files_in(tmp_path) == ["file.txt"]


def test_a_first_writer_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        write_half(tmp_path / "file.txt", KeyboardInterrupt())
    assert files_in(tmp_path) == []


def test_a_reader_meanwhile_sees_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(b"old")
    with tables.replacing(path) as handle:
        handle.write(b"new")
        handle.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"
    assert files_in(tmp_path) == ["file.txt"]
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_table_that_cannot_be_made_leaves_the_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tables.write(tmp_path, "samples", [sample_row(gold="old")])

    def half(table: pa.Table, handle: Any, **_: Any) -> None:
        handle.write(b"PAR1half")
        raise pa.ArrowInvalid("cut off")

    monkeypatch.setattr(pq, "write_table", half)
    with pytest.raises(pa.ArrowInvalid):
        tables.write(tmp_path, "samples", [sample_row(gold="new")])
    assert pq.read_table(path).column("gold").to_pylist() == ["old"]
    assert files_in(tmp_path) == ["samples.parquet"]


@pytest.mark.parametrize("where", ["write_table", "fsync"])
def test_a_full_disk_is_told_and_the_old_table_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    path = tables.write(tmp_path, "samples", [sample_row(gold="old")])

    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(*((pq, "write_table") if where == "write_table" else (os, "fsync")), full)
    with pytest.raises(AstrayError, match=r"samples\.parquet: can't be written \(No space left on device\); free some"):
        tables.write(tmp_path, "samples", [sample_row(gold="new")])
    assert pq.read_table(path).column("gold").to_pylist() == ["old"]
    assert files_in(tmp_path) == ["samples.parquet"]


def test_a_full_disk_at_the_temporary_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkstemp", full)
    with pytest.raises(AstrayError, match=r"samples\.parquet: can't be written \(No space left"):
        tables.write(tmp_path, "samples", [sample_row()])


def test_a_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "tables").write_text("in the way")
    with pytest.raises(AstrayError, match=r"can't be written .*choose another --out folder"):
        tables.write(tmp_path / "tables", "samples", [sample_row()])
