"""Names of the section "Cache in blocks, and replayed engines": name, symbol, unit, meaning."""

SECTION = "Cache in blocks, and replayed engines"
_QUANTITIES = {"ttft": ("TTFT", "time to first token"), "tpot": ("TPOT", "time per output token"),
               "e2e": ("E2E", "time to the last token")}  # fmt: skip
_LOADS = {
    "": ("", "all requests"),
    "_low": (r"\mathrm{low}", "requests that nobody waited before"),
    "_knee": (r"\mathrm{knee}", "requests that a short queue waited before"),
    "_overload": (r"\mathrm{over}", "requests that a long queue waited before"),
}


def _errors() -> str:
    """Rows of the errors: each quantity, each load, median, 90th percentile and bias."""
    rows = []
    for quantity, (symbol, words) in _QUANTITIES.items():
        for load, (index, who) in _LOADS.items():
            for name, mark, meaning in (
                ("error_p50", "50", f"median relative error of the {words}, without sign"),
                ("error_p90", "90", f"relative error of the {words} that 90 % stay within, without sign"),
                ("bias", r"\pm", f"median relative error of the {words}, above 0 where the simulation is slow"),
            ):
                under = ",".join(filter(None, (mark, index)))
                rows.append(
                    rf"{quantity}{load}_{name} | \varepsilon^\mathrm{{{symbol}}}_{{{under}}} | 1 | {meaning}, {who}"
                )
    return "\n".join(rows)


ROWS = r"""
room_tokens                     | c_\mathrm{room}            | token     | tokens that the cache of one instance has room for, chosen
recomputed_tokens_per_request   | c_\mathrm{re}              | token     | tokens computed a second time after a preemption, mean over the requests
low_requests                    | n_\mathrm{low}             | count     | requests that nobody waited before
knee_requests                   | n_\mathrm{knee}            | count     | requests that a short queue waited before
overload_requests               | n_\mathrm{over}            | count     | requests that a long queue waited before
simulated_prompt_step_s         | t_p                        | s         | time of an iteration full of prompt tokens as simulated, median
simulated_decode_step_s         | t_d                        | s         | time of a decode step at the usual batch as simulated, median
simulated_steps_to_first_token  | k_1                        | 1         | iterations full of prompts from admission to first token of prompts that fit into one and waited for nobody, as simulated
peak_room_use_share             | u_\mathrm{max}             | 1         | largest share of the blocks in use
""" + _errors()
