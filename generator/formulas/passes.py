"""Parts of one pass on their own: computing, moving bytes, what an engine adds for each launch."""

from __future__ import annotations

from generator.formulas.elementary import maximum
from generator.formulas.formula import formula


@formula(reference="williams-2009-roofline", kind="bound")
def computing_s(*, work_flops, peak_flops_per_s):
    """Least time to do the FLOPs, whatever has to be moved."""
    return work_flops / peak_flops_per_s


@formula(reference="williams-2009-roofline", kind="bound")
def moving_s(*, traffic_bytes, bandwidth_bytes_per_s):
    """Least time to move the bytes, whatever has to be computed."""
    return traffic_bytes / bandwidth_bytes_per_s


@formula(reference="definition")
def elementwise_bytes(*, elements, arrays_touched, bytes_per_value):
    """Every array that is read or written moves once: three for the sum of two arrays."""
    return elements * arrays_touched * bytes_per_value


@formula(reference="definition")
def matrix_bytes(*, matrix_rows, matrix_columns, bytes_per_value):
    """Bytes of a matrix."""
    return matrix_rows * matrix_columns * bytes_per_value


@formula(reference="austin-2025-scaling-book", kind="bound")
def attention_then_matrices_s(*, cache_read_s, weights_read_s, matrices_compute_s):
    """A step whose attention reads the cache first; the matrices then take the longer of reading and computing."""
    return cache_read_s + maximum(weights_read_s, matrices_compute_s)


@formula(reference="definition", kind="reference")
def launched_pass_s(*, pass_s, launches, launch_s):
    """A pass and the fixed time of each launch in it, one after the other."""
    return pass_s + launches * launch_s


@formula(reference="erdil-2025-inference-economics", kind="reference")
def grid_latency_s(*, layers, synchronisations_per_layer, base_latency_s, latency_growth_s, gpus):
    """Fixed time of the collectives of one pass on a square grid of accelerators: it grows with the side."""
    return layers * synchronisations_per_layer * (base_latency_s + latency_growth_s * (gpus**0.5 - 1))


@formula(reference="definition")
def overprediction(*, predicted_tokens_per_s, measured_tokens_per_s):
    """How many times the measured rate a prediction promised."""
    return predicted_tokens_per_s / measured_tokens_per_s


@formula(reference="definition")
def reading_tpot_s(*, words_per_s, tokens_per_word):
    """Time per token at which text appears as fast as a person reads it."""
    return 1 / (words_per_s * tokens_per_word)
