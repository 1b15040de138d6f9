"""What measurements call things, and which spec that is: the name tables first, then the spelling itself."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass

from generator.specs.library import Library, UnknownId
from generator.specs.records import Accelerator, Model
from generator.validation.rows import Uncovered

_CLOSING = (
    "instruct", "chat", "it", "hf", "base", "preview", "thinking", "dynamic", "quantized", "quantised", "awq", "gptq",
    "autoround", "fp8", "fp4", "nvfp4", "mxfp4", "int4", "int8", "w4a16", "w8a8", "bf16", "fp16", "block", "4bit",
    "8bit", "kv", "lora", "sft", "finetune", "pretrain", "gguf", "v2", "asym", "marlin", "mlx", "bnb", "hybrid",
)  # fmt: skip
"""Words at the end of a checkpoint's name that do not name the model."""
_DATED = r"\d{4}|v0\.\d|\w*quantized\.?\w*"
"""Dates, versions and methods at the end of a checkpoint's name."""
_FORMATS = {
    "nvfp4": "nvfp4", "fp4": "nvfp4", "mxfp4": "mxfp4", "w4a16": "int4-g128", "awq": "int4-g128", "gptq": "int4-g128",
    "int4": "int4-g128", "w8a8": "int8", "int8": "int8", "fp8": "fp8",
}  # fmt: skip
"""A word in the name -> number format of the weights."""

_SPELT = {
    **dict.fromkeys(("", "nan", "auto", "native", "none", "n-a", "-"), ""),
    **dict.fromkeys(("f16", "float16", "half"), "fp16"),
    **dict.fromkeys(("bfloat16", "amp-bf16"), "bf16"),
    **dict.fromkeys(("f32", "float32"), "fp32"),
    **dict.fromkeys(("fp8-e4m3", "fp8-e5m2", "fp8-dynamic", "fp8-e4m3fn", "float8", "e4m3"), "fp8"),
    **dict.fromkeys(("fp4", "nvfp4-fp8", "modelopt-fp4"), "nvfp4"),
    **dict.fromkeys(("int4", "uint4", "w4a16", "awq", "gptq", "int4-awq", "w4a16-awq", "autoround"), "int4-g128"),
    **dict.fromkeys(("w8a8", "int8-sq", "smoothquant"), "int8"),
}  # fmt: skip
"""How rows write number formats that have another id here; empty where they state none."""
_CARD_WORDS = (
    "nvidia", "amd", "intel", "google", "aws", "apple", "geforce", "tesla", "quadro", "radeon", "instinct", "gpu",
    "tensor", "core", "grace", "hopper", "superchip", "generation", "edition", "server", "workstation", "dgx", "hgx",
    "virtualized", "spx", "nps1",
)  # fmt: skip
"""Words in the name of an accelerator that do not tell it from another."""
SIZE_LEEWAY = 0.12
"""How far a stated memory size may be from the spec: makers and software print 180 and 192 GB of one card."""


@dataclass(frozen=True)
class Named:
    """A model, and the number format of its weights that the name implies, if it implies one."""

    model: Model
    weights: str | None


def key(name: str) -> str:
    """A name without case, spaces and punctuation that differs from one list to the next."""
    return re.sub(r"[\s_]+", "-", name.strip().lower())


def model(library: Library, name: str) -> Named:
    """The model that a measurement names. Raises Uncovered."""
    if not name:
        raise Uncovered("the model is not stated")
    known = _table(library, "models").get(key(name))
    if known is not None:
        return Named(library.find("models", known[0]), known[1] or _implied(name))
    for spelling in spellings(name):
        known = _table(library, "models").get(spelling)
        if known is not None:
            return Named(library.find("models", known[0]), _implied(name))
        try:
            return Named(library.find("models", spelling), _implied(name))
        except UnknownId:
            continue
    raise Uncovered(f"model `{name}` has no spec")


def accelerator(library: Library, name: str) -> Accelerator:
    """The accelerator that a measurement names. Raises Uncovered."""
    if not name:
        raise Uncovered("the accelerator is not stated")
    known = _table(library, "accelerators")
    for spelling in card_spellings(name):
        found = known.get(spelling)
        try:
            card = library.find("accelerators", found[0] if found else spelling)
        except UnknownId:
            continue
        if found is not None or _same_card(card, name):
            return card
    raise Uncovered(f"accelerator `{name}` has no spec")


