"""A wrong file is refused with its line, its field and the rule, all faults at once, and nothing else happens.

Each case breaks one file of a small copy of the specs in one way. The message must name the field and the rule.
"""

from __future__ import annotations

import copy
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.specs import positions
from generator.specs.load import SpecFaults, load

CARD = "accelerators/h100-sxm"
SYSTEM = "systems/hgx-h100-8"
LINK = "links/nvlink4"
MOE = "models/qwen3-30b-a3b"
LATENT = "models/deepseek-v3.2"
COMPRESSED = "models/deepseek-v4-flash"
HYBRID = "models/qwen3.8-flash-next"
SLIDING = "models/gpt-oss-20b"
FORMAT = "number_formats/bf16"
ASSUMPTION = "assumptions/bandwidth-efficiency"
WORKLOAD = "workloads/chat"
PRICE = "prices/gpus/h100-sxm"
API = "prices/apis/gpt-5.5"
WORK = "references/brown-2020-gpt3"
MEASURED = "measurements/matmul-h100-sxm-bf16"
FILES = (
    CARD, SYSTEM, LINK, MOE, LATENT, COMPRESSED, HYBRID, SLIDING, FORMAT, ASSUMPTION, WORKLOAD, PRICE, API, WORK,
    MEASURED, "number_formats/fp8", "number_formats/fp8-block", "number_formats/mxfp4",
)  # fmt: skip

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Case:
    """One way to break one file: which field, how, and words that the message must have beside the field's name."""

    file: str
    path: Path_
    change: Callable[[Any, Any], None]
    """Called with what holds the field, and the field's name or index."""
    words: tuple[str, ...]
    what: str

    @property
    def field(self) -> str:
        return next((str(step) for step in reversed(self.path) if isinstance(step, str)), "")


def _path(dotted: str) -> Path_:
    return tuple(int(step) if step.isdigit() else step for step in dotted.split("."))


def put(file: str, dotted: str, value: Any, *words: str) -> Case:
    """The field gets a value."""

    def change(holder: Any, step: Any) -> None:
        holder[step] = value

    return Case(file, _path(dotted), change, words, f"{file} {dotted} = {value!r}"[:90])


def drop(file: str, dotted: str) -> Case:
    """The field is left out."""
    return Case(file, _path(dotted), lambda holder, step: holder.pop(step), ("missing",), f"{file} without {dotted}")


def misspell(file: str, dotted: str, as_: str) -> Case:
    """The field has another name."""
    path = _path(dotted)

    def change(holder: Any, step: Any) -> None:
        holder[as_] = holder.pop(step)

    return Case(
        file, (*path[:-1], as_), lambda holder, _: change(holder, path[-1]),
        ("unknown field", f"did you mean `{path[-1]}`"), f"{file} {dotted} as {as_}",
    )  # fmt: skip


