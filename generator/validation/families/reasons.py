"""Why predictions of serving, single requests and products are far off, in one clause each; empty if unknown."""

from __future__ import annotations

from generator.validation.family import Case
from generator.validation.rows import Row

READ_FROM_TEXT = "check before use"
"""In the note of a row whose settings were read from the text around its numbers."""
TOLD = "model, accelerators and load are read from the text around the numbers"


def of_tpot(row: Row, case: Case, error: float) -> str:
    """Time per output token while serving."""
    if READ_FROM_TEXT in row.text("note"):
        return TOLD
    if error > 0.7 and (row.number("osl") or 0) <= 128 < (row.number("isl") or 0):
        return "few output tokens: probably most prompts were taken in before these steps, not between them"
    if error > 0.7 and (row.number("batch_or_concurrency") or 0) >= 512:
        return "probably fewer requests at once than were sent: the others wait for their first token instead"
    return "far slower than like runs; the list does not say why" if error < -0.5 else ""


def of_ttft(row: Row, case: Case, error: float) -> str:
    """Time to first token while serving."""
    if READ_FROM_TEXT in row.text("note"):
        return TOLD
    if error > -0.9:
        return ""
    if (row.number("batch_or_concurrency") or 0) < 32:
        return "a wait that its prompts do not explain, such as the first run of an engine; the list does not tell"
    return "a wait that its prompts do not explain, such as a limit on the batch; the list does not tell"


def of_single_stream(row: Row, case: Case, error: float) -> str:
    """Output tokens per second of one request."""
    if case.keys["moe"] == "yes":
        return "few rows have experts or layers with a fixed state"
    if case.keys["vendor"] == "apple":
        return "Apple chips differ from each other more than their data sheets do"
    if case.keys["generation"] == "ampere" and case.keys["memory"] == "hbm":
        return "A100 differs from all other cards by number format, unexplained"
    return "llama.cpp has no kernels of its own for Hopper" if case.keys["generation"] == "hopper" else ""


def of_prompts(row: Row, case: Case, error: float) -> str:
    """Prompt tokens per second of one request."""
    if (row.number("pp") or 1) > 1:
        return "how far cards work on pieces of the prompt at once depends on the host, which the table does not tell"
    return ""


def of_paced(row: Row, case: Case, error: float) -> str:
    """Latencies at a rate of arrivals."""
    if (row.number("osl") or 0) <= 16:
        return "with 16 output tokens nearly every step takes prompts in, and their order decides"
    return "close to saturation, where a small error of the capacity is a large one of the time"


def of_step(row: Row, case: Case, error: float) -> str:
    """Time of a step."""
    if READ_FROM_TEXT in row.text("note"):
        return TOLD
    if error > 0 and case.bound is not None and case.measured < 1.1 * float(case.bound):
        return "within a tenth of the bound: constants of 2023, or a prompt that was partly cached"
    if "Mooncake" in row.text("engine"):
        return "the time holds a server and the move of the cache to another instance"
    if "Splitwise" not in row.text("engine"):
        return "another engine than the one of 2023 that most constants are of"
    return "unexplained: large batches of prompts take longer than their products" if error < -0.2 else ""


def of_product(row: Row, case: Case, error: float) -> str:
    """FLOP/s of the best matrix product."""
    if case.keys["vendor"] == "intel":
        return "two generations of one vendor reach 68 to 97 % of their peaks"
    return ""
