"""Records of number formats, assumptions, workloads, prices, works, measurements and worked examples."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from generator.specs.fields import (
    Bits,
    Bytes,
    BytesPerSecond,
    Count,
    FullDate,
    Id,
    InUnitOfFile,
    Quantity,
    Ratio,
    Record,
    Seconds,
    Spec,
    Text,
    Tokens,
    UsdPerHour,
    UsdPerMillionTokens,
)


@dataclass(frozen=True, kw_only=True)
class NumberFormat(Spec):
    """A number format with its scales: `bits` is what one value takes in memory, `computes_as` the peaks it can use,
    best first."""

    bits: Bits
    computes_as: list[Literal["fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "int8", "fp4"]]
    kv_cache: bool = False


@dataclass(frozen=True, kw_only=True)
class Assumption(Spec):
    """One constant of the reference model, with the range in which real systems lie."""

    symbol: str
    unit: Literal["1", "s", "B", "count", "USD/h", "USD/kWh"]
    value: Annotated[float, InUnitOfFile()]
    low: Annotated[float | None, InUnitOfFile()] = None
    high: Annotated[float | None, InUnitOfFile()] = None
    why: str


@dataclass(frozen=True, kw_only=True)
class Tier(Spec):
    """A memory that can keep a cache: `bandwidth` is that of the way to the accelerator, for what `per` names."""

    medium: Literal["host", "flash", "remote", "disk"]
    per: str
    capacity: Bytes | None = None
    bandwidth: BytesPerSecond


@dataclass(frozen=True, kw_only=True)
class Workload(Spec):
    """A request shape: prompt and output tokens."""

    prompt: Annotated[float, Quantity("token", least=0.0)]
    output: Tokens


@dataclass(frozen=True, kw_only=True)
class Trace(Spec):
    """Requests recorded by a real service; they stand in the CSV of the same name, one a line.

    `block_tokens` is how many tokens one prefix block of the table stands for, where it has them.
    """

    requests: Count
    block_tokens: Tokens | None = None
    licence: str


@dataclass(frozen=True, kw_only=True)
class EngineRun(Spec):
    """A recorded run of a serving engine: settings, and what it measured over all requests.

    The CSV of the same name has one line a request; `.seconds.csv` beside it has the state of the engine every second.
    """

    engine: str
    model: Id
    accelerator: Id
    tp: Count
    requests: Count
    token_budget: Tokens
    slots: Count
    prefix_cache: bool
    kv_blocks: Count | None = None
    """Blocks of 16 tokens that the engine had, where its log says so."""
    makespan: Seconds
    ttft_p50: Seconds
    ttft_p90: Seconds
    tpot_p50: Seconds
    tpot_p90: Seconds
    e2e_p50: Seconds
    e2e_p90: Seconds
    prompt_step: Seconds
    """Time of an iteration full of prompts: median distance of first tokens while requests still arrive."""
    decode_step: Seconds
    """Time of a decode step: median over the seconds without a prompt."""
    steps_to_first_token: Ratio
    """Iterations full of prompts from admission to first token, of prompts that fit into one and met no queue."""
    licence: str


@dataclass(frozen=True, kw_only=True)
class GpuPrice(Spec):
    """Rental price points of one accelerator; `typical` is what pages use, `low` and `high` the range seen."""

    accelerator: Id
    date: FullDate
    typical: UsdPerHour
    low: UsdPerHour | None = None
    high: UsdPerHour | None = None


@dataclass(frozen=True, kw_only=True)
class PriceStep(Record):
    """Prices beyond a context length."""

    above: Tokens
    input: UsdPerMillionTokens
    output: UsdPerMillionTokens
    cached_input: UsdPerMillionTokens | None = None


@dataclass(frozen=True, kw_only=True)
class ApiPrice(Spec):
    """A dated API price list entry."""

    provider: str
    model: Id | None = None
    date: FullDate
    input: UsdPerMillionTokens
    output: UsdPerMillionTokens
    cached_input: UsdPerMillionTokens | None = None
    long_context: list[PriceStep] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Reference(Record):
    """A bibliography entry."""

    id: Id
    authors: str
    title: str
    year: int
    venue: str = ""
    address: str
    checked: FullDate | None = None


@dataclass(frozen=True, kw_only=True)
class Measurement(Spec):
    """A published measurement to set beside a prediction."""

    quantity: str
    value: Annotated[float, InUnitOfFile()]
    unit: str
    setting: str
    model: Id | None = None
    accelerator: Id | None = None


ExampleId = Annotated[str, Text(r"WX-\d{3}", "an example id is WX- and three digits")]


@dataclass(frozen=True, kw_only=True)
class Expected(Record):
    """The value an example has been published with: a quantity in the unit of the answer, and how far it may move."""

    value: Annotated[float, InUnitOfFile()]
    tolerance: Annotated[float, Quantity("1", least=0.0)] = 0.0


@dataclass(frozen=True, kw_only=True)
class Printed(Record):
    """What another work prints for the same question, and what to think of it.

    `of` is `inputs` where the work gives what the answer is computed from, but not the answer.
    """

    statement: str
    source: str
    of: Literal["answer", "inputs"] = "answer"
    agrees: bool = True
    why: str = ""


@dataclass(frozen=True, kw_only=True)
class Revision(Record):
    """One published value of an example and why it replaced the one before."""

    revision: Count
    date: FullDate
    value: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class Example(Record):
    """A fixed worked example: a question, the steps that answer it, and the value it is published with.

    `steps` are those of a worksheet; `answer` names the step, or the field of a step, that is the answer.
    """

    id: ExampleId
    title: str
    question: str
    chapter: str
    cases: list[str] = field(default_factory=list)
    steps: dict[str, dict[str, Any]]
    answer: str
    expected: Expected
    explanation: str
    printed: list[Printed] = field(default_factory=list)
    measured: list[Id] = field(default_factory=list)
    revision: Count = 1
    history: list[Revision] = field(default_factory=list)
