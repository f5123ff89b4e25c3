"""Databases that are loaded once and copied record by record: only what is looked at is copied, and only what was
changed is compared.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

from pydantic import BaseModel


class Copies(dict[str, Any]):
    """The records of a pristine database, each copied when it is first taken out by its key.

    Iterating gives what is there without copying it: for reading. Nothing ever reaches the pristine records.
    """

    def __init__(self, pristine: Mapping[str, Any]) -> None:
        super().__init__(pristine)
        self._pristine = pristine
        self._own: set[str] = set()

    def __getitem__(self, key: str) -> Any:
        if key not in self._own and key in self._pristine and dict.__contains__(self, key):
            self._own.add(key)
            dict.__setitem__(self, key, deepcopy(self._pristine[key]))
        return dict.__getitem__(self, key)

    def __setitem__(self, key: str, value: Any) -> None:
        self._own.add(key)
        dict.__setitem__(self, key, value)

    def get(self, key: str, default: Any = None) -> Any:
        """The record's copy, or the default."""
        # Not as the check wants it: dict.get would hand out the pristine record.
        return self[key] if key in self else default  # noqa: SIM401

    def changes(self) -> dict[str, Any]:
        """Every record that isn't as it was, as JSON-able data; None for one that is gone."""
        gone = dict.fromkeys(self._pristine.keys() - self.keys())
        return dict(sorted((dict(self._changed()) | gone).items()))

    def _changed(self) -> Iterator[tuple[str, Any]]:
        for key in self._own & self.keys():
            record, before = _dumped(dict.__getitem__(self, key)), _dumped(self._pristine.get(key))
            # As text: upstream compares hashes of it, for which 1 and 1.0 are not the same.
            if json.dumps(record, sort_keys=True) != json.dumps(before, sort_keys=True):
                yield key, record


def _dumped(record: Any) -> Any:
    return record.model_dump(mode="json") if isinstance(record, BaseModel) else record
