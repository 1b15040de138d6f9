"""Where links bind: both sides take equally long there, and nothing is gathered on one accelerator."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import interconnect

PEAK, LINK = 990e12, 450e9


def test_one_accelerator_gathers_nothing():
    assert interconnect.ring_gather_s(gathered_bytes=1e9, degree=1, link_bytes_per_s=LINK) == 0


@given(degree=st.integers(1, 4096))
def test_a_gather_takes_less_than_sending_everything_once(degree):
    assert interconnect.ring_gather_s(gathered_bytes=1e9, degree=degree, link_bytes_per_s=LINK) < 1e9 / LINK


@given(rows=st.integers(1, 10**6), columns=st.integers(1, 10**5))
def test_at_the_split_width_computing_takes_as_long_as_exchanging(rows, columns):
    width = interconnect.split_matmul_width(degree=2, peak_flops_per_s=PEAK, link_bytes_per_s=LINK, bytes_per_value=2)
    computing = 2 * rows * width * columns / (2 * PEAK)
    exchanging = 2 * rows * columns / LINK
    assert computing == pytest.approx(exchanging)


@pytest.mark.parametrize(("link", "tokens"), [(450e9, 2200), (400e9, 2475)])
def test_tokens_per_h100_of_the_scaling_book(link, tokens):
    found = interconnect.data_parallel_ridge_tokens(peak_flops_per_s=PEAK, link_bytes_per_s=link, bytes_per_value=2)
    assert found == pytest.approx(tokens)


def test_at_the_limit_of_tensor_parallelism_a_layer_computes_as_long_as_it_communicates():
    limit = interconnect.tensor_parallel_limit(
        intermediate=28672, mesh_axes=2, peak_flops_per_s=459e12, link_bytes_per_s=180e9, bytes_per_value=2
    )
    assert limit == pytest.approx(28672 * 2 / 2550)
    batch, width = 64, 8192
    computing = 2 * 2 * batch * width * 28672 / (limit * 459e12)
    exchanging = 2 * 2 * batch * width / (2 * 180e9)
    assert computing == pytest.approx(exchanging)


def test_a_share_of_the_link():
    assert interconnect.link_share(reached_bytes_per_s=450e9, link_bytes_per_s=LINK) == 1


def test_a_batch_of_4m_tokens_on_a_pod_of_8960():
    found = interconnect.batch_tokens_per_gpu(batch_tokens=4 * 1024 * 1024, gpus=8960)
    assert found == pytest.approx(468, abs=0.2)
