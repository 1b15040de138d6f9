"""Traces of real requests: every published format gives the same requests, and bad files say all that is wrong."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.simulation.traces import TraceFault, read
from generator.specs.library import Library

AZURE = (
    "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 23:59:59.9799600,4808,10\n2023-11-17 00:00:00.0319600,3180,8\n"
)
PLAIN = "arrival_s,prompt_tokens,output_tokens\n0,4808,10\n0.052,3180,8\n"


def written(folder: Path, text: str) -> Path:
    path = folder / "trace.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_the_azure_format_counts_seconds_from_the_first_request_also_over_midnight(tmp_path):
    assert read(written(tmp_path, AZURE)) == read(written(tmp_path, PLAIN))


def test_the_mooncake_format_and_the_ranges_of_a_table_give_the_same_blocks(tmp_path):
    lines = [
        {"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": list(range(14))},
        {"timestamp": 27500, "input_length": 1024, "output_length": 3, "hash_ids": [0, 46]},
    ]
    json_lines = read(written(tmp_path, "\n".join(map(json.dumps, lines))))
    table = "arrival_s,prompt_tokens,output_tokens,prefix_blocks\n0,6758,500,0-13\n27.5,1024,3,0 46\n"
    assert json_lines == read(written(tmp_path, table))
    assert json_lines.prefix_blocks == [tuple(range(14)), (0, 46)]


def test_requests_are_sorted_by_arrival_and_begin_at_zero(tmp_path):
    requests = read(written(tmp_path, "arrival_s,prompt_tokens,output_tokens\n9,1,1\n4.5,2,2\n"))
    assert requests.arrival_s == [0.0, 4.5]
    assert requests.prompt_tokens == [2, 1]


@pytest.mark.parametrize("identifier", ["azure-code-2023", "mooncake-conversation"])
def test_a_trace_of_the_specs_holds_as_many_requests_as_its_file_says(library: Library, identifier):
    record = library.find("traces", identifier)
    requests = read(library.table("traces", identifier), int(record.block_tokens or 512))
    assert len(requests) == record.requests
    if requests.prefix_blocks is not None:
        for blocks, prompt in zip(requests.prefix_blocks, requests.prompt_tokens, strict=True):
            assert len(blocks) == -(-prompt // requests.block_tokens)


def test_every_fault_of_a_file_is_told_with_line_field_value_and_rule(tmp_path):
    path = written(tmp_path, "arrival_s,prompt_tokens,output_tokens\nx,5,2\n1,5.5,2\n-1,5,2\n2,3\n3,4,0\n")
    with pytest.raises(TraceFault) as caught:
        read(path)
    said = str(caught.value).splitlines()
    assert [line.split(":")[1] for line in said] == ["2", "3", "4", "5", "6"]
    assert "`arrival_s` is 'x'; want a number" in said[0]
    assert "`prompt_tokens` is '5.5'; want a whole number from 1" in said[1]
    assert "want a time from 0" in said[2]
    assert "`output_tokens` is '0'" in said[4]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the file is empty"),
        ("arrival_s,prompt_tokens,output_tokens\n", "no request"),
        ("a,b,c\n1,2,3\n", "want arrival_s,prompt_tokens,output_tokens or TIMESTAMP"),
        ('{"timestamp": 1, "input_length": 5}\n', "no field 'output_length'"),
        ("arrival_s,prompt_tokens,output_tokens,prefix_blocks\n0,9,9,3-x\n", "ranges such as 14-27"),
    ],
)
def test_a_file_that_is_no_trace_says_what_is_wanted(tmp_path, text, says):
    with pytest.raises(TraceFault, match=says):
        read(written(tmp_path, text))


def test_a_trace_can_be_played_faster(tmp_path):
    requests = read(written(tmp_path, PLAIN))
    assert requests.at_rate(2.0).arrival_s == [0.0, 0.026]
    assert requests.at_rate(2.0).prompt_tokens == requests.prompt_tokens
