"""Names of the section "Memory of an engine": name, symbol, unit, meaning."""

SECTION = "Memory of an engine"
ROWS = r"""
tensor_bytes                    | M_t                        | B         | one matrix on one accelerator
allocator_page_bytes            | M_\mathrm{page}            | B         | page that an allocator takes memory in
allocator_waste_bytes           | \Delta_t                   | B         | what the allocator adds to one matrix
tensors_by_component                | n_t                        | count     | matrices of each shape on one accelerator
allocator_waste_bytes_by_component | \Delta_t                   | B         | what the allocator adds to one matrix of each shape
weights_waste_bytes             | \Delta_w                   | B         | what the allocator adds to the weights of one accelerator
rotary_positions                | c_\mathrm{rot}             | token     | rows of the table of rotary angles
rotary_dims                     | e_\mathrm{rot}             | count     | width of a head that is rotated
rotary_table_bytes              | M_\mathrm{rot}             | B         | sines and cosines of all positions
kept_params                     | P_k                        | param     | parameters that a quantised checkpoint keeps in more bits
kept_bits                       | s_k                        | bit       | bits of a parameter that is kept
kept_surplus_bytes              | M_k                        | B         | what kept parameters take beyond the quantised size
copied_params                   | P_c                        | param     | parameters that each accelerator of a group keeps whole
copied_bytes                    | M_c                        | B         | copies on one accelerator beyond its share
absorbed_latent_bytes           | M_\mathrm{abs}             | B         | up-projections kept a second time on one accelerator
width_multiple                  | m_f                        | count     | multiple to which a kernel fills the inner width of an expert up
model_width_multiple            | m_d                        | count     | multiple to which a kernel fills the width of the residual stream up
expert_padding_bytes            | M_\mathrm{pad}             | B         | what filling up adds to the experts of one accelerator
table_bytes                     | M_V                        | B         | embedding and head of one copy
head_bytes                      | M_h                        | B         | head of one copy
last_stage_weights_bytes        | M_{w,p}                    | B         | weights on one accelerator of the last pipeline stage
loaded_extra_bytes              | M_e                        | B         | weights beside the decoder that an engine loads
extra_weights_bytes_per_gpu     | M_{w,x}                    | B         | weights on one accelerator beside its share of the decoder
engine_weights_bytes            | M_{w,1}                    | B         | weights on one accelerator as an engine holds them
quantised_bytes_per_value       | s_q                        | B         | bytes of the quantised copy of an activation, 0 without
early_expert_workspace_bytes    | M_\mathrm{exp}             | B         | buffers of the fused expert kernels of an early engine on one accelerator
image_input_bytes               | M_\mathrm{img}             | B         | embeddings of a step of images and text on one accelerator, 0 for text alone
graph_base_bytes                | M_{g,0}                    | B         | captured graphs of an engine beside those of layers
graph_bytes_per_layer           | M_{g,L}                    | B         | captured graphs of one layer
layers_per_stage                | L_p                        | layer     | layers of one pipeline stage
graph_estimate_bytes            | M_g                        | B         | captured graphs that the share of an engine covers, 0 where it does not
kv_bytes_per_token_per_gpu      | \kappa_1                   | B/token   | what one token adds to the cache on one accelerator
kv_page_bytes                   | M_B                        | B         | one block of one layer on one accelerator
linear_state_bytes_per_gpu             | S_1                        | B         | state of one linear layer on one accelerator
state_block_tokens              | B                          | token     | tokens of a block as large as a state
layers_per_block                | L_B                        | layer     | layers of one group, which share a block
kv_block_bytes                  | M_\mathrm{blk}             | B         | one block of the pool on one accelerator
full_blocks                     | n_F                        | count     | blocks of one request in full layers
window_blocks                   | n_W                        | count     | blocks of one request in windowed layers
layer_groups_by_component            | G                          | count     | groups of layers of each kind
blocks_by_component                  | n                          | count     | blocks of one request in one group of each kind
request_blocks                  | n_r                        | count     | blocks of the pool that one request takes
layer_groups                    | G                          | count     | groups of layers with a block table of their own
kv_pool_blocks                  | n_B                        | count     | blocks of the pool
counted_by_requests             | \delta_r                   | count     | 1 where an engine prints requests times length as its tokens
engine_pool_tokens              | c_\mathrm{pool}            | token     | tokens of the cache as an engine prints them
replicated_tokens               | c_\mathrm{all}             | token     | tokens of the caches of all replicas as engines print them
cache_bound_bytes               | M_\mathrm{most}            | B         | most that a cache can have on one accelerator
board_bytes_per_nominal         | q_M                        | 1         | memory on the board over its nominal size: binary over decimal giga
checked_share                   | q_\mathrm{ecc}             | 1         | share of the memory that error correction leaves
driver_bytes                    | M_d                        | B         | memory that the driver keeps for itself
guessed_visible_bytes           | M_v                        | B         | memory of one accelerator as software sees it, guessed
engine_pool_requests            | b_\mathrm{pool}            | count     | requests of the longest length that the pool holds
engine_whole_requests           | b_\mathrm{max}             | count     | whole requests that the pools of all replicas hold
"""
