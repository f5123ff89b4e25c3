"""The command line: one module a verb, loaded when it is called; errors become messages and exit codes here.

Exit codes: 0 done · 1 the request can't work · 2 usage · 3 done, but too much is void · 4 budget reached ·
130 interrupted (resumable).
"""

from __future__ import annotations

import errno
import importlib
import keyword
import os
import sys
from typing import Final

import click

from astray.errors import AstrayError

VERBS: Final = {
    "demo": "a real model, real questions, without bad advice and with it",
    "run": "run a study, or go on with one",
    "plan": "what a study would take, before a call is paid",
    "advise": "have the advice for a benchmark written by a model",
    "arms": "every term an arm can be made of",
    "advice": "look at an advice book, check it, edit it",
    "evidence": "have evidence for wrong answers found, look at it",
    "traces": "what agents did on the way: import transcripts, label them, judge the labeller",
    "export": "a book for another harness",
    "import": "results of another harness",
    "report": "write the report of one or more studies",
    "compare": "rank models and studies side by side",
    "models": "the embedded models",
}


class Verbs(click.Group):
    """Commands that are imported when they are called, so that help is quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order a person meets them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of this name, from the module of this name."""
        if cmd_name not in VERBS:
            return None
        # A module can't be named like a word of Python.
        name = f"{cmd_name}_" if keyword.iskeyword(cmd_name) else cmd_name
        command = getattr(importlib.import_module(f"astray.cli.{name}"), name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Their names and lines, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(VERBS.items()))


@click.group(cls=Verbs, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="astray")
def astray() -> None:
    """How far does bad advice lead your agent astray?"""


def main() -> None:
    """Entry point: run a command and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; every error is told in a message that says what to do."""
    try:
        result = astray.main(arguments, prog_name="astray", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Abort:
        return _interrupted()
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except AstrayError as error:
        return _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            return _fail(f"the disk is full ({error.filename or error}); free some space and run the same again", 1)
        raise


def _interrupted() -> int:
    return _fail("interrupted; what was finished is kept: the same command again goes on from there", 130)


def _fail(message: str, code: int) -> int:
    click.echo(f"astray: {message}", err=True)
    return code
