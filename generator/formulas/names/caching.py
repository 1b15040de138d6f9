"""Names of the section "Caches across requests": name, symbol, unit, meaning."""

SECTION = "Caches across requests"
ROWS = r"""
turns                           | T                          | count     | turns of a session
shared_tokens                   | p_0                        | token     | tokens that every prompt of a session begins with
turn_tokens                     | \Delta                     | token     | tokens that each turn adds to the context
session_tokens_uncached         | n_\mathrm{all}             | token     | prompt tokens of a session, each turn computed whole
session_tokens_cached           | n_\mathrm{new}             | token     | prompt tokens of a session, each token computed once
session_hit_ratio               | r                          | 1         | share of the prompt tokens of a session that are cached
turn_context_tokens             | p_T                        | token     | prompt of the last turn
cached_tokens                   | p_c                        | token     | tokens of a prompt that are cached
hit_ratio                       | r                          | 1         | share of a prompt that is cached
prefix_prefill_s                | t_\mathrm{pf}(p_c)         | s         | time to process the cached beginning of a prompt
suffix_prefill_s                | t_\mathrm{new}             | s         | time to process the rest of a prompt
waves                           | k                          | count     | waves in which requests that come together are prefilled
wave_s                          | t_w                        | s         | time to prefill one wave
mean_wave_ttft_s                | \overline{\mathrm{TTFT}}   | s         | mean time to first token over the waves
prefix_saving                   | G                          | 1         | share of the mean time to first token that hits save
saved_ttft_s                    | \mathrm{TTFT}_r            | s         | time to first token with hits
tier_bytes_per_s                | \beta_t                    | B/s       | bandwidth of a memory tier towards the accelerator
reload_s                        | t_\mathrm{load}            | s         | time to bring a cache back from a tier
reload_gain                     | g_\mathrm{load}            | 1         | time to compute a cache over the time to reload it
break_even_bytes_per_s          | \beta_t^\star              | B/s       | tier bandwidth at which reloading and computing take equally long
attention_slope_flops           | \alpha                     | FLOP/token | attention FLOPs of one token for each token of its context
break_even_context_tokens       | c_t^\star                  | token     | context from which reloading beats computing
tier_sessions                   | n_s                        | count     | sessions that a memory holds
pause_s                         | t_\mathrm{pause}           | s         | pause of a session between two turns
reloads_hidden                  | n_\mathrm{load}            | 1         | reloads of one link during one pause
"""