ATTENTION = "config.attention.0"
FFN = "config.ffn.0"
CASES = [
    # Typing errors in keys.
    misspell(CARD, "vendor", "vender"),
    misspell(CARD, "memory.bandwidth", "bandwith"),
    misspell(CARD, "dense_peak.bf16", "bf61"),
    misspell(CARD, "scale_up.domain_gpus", "domain_gpu"),
    misspell(CARD, "tdp", "tpd"),
    misspell(CARD, "sources.0.seen", "sen"),
    misspell(MOE, "config.d_model", "dmodel"),
    misspell(MOE, f"{ATTENTION}.head_dim", "headdim"),
    misspell(MOE, f"{FFN}.top_k", "topk"),
    misspell(MOE, "published.exact", "exakt"),
    misspell(COMPRESSED, "kv_layout.entry_bytes", "entry_byte"),
    misspell(COMPRESSED, "config.attention.1.indexer.top_k", "topk"),
    misspell(HYBRID, "config.attention.1.conv_kernel", "conv_kernal"),
    misspell(PRICE, "typical", "typcal"),
    misspell(API, "long_context.0.output", "outptu"),
    misspell(WORK, "authors", "author"),
    misspell(ASSUMPTION, "why", "wy"),
    # What every file of a kind must have.
    *(drop(CARD, field) for field in ("id", "name", "vendor", "released", "availability", "memory", "dense_peak")),
    *(drop(CARD, field) for field in ("sparse_peak", "memory.capacity", "scale_up.domain_gpus", "sources")),
    *(drop(CARD, f"sources.0.{field}") for field in ("covers", "source", "status", "seen")),
    *(drop(MOE, field) for field in ("config", "formats", "published", "max_context", "config.vocab")),
    *(drop(MOE, f"{ATTENTION}.{field}") for field in ("layers", "n_heads", "n_kv_heads", "head_dim")),
    *(drop(MOE, f"{FFN}.{field}") for field in ("experts", "top_k", "expert_intermediate")),
    *(drop(LATENT, f"{ATTENTION}.{field}") for field in ("kv_lora_rank", "qk_rope_head_dim", "v_head_dim")),
    *(drop(PRICE, field) for field in ("date", "typical", "accelerator")),
    *(drop(WORK, field) for field in ("title", "year", "address")),
    *(drop(FORMAT, field) for field in ("bits", "computes_as")),
    drop(SYSTEM, "gpus"),
    drop(LINK, "bandwidth"),
    drop(WORKLOAD, "output"),
    drop(ASSUMPTION, "unit"),
    # Units.
    put(CARD, "memory.capacity", "80 Gb", "unknown unit `Gb`", "did you mean"),
    put(CARD, "memory.capacity", "80", "unknown unit", "GiB"),
    put(CARD, "memory.capacity", 80, "give a unit", "`80 GB`"),
    put(CARD, "memory.bandwidth", "3.35 TB", "unknown unit `TB`", "TB/s"),
    put(CARD, "memory.bandwidth", "3.35 TBps", "unknown unit `TBps`"),
    put(CARD, "dense_peak.bf16", "989.4 TFLOPS", "unknown unit `TFLOPS`", "did you mean `TFLOP/s`"),
    put(CARD, "dense_peak.bf16", "989.4 TFLOP", "unknown unit `TFLOP`"),
    put(CARD, "tdp", "700 VA", "unknown unit `VA`"),
    put(CARD, "tdp", [700], "want a number and a unit"),
    put(MOE, "max_context", 40960, "give a unit"),
    put(MOE, "training.tokens", "36 T", "unknown unit `T`"),
    put(PRICE, "typical", "2.95 EUR/h", "unknown unit `EUR/h`"),
    put(PRICE, "typical", "2.95 USD", "unknown unit `USD`"),
    put(API, "input", "5 USD/ktok", "unknown unit `USD/ktok`"),
    put(FORMAT, "bits", "2 B", "unknown unit `B`"),
    put(LINK, "bandwidth", "450 Gb/s", "unknown unit `Gb/s`"),
    put(MEASURED, "value", "794 TFLOPS", "unknown unit `TFLOPS`"),
    put(ASSUMPTION, "unit", "percent", "must be one of"),
    # Numbers that cannot be.
    put(CARD, "memory.capacity", "-80 GB", "must be above 0"),
    put(CARD, "memory.capacity", "0 GB", "must be above 0"),
    put(CARD, "memory.capacity", "1e999 GB", "must be a finite number"),
    put(CARD, "memory.capacity", "1e40 GB", "must be at most 1e+30"),
    put(CARD, "memory.capacity", "nan GB", "want a number and a unit"),
    put(CARD, "memory.capacity", None, "want a number and a unit"),
    put(CARD, "dense_peak.fp8", "-1 TFLOP/s", "must be above 0"),
    put(CARD, "matmul_efficiency.bf16", 80.3, "must be at most 1"),
    put(CARD, "matmul_efficiency.bf16", "80.3 %", "want a plain number"),
    put(CARD, "scale_up.domain_gpus", 8.5, "must be a whole number"),
    put(MOE, "config.layers", 0, "must be above 0"),
    put(MOE, "config.layers", -48, "must be above 0"),
    put(MOE, "config.layers", float("nan"), "must be a finite number"),
    put(MOE, "config.layers", float("inf"), "must be a finite number"),
    put(MOE, "config.layers", "48", "want a plain number"),
    put(MOE, "config.layers", True, "want a plain number"),
    put(MOE, "config.layers", 10**400, "must be at most"),
    put(MOE, "config.d_model", 2048.5, "must be a whole number"),
    put(MOE, f"{FFN}.shared_intermediate", -1, "must be at least 0"),
    put(MOE, "published.exact", 30_532_122_624.5, "must be a whole number"),
    put(ASSUMPTION, "value", -0.8, "must be a finite number from 0"),
    put(ASSUMPTION, "value", float("inf"), "must be a finite number from 0"),
    put(ASSUMPTION, "value", float("nan"), "must be a finite number from 0"),
    put(ASSUMPTION, "value", None, "want a number"),
    put(ASSUMPTION, "value", "0.8", "want a plain number"),
    put(ASSUMPTION, "high", 0.75, "is below `value`"),
    put(ASSUMPTION, "value", 0.6, "is below `low`"),
    put(WORKLOAD, "prompt", "-1 tokens", "must be at least 0"),
    put(WORKLOAD, "output", "0 tokens", "must be above 0"),
    put(PRICE, "high", "0.5 USD/h", "is below `typical`"),
    # Dense and sparse, one way and both ways, GB and GiB.
    put(CARD, "dense_peak.bf16", "1978.9 TFLOP/s", "is a sparse figure given as dense"),
    put(CARD, "dense_peak.fp8", "3957.8 TFLOP/s", "is a sparse figure given as dense"),
    put(CARD, "dense_peak.int8", "989.4 TOP/s", "int8 runs 2 times as fast as bf16"),
    put(CARD, "dense_peak.fp16", "494.7 TFLOP/s", "fp16 runs 1 times as fast as bf16"),
    put(CARD, "scale_up.bandwidth", "900 GB/s", "is per direction: half of `bidirectional`"),
    put(CARD, "memory.visible", "80 MiB", "GB and GiB mixed up"),
    put(CARD, "peak_exceptions", {"fp5": "no such format"}, "unknown number format `fp5`"),
    put(LINK, "bandwidth", "900 GB/s", "is per direction: half of `bidirectional`"),
    put(LINK, "measured", "749 GB/s", "is above `bandwidth`"),
    put(LINK, "nominal", "40 GB/s", "is above `nominal`"),
    put(SYSTEM, "memory", "640 MB", "accelerators hold 6.4e+11 B"),
    # Shapes that contradict themselves.
    put(MOE, f"{ATTENTION}.n_kv_heads", 6, "does not divide n_heads 32", "valid: 1, 2, 4, 8, 16, 32"),
    put(MOE, f"{ATTENTION}.n_kv_heads", 64, "does not divide n_heads 32"),
    put(MOE, f"{ATTENTION}.layers", 47, "have 47 layers, `config.layers` says 48"),
    put(MOE, f"{FFN}.layers", 47, "have 47 layers, `config.layers` says 48"),
    put(MOE, f"{FFN}.top_k", 129, "is above the 128 experts"),
    put(MOE, f"{ATTENTION}.kind", "flul", "must be one of", "'full'"),
    put(MOE, f"{FFN}.kind", "mo", "'moe'"),
    put(MOE, f"{ATTENTION}.kind", "sliding", "`kind: sliding` needs `window`"),
    put(MOE, f"{ATTENTION}.window", 4096, "full attention has no `window`"),
    put(MOE, f"{ATTENTION}.indexer", {"n_heads": 4, "head_dim": 128, "top_k": 2048}, "the kind with one is indexed"),
    put(MOE, f"{ATTENTION}.qk_norm", "heads", "must be one of"),
    put(MOE, "published.active", 40_000_000_000, "is above `published.total`"),
    put(MOE, "published.active_convention", None, "needs `active_convention`"),
    put(MOE, "published.active_convention", "some", "must be one of"),
    put(MOE, "formats.experts", None, "a model with routed experts needs"),
    put(HYBRID, "config.attention.0.indexer", None, "`kind: indexed` needs `indexer`"),
    put(HYBRID, "config.attention.1.n_key_heads", 5, "does not divide n_value_heads 48"),
    put(LATENT, f"{ATTENTION}.q_lora_rank", None, "needs `q_lora_rank`"),
    put(COMPRESSED, "config.attention.1.compress", 0, "must be above 0"),
    put(SLIDING, "config.attention.1.window", None, "needs `window`"),
    put(COMPRESSED, "config.ffn.0.top_k", 8, "must have the same `experts` and `top_k`"),
    # Ids, aliases, references to other files.
    put(CARD, "id", "h100", "must be the file name, `h100-sxm`"),
    put(CARD, "id", "H100 SXM", "lower-case letters"),
    put(CARD, "aliases", ["H100!"], "lower-case letters"),
    put(MOE, "aliases", ["deepseek-v3.2"], "is taken by"),
    put(MOE, "formats.ffn", "bf61", "no number_formats file is called `bf61`", "did you mean `bf16`"),
    put(MOE, "kv_format", "fp7", "no number_formats file is called `fp7`"),
    put(COMPRESSED, "kv_layout.format", "fp7", "no number_formats file is called `fp7`"),
    put(SYSTEM, "accelerator", "h100-smx", "no accelerators file is called", "did you mean `h100-sxm`"),
    put(PRICE, "accelerator", "h100", "no accelerators file is called `h100`"),
    put(API, "model", "gpt-5", "no models file is called `gpt-5`"),
    put(MEASURED, "accelerator", "h900", "no accelerators file is called `h900`"),
    put(MOE, "training.accelerator", "h900", "no accelerators file is called `h900`"),
    # Sources.
    put(CARD, "sources", [], "no source covers"),
    put(CARD, "sources.0.source", "brown-2020-gtp3", "no references file is called", "did you mean `brown-2020-gpt3`"),
    put(CARD, "sources.0.source", "", "a source needs an address"),
    put(CARD, "sources.0.status", "rumour", "must be one of", "'datasheet'"),
    put(CARD, "sources.0.seen", "29-11-2026", "YYYY-MM-DD"),
    put(CARD, "sources.0.seen", "2026-02-30", "no such date"),
    put(CARD, "sources.0.covers", ["memory.bandwith"], "covers unknown field", "did you mean `memory.bandwidth`"),
    put(CARD, "sources.0.covers", [], "`covers` is empty"),
    put(CARD, "sources.0.covers", "memory", "list"),
    put(CARD, "conflicts.0.field", "memory.bandwith", "of a conflict is unknown", "did you mean `memory.bandwidth`"),
    put(WORK, "address", "arxiv 2005.14165", "must begin with https://"),
    put(WORK, "year", 20, "between 1900 and 2100"),
    put(WORK, "year", "MMXX", "integer"),
    # Dates, words, lists and maps.
    put(CARD, "released", "Q3 2022", "a date is YYYY"),
    put(CARD, "released", "2022-13", "no such date"),
    put(CARD, "released", 2022, "a date is YYYY"),
    put(PRICE, "date", "2026-05", "YYYY-MM-DD"),
    put(PRICE, "date", "2026-04-31", "no such date"),
    put(CARD, "availability", "soon", "must be one of", "'announced'"),
    put(LINK, "reach", "rack", "must be one of"),
    put(FORMAT, "computes_as", ["bf61"], "must be one of"),
    put(FORMAT, "kv_cache", "maybe", "boolean"),
    put(CARD, "memory", ["80 GB"], "memory"),
    put(CARD, "memory", "80 GB", "memory"),
    put(CARD, "sources", {"covers": "all"}, "list"),
    put(CARD, "notes", "one note", "list"),
    put(CARD, "name", 100, "put it in quotes"),
    put(CARD, "sparse_peak", "nothing", "sparse_peak"),
    put(MOE, "config.attention", {"kind": "full"}, "list"),
    put(MOE, "config.attention", [], "have 0 layers"),
    put(MOE, "config.ffn", "moe", "list"),
    put(MOE, "config.tied_embeddings", "perhaps", "boolean"),
]  # fmt: skip


