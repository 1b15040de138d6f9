"""Cost: an hour's price over an hour's tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas import cost

PRICES = st.floats(0.1, 20)


@given(price=PRICES, gpus=st.integers(1, 72), rate=st.floats(1, 1e6))
def test_tokens_of_an_hour_at_the_price_of_a_token_cost_the_hour(price, gpus, rate):
    each = cost.usd_per_million_tokens(gpus=gpus, usd_per_gpu_hour=price, tokens_per_s=rate) / 1e6
    hour = cost.system_usd_per_hour(gpus=gpus, usd_per_gpu_hour=price)
    assert each * rate * 3600 == pytest.approx(hour)


@given(price=PRICES, rate=st.floats(1, 1e5))
def test_twice_the_throughput_halves_the_price(price, rate):
    slow, fast = (cost.usd_per_million_tokens(gpus=8, usd_per_gpu_hour=price, tokens_per_s=r) for r in (rate, 2 * rate))
    assert fast == pytest.approx(slow / 2)


@given(price=PRICES, prompt=st.integers(1, 10**6), seconds=st.floats(1e-3, 100))
def test_input_tokens_cost_the_time_of_their_prefill(price, prompt, seconds):
    each = cost.usd_per_million_input_tokens(
        gpus=8, usd_per_gpu_hour=price, dp=1, prompt_tokens=prompt, prefill_s=seconds
    )
    assert each * prompt / 1e6 == pytest.approx(8 * price * seconds / 3600)
