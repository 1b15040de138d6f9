"""Models: the configs of the specs count to the checkpoints, and to the caches that engines allocate."""

from __future__ import annotations

import pytest

from generator.estimates.architecture import describe

# Total and active parameters of the text decoder (both tables counted), bytes a token adds to the cache in 16 bits, and
# bytes of full windows and recurrent states. Computed by hand from the public configs, outside this package.
MODELS = {
    "bloom-176b": (176_247_271_424, 176_247_271_424, 4_014_080, 0),
    "deepseek-r1": (671_026_419_200, 37_552_297_472, 70_272, 0),
    "deepseek-v2": (235_741_434_880, 21_375_800_320, 69_120, 0),
    "deepseek-v2-lite": (15_706_484_224, 2_661_150_208, 31_104, 0),
    "deepseek-v3": (671_026_419_200, 37_552_297_472, 70_272, 0),
    "deepseek-v3.2": (671_877_944_064, 38_403_822_336, 85_888, 0),
    # Three of the layers of the V4 models route by a table and have no routing bias.
    "deepseek-v4-flash": (284_332_240_471, 13_799_632_471, 6_880, 5_636_096),
    "deepseek-v4-pro": (1_572_997_201_763, 49_779_081_059, 9_848, 7_995_392),
    "ernie-4.5-21b-a3b": (21_825_437_888, 3_352_150_208, 57_344, 0),
    "falcon-180b": (179_522_565_120, 179_522_565_120, 163_840, 0),
    "gemma-2-27b": (27_227_128_320, 27_227_128_320, 188_416, 771_751_936),
    "gemma-2-2b": (2_614_341_888, 2_614_341_888, 53_248, 218_103_808),
    "gemma-2-9b": (9_241_705_984, 9_241_705_984, 172_032, 704_643_072),
    "gemma-3-12b": (11_766_034_176, 11_766_034_176, 65_536, 335_544_320),
    "gemma-3-1b": (999_885_952, 999_885_952, 4096, 11_534_336),
    "gemma-3-27b": (27_009_346_304, 27_009_346_304, 81_920, 436_207_616),
    "gemma-3-4b": (3_880_263_168, 3_880_263_168, 20_480, 121_634_816),
    "gemma-4-12b": (11_923_078_912, 11_923_078_912, 16_384, 335_544_320),
    "glm-4.5": (352_797_829_024, 33_632_266_144, 376_832, 0),
    "glm-4.5-air": (106_852_251_264, 13_424_129_664, 188_416, 0),
    "glm-4.5v": (106_852_251_264, 13_424_129_664, 188_416, 0),
    "glm-4.6": (352_797_829_024, 33_632_266_144, 376_832, 0),
    "glm-5": (743_911_218_432, 41_784_728_832, 109_824, 0),
    "gpt-3-175b": (174_604_259_328, 174_604_259_328, 4_718_592, 0),
    "gpt-j-6b": (6_050_882_784, 6_050_882_784, 458_752, 0),
    "gpt-oss-120b": (116_829_156_672, 5_711_982_912, 36_864, 4_718_592),
    "gpt-oss-20b": (20_914_757_184, 4_187_440_704, 24_576, 3_145_728),
    "granite-3.1-2b": (2_533_531_648, 2_533_531_648, 81_920, 0),
    "granite-3.1-8b": (8_170_848_256, 8_170_848_256, 163_840, 0),
    "granite-vision-3.3-2b": (2_533_533_696, 2_533_533_696, 81_920, 0),
    "grok-1": (315_684_820_992, 83_756_587_008, 262_144, 0),
    "grok-1-16-layers": (79_525_189_632, 21_543_131_136, 65_536, 0),
    "grok-1-2-layers": (10_645_297_152, 3_397_539_840, 8_192, 0),
    "grok-1-32-layers": (158_245_066_752, 42_280_949_760, 131_072, 0),
    "grok-1-4-layers": (20_485_281_792, 5_989_767_168, 16_384, 0),
    "grok-1-8-layers": (40_165_251_072, 11_174_221_824, 32_768, 0),
    "kimi-k2": (1_026_408_232_448, 32_861_500_928, 70_272, 0),
    "kimi-k2.5": (1_026_408_232_448, 32_861_500_928, 70_272, 0),
    "llama-1-65b": (65_285_660_672, 65_285_660_672, 2_621_440, 0),
    "llama-2-13b": (13_015_864_320, 13_015_864_320, 819_200, 0),
    "llama-2-70b": (68_976_648_192, 68_976_648_192, 327_680, 0),
    "llama-2-7b": (6_738_415_616, 6_738_415_616, 524_288, 0),
    "llama-3-70b": (70_553_706_496, 70_553_706_496, 327_680, 0),
    "llama-3-8b": (8_030_261_248, 8_030_261_248, 131_072, 0),
    "llama-3.1-405b": (405_853_388_800, 405_853_388_800, 516_096, 0),
    "llama-3.1-405b-21-layers": (71_144_488_960, 71_144_488_960, 86_016, 0),
    "llama-3.1-405b-42-layers": (138_086_268_928, 138_086_268_928, 172_032, 0),
    "llama-3.1-405b-7-layers": (26_516_635_648, 26_516_635_648, 28_672, 0),
    "llama-3.1-70b": (70_553_706_496, 70_553_706_496, 327_680, 0),
    "llama-3.1-8b": (8_030_261_248, 8_030_261_248, 131_072, 0),
    "llama-3.2-11b-vision": (9_775_192_080, 9_775_192_080, 163_840, 0),
    "llama-3.2-1b": (1_235_814_400, 1_235_814_400, 32_768, 0),
    "llama-3.2-3b": (3_212_749_824, 3_212_749_824, 114_688, 0),
    "llama-4-maverick": (400_711_848_960, 17_184_691_200, 49_152, 1_207_959_552),
    "llama-4-scout": (107_769_861_120, 17_172_894_720, 49_152, 1_207_959_552),
    "megatron-1t": (1_008_038_758_400, 1_008_038_758_400, 13_107_200, 0),
    "megatron-22b": (22_074_273_792, 22_074_273_792, 1_179_648, 0),
    "minimax-m2": (228_689_764_864, 11_030_553_088, 253_952, 0),
    "minimax-m2.5": (228_689_764_864, 11_030_553_088, 253_952, 0),
    "mistral-7b-v0.1": (7_241_732_096, 7_241_732_096, 0, 536_870_912),
    "mistral-7b-v0.3": (7_248_023_552, 7_248_023_552, 131_072, 0),
    "mistral-nemo-12b": (12_247_782_400, 12_247_782_400, 163_840, 0),
    "mistral-small-3.1-24b": (23_572_403_200, 23_572_403_200, 163_840, 0),
    "mixtral-8x22b": (140_620_634_112, 39_152_031_744, 229_376, 0),
    "mixtral-8x7b": (46_702_792_704, 12_879_925_248, 131_072, 0),
    "mpt-foundry-125m": (125_311_488, 125_311_488, 36_864, 0),
    "mpt-foundry-13b": (12_853_954_560, 12_853_954_560, 819_200, 0),
    "mpt-foundry-1b": (1_315_950_592, 1_315_950_592, 196_608, 0),
    "mpt-foundry-30b": (29_975_214_080, 29_975_214_080, 1_376_256, 0),
    "mpt-foundry-350m": (355_985_408, 355_985_408, 98_304, 0),
    "mpt-foundry-3b": (2_651_837_440, 2_651_837_440, 327_680, 0),
    "mpt-foundry-70b": (64_862_437_376, 64_862_437_376, 2_621_440, 0),
    "mpt-foundry-760m": (760_470_528, 760_470_528, 147_456, 0),
    "mpt-foundry-7b": (6_658_859_008, 6_658_859_008, 524_288, 0),
    "nanotron-llama-1b": (1_342_244_864, 1_342_244_864, 131_072, 0),
    "nanotron-llama-3b": (3_573_722_112, 3_573_722_112, 344_064, 0),
    "nanotron-llama-80b": (79_995_084_800, 79_995_084_800, 2_621_440, 0),
    "nanotron-llama-8b": (8_858_636_288, 8_858_636_288, 524_288, 0),
    "nemotron-3-nano-30b-a3b": (31_577_937_344, 3_580_073_408, 6144, 49_082_368),
    "nemotron-3-super-120b-a12b": (120_668_687_360, 12_770_216_960, 8192, 170_229_760),
    "nemotron-4-15b": (15_628_775_424, 15_628_775_424, 131_072, 0),
    "nemotron-4-340b": (341_029_195_776, 341_029_195_776, 589_824, 0),
    "nemotron-nano-9b-v2": (8_888_227_328, 8_888_227_328, 16_384, 143_548_416),
    "opt-175b": (174_604_468_224, 174_604_468_224, 4_718_592, 0),
    "phi-2": (2_779_683_840, 2_779_683_840, 327_680, 0),
    "phi-3-mini": (3_821_079_552, 3_821_079_552, 393_216, 0),
    "phi-4": (14_659_507_200, 14_659_507_200, 204_800, 0),
    "phi-4-mini": (3_836_021_760, 3_836_021_760, 131_072, 0),
    "qwen1.5-72b": (72_287_920_128, 72_287_920_128, 2_621_440, 0),
    "qwen1.5-moe-a2.7b": (14_315_784_192, 2_689_173_504, 196_608, 0),
    "qwen2.5-0.5b": (494_032_768, 494_032_768, 12_288, 0),
    "qwen2.5-1.5b": (1_543_714_304, 1_543_714_304, 28_672, 0),
    "qwen2.5-14b": (14_770_033_664, 14_770_033_664, 196_608, 0),
    "qwen2.5-32b": (32_763_876_352, 32_763_876_352, 262_144, 0),
    "qwen2.5-3b": (3_085_938_688, 3_085_938_688, 36_864, 0),
    "qwen2.5-72b": (72_706_203_648, 72_706_203_648, 327_680, 0),
    "qwen2.5-7b": (7_615_616_512, 7_615_616_512, 57_344, 0),
    "qwen2.5-vl-32b": (32_763_876_352, 32_763_876_352, 262_144, 0),
    "qwen2.5-vl-3b": (3_085_938_688, 3_085_938_688, 36_864, 0),
    "qwen2.5-vl-72b": (72_706_203_648, 72_706_203_648, 327_680, 0),
    "qwen2.5-vl-7b": (7_615_616_512, 7_615_616_512, 57_344, 0),
    "qwen3-0.6b": (596_049_920, 596_049_920, 114_688, 0),
    "qwen3-1.7b": (1_720_574_976, 1_720_574_976, 114_688, 0),
    "qwen3-14b": (14_768_307_200, 14_768_307_200, 163_840, 0),
    "qwen3-235b-a22b": (235_093_634_560, 22_190_763_520, 192_512, 0),
    "qwen3-30b-a3b": (30_532_122_624, 3_353_032_704, 98_304, 0),
    "qwen3-32b": (32_762_123_264, 32_762_123_264, 262_144, 0),
    "qwen3-4b": (4_022_468_096, 4_022_468_096, 147_456, 0),
    "qwen3-8b": (8_190_735_360, 8_190_735_360, 147_456, 0),
    "qwen3-coder-480b-a35b": (480_154_875_392, 35_474_765_312, 253_952, 0),
    "qwen3-next-80b-a3b": (79_674_391_296, 3_874_929_408, 24_576, 77_266_944),
    "qwen3.5-122b-a10b": (122_111_526_912, 9_771_288_576, 24_576, 153_649_152),
    "qwen3.5-397b-a17b": (396_346_350_336, 17_349_040_896, 30_720, 192_061_440),
    "qwen3.6-27b": (26_895_998_464, 26_895_998_464, 65_536, 153_944_064),
    "qwen3.6-35b-a3b": (34_660_610_688, 3_454_988_928, 20_480, 64_389_120),
    "qwen3.8-flash-next": (125_743_653_760, 7_306_994_560, 27_648, 115_458_048),
    "step-3.5-flash": (196_956_130_368, 11_987_323_968, 49_152, 69_206_016),
    "tinyllama-1.1b": (1_100_048_384, 1_100_048_384, 22_528, 0),
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


def test_a_model_of_single_blocks_counts_its_all_reduces_by_pairs(library):
    assert describe(library.models["nemotron-3-super-120b-a12b"], library).paired_layers == 44
    assert describe(library.models["llama-3.1-8b"], library).paired_layers == 32


def test_engines_load_a_vision_tower_and_no_prediction_module(library):
    for model in library.models.values():
        for extra in model.extra_params:
            assert extra.loaded == ("vision" in extra.name), f"{model.id}: {extra.name}"
    tower = describe(library.models["qwen2.5-vl-7b"], library).loaded_extra_bytes
    assert tower == 2 * 676_550_144
    assert describe(library.models["glm-5"], library).loaded_extra_bytes == 0


def test_a_tower_stays_in_16_bits_when_the_decoder_is_quantised(library):
    model = library.models["mistral-small-3.1-24b"]
    assert describe(model, library, weights="int8").loaded_extra_bytes == describe(model, library).loaded_extra_bytes
