"""How many accelerators a load needs: memory and compute apart, head-room, spares, start-up and scaling ahead."""

from __future__ import annotations

from generator.formulas.elementary import ceiling, maximum, minimum, total
from generator.formulas.formula import formula

# --- two axes --------------------------------------------------------------------------------------------------------


@formula(reference="definition")
def capacity_requests_per_s(*, mixed_tokens_per_s, output_tokens):
    """Requests that a group finishes per second when it never waits, its prefills included."""
    return mixed_tokens_per_s / output_tokens


@formula(reference="definition")
def mixed_tokens_per_s_per_gpu(*, mixed_tokens_per_s, gpus):
    """Output tokens per second and accelerator when the same accelerators also prefill."""
    return mixed_tokens_per_s / gpus


@formula(reference="definition")
def mean_token_s(*, batch, mixed_tokens_per_s):
    """Mean time between two tokens of one request, the prefills of others in between included."""
    return batch / mixed_tokens_per_s


@formula(reference="definition")
def groups_by_memory(*, requests_in_system, group_requests, target_utilisation):
    """Groups whose caches hold all requests in flight, used to the planned share."""
    return ceiling(requests_in_system / (group_requests * target_utilisation))


@formula(reference="definition")
def groups_by_compute(*, requests_per_s, capacity_requests_per_s, target_utilisation):
    """Groups that do the work of a load in time, used to the planned share."""
    return ceiling(requests_per_s / (capacity_requests_per_s * target_utilisation))


@formula(reference="definition")
def planned_groups(*, groups_by_memory, groups_by_compute, spare_groups):
    """The larger of the two needs, and the groups that may fail without loss."""
    return maximum(groups_by_memory, groups_by_compute) + spare_groups


@formula(reference="definition")
def planned_gpus(*, planned_groups, group_gpus):
    """Accelerators of all groups."""
    return planned_groups * group_gpus


# --- head-room -------------------------------------------------------------------------------------------------------


@formula(reference="definition")
def utilisation_after_loss(*, load_ratio, groups, lost_groups):
    """Utilisation of the groups that are left when some fail and the load stays."""
    return load_ratio * groups / (groups - lost_groups)


@formula(reference="definition")
def utilisation_that_survives(*, highest_utilisation, groups, lost_groups):
    """Utilisation at which a fleet may run so that after a loss the rest is still below its highest one."""
    return highest_utilisation * (groups - lost_groups) / groups


@formula(reference="definition")
def serving_requests_per_s(*, groups, capacity_requests_per_s):
    """Requests per second that a fleet finishes at most."""
    return groups * capacity_requests_per_s


@formula(reference="definition")
def fleet_load_ratio(*, requests_per_s, serving_requests_per_s):
    """Load over what a fleet finishes at most; a queue grows where it is above one."""
    return requests_per_s / serving_requests_per_s


@formula(reference="definition")
def requests_at_scale_out(*, scale_out_utilisation, group_requests):
    """Requests in flight in each group at which another one must be ordered."""
    return scale_out_utilisation * group_requests


# --- start-up --------------------------------------------------------------------------------------------------------


@formula(reference="definition")
def serial_load_s(*, loaded_bytes, stage_bytes_per_s_by_group):
    """Time to load weights when each stage begins after the one before it has ended: all stages count."""
    return loaded_bytes * total([1 / rate for rate in stage_bytes_per_s_by_group])


@formula(reference="definition", kind="bound")
def overlapped_load_s(*, loaded_bytes, stage_bytes_per_s_by_group):
    """Time to load weights when all stages work at once: only the slowest one counts."""
    return loaded_bytes / minimum(*stage_bytes_per_s_by_group)


@formula(reference="definition")
def startup_s(*, load_s, fixed_start_s):
    """Time until a replica answers: its weights, and what does not depend on them."""
    return load_s + fixed_start_s


@formula(reference="definition")
def fixed_start_s(*, start_stage_s_by_component):
    """Everything at start-up that is not loading: container, libraries, compilation, profiling, warm-up."""
    return total(start_stage_s_by_component)


@formula(reference="definition")
def start_rest_s(*, startup_s, start_stage_s_by_component):
    """What a start-up takes beyond the stages that its log times."""
    return startup_s - total(start_stage_s_by_component)


@formula(reference="definition")
def load_bytes_per_s(*, loaded_bytes, load_s):
    """Rate at which weights were loaded."""
    return loaded_bytes / load_s


@formula(reference="definition")
def needed_load_bytes_per_s(*, loaded_bytes, startup_limit_s, fixed_start_s):
    """Rate at which weights must come so that a start-up ends in time."""
    return loaded_bytes / (startup_limit_s - fixed_start_s)


# --- scaling ahead of the load ---------------------------------------------------------------------------------------


@formula(reference="definition")
def load_during_startup_ratio(*, load_growth_per_s, startup_s, detection_s):
    """Load when a new replica answers over the load when it became needed: lead time times growth."""
    return 1 + load_growth_per_s * (startup_s + detection_s)


@formula(reference="definition")
def scale_out_utilisation(*, highest_utilisation, load_during_startup_ratio):
    """Utilisation at which another replica must be ordered, so that it answers before the highest one is reached."""
    return highest_utilisation / load_during_startup_ratio


@formula(reference="definition")
def backlog_requests(*, requests_per_s, serving_requests_per_s, startup_s):
    """Requests that queue up while a replica starts, if a load beyond the capacity comes at once."""
    return maximum(requests_per_s - serving_requests_per_s, 0) * startup_s


@formula(reference="definition")
def backlog_drain_s(*, backlog_requests, capacity_after_requests_per_s, requests_per_s):
    """Time until the queue is gone once the new capacity answers."""
    return backlog_requests / (capacity_after_requests_per_s - requests_per_s)


# --- a fleet over a period -------------------------------------------------------------------------------------------


@formula(reference="definition")
def nodes_for_tokens(*, period_tokens, period_s, node_tokens_per_s):
    """Nodes that a number of tokens keeps busy over a period."""
    return period_tokens / (period_s * node_tokens_per_s)


@formula(reference="definition")
def load_tokens_per_s(*, period_tokens, period_s):
    """Mean rate of the tokens of a period."""
    return period_tokens / period_s


@formula(reference="definition")
def nodes_of_both(*, prefill_nodes, decode_nodes):
    """Nodes of both phases together."""
    return prefill_nodes + decode_nodes


@formula(reference="definition")
def fleet_usd(*, gpus, usd_per_gpu_hour, period_s):
    """Price of accelerators over a period, busy or not."""
    return gpus * usd_per_gpu_hour * period_s / 3600


@formula(reference="definition")
def peak_over_mean(*, peak_nodes, mean_nodes):
    """Largest number of nodes over the mean: what a fleet that never shrinks pays for."""
    return peak_nodes / mean_nodes