@pytest.fixture(scope="module")
def originals(root) -> dict[str, str]:
    return {file: (root / "specs" / f"{file}.yaml").read_text(encoding="utf-8") for file in FILES}


@pytest.fixture
def project(tmp_path, root) -> Path:
    for file in FILES:
        target = tmp_path / "specs" / f"{file}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "specs" / f"{file}.yaml", target)
    return tmp_path


def _faults(project: Path) -> list[positions.Fault]:
    with pytest.raises(SpecFaults) as caught:
        load(project)
    return caught.value.faults


def _break(project: Path, case: Case) -> positions.Positioned:
    """Change one field of one file; returns the changed file with its positions."""
    path = project / "specs" / f"{case.file}.yaml"
    data = copy.deepcopy(positions.read(path.read_text(encoding="utf-8"), "").data)
    holder = data
    for step in case.path[:-1]:
        holder = holder[step]
    case.change(holder, case.path[-1])
    text = yaml.safe_dump(data, sort_keys=False, allow_unicode=True)
    path.write_text(text, encoding="utf-8")
    return positions.read(text, f"specs/{case.file}.yaml")


def _fits(fault: positions.Fault, case: Case, file: positions.Positioned) -> bool:
    return (
        fault.file == file.file
        and fault.line >= 1
        and fault.column >= 1
        and case.field in fault.message
        and all(word in fault.message for word in case.words)
    )


