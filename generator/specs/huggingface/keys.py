"""A Hugging Face config that is asked for its sizes, and remembers what was missing, wrong or taken from a default."""

from __future__ import annotations

from typing import Any

NAMES: dict[str, tuple[str, ...]] = {
    "layers": ("num_hidden_layers", "n_layer", "n_layers", "num_layers"),
    "d_model": ("hidden_size", "n_embd", "d_model"),
    "vocab": ("vocab_size",),
    "max_context": ("max_position_embeddings", "n_positions", "max_seq_len", "model_max_length"),
    "n_heads": ("num_attention_heads", "n_head", "n_heads"),
    "n_kv_heads": ("num_key_value_heads", "num_kv_heads"),
    "window": ("sliding_window",),
    "chunk": ("attention_chunk_size",),
    "intermediate": ("intermediate_size", "ffn_dim", "n_inner", "ffn_hidden_size"),
    "experts": ("n_routed_experts", "num_local_experts", "num_experts"),
    "top_k": ("num_experts_per_tok", "experts_per_token", "num_experts_per_token"),
    "expert_intermediate": ("moe_intermediate_size",),
    "shared_intermediate": ("shared_expert_intermediate_size", "shared_intermediate_size"),
    "n_key_heads": ("linear_num_key_heads",),
    "key_head_dim": ("linear_key_head_dim",),
    "n_value_heads": ("linear_num_value_heads",),
    "value_head_dim": ("linear_value_head_dim",),
    "conv_kernel": ("linear_conv_kernel_dim",),
    "tied_embeddings": ("tie_word_embeddings",),
}
"""Our name of a size -> the keys that hold it, in order; a name that is not listed is its own key."""


LARGEST = 10**9
MOST_LAYERS = 10_000
"""Larger sizes are slips of the pen."""


class Keys:
    """Lookups in a config. Sizes of the text decoder come before those of what is around it.

    A missing size counts as 1, so that one pass collects everything that is missing.
    """

    def __init__(self, given: dict[str, Any]):
        text = given.get("text_config")
        self.given = {**given, **text} if isinstance(text, dict) else dict(given)
        self.nested = isinstance(text, dict)
        kind = self.given.get("model_type") or ""
        self.kind = str(kind).removesuffix("_text")
        self.missing: list[str] = []
        self.wrong: list[str] = []
        self.notes: list[str] = []

    def find(self, name: str, default: Any = None) -> Any:
        """The value of a name, or the default where no key holds one."""
        for key in NAMES.get(name, (name,)):
            if self.given.get(key) is not None:
                return self.given[key]
        return default

    def size(self, name: str, default: int | None = None) -> int:
        """A whole number above 0; without a default it must be there."""
        found = self.find(name, default)
        if found is None:
            self.missing.append(" or ".join(NAMES.get(name, (name,))))
            return 1
        most = MOST_LAYERS if name == "layers" else LARGEST
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not found >= 1 or found % 1:
            self.wrong.append(f"{name} must be a whole number above 0, got {found!r}")
            return 1
        if found > most:
            self.wrong.append(f"{name} must be at most {most}, got {found!r}")
            return 1
        return int(found)

    def count(self, name: str) -> int:
        """A whole number from 0; 0 where no key holds one."""
        return self.size(name) if self.find(name, 0) != 0 else 0

    def flag(self, name: str, default: bool) -> bool:
        """A switch, with the default of its class in the transformers library."""
        return bool(self.find(name, default))

    def class_default(self, name: str, value: int) -> None:
        """Take the default of its class for a size that files of this kind leave out; a note says so."""
        if self.find(name) is None:
            key = NAMES.get(name, (name,))[0]
            self.given[key] = value
            self.notes.append(f"`{key}` is not in the file: {value} is the default of its class.")
