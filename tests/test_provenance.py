"""Every published number leads back to data sheets, papers and price lists."""

from __future__ import annotations

import pickle

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import memory, roofline
from generator.provenance import KINDS, Choice, Datum, Derivation, Traced, choice, leaves, weakest


def _h100(library):
    card = library.accelerators["h100-sxm"]
    return card.dense_peak.bf16, card.memory.bandwidth


def test_the_ridge_of_an_h100_leads_back_to_its_peak_and_its_bandwidth(library):
    peak, bandwidth = _h100(library)
    ridge = roofline.ridge_point(peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth)
    assert isinstance(ridge.origin, Derivation)
    assert [leaf.origin.path for leaf in leaves(ridge)] == [
        "accelerators/h100-sxm#dense_peak.bf16",
        "accelerators/h100-sxm#memory.bandwidth",
    ]
    for leaf in leaves(ridge):
        assert leaf.origin.file == "specs/accelerators/h100-sxm.yaml"
        assert leaf.origin.line > 1
        assert all(source.address.startswith("https://") for source in leaf.origin.sources)


def test_the_line_of_a_datum_is_the_line_of_its_file(library, root):
    for value in _h100(library):
        line = (root / value.origin.file).read_text().splitlines()[value.origin.line - 1]
        assert line.strip().startswith(value.name.rpartition(".")[2] + ":")


def test_a_number_used_twice_has_one_leaf(library):
    peak, bandwidth = _h100(library)
    ridge = roofline.ridge_point(peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth)
    rate = roofline.attainable_flops_per_s(peak_flops_per_s=peak, bandwidth_bytes_per_s=bandwidth, intensity=ridge)
    assert len(list(leaves(rate))) == 2
    assert rate.kind == "bound"


def test_arithmetic_on_a_traced_number_gives_a_plain_number(library):
    peak, _ = _h100(library)
    assert type(peak * 1) is float


def test_an_array_among_the_arguments_gives_an_untraced_array(library):
    _, bandwidth = _h100(library)
    floor = roofline.batch_one_floor_s(weights_bytes=numpy.array([16e9, 141e9]), bandwidth_bytes_per_s=bandwidth)
    assert isinstance(floor, numpy.ndarray)


def test_plain_numbers_give_a_plain_number():
    assert type(memory.uniform_weights_bytes(total_params=8e9, bits_per_param=16)) is float


@given(kinds=st.lists(st.sampled_from(KINDS), min_size=1), floor=st.sampled_from(KINDS))
def test_a_chain_is_as_weak_as_its_weakest_link(kinds, floor):
    assert KINDS.index(weakest(iter(kinds), floor)) == max(map(KINDS.index, [*kinds, floor]))


def test_a_choice_of_the_reader_is_exact_and_gives_its_reason():
    batch = choice(64, name="batch", unit="count", reason="the example")
    assert (batch, batch.kind, batch.origin) == (64, "exact", Choice("the example"))


def test_a_traced_number_refuses_to_be_stored_without_its_derivation():
    with pytest.raises(TypeError, match="store its value"):
        pickle.dumps(choice(1, name="batch", unit="count", reason="the example"))


def test_assumptions_are_reference_values_and_measurements_are_measured(library):
    assert {one.value.kind for one in library.assumptions.values()} == {"reference"}
    assert {one.value.kind for one in library.measurements.values()} == {"measured"}


def test_every_datum_of_the_specs_has_a_source(library):
    from tests.specs.walk import quantities

    found = 0
    for collection, records in library.collections.items():
        for record in records.values():
            for value in quantities(record):
                assert isinstance(value, Traced)
                assert isinstance(value.origin, Datum)
                found += 1
                if hasattr(record, "sources"):
                    assert value.origin.sources, f"{collection}/{record.id}: {value.name}"
    assert found > 1500
