"""The embedded model behind Inspect's own OpenAI-compatible client."""

from __future__ import annotations

from typing import Any

import anyio.to_thread
from inspect_ai.model import ChatMessage, GenerateConfig, ModelCall, ModelOutput

# The only private name of Inspect in this room: its client for OpenAI's protocol, instead of one of our own.
from inspect_ai.model._providers.openai_compatible import OpenAICompatibleAPI
from inspect_ai.tool import ToolChoice, ToolInfo
from openai import APIConnectionError, APIStatusError, DefaultAsyncHttpxClient

from astray.errors import ModelUnavailable, UsageError
from astray.local import server
from astray.local.calls import with_calls
from astray.local.progress import Meter
from astray.local.spec import find
from astray.local.store import ensure

DEFAULT_SLOTS = 4
"""Requests in flight unless `max_connections` says otherwise: of 1, 2, 4 and 8 what took the least CPU on two cores."""
DEFAULT_MAX_TOKENS = 1024
"""Tokens of a reply unless `max_tokens` says otherwise: a small model that repeats itself would fill its context."""
PATIENCE = 1800.0
"""Seconds for one reply, its time in the server's queue included."""


class LocalModelAPI(OpenAICompatibleAPI):
    """A model that runs in this process. Nothing is fetched or loaded before the first reply is asked for."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 (Inspect's own signature)
        **model_args: Any,
    ) -> None:
        """Make the client.

        Raises:
            UsageError: there is no such model, or a server address is given.
        """
        if base_url:
            raise UsageError(f"astray/{model_name} runs in this process; it takes no base URL ({base_url}).")
        self.spec = find(model_name)
        super().__init__(
            model_name=model_name,
            base_url="http://127.0.0.1/v1",  # the port is set before each request
            api_key="local",
            config=config,
            service="astray",
            strict_tools=False,
            max_retries=0,
            # No proxy for this machine itself, and no connection that outlives its event loop: models are shared
            # by evals, each of which has a loop of its own.
            http_client=DefaultAsyncHttpxClient(trust_env=False, timeout=PATIENCE, headers={"Connection": "close"}),
            client_timeout=PATIENCE,
            **model_args,
        )
        # None, because Inspect's cache takes it into its key (the port is another in every process), and because
        # who wants to know beforehand whether a server answers shall not ask here.
        self.base_url = None

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput | tuple[ModelOutput | Exception, ModelCall]:
        """A reply; the first call fetches the file and starts the server.

        The models of this family often write a call of a tool as JSON without the tags that their template asks for;
        a reply that is nothing else is such a call.

        Raises:
            ModelUnavailable: the file can't be had, or the server is gone.
        """
        running = await anyio.to_thread.run_sync(self._start, config.max_connections or self.max_connections())
        self.client.base_url, self.client.api_key = running.url, running.key
        try:
            made = await super().generate(input, tools, tool_choice, config)
        except APIConnectionError as error:
            raise ModelUnavailable(
                f"The embedded model {self.spec.name} no longer answers ({error.__cause__ or error}). "
                "Run the same command again; a study goes on where it stopped."
            ) from error
        names = set() if tool_choice == "none" else {tool.name for tool in tools}
        if isinstance(made, ModelOutput):
            return with_calls(made, names)
        output, call = made
        return (with_calls(output, names) if isinstance(output, ModelOutput) else output), call

    def _start(self, slots: int) -> server.Running:
        # Lines, not a bar: Inspect draws on the terminal itself.
        return server.start(ensure(self.spec, Meter()), slots)

    def should_retry(self, ex: BaseException) -> bool:
        """Never: what fails in this process fails again."""
        return False

    def max_connections(self) -> int:
        """Requests in flight: what two cores do best with."""
        return DEFAULT_SLOTS

    def max_tokens(self) -> int:
        """Tokens of a reply."""
        return DEFAULT_MAX_TOKENS

    def connection_key(self) -> str:
        """One pool for each model, whatever role it plays."""
        return self.spec.name

    async def count_text_tokens(self, text: str) -> int:
        """An estimate, on the high side. Inspect's own would download a tokenizer of another model."""
        return max(1, len(text.encode()) // 3)

    @property
    def schema_exclude_fields(self) -> set[str] | None:
        """Nothing: llama.cpp's grammars know `maxLength` and its like."""
        return None

    def handle_bad_request(self, ex: APIStatusError) -> ModelOutput | Exception:
        """A prompt too long for a slot is an output of its own, as with other providers."""
        if "exceed_context_size" in str(ex.body):
            text = f"The prompt doesn't fit into {server.slot_tokens()} tokens."
            return ModelOutput.from_content(self.model_name, content=text, stop_reason="model_length")
        return super().handle_bad_request(ex)
