"""Groups of layers as plain data: what the readers of all kinds of decoder are built from.

`head_dim` is never worked out from anything but the width and the heads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from generator.specs.huggingface.keys import Keys

Group = dict[str, Any]
FIRST = ("full", "latent", "indexed", "compressed")
"""Kinds of attention whose cache grows without limit stand before the others, as in the model files."""


def grouped(layers: list[Group]) -> list[Group]:
    """Equal layers together, each group with its number of layers after its kind, in order of first appearance."""
    groups: list[Group] = []
    counts: list[int] = []
    for layer in layers:
        if layer not in groups:
            groups.append(layer)
            counts.append(0)
        counts[groups.index(layer)] += 1
    return [
        {"kind": group["kind"], "layers": count, **{key: value for key, value in group.items() if key != "kind"}}
        for group, count in zip(groups, counts, strict=True)
    ]


def decoder(keys: Keys, attention: list[Group], ffn: list[Group], *, tied: bool = False, **more: Any) -> dict[str, Any]:
    """The field `config`: sizes, then what differs from two norms a layer, then the groups."""
    shape = {
        "layers": keys.size("layers"),
        "d_model": keys.size("d_model"),
        "vocab": keys.size("vocab"),
        "tied_embeddings": keys.flag("tied_embeddings", tied),
        **{name: value for name, value in more.items() if value is not None},
    }
    ordered = sorted(grouped(attention), key=lambda group: group["kind"] not in FIRST)
    return {**shape, "attention": ordered, "ffn": grouped(ffn)}


def every(keys: Keys, layer: Group) -> list[Group]:
    """The same layer all the way."""
    return [layer] * keys.size("layers")


def heads(keys: Keys, *, head_dim_given: bool = False, **switches: Any) -> Group:
    """Grouped-query attention over everything. Switches that are off are left out.

    head_dim_given: the class has a default of its own, so that width over heads would be wrong.
    """
    n_heads = keys.size("n_heads")
    if head_dim_given or keys.find("head_dim") is not None:
        head_dim = keys.size("head_dim")
    else:
        width = keys.size("d_model")
        head_dim = max(width // n_heads, 1)
        if width % n_heads:
            keys.missing.append("head_dim")
    return {
        "kind": "full",
        "n_heads": n_heads,
        "n_kv_heads": keys.size("n_kv_heads", n_heads),
        "head_dim": head_dim,
        **{name: value for name, value in switches.items() if value},
    }


def windowed(layer: Group, kind: str, window: int) -> Group:
    """The same heads over a window; `window` stands after the sizes."""
    sizes = ("n_heads", "n_kv_heads", "head_dim")
    rest = {name: value for name, value in layer.items() if name not in ("kind", *sizes)}
    return {"kind": kind, **{name: layer[name] for name in sizes}, "window": window, **rest}


def by_type(keys: Keys, layers: dict[str, Group], default: Callable[[int], str]) -> list[Group]:
    """One group a layer from `layer_types`, or from the rule of the class where the file leaves them out."""
    count = keys.size("layers")
    types = keys.find("layer_types") or [default(index) for index in range(count)]
    if len(types) != count:
        keys.wrong.append(f"layer_types lists {len(types)} layers, the model has {count}")
    for name in sorted(set(types) - set(layers)):
        keys.wrong.append(f"layer_types has `{name}`; known for this kind: {', '.join(layers)}")
    return [layers.get(name, next(iter(layers.values()))) for name in types[:count]]


def dense(keys: Keys, **switches: Any) -> Group:
    """A gated feed-forward network unless `gated=False`."""
    return {"kind": "dense", "intermediate": keys.size("intermediate"), **switches}


def experts(keys: Keys, *, width: str = "expert_intermediate", shared: int = 0, **switches: Any) -> Group:
    """Routed experts of the width under the name `width`, beside a shared expert of width `shared`."""
    return {
        "kind": "moe",
        "experts": keys.size("experts"),
        "top_k": keys.size("top_k"),
        "expert_intermediate": keys.size(width),
        **({"shared_intermediate": shared} if shared else {}),
        **{name: value for name, value in switches.items() if value},
    }


def predicted_ahead(keys: Keys) -> None:
    """Note the layers that only predict further tokens: they are no part of the decoder."""
    for key in ("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules"):
        if keys.find(key):
            keys.notes.append(f"`{key}` {keys.find(key)}: multi-token-prediction weights are not counted here.")


def after_dense(keys: Keys, routed: Group) -> list[Group]:
    """Dense networks in the first layers, experts from then on (in every `moe_layer_freq`-th layer)."""
    first = keys.count("first_k_dense_replace")
    step = keys.size("moe_layer_freq", 1)
    is_moe = [index >= first and index % step == 0 for index in range(keys.size("layers"))]
    plain = routed if all(is_moe) else dense(keys)
    return [routed if moe else plain for moe in is_moe]


def shared_width(keys: Keys) -> int:
    """The shared experts as one network: their number times the width of one."""
    return keys.count("n_shared_experts") * keys.size("expert_intermediate")
