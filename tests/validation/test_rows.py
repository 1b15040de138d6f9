"""A measurement file is read whole, or refused with every fault by line."""

from __future__ import annotations

import pytest

from generator.validation.rows import Row, RowFault, Uncovered, read

HEADER = "id,model,gpu,metric,value,unit,isl\n"


def test_rows_keep_their_text_and_give_numbers_where_there_are_some(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text(HEADER + 'a,Llama 3 8B,H100,mean_tpot,"1,250.5",ms,1024\nb,,,mean_tpot,3,ms,about 7\n')
    first, second = read(file)
    assert (first.id, first.value, first.metric, first.unit) == ("a", 1250.5, "mean_tpot", "ms")
    assert first.number("isl") == 1024 and first.number("osl") is None
    assert second.number("isl") is None and second.text("model") == ""
    with pytest.raises(Uncovered, match="`isl` is not stated"):
        second.needed("isl")


def test_all_faults_of_a_file_are_told_at_once_by_line(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text(
        HEADER + "a,x,y,m,1,ms,1\na,x,y,m,2,ms,1\n,x,y,m,2,ms,1\nc,x,y,m,fast,ms,1\nd,x,y,m,-1,ms,1\ne,x,y,m,1,ms,1,2\n"
    )
    with pytest.raises(RowFault) as fault:
        read(file)
    lines = str(fault.value).splitlines()
    assert [line.partition(".csv:")[2].partition(":")[0] for line in lines] == ["3", "4", "5", "6", "7"]
    assert "`id` is that of line 2: a" in lines[0]
    assert "`value` must be a number, got 'fast'" in lines[2]
    assert "above 0, got '-1'" in lines[3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "column `id` is missing"),
        ("id,metric,unit\n", "column `value` is missing"),
        ("id,metric,valu,unit\na,m,1,ms\n", "did you mean"),
        (HEADER, "no measurement follows the header"),
    ],
)
def test_a_file_that_is_no_table_of_measurements_is_refused(tmp_path, text, said):
    file = tmp_path / "some.csv"
    file.write_text(text)
    with pytest.raises(RowFault, match=r"some\.csv") as fault:
        read(file)
    assert said in str(fault.value)


def test_a_row_without_a_column_has_it_empty():
    assert Row("a", 1.0, {"id": "a"}, "t:2").text("note") == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,metric,value,unit,note\na,m,1,ms," + "x" * 200_000 + "\n", "larger than field limit"),
        ("id,id,metric,value,unit\na,b,m,1,ms\n", "`id` is there more than once"),
    ],
)
def test_a_file_that_cannot_be_read_row_by_row_is_refused_in_one_line(tmp_path, text, said):
    file = tmp_path / "some.csv"
    file.write_text(text)
    with pytest.raises(RowFault, match=said):
        read(file)


def test_a_break_of_a_line_inside_quotes_stays_in_its_row(tmp_path):
    file = tmp_path / "some.csv"
    file.write_text('id,metric,value,unit,note\na,m,1,ms,"one\ntwo\u2028three"\nb,m,2,ms,\n', encoding="utf-8")
    first, second = read(file)
    assert first.text("note") == "one\ntwo\u2028three" and second.id == "b"
