"""Fields of spec records: quantities with units, ids, dates, sources, and what every spec file has.

A `Quantity` field is a number in the base unit once loaded. It is written as `80 GB`, or as a plain number
where the unit is a count or a share. Every quantity of a file must be covered by one of the file's sources.
Standard library only: the validator lives in `generator.specs.validate`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal, get_args, get_type_hints

from generator import units

FORBID_UNKNOWN_KEYS = {"extra": "forbid"}
FORMATS = ("fp32", "tf32", "bf16", "fp16", "fp8", "fp6", "int8", "fp4")
"""Number formats that a data sheet gives a peak for."""


@dataclass(frozen=True)
class Quantity:
    """Marks a field as a number in `unit`; `above` and `most` are its limits (`above` is exclusive)."""

    unit: str
    above: float | None = 0.0
    least: float | None = None
    most: float | None = None
    whole: bool = False

    def read(self, given: Any) -> float:
        value = units.parse(given, self.unit)
        if value != value or value in (float("inf"), float("-inf")):
            raise ValueError(f"must be a finite number, got {given!r}")
        if self.whole and value != int(value):
            raise ValueError(f"must be a whole number, got {given!r}")
        if self.least is not None and value < self.least:
            raise ValueError(f"must be at least {self.least:g}, got {given!r}")
        if self.least is None and self.above is not None and value <= self.above:
            raise ValueError(f"must be above {self.above:g}, got {given!r}")
        if self.most is not None and value > self.most:
            raise ValueError(f"must be at most {self.most:g}, got {given!r}")
        return value

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.no_info_plain_validator_function(self.read)


@dataclass(frozen=True)
class Text:
    """Marks a field as text that must match `pattern`."""

    pattern: str
    rule: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        import re

        from pydantic_core import core_schema

        def read(given: Any) -> str:
            if not isinstance(given, str):
                raise ValueError(f"{self.rule}, as text: put it in quotes, got {given!r}")
            if not re.fullmatch(self.pattern, given):
                raise ValueError(f"{self.rule}, got {given!r}")
            return given

        return core_schema.no_info_plain_validator_function(read)


@dataclass(frozen=True)
class ByKind:
    """Marks a union of records that are told apart by their field `kind`."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        choices = {}
        for record in get_args(source):
            schema = handler.generate_schema(record)
            choices |= dict.fromkeys(get_args(get_type_hints(record)["kind"]), schema)
        return core_schema.tagged_union_schema(choices, discriminator="kind")


@dataclass(frozen=True)
class OrWord:
    """Marks a record that may be replaced by one word."""

    word: str

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        schema = handler.generate_schema(get_args(source)[0])
        return core_schema.no_info_wrap_validator_function(
            lambda given, validate: given if given == self.word else validate(given), schema
        )


@dataclass(frozen=True)
class InUnitOfFile:
    """Marks a field whose unit stands in the field `unit` beside it."""

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()


Bytes = Annotated[float, Quantity("B")]
BytesPerSecond = Annotated[float, Quantity("B/s")]
FlopsPerSecond = Annotated[float, Quantity("FLOP/s")]
Watts = Annotated[float, Quantity("W")]
Seconds = Annotated[float, Quantity("s")]
Bits = Annotated[float, Quantity("bit")]
Tokens = Annotated[float, Quantity("token")]
UsdPerHour = Annotated[float, Quantity("USD/h")]
UsdPerMillionTokens = Annotated[float, Quantity("USD/Mtok", least=0.0)]
Count = Annotated[int, Quantity("count", whole=True)]
CountOrZero = Annotated[int, Quantity("count", whole=True, least=0.0)]
Share = Annotated[float, Quantity("1", most=1.0)]
Ratio = Annotated[float, Quantity("1")]

Id = Annotated[str, Text(r"[a-z0-9]+([.-][a-z0-9]+)*", "an id has lower-case letters, digits, `-` and `.`")]
Words = Annotated[str, Text(r"(?s).*\S.*", "must not be empty")]
Date = Annotated[str, Text(r"\d{4}(-\d{2}(-\d{2})?)?", "a date is YYYY, YYYY-MM or YYYY-MM-DD")]
FullDate = Annotated[str, Text(r"\d{4}-\d{2}-\d{2}", "a date seen is YYYY-MM-DD")]


class Record:
    """Base of all records: unknown keys are faults."""

    __pydantic_config__: ClassVar[dict[str, str]] = FORBID_UNKNOWN_KEYS


Status = Literal["datasheet", "config", "paper", "measured", "price list", "assumption", "estimate", "choice"]
"""What a source is; `choice` marks the inputs that a page or a reader picks, such as a batch size."""


@dataclass(frozen=True, kw_only=True)
class SourceNote(Record):
    """One source of a file and the fields it covers; a field path covers everything below it, `all` covers the file."""

    covers: list[str]
    source: str
    status: Status
    seen: FullDate
    evidence: str = ""
    confirmed: bool = True


@dataclass(frozen=True, kw_only=True)
class Conflict(Record):
    """Sources that disagree about one field: what each says, and why this value was taken."""

    field: str
    statement: str
    kept: str = ""


@dataclass(frozen=True, kw_only=True)
class Spec(Record):
    """What every spec file has."""

    id: Id
    name: Words
    aliases: list[Id] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    sources: list[SourceNote]
