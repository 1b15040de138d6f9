"""Failures of long jobs: mean time between them, checkpoints, the best interval, and the time that is left."""

from __future__ import annotations

from generator.formulas.elementary import either, maximum, square_root
from generator.formulas.formula import formula


@formula(reference="definition")
def job_mtbf_s(*, observed_s, interruptions):
    """Mean time between interruptions of a job that was watched."""
    return observed_s / interruptions


@formula(reference="definition")
def device_mtbf_s(*, gpus, job_mtbf_s):
    """The same for one accelerator with its share of host and network, if each failure stops the whole job."""
    return gpus * job_mtbf_s


@formula(reference="definition", kind="reference")
def scaled_mtbf_s(*, device_mtbf_s, gpus):
    """Mean time between interruptions of a job on this many accelerators."""
    return device_mtbf_s / gpus


@formula(reference="definition")
def expected_interruptions(*, job_seconds, scaled_mtbf_s):
    """Interruptions to expect in a time."""
    return job_seconds / scaled_mtbf_s


@formula(reference="rajbhandari-2020-zero")
def checkpoint_bytes(*, total_params, checkpoint_bytes_per_param):
    """Master weights and optimiser moments: what a restart needs."""
    return total_params * checkpoint_bytes_per_param


@formula(reference="definition")
def checkpoint_bytes_per_param(*, master_state_bytes, moment_state_bytes):
    """Bytes of a checkpoint for each parameter; working weights and gradients are made again."""
    return master_state_bytes + moment_state_bytes


@formula(reference="definition", kind="reference")
def checkpoint_write_s(*, checkpoint_bytes, storage_bytes_per_s):
    """Time to write a checkpoint."""
    return checkpoint_bytes / storage_bytes_per_s


@formula(reference="young-1974-checkpoint", kind="reference")
def checkpoint_interval_s(*, checkpoint_stall_s, scaled_mtbf_s):
    """Interval that loses the least time, to first order: checkpoints and lost work cost the same."""
    return square_root(2 * checkpoint_stall_s * scaled_mtbf_s)


@formula(reference="daly-2006-checkpoint", kind="reference")
def daly_interval_s(*, checkpoint_stall_s, scaled_mtbf_s):
    """The same to higher order, for checkpoints that are not short against the time between failures."""
    return either(
        checkpoint_stall_s < 2 * scaled_mtbf_s,
        square_root(2 * checkpoint_stall_s * scaled_mtbf_s)
        * (1 + square_root(checkpoint_stall_s / (2 * scaled_mtbf_s)) / 3 + checkpoint_stall_s / (2 * scaled_mtbf_s) / 9)
        - checkpoint_stall_s,
        scaled_mtbf_s,
    )


@formula(reference="young-1974-checkpoint", kind="reference")
def lost_time_share(*, checkpoint_stall_s, interval_s, restart_s, scaled_mtbf_s):
    """Time lost to checkpoints, to work done again (half an interval on average) and to restarts, to first order."""
    return checkpoint_stall_s / interval_s + (interval_s / 2 + restart_s) / scaled_mtbf_s


@formula(reference="young-1974-checkpoint", kind="reference")
def kept_time_share(*, lost_time_share):
    """Share of the time on the clock that trains; none when more is lost than there is."""
    return maximum(1 - lost_time_share, 0)


@formula(reference="definition")
def lost_s_per_interruption(*, job_mtbf_s, effective_time_share):
    """Time that each interruption cost, everything included, if the rest of the time trained."""
    return job_mtbf_s * (1 - effective_time_share)


@formula(reference="definition", kind="reference")
def job_goodput(*, mfu, effective_time_share):
    """Utilisation of the whole job: useful FLOPs over the peak of all the time on the clock."""
    return mfu * effective_time_share


@formula(reference="definition")
def implied_effective_time(*, implied_mfu, reported_mfu):
    """Share of the accelerator hours that ran at the reported utilisation."""
    return implied_mfu / reported_mfu


@formula(reference="definition", kind="reference")
def wasted_gpu_hours(*, training_gpu_hours, effective_time_share):
    """Accelerator hours that failures, restarts and checkpoints add to those of training."""
    return training_gpu_hours * (1 / effective_time_share - 1)
