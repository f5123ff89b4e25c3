"""`astray/<model>` as a model of Inspect. Importing this registers the name and loads little."""

from __future__ import annotations

from inspect_ai.model import ModelAPI, modelapi


@modelapi(name="astray")
def astray_provider() -> type[ModelAPI]:
    """The embedded model, e.g. `--model astray/qwen2.5-coder-1.5b`."""
    from astray.local.api import LocalModelAPI

    return LocalModelAPI
