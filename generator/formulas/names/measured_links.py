"""Names of the section "Collectives, transfers and products as measured": name, symbol, unit, meaning."""

SECTION = "Collectives, transfers and products as measured"
ROWS = r"""
ring_passes                     | r                          | count     | times a buffer goes around the ring: 2 all-reduce, 1 gather or scatter, 0 all-to-all
collective_hops                 | h                          | count     | messages that one accelerator waits for, one after another
collective_sent_bytes           | Q_s                        | B         | bytes that each accelerator sends in one collective
collective_least_bytes          | Q_0                        | B         | bytes that each accelerator sends at least
switch_sums                     | s_\mathrm{sw}              | count     | 1 if the switch can add what passes through it, else 0
ring_efficiency                 | \eta_r                     | 1         | share of the link that a large collective reaches
switch_efficiency               | \eta_\mathrm{sw}           | 1         | share of the link that an all-reduce added up in the switch reaches
ring_transfer_s                 | t_r                        | s         | time on the links of a ring
switch_transfer_s               | t_\mathrm{sw}              | s         | time on the links if the switch adds
collective_transfer_s           | t_Q                        | s         | time on the links, the better of both ways
collective_call_s               | \tau_\mathrm{call}         | s         | time that the caller adds, such as a launch from the host
collective_launch_s             | \tau_0                     | s         | fixed time of a kernel that communicates
collective_hop_s                | \tau_h                     | s         | time of a message too short to fill a link
collective_exchange_s           | \tau_x                     | s         | fixed time that an all-to-all adds
collective_ramp_s               | \tau_r                     | s         | time of a piece that a large buffer is cut into before the next can follow
library_collective_s            | t_\mathrm{lib}             | s         | time of a collective of the communication library
direct_launch_s                 | \tau_d                     | s         | fixed time of an engine's own all-reduce
direct_barrier_s                | \tau_b                     | s         | time of the second step of an engine's own all-reduce
direct_efficiency               | \eta_d                     | 1         | share of the link that reading from other accelerators reaches
one_shot_s                      | t_1                        | s         | all-reduce in which everyone reads every buffer
two_shot_s                      | t_2                        | s         | all-reduce in which everyone adds up one part and reads the others
own_kernel                      | k_\mathrm{own}             | count     | 1 if the engine has a kernel of its own for this all-reduce, else 0
measured_collective_s           | t_\mathrm{coll}            | s         | time of a collective
collective_floor_s              | t_{\mathrm{coll},0}        | s         | least time of a collective
reference_collective_s          | t_{\mathrm{coll},r}        | s         | time of a collective by the reference assumptions
kv_transfer_floor_s             | t_{\mathrm{kv},0}          | s         | least time of a KV transfer
kv_layer_s                      | \tau_L                     | s         | fixed time that a KV transfer takes for each layer
kv_link_efficiency              | \eta_\mathrm{kv}           | 1         | share of the network that a KV transfer reaches
measured_kv_transfer_s          | t_\mathrm{kv}              | s         | time of a KV transfer
product_efficiency              | \eta_\mathrm{mm}           | 1         | share of the dense peak that the best matrix product reaches
product_flops_per_s             | \pi_\mathrm{mm}            | FLOP/s    | FLOP/s of the best matrix product
"""
