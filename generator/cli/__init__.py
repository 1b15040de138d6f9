"""The `handbook` command: build, serve, check, render, estimate, simulate, validate, calibrate, diff, impact, example,
release, export, explain, explain-log, new.

The only part of the package that imports MkDocs. Exit codes: 0 done, 1 a fault was found, 2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from generator import __version__
from generator.cli import (
    calibrate,
    differences,
    estimate,
    example,
    explain,
    explain_log,
    export,
    new,
    release,
    simulate,
    site,
    validate,
)
from generator.estimates.architecture import NotSupported
from generator.exports.published import ExportFault
from generator.log_comparison import LogFault
from generator.publish import SiteFault
from generator.simulation.instance import TooLarge
from generator.simulation.traces import TraceFault
from generator.specs.huggingface import UnknownConfig
from generator.specs.library import UnknownId
from generator.specs.load import SpecFaults
from generator.validation.rows import RowFault
from generator.worksheets import WorksheetFault

FAULTS = (
    SpecFaults,
    SiteFault,
    ExportFault,
    WorksheetFault,
    UnknownId,
    NotSupported,
    UnknownConfig,
    LogFault,
    TraceFault,
    RowFault,
    TooLarge,
    site.ChapterFault,
    OSError,
)
"""What a person can put right; anything else is a fault of the program and shows its traceback."""


class CommandFault(OSError):
    """Something that the person at the keyboard can put right; the message says how."""


def project_root(start: Path | None = None) -> Path:
    """The project that holds the current directory: the nearest one upwards with `mkdocs.yml` and `specs/`."""
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "mkdocs.yml").is_file() and (folder / "specs").is_dir():
            return folder
    raise CommandFault(f"no handbook project (mkdocs.yml and specs/) in {here} or above it; go to your clone first")


def parser() -> argparse.ArgumentParser:
    """All commands and their arguments."""
    whole = argparse.ArgumentParser(
        prog="handbook",
        description="Numbers for serving and training large language models, computed from sourced specs.",
    )
    whole.add_argument("--version", action="version", version=f"LLM Capacity Handbook {__version__}")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    parts = (
        site, estimate, simulate, validate, calibrate, differences, example, release, export, explain, explain_log, new,
    )  # fmt: skip
    for part in parts:
        part.add_commands(commands)
    return whole


def _said(fault: Exception) -> str:
    """What is wrong, for a person: of a file that cannot be used its name comes first."""
    if isinstance(fault, OSError) and fault.filename is not None and fault.strerror:
        return f"{fault.filename}: {fault.strerror.lower()}"
    return str(fault)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; faults go to standard error, one a line."""
    given = parser().parse_args(arguments)
    try:
        return given.run(given, project_root())
    except BrokenPipeError:
        # Who reads standard output has seen enough; nothing more is written, not even by the interpreter at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except FAULTS as fault:
        print(_said(fault), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; nothing was published", file=sys.stderr)
        return 130