def test_the_small_copy_is_sound(project):
    assert len(load(project).models) == 5


def test_there_are_more_than_a_hundred_ways_to_break_a_file():
    assert len({case.what for case in CASES}) > 150


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_a_broken_file_is_refused_with_its_place_its_field_and_the_rule(project, case):
    file = _break(project, case)
    faults = _faults(project)
    fitting = [fault for fault in faults if _fits(fault, case, file)]
    assert fitting, "\n".join(map(str, faults))
    # The place is the field itself, its key, or what should have held it.
    near = {file.mark(case.path)[0], file.mark((*case.path, positions.KEY))[0], file.mark(case.path[:-1])[0]}
    near |= {line for path, (line, _) in file.marks.items() if path[: len(case.path)] == case.path}
    near |= {file.mark(case.path[:-2])[0]}
    related = {line for path, (line, _) in file.marks.items() if path[:-1] == case.path[:-1]}
    assert {fault.line for fault in fitting} & (near | related)


RAW = {
    # What is wrong with the text: (file, text of the file from the original, words of the message).
    "a field given twice": (CARD, lambda text: text + "tdp: 700 W\n", ("`tdp` is given twice, first on line",)),
    "a nested field given twice": (
        WORKLOAD, lambda text: text.replace("sources:", "prompt: 1 tokens\nsources:"), ("`prompt` is given twice",),
    ),
    "nothing": (WORKLOAD, lambda text: "", ("the file is empty",)),
    "a comment only": (WORKLOAD, lambda text: "# to be written\n", ("the file is empty",)),
    "null": (WORKLOAD, lambda text: "null\n", ("the file is empty",)),
    "a document mark only": (WORKLOAD, lambda text: "---\n", ("the file is empty",)),
    "a list": (WORKLOAD, lambda text: "- id: chat\n", ("want fields",)),
    "a number": (WORKLOAD, lambda text: "42\n", ("want fields",)),
    "a sentence": (WORKLOAD, lambda text: "just words\n", ("want fields",)),
    "a tab": (WORKLOAD, lambda text: text.replace("\nprompt:", "\n\tprompt:"), ("YAML",)),
    "an open brace": (WORKLOAD, lambda text: text + "x: {a: 1\n", ("YAML",)),
    "an open quote": (WORKLOAD, lambda text: text + 'x: "abc\n', ("YAML",)),
    "two documents": (WORKLOAD, lambda text: text + "---\n" + text, ("YAML",)),
    "a bad indent": (WORKLOAD, lambda text: text.replace("\nprompt:", "\n  prompt:"), ("YAML",)),
    "an unknown anchor": (WORKLOAD, lambda text: text + "x: *nowhere\n", ("YAML",)),
    "an alias of itself": (WORKLOAD, lambda text: "x: &x {y: *x}\n", ("alias",)),
    "an unknown tag": (WORKLOAD, lambda text: text.replace("id: chat", "id: !secret chat"), ("YAML",)),
    "a tag that does not fit": (WORKLOAD, lambda text: text + "x: !!timestamp 2020\n", ("YAML",)),
    "a list as a key": (WORKLOAD, lambda text: text + "? [a, b]\n: c\n", ("plain text",)),
    "thousands of brackets": (WORKLOAD, lambda text: "x: " + "[" * 5000, ("YAML",)),
    "five thousand digits": (FORMAT, lambda text: text + "x: " + "9" * 5000 + "\n", ("cannot read", "as int")),
    "a zero byte": (WORKLOAD, lambda text: text + "x: \x00\n", ("YAML",)),
    "a time instead of a count": (MOE, lambda text: text.replace("layers: 48\n", "layers: 1:30\n", 1), ("layers",)),
    "hexadecimal digits": (MOE, lambda text: text.replace("layers: 48\n", "layers: 0x30\n", 1), ("layers",)),
}  # fmt: skip


