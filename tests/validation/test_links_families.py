"""Collectives, KV transfers and best products: hand-computed rows, limits, and no row beats its bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator.specs.load import load
from generator.validation import calibration
from generator.validation.families import collectives, kv_transfer, matmul
from generator.validation.rows import Row, Uncovered, read

ROOT = Path(__file__).resolve().parents[2]
TABLES = {
    "collectives": (collectives, "interconnect"),
    "kv-transfer": (kv_transfer, "kv-transfer"),
    "matmul": (matmul, "engine-throughput"),
}


@pytest.fixture(scope="module")
def library():
    return load(ROOT)


def row(**fields: str) -> Row:
    given = {"id": "x", "metric": "latency", "unit": "us", "value": "1", **fields}
    return Row("x", float(given["value"]), given, "test:1")


def reduce_row(**fields: str) -> Row:
    start = {"gpu": "h100-sxm", "n_gpus": "8", "engine": "nccl", "collective": "all_reduce", "message_bytes": "1e9"}
    return row(**{**start, **fields})


def predicted(module, case, library) -> float:
    spec = library.calibrations[module.FAMILY.id]
    return float(module.predict(case.inputs, calibration.constants_of(module.FAMILY, spec, case)))


@pytest.mark.parametrize("family", TABLES)
def test_every_claimed_row_is_expressed_or_refused_and_none_beats_its_bound(family: str, library):
    module, table = TABLES[family]
    claimed = [one for one in read(library.table("measurements/tables", table)) if module.FAMILY.claims(one)]
    assert claimed
    beaten = []
    for one in claimed:
        try:
            case = module.express(one, library)
        except Uncovered as reason:
            assert str(reason)
            continue
        ratio = case.measured / float(case.bound)
        if ratio < 0.999 if module.FAMILY.bound_is == "least" else ratio > 1.001:
            beaten.append(one.id)
    assert not beaten


def test_bound_of_an_all_reduce_with_a_switch_that_adds_is_half_of_the_ring(library):
    case = collectives.express(reduce_row(), library)
    assert float(case.bound) == pytest.approx(7 / 8 * 1e9 / 450e9)
    old = collectives.express(reduce_row(gpu="a100-80gb-sxm"), library)
    assert float(old.bound) == pytest.approx(2 * 7 / 8 * 1e9 / 300e9)
    gather = collectives.express(reduce_row(collective="all_gather"), library)
    assert float(gather.bound) == pytest.approx(7 / 8 * 1e9 / 450e9)


def test_bus_bandwidth_is_a_time(library):
    case = collectives.express(reduce_row(metric="busbw", value="400", unit="GB/s"), library)
    assert case.measured == pytest.approx(1.75 * 1e9 / 400e9)


def test_library_collective_by_hand(library):
    case = collectives.express(reduce_row(n_gpus="4", message_bytes="0.001"), library)
    found = library.calibrations["collectives"]
    constants = calibration.constants_of(collectives.FAMILY, found, case)
    fixed = constants["collective_launch_s"] + 6 * constants["collective_hop_s"]
    assert predicted(collectives, case, library) == pytest.approx(fixed, rel=1e-2)


@pytest.mark.parametrize("engine", ["nccl", "trtllm", "vllm"])
@pytest.mark.parametrize("gpu", ["h100-sxm", "b200", "a100-80gb-sxm", "l40s"])
def test_time_grows_with_bytes_and_never_falls_below_the_bound(engine: str, gpu: str, library):
    times = []
    for size in (512, 32768, 2097152, 134217728, 8589934592):
        case = collectives.express(reduce_row(engine=engine, gpu=gpu, message_bytes=str(size)), library)
        times.append(predicted(collectives, case, library))
        assert times[-1] > float(case.bound)
    assert times == sorted(times)


def test_what_crosses_nodes_is_refused(library):
    with pytest.raises(Uncovered, match="across nodes"):
        collectives.express(reduce_row(n_gpus="16"), library)
    with pytest.raises(Uncovered, match="across nodes"):
        collectives.express(reduce_row(note="devices_per_node 4"), library)


def test_binary_units_of_a_kv_transfer_cancel(library):
    given = {"model": "Qwen3-8B", "gpu": "h800", "engine": "vLLM 1P1D", "isl": "16384", "kv_bytes": "2e9"}
    transfer = {**given, "metric": "kv_transfer_bandwidth", "value": "100", "unit": "GB/s"}
    plain = kv_transfer.express(row(**transfer, note="200 GB/s aggregate"), library)
    binary = kv_transfer.express(row(**transfer, note="binary GB; 200 GB/s aggregate"), library)
    assert plain.measured == pytest.approx(0.02) == pytest.approx(binary.measured)
    assert float(binary.bound) / float(plain.bound) == pytest.approx(2**30 / 1e9)
    assert predicted(kv_transfer, plain, library) > float(plain.bound)


def test_product_is_a_share_of_the_dense_peak(library):
    given = {"metric": "achievable_matmul", "gpu": "h100-sxm", "precision_weights": "bf16", "value": "794.5"}
    case = matmul.express(row(**given), library)
    assert float(case.bound) == pytest.approx(989.4e12)
    assert 0.7 < predicted(matmul, case, library) / float(case.bound) < 0.9
    with pytest.raises(Uncovered, match="number format"):
        matmul.express(row(**{**given, "precision_weights": "odd"}), library)