def card_spellings(name: str) -> list[str]:
    """Spellings of an accelerator to look for: as it is, then without counts, makers, kinds of memory, and sizes."""
    whole = key(name)
    plain = re.sub(r"\(.*?\)", "", whole.replace("\u2011", "-"))
    plain = re.sub(r"^\d+-?x-|^\d+x(?=[a-z])|-x\d+$|-?\*-?\d+$|-\d+-core(?=-|$)", "", plain)
    words = [word for word in re.split(r"[-/]+", plain) if word and word not in _CARD_WORDS]
    words = [word for word in words if not re.fullmatch(r"(hbm|gddr|lpddr)\w*", word)]
    words = [re.sub(r"^(sxm|oam)\d$", r"\1", word) for word in words]
    sizes = [word for word in words if re.fullmatch(r"\d{1,3}gb?", word)]
    bare = [word for word in words if word not in sizes]
    chip = [word for word in bare if word not in ("sxm", "oam", "pcie", "nvl", "cts")]
    size = [f"{sizes[0].removesuffix('b')}b"] if sizes else []
    cores = re.search(r"-(\d+-core)(?=-|$)", whole.replace("\u2011", "-"))
    chips = [f"{'-'.join(bare)}-{cores[1]}"] if cores else []
    found = [
        whole,
        whole.replace("nvidia-", ""),
        *chips,
        words,
        bare[:1] + size + bare[1:],
        bare + size,
        bare,
        chip + size,
    ]
    if not any(word in ("pcie", "nvl") for word in bare):
        found.append(chip)
    spelt = [one if isinstance(one, str) else "-".join(one) for one in found]
    return list(dict.fromkeys(more for one in spelt for more in (one, f"rtx-{one}", f"rx-{one}") if one))


def _same_card(card: Accelerator, name: str) -> bool:
    """Whether memory size and GPU cores in a name, if any, are those of the card; a unified memory comes in sizes."""
    told = re.search(r"(?<![a-z\d])(\d+)[\s_-]*gi?b?\b", name.lower())
    cores = re.search(r"(\d+)[\s\u2011_-]*core", name.lower())
    known = re.search(r"(\d+)-core", card.name)
    if cores and known and cores[1] != known[1]:
        return False
    if told is None or card.memory.type.startswith("unified"):
        return True
    return abs(float(told[1]) * 1e9 / float(card.memory.capacity) - 1) < SIZE_LEEWAY


def format_spelt(text: str) -> str:
    """Id of the number format that a column means, as far as its spelling tells; empty if it states none."""
    first = re.sub(r"-+", "-", key(text).partition("/")[0])
    first = re.sub(r"^(i?q\d-k)-(small|medium|large)$", lambda found: f"{found[1]}-{found[2][0]}", first)
    return _SPELT.get(first, first)


def spellings(name: str) -> list[str]:
    """Spellings of a checkpoint name to look for: without the organisation, then without its closing words."""
    last = key(name.rstrip("/").rpartition("/")[2]).removeprefix("meta-")
    # As llama.cpp prints models: `qwen3moe 30B.A3B Q4_K - Medium`, `llama 7B mostly Q4_0`.
    plain = re.sub(r"\(.*?\)|-(mostly-)?(i?q\d(-\w+)*|f16|mxfp4-moe)(-+(small|medium|large))?$", "", last)
    plain = re.sub(r"moe(?=-)", "", plain).replace("b.a", "b-a").replace(".w", "-w")
    parted = re.sub(r"(?<=[a-z]{4})(?=\d)|(?<=-)v(?=\d)", lambda found: "-" if not found[0] else "", plain)
    found: list[str] = []
    for whole in (last, plain, parted):
        words = [word for word in whole.split("-") if word]
        found.append("-".join(words))
        while len(words) > 1 and (words[-1] in _CLOSING or re.fullmatch(_DATED, words[-1])):
            words = words[:-1]
            found.append("-".join(words))
    return list(dict.fromkeys(found))


def _implied(name: str) -> str | None:
    words = re.split(r"[-_./\s]+", name.lower())
    return next((form for word, form in _FORMATS.items() if word in words), None)


def _table(library: Library, of: str) -> dict[str, tuple[str, str]]:
    """Name -> id and number format, of the name tables of the specs; read once for a library."""
    known = ("names of", of)
    if known not in library.derived:
        found: dict[str, tuple[str, str]] = {}
        for record in library.collections["measurements/names"].values():
            if record.of == of:
                text = library.table("measurements/names", record.id).read_text(encoding="utf-8")
                lines = list(csv.DictReader(text.splitlines()))
                for line in lines:
                    found[key(line["name"])] = (line["id"], line.get("weights") or "")
                for line in lines:
                    found.setdefault(key(line["name"].rpartition("/")[2]), (line["id"], line.get("weights") or ""))
        library.derived[known] = found
    return library.derived[known]
