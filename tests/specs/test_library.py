"""Finding things: by id, by alias, never by half a name."""

from __future__ import annotations

import pytest

from generator.specs.library import UnknownId


def test_h100_means_the_sxm_variant(library):
    assert library.find("accelerators", "h100").id == "h100-sxm"


def test_every_alias_means_one_record(library):
    for collection, records in library.collections.items():
        names = [*records, *(alias for record in records.values() for alias in getattr(record, "aliases", []))]
        assert len(names) == len(set(names)), collection


def test_h20_is_not_h200(library):
    assert library.find("accelerators", "h20").id == "h20"


@pytest.mark.parametrize("name", ["H100", "h10", "h100 sxm", "b2000", "", "llama-3.1-8b"])
def test_half_a_name_finds_nothing(library, name):
    with pytest.raises(UnknownId, match="no accelerator is called"):
        library.find("accelerators", name)


def test_a_near_miss_is_suggested(library):
    with pytest.raises(UnknownId, match=r"did you mean .*llama-3\.1-8b"):
        library.find("models", "llama-3.1-8")


def test_a_datum_is_found_by_its_path(library):
    assert library.datum("accelerators/h100-sxm#memory.bandwidth") == 3.35e12
    assert library.datum("models/deepseek-v3#config.attention.0.kv_lora_rank") == 512
    assert library.datum("prices/gpus/h100-sxm#typical").unit == "USD/h"


@pytest.mark.parametrize(
    "path",
    ["accelerators/h100-sxm#memory.bandwith", "accelerators/h999#memory", "cards/h100-sxm#memory", "nothing", "#", ""],
)
def test_a_datum_that_is_not_there_is_an_unknown_id(library, path):
    with pytest.raises(UnknownId):
        library.datum(path)
