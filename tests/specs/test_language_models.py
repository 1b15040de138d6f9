"""Models: the configs of the specs count to the checkpoints, and to the caches that engines allocate."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe

# Total and active parameters of the text decoder (both tables counted), bytes a token adds to the cache in 16 bits, and
# bytes of full windows and recurrent states. Computed by hand from the public configs, outside this package.
MODELS = {
    "deepseek-r1": (671_026_419_200, 37_552_297_472, 70_272, 0),
    "deepseek-v2": (235_741_434_880, 21_375_800_320, 69_120, 0),
    "deepseek-v3": (671_026_419_200, 37_552_297_472, 70_272, 0),
    "deepseek-v3.2": (671_877_944_064, 38_403_822_336, 85_888, 0),
    # Three of the layers of the V4 models route by a table and have no routing bias.
    "deepseek-v4-flash": (284_332_240_471, 13_799_632_471, 6_880, 5_636_096),
    "deepseek-v4-pro": (1_572_997_201_763, 49_779_081_059, 9_848, 7_995_392),
    "gemma-2-27b": (27_227_128_320, 27_227_128_320, 188_416, 771_751_936),
    "gemma-3-27b": (27_009_346_304, 27_009_346_304, 81_920, 436_207_616),
    "glm-4.5": (352_797_829_024, 33_632_266_144, 376_832, 0),
    "glm-4.5-air": (106_852_251_264, 13_424_129_664, 188_416, 0),
    "glm-4.6": (352_797_829_024, 33_632_266_144, 376_832, 0),
    "gpt-3-175b": (174_604_259_328, 174_604_259_328, 4_718_592, 0),
    "gpt-oss-120b": (116_829_156_672, 5_711_982_912, 36_864, 4_718_592),
    "gpt-oss-20b": (20_914_757_184, 4_187_440_704, 24_576, 3_145_728),
    "kimi-k2": (1_026_408_232_448, 32_861_500_928, 70_272, 0),
    "llama-2-13b": (13_015_864_320, 13_015_864_320, 819_200, 0),
    "llama-2-70b": (68_976_648_192, 68_976_648_192, 327_680, 0),
    "llama-2-7b": (6_738_415_616, 6_738_415_616, 524_288, 0),
    "llama-3-70b": (70_553_706_496, 70_553_706_496, 327_680, 0),
    "llama-3-8b": (8_030_261_248, 8_030_261_248, 131_072, 0),
    "llama-3.1-405b": (405_853_388_800, 405_853_388_800, 516_096, 0),
    "llama-3.1-70b": (70_553_706_496, 70_553_706_496, 327_680, 0),
    "llama-3.1-8b": (8_030_261_248, 8_030_261_248, 131_072, 0),
    "llama-4-maverick": (400_711_848_960, 17_184_691_200, 49_152, 1_207_959_552),
    "llama-4-scout": (107_769_861_120, 17_172_894_720, 49_152, 1_207_959_552),
    "minimax-m2": (228_689_764_864, 11_030_553_088, 253_952, 0),
    "mistral-7b-v0.1": (7_241_732_096, 7_241_732_096, 0, 536_870_912),
    "mixtral-8x22b": (140_620_634_112, 39_152_031_744, 229_376, 0),
    "mixtral-8x7b": (46_702_792_704, 12_879_925_248, 131_072, 0),
    "phi-4": (14_659_507_200, 14_659_507_200, 204_800, 0),
    "qwen2.5-72b": (72_706_203_648, 72_706_203_648, 327_680, 0),
    "qwen2.5-7b": (7_615_616_512, 7_615_616_512, 57_344, 0),
    "qwen3-235b-a22b": (235_093_634_560, 22_190_763_520, 192_512, 0),
    "qwen3-30b-a3b": (30_532_122_624, 3_353_032_704, 98_304, 0),
    "qwen3-32b": (32_762_123_264, 32_762_123_264, 262_144, 0),
    "qwen3-8b": (8_190_735_360, 8_190_735_360, 147_456, 0),
    "qwen3-next-80b-a3b": (79_674_391_296, 3_874_929_408, 24_576, 77_266_944),
    "qwen3.5-397b-a17b": (396_346_350_336, 17_349_040_896, 30_720, 192_061_440),
    "qwen3.8-flash-next": (125_743_653_760, 7_306_994_560, 27_648, 115_458_048),
}
NOT_WITHIN_ONE_PERCENT = {
    # The public config counts to 1.026e12, 3,416 parameters less than the checkpoint; the 1.04e12 of the report,
    # 1.3 % more, cannot be reached with it.
    "kimi-k2": -0.0131,
}
BY_NAME = pytest.mark.parametrize("name", sorted(MODELS))


def test_every_model_of_the_specs_is_checked_here(library):
    assert set(MODELS) == set(library.models)


@BY_NAME
def test_the_config_counts_to_the_decoder(library, name):
    one = describe(library.models[name], library)
    assert (int(one.total_params), int(one.active_params)) == MODELS[name][:2]


@BY_NAME
def test_a_token_adds_the_bytes_that_the_shape_says(library, name):
    one = describe(library.models[name], library, kv="bf16")
    assert (one.kv_bytes_per_token, one.kv_fixed_bytes_per_request) == MODELS[name][2:]


@BY_NAME
def test_the_count_is_that_of_the_checkpoint_to_the_last_parameter_or_the_published_one_within_a_percent(library, name):
    model = library.models[name]
    one = describe(model, library)
    if model.published.exact is not None:
        assert int(one.checkpoint_params) == int(model.published.exact)
    elif name in NOT_WITHIN_ONE_PERCENT:
        off = one.checkpoint_params / model.published.total - 1
        assert off == pytest.approx(NOT_WITHIN_ONE_PERCENT[name], abs=1e-4)
    else:
        assert one.checkpoint_params == pytest.approx(model.published.total, rel=0.01)


@BY_NAME
def test_the_rounded_size_of_a_model_is_within_a_percent_of_a_count(library, name):
    """The publisher rounds the decoder, or the decoder with what is published beside it."""
    model = library.models[name]
    one = describe(model, library)
    extras = sum(extra.params for extra in model.extra_params if extra.in_published_total)
    off = abs((one.total_params + extras) / model.published.total - 1)
    assert off < 0.01 or name in NOT_WITHIN_ONE_PERCENT


@BY_NAME
def test_the_published_active_size_fits_the_convention_that_the_file_names(library, name):
    model = library.models[name]
    if model.published.active is None:
        assert not any(group.kind == "moe" for group in model.config.ffn)
        return
    one = describe(model, library)
    counts = {
        "all": one.active_params,
        "no_input_embedding": one.active_params_no_input_embedding,
        "no_embeddings": one.active_params_no_embeddings,
    }
    off = {convention: abs(count / model.published.active - 1) for convention, count in counts.items()}
    # Publishers round to two digits or fewer; 3B for Qwen3-Next stands for 3.25B.
    assert off[model.published.active_convention] < 0.09


def test_llama_3_1_405b_has_405853388800_parameters(library):
    assert int(describe(library.models["llama-3.1-405b"], library).total_params) == 405_853_388_800


def test_head_size_of_gpt_oss_is_not_width_over_heads(library):
    config = library.models["gpt-oss-120b"].config
    assert config.attention[0].head_dim == 64 != config.d_model / config.attention[0].n_heads


def test_each_experts_group_takes_fewer_experts_than_it_has(library):
    for model in library.models.values():
        for group in model.config.ffn:
            if group.kind == "moe":
                assert group.top_k < group.experts


def test_deepseek_r1_has_the_shape_of_deepseek_v3(library):
    shapes = [describe(library.models[name], library) for name in ("deepseek-r1", "deepseek-v3")]
    assert shapes[0].total_params == shapes[1].total_params
    assert shapes[0].kv_bytes_per_token == shapes[1].kv_bytes_per_token
