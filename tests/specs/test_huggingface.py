"""A config.json says the same about a model as its spec file, and what it does not say is asked for."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from generator.estimates.architecture import describe
from generator.provenance import leaves
from generator.specs import positions, validate
from generator.specs.huggingface import KINDS, UnknownConfig, from_config, identifier_of, model_from_config, to_yaml
from generator.specs.load import load
from generator.specs.records import Model

ROOT = Path(__file__).resolve().parents[2]
CONFIGS = Path(__file__).parent / "configs"
LIBRARY = load(ROOT)
SEEN = "2026-11-29"
IN_SPECS = sorted(path.stem for path in CONFIGS.glob("*.json") if path.stem in LIBRARY.models)
COUNTED_ELSEWHERE = {
    # Parameters of the checkpoints in their publishers' metadata; gpt2 as its 124M.
    "gpt2": 124_439_808,
    "gpt-neox-20b": 20_554_567_680,
    "opt-125m": 125_239_296,
    "mpt-7b": 6_649_286_656,
    "falcon-7b": 6_921_720_704,
    "phi-2": 2_779_683_840,
    "qwen1.5-moe-a2.7b": 14_315_784_192,
}


def count(model):
    return describe(model, LIBRARY).total_params


def config_of(name):
    return json.loads((CONFIGS / f"{name}.json").read_text(encoding="utf-8"))


def read(config, **more):
    return from_config(config, identifier="a-model", seen=SEEN, count=count, **more)


def plain(value):
    """A record as plain data, without traces; groups of layers in a fixed order."""
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, list):
        return sorted(map(plain, value), key=repr)
    return float(value) if isinstance(value, float) else value


def filled(config):
    """The shape with the two norms a layer and the final norm that a file may leave out."""
    data = plain(config) | {"other_note": ""}
    width = data["d_model"]
    data["norm_params_per_layer"] = 2 * width if config.norm_params_per_layer is None else config.norm_params_per_layer
    data["final_norm_params"] = width if config.final_norm_params is None else config.final_norm_params
    return data


@pytest.mark.parametrize("name", IN_SPECS)
def test_a_config_describes_the_same_decoder_as_the_spec_file(name):
    ours, theirs = LIBRARY.models[name], model_from_config(CONFIGS / f"{name}.json", seen=SEEN, count=count)
    assert filled(theirs.config) == filled(ours.config)
    kept = "bf16" if ours.kv_layout else "native"
    one, other = describe(ours, LIBRARY, kv=kept), describe(theirs, LIBRARY, kv=kept)
    assert other.total_params == one.total_params == theirs.published.total
    assert other.active_params == one.active_params
    assert other.kv_bytes_per_token == one.kv_bytes_per_token
    assert other.fixed_bytes(4096) == one.fixed_bytes(4096)


@pytest.mark.parametrize("name", IN_SPECS)
def test_number_formats_follow_from_the_quantisation_of_the_checkpoint(name):
    theirs = model_from_config(CONFIGS / f"{name}.json", seen=SEEN, count=count)
    assert theirs.formats == LIBRARY.models[name].formats


@pytest.mark.parametrize(("name", "parameters"), COUNTED_ELSEWHERE.items())
def test_older_decoders_have_the_parameters_of_their_checkpoints(name, parameters):
    model = model_from_config(CONFIGS / f"{name}.json", seen=SEEN, count=count)
    assert count(model) == parameters


def test_at_least_fourteen_kinds_are_checked_against_spec_files():
    kinds = {config_of(name)["model_type"] for name in IN_SPECS}
    assert len(kinds) >= 14
    assert kinds <= set(KINDS)


def test_every_size_of_a_config_leads_to_its_line_in_the_file():
    path = CONFIGS / "llama-3.1-8b.json"
    model = model_from_config(path, seen=SEEN, count=count)
    lines = path.read_text(encoding="utf-8").splitlines()
    assert '"num_hidden_layers"' in lines[model.config.layers.origin.line - 1]
    assert '"num_key_value_heads"' in lines[model.config.attention[0].n_kv_heads.origin.line - 1]
    total = describe(model, LIBRARY).total_params
    assert {leaf.origin.sources[0].status for leaf in leaves(total)} == {"config"}


def test_an_unknown_kind_is_answered_with_the_known_ones():
    with pytest.raises(UnknownConfig, match=r"`lama` is not known; did you mean `llama`\? Known kinds: .*mixtral"):
        read({"model_type": "lama"})
    with pytest.raises(UnknownConfig, match="has no model_type"):
        read({"hidden_size": 4096})


def test_all_missing_keys_are_named_at_once():
    config = config_of("deepseek-v3")
    for key in ("kv_lora_rank", "v_head_dim", "vocab_size"):
        del config[key]
    with pytest.raises(UnknownConfig, match="missing: ") as error:
        read(config)
    assert all(key in str(error.value) for key in ("kv_lora_rank", "v_head_dim", "vocab_size"))


def test_head_dim_is_the_given_one_else_width_over_heads_and_nothing_else():
    given = config_of("llama-3.1-8b") | {"head_dim": 64}
    assert read(given)[0]["config"]["attention"][0]["head_dim"] == 64
    assert read(config_of("llama-3.1-8b"))[0]["config"]["attention"][0]["head_dim"] == 128
    with pytest.raises(UnknownConfig, match="missing: head_dim"):
        read(config_of("llama-3.1-8b") | {"num_attention_heads": 24, "num_key_value_heads": 8})
    gemma = config_of("gemma-3-27b")
    del gemma["text_config"]["head_dim"]
    with pytest.raises(UnknownConfig, match="missing: head_dim"):
        read(gemma)


def test_defaults_of_a_class_are_used_with_a_note():
    data, notes = read(config_of("gemma-3-27b"))
    assert data["config"]["vocab"] == 262208
    assert any("`vocab_size` is not in the file" in note for note in notes)


def test_sizes_that_contradict_each_other_are_faults():
    with pytest.raises(UnknownConfig, match="n_kv_heads 7 does not divide n_heads 32"):
        read(config_of("llama-3.1-8b") | {"num_key_value_heads": 7})
    with pytest.raises(UnknownConfig, match="layer_types lists 2 layers, the model has 24"):
        read(config_of("gpt-oss-20b") | {"layer_types": ["full_attention"] * 2})
    with pytest.raises(UnknownConfig, match="layers must be a whole number above 0, got -3"):
        read(config_of("qwen2.5-7b") | {"num_hidden_layers": -3})


LINEAR = {"targets": ["Linear"]}


@pytest.mark.parametrize(
    ("quantization", "attention", "experts", "head"),
    [
        ({"quant_method": "awq", "bits": 4, "group_size": 128}, "int4-g128", "int4-g128", "bf16"),
        ({"quant_method": "gptq", "bits": 8, "group_size": 128}, "int8", "int8", "bf16"),
        ({"quant_method": "fp8"}, "fp8", "fp8", "bf16"),
        (
            {
                "quant_method": "compressed-tensors",
                "ignore": ["lm_head", r"re:.*self_attn.*", r"re:.*mlp\.gate$"],
                "config_groups": {"group_0": LINEAR | {"weights": {"num_bits": 4, "type": "int", "group_size": 128}}},
            },
            "bf16", "int4-g128", "bf16",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "ignore": ["lm_head"],
                "config_groups": {"group_0": LINEAR | {"weights": {"num_bits": 4, "type": "float", "group_size": 16}}},
            },
            "nvfp4", "nvfp4", "bf16",
        ),
        (
            {
                "quant_method": "compressed-tensors",
                "ignore": [f"model.layers.{layer}.self_attn.{part}_proj" for layer in range(48) for part in "qkvo"],
                "config_groups": {
                    "group_0": LINEAR | {"weights": {"num_bits": 8, "type": "float", "strategy": "block"}}
                },
            },
            "bf16", "fp8-block", "bf16",
        ),
        (
            {"quant_method": "modelopt", "quant_algo": "NVFP4", "exclude_modules": ["*self_attn*"]},
            "bf16", "nvfp4", "bf16",
        ),
    ],
)  # fmt: skip
def test_a_quantised_checkpoint_keeps_what_it_lists(quantization, attention, experts, head):
    data, _ = read(config_of("qwen3-30b-a3b") | {"quantization_config": quantization})
    found = data["formats"]
    assert (found["attention"], found["experts"], found["embedding"], found["head"]) == (
        attention, experts, "bf16", head,
    )  # fmt: skip


def test_a_quantisation_that_is_not_known_is_a_fault():
    with pytest.raises(UnknownConfig, match="`bitsandbytes` with these settings is not known; known: fp8"):
        read(
            config_of("llama-3.1-8b") | {"quantization_config": {"quant_method": "bitsandbytes", "load_in_4bit": True}}
        )


@pytest.mark.parametrize("name", [*IN_SPECS, *COUNTED_ELSEWHERE])
def test_the_written_file_is_a_valid_spec_of_the_same_model(name):
    data, _ = from_config(
        config_of(name), identifier=name, seen=SEEN, count=count, address="https://example.org/c.json"
    )
    file = positions.read(to_yaml(data), f"specs/models/{name}.yaml")
    record, faults = validate.validate(file, Model)
    assert faults == []
    _, faults = validate.trace(record, file, "models", "exact")
    assert faults == []
    assert count(record) == data["published"]["total"]
    assert all(len(line) <= 140 for line in to_yaml(data).splitlines())


def test_without_a_count_the_total_is_left_to_the_person():
    data, _ = from_config(config_of("llama-3.1-8b"), identifier="a-model", seen="YYYY-MM-DD")
    _, faults = validate.validate(positions.read(to_yaml(data), "specs/models/a-model.yaml"), Model)
    assert any("missing field `published.total`" in fault.message for fault in faults)
    assert model_from_config(CONFIGS / "llama-3.1-8b.json").published.total is None


def test_the_written_file_says_what_a_person_must_look_up():
    text = to_yaml(read(config_of("llama-3.1-8b"))[0])
    assert "total: 8_030_261_248   # put the publisher's figure here" in text
    assert "computed from the config, not a figure of the publisher" in text
    assert "confirmed: false" in text
    assert f"seen: '{SEEN}'" in text


def test_a_file_that_is_not_json_is_answered_with_its_place(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"model_type": "llama",\n  oops}', encoding="utf-8")
    with pytest.raises(UnknownConfig, match=r"config.json:2:3: not JSON"):
        model_from_config(path, seen=SEEN, count=count)


def test_a_folder_stands_for_its_config_and_names_the_model(tmp_path):
    folder = tmp_path / "My_Llama-8B.v2"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config_of("llama-3.1-8b")), encoding="utf-8")
    assert model_from_config(folder, seen=SEEN, count=count).id == "my-llama-8b.v2"


@pytest.mark.parametrize(
    ("text", "identifier"),
    [("Llama-3.1-8B_Instruct", "llama-3.1-8b-instruct"), ("--x..y", "x.y"), ("Qwen (a)", "qwen-a"), ("", "model")],
)
def test_identifiers_have_lower_case_letters_digits_dashes_and_dots(text, identifier):
    assert identifier_of(text) == identifier