@pytest.mark.parametrize("what", RAW)
def test_text_that_is_no_spec_is_refused_with_its_place(project, originals, what):
    name, change, words = RAW[what]
    text = change(originals[name])
    assert text != originals[name]
    path = project / "specs" / f"{name}.yaml"
    path.write_text(text, encoding="utf-8")
    faults = [fault for fault in _faults(project) if fault.file == f"specs/{name}.yaml"]
    assert any(all(word in fault.message for word in words) for fault in faults), "\n".join(map(str, faults))
    assert all(1 <= fault.line <= len(text.splitlines()) + 1 and fault.column >= 1 for fault in faults)


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_is_refused(project, originals, encoding):
    path = project / "specs" / f"{WORKLOAD}.yaml"
    path.write_bytes((originals[WORKLOAD] + "# Zürich\n").encode(encoding))
    assert [fault for fault in _faults(project) if fault.file.endswith("chat.yaml") and "UTF-8" in fault.message]


def test_two_files_cannot_share_an_alias(project):
    for file in (MOE, LATENT):
        _break(project, put(file, "aliases", ["the-model"]))
    (fault,) = _faults(project)
    assert "`the-model` is taken by" in fault.message


def test_an_alias_cannot_be_the_id_of_another_file(project):
    _break(project, put(MOE, "aliases", ["gpt-oss-20b"]))
    (fault,) = _faults(project)
    assert "gpt-oss-20b" in fault.message


