"""Names of the section "Links and prices of hardware": name, symbol, unit, meaning."""

SECTION = "Links and prices of hardware"
ROWS = r"""
message_bytes                   | Q                          | B         | bytes of one buffer that a collective works on
collective_s                    | t_\mathrm{coll}            | s         | time of one collective
algorithm_bandwidth_bytes_per_s | \beta_\mathrm{alg}         | B/s       | buffer size over time, as tests print it
bus_bandwidth_bytes_per_s       | \beta_\mathrm{bus}         | B/s       | rate at which each accelerator sends
ring_bus_bandwidth_bytes_per_s  | \beta_\mathrm{bus}         | B/s       | rate at which each accelerator sends, from size, link and latency
nics                            | n_\mathrm{nic}             | count     | network cards of one host
nic_bytes_per_s                 | \beta_\mathrm{nic}         | B/s       | rate of one network card in one direction
host_bytes_per_s                | \beta_\mathrm{host}        | B/s       | rate of all network cards of one host in one direction
traffic_usd                     | \Gamma_Q                   | USD       | price of the time in which bytes are read
work_usd                        | \Gamma_C                   | USD       | price of the time in which FLOPs are done
"""
