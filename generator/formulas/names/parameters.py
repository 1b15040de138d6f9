"""Names of the section "Parameters": name, symbol, unit, meaning."""

SECTION = "Parameters"
ROWS = r"""
attention_params_by_group       | P_\mathrm{attn}            | param     | attention parameters of one layer of each group
ffn_params_by_group             | P_\mathrm{ffn}             | param     | always-active feed-forward parameters of one layer of each group
routed_params_by_group          | P_\mathrm{routed}          | param     | routed-expert parameters of one layer of each group
routed_active_params_by_group   | P_\mathrm{routed,a}        | param     | routed-expert parameters that one token uses, per layer of each group
grouped_query_attention_params  | P_\mathrm{attn}            | param     | parameters of one grouped-query attention layer
grouped_query_small_params      | P_\varepsilon              | param     | biases, norms and sinks of one grouped-query attention layer
grouped_query_index_params      | P_\mathrm{index}           | param     | parameters of the index of one sparse grouped-query layer
index_params                    | P_\mathrm{index}           | param     | parameters of the index of one layer, 0 without one
compressor_params               | P_\mathrm{comp}            | param     | parameters that compress keys and values of one layer
latent_attention_params         | P_\mathrm{attn}            | param     | parameters of one latent attention layer
latent_attention_params_full_query | P_\mathrm{attn}         | param     | parameters of one latent attention layer without a query latent
latent_index_params             | P_\mathrm{index}           | param     | parameters of the index of one sparse latent layer
compressed_index_params         | P_\mathrm{index}           | param     | parameters of the index of one compressed layer
linear_attention_params         | P_\mathrm{attn}            | param     | parameters of one gated linear-attention layer
mamba_params                    | P_\mathrm{attn}            | param     | parameters of one Mamba-2 layer
compressed_attention_params     | P_\mathrm{attn}            | param     | parameters of one compressed attention layer
heavy_compressor_params         | P_\mathrm{comp}            | param     | parameters of a compressor without index
light_compressor_params         | P_\mathrm{comp}            | param     | parameters of a compressor with overlapping blocks and an index
gated_ffn_params                | P_\mathrm{ffn}             | param     | parameters of one gated feed-forward network
plain_ffn_params                | P_\mathrm{ffn}             | param     | parameters of one feed-forward network with two matrices
plain_expert_params             | P_e                        | param     | parameters of one routed expert with two matrices
plain_moe_always_active_params  | P_\mathrm{ffn}             | param     | router, shared expert and latent projections of one layer
moe_always_active_params        | P_\mathrm{ffn}             | param     | router and shared expert of one layer
expert_params                   | P_e                        | param     | parameters of one routed expert
routed_expert_params_per_layer  | P_\mathrm{routed}          | param     | parameters of all routed experts of one layer
routed_active_params_per_layer  | P_\mathrm{routed,a}        | param     | parameters of the routed experts that one token uses in one layer
attention_params                | P_\mathrm{attention}       | param     | attention parameters of all layers
ffn_params                      | P_\mathrm{always}          | param     | dense feed-forward, shared-expert and router parameters of all layers
routed_expert_params            | P_\mathrm{experts}         | param     | routed-expert parameters of all layers
routed_active_params            | P_\mathrm{experts,a}       | param     | routed-expert parameters that one token uses
layer_norm_params               | P_\mathrm{norm,L}          | param     | norm weights of one layer with two norms
norm_params                     | P_\mathrm{norm}            | param     | norm parameters
embedding_params                | P_\mathrm{embed}           | param     | the input embedding table
table_params                    | P_\mathrm{tables}          | param     | both embedding tables
head_params                     | P_\mathrm{head}            | param     | the output head, 0 if it shares the embedding table
total_params                    | P                          | param     | all parameters of the text decoder: what memory holds
active_params                   | P_a                        | param     | parameters one token uses, both tables included: what FLOPs count
active_params_no_input_embedding | P_{a,\mathrm{out}}        | param     | active parameters without the input table
active_params_no_embeddings     | P_{a,\mathrm{body}}        | param     | active parameters without both tables
active_share                    | \phi_a                     | 1         | share of all parameters that one token uses
most_total_params               | P_\mathrm{max}             | param     | parameters if every expert were a copy of the whole network
extra_params_by_component       | P_x                        | param     | parameters beside the text decoder
checkpoint_params               | P_\mathrm{ckpt}            | param     | parameters of the text decoder and the extras counted with it
relative_difference             | \Delta                     | 1         | relative difference of two values
value                           | x                          | 1         | a value to compare
reference_value                 | x_0                        | 1         | the value it is compared with
ratio_of                        | q                          | 1         | how many times the one is the other
"""