def test_all_faults_of_one_file_are_reported_at_once(project):
    cases = [
        put(CARD, "memory.capacity", "80 Gb", "unknown unit `Gb`"),
        put(CARD, "memory.bandwidth", "3.35 TB", "unknown unit `TB`"),
        put(CARD, "availability", "soon", "must be one of"),
        misspell(CARD, "tdp", "tpd"),
        put(CARD, "sources.0.seen", "yesterday", "YYYY-MM-DD"),
    ]
    for case in cases:
        file = _break(project, case)
    faults = _faults(project)
    for case in cases:
        assert any(_fits(fault, case, file) for fault in faults), case.what


@settings(max_examples=15)
@given(chosen=st.lists(st.sampled_from(CASES), min_size=2, max_size=5, unique_by=lambda case: case.file))
def test_faults_of_several_files_are_reported_at_once(root, tmp_path_factory, chosen):
    project = tmp_path_factory.mktemp("several")
    for file in FILES:
        target = project / "specs" / f"{file}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / "specs" / f"{file}.yaml", target)
    files = [_break(project, case) for case in chosen]
    faults = _faults(project)
    assert faults == sorted(faults)
    for case, file in zip(chosen, files, strict=True):
        assert any(fault.file == file.file for fault in faults), case.what


JUNK = st.sampled_from(
    [None, [], {}, [1], {"x": 1}, "junk", "", True, 0, -1, 1.5, float("nan"), float("inf"), 10**400, "5 GB", "-5 GB",
     "all", "none", [["a"]], [{}], "2025-13-45"]
)  # fmt: skip


def _paths(data: Any, path: Path_ = ()) -> list[Path_]:
    children = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [path, *(found for step, child in children for found in _paths(child, (*path, step)))]


@settings(max_examples=150)
@given(data=st.data(), name=st.sampled_from(FILES), junk=JUNK)
def test_whatever_stands_in_a_field_nothing_but_faults_comes_out(root, tmp_path_factory, data, name, junk):
    project = tmp_path_factory.mktemp("junk")
    text = (root / "specs" / f"{name}.yaml").read_text(encoding="utf-8")
    content = positions.read(text, "").data
    place = data.draw(st.sampled_from([path for path in _paths(content) if path]))
    holder = content
    for step in place[:-1]:
        holder = holder[step]
    holder[place[-1]] = junk
    target = project / "specs" / f"{name}.yaml"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(yaml.safe_dump(content, sort_keys=False, allow_unicode=True), encoding="utf-8")
    try:
        load(project)
    except SpecFaults as found:
        assert all(fault.line >= 1 and fault.column >= 1 and fault.message for fault in found.faults)
