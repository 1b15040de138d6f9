"""Names of the section "Shape of a model": name, symbol, unit, meaning."""

SECTION = "Shape of a model"
ROWS = r"""
layers                          | L                          | layer     | layers
layers_by_group                 | L                          | layer     | layers of each group that has one kind of attention or feed-forward network
moe_layers                      | L_\mathrm{moe}             | layer     | layers with routed experts
d_model                         | d                          | count     | width of the residual stream
vocab                           | V                          | count     | rows of the embedding table
n_heads                         | h                          | count     | query heads
n_kv_heads                      | g                          | count     | key-value heads
head_dim                        | e                          | count     | size of one head
inferred_head_dim               | d/h                        | count     | width over query heads, which is not always the size of a head
window_tokens                   | W                          | token     | tokens a sliding-window or chunked layer can see
query_matrices                  | n_q                        | count     | query-sized input matrices: 2 with an output gate, else 1
small_attention_params          | P_\varepsilon              | param     | biases, norms and sinks of one attention layer
has_qkv_bias                    | \delta_\mathrm{qkv}        | count     | 1 if the query, key and value projections have biases
has_o_bias                      | \delta_\mathrm{o}          | count     | 1 if the output projection has a bias
has_head_norm                   | \delta_\mathrm{head}       | count     | 1 if queries and keys are normalised per head
has_layer_norm                  | \delta_\mathrm{layer}      | count     | 1 if queries and keys are normalised over all heads
has_sinks                       | \delta_\mathrm{sink}       | count     | 1 if each head has a learned attention sink
index_heads                     | h_i                        | count     | query heads of the index that picks tokens
index_kv_heads                  | g_i                        | count     | key heads of the index
index_head_dim                  | e_i                        | count     | size of an index key
q_lora_rank                     | r_q                        | count     | rank of the query latent
kv_lora_rank                    | r_\mathrm{kv}              | count     | rank of the key-value latent
qk_nope_head_dim                | e_\mathrm{nope}            | count     | part of a query or key head without rotary position
qk_rope_head_dim                | e_\mathrm{rope}            | count     | part of a query or key head with rotary position
v_head_dim                      | e_v                        | count     | size of a value head
n_key_heads                     | h_k                        | count     | key heads of a linear-attention layer
key_head_dim                    | e_k                        | count     | size of a linear-attention key head
n_value_heads                   | h_v                        | count     | value heads of a linear-attention layer
value_head_dim                  | e_v                        | count     | size of a linear-attention value head
conv_kernel                     | K                          | count     | length of the short convolution
state_bytes_per_value           | s_\mathrm{state}           | B         | bytes of one number of the recurrent state
o_groups                        | n_o                        | count     | groups of the output projection
o_lora_rank                     | r_o                        | count     | rank of each output group
compress_tokens                 | m                          | token     | tokens that share one compressed cache entry
intermediate                    | f                          | count     | inner width of a feed-forward network
has_bias                        | \delta_b                   | count     | 1 if the matrices have biases
experts                         | E                          | count     | routed experts of one layer
top_k                           | k                          | count     | routed experts that one token takes
expert_intermediate             | f_e                        | count     | inner width of one expert
expert_input_width              | d_e                        | count     | width on which experts work: that of the residual stream, or of a latent
has_latent                      | \delta_\ell                | count     | 1 if experts work on a latent
shared_intermediate             | f_s                        | count     | inner width of the shared expert
has_shared_gate                 | \delta_g                   | count     | 1 if the shared expert has a gate
has_router_bias                 | \delta_r                   | count     | 1 if the router has one bias an expert
norm_params_per_layer           | P_\mathrm{norm,L}          | param     | norm weights of one layer
final_norm_params               | P_\mathrm{norm,f}          | param     | weights of the final norm
other_params                    | P_\mathrm{other}           | param     | parameters outside attention, feed-forward, norms and tables
"""
