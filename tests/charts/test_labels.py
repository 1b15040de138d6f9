"""Labels of charts cover neither each other nor the plot."""

import itertools

import pytest

from generator.charts import figure, labels


@pytest.fixture
def axes():
    with figure.drawing() as pyplot:
        _, axes = pyplot.subplots(layout="constrained")
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 10)
        yield axes


def _boxes(axes):
    axes.figure.canvas.draw()
    return [text.get_window_extent() for text in axes.texts if text.get_text()]


def _apart(boxes):
    return all(not one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


def test_labels_of_lines_that_end_together_are_moved_apart_in_the_order_of_the_lines(axes):
    first, second, low = ((1, 5.0), (1, 5.1), (1, 0.0))
    names = {"first": first, "second": second, "low": low}
    ends = [(*place, name, figure.FOREGROUND) for name, place in names.items()]
    labels.at_ends(axes, ends)
    first, second, low = _boxes(axes)
    assert _apart([first, second, low])
    assert low.y0 < first.y0 < second.y0


def test_labels_beside_points_keep_off_points_lines_and_each_other(axes):
    points = [(0.5, 5.0, "one"), (0.52, 5.1, "two"), (0.54, 5.2, "three")]
    line = [(0.0, 0.0), (1.0, 10.0)]
    labels.beside_points(axes, points, [line])
    boxes = _boxes(axes)
    assert _apart(boxes)
    drawn = axes.transData.transform([(step / 500, step / 50) for step in range(501)])
    assert not any(box.contains(*point) for box in boxes for point in drawn)


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(1, 5000, ["1", "10", "100", "1k"]), (10, 60, ["10", "20", "50"])]
)
def test_logarithmic_axes_are_labelled_1_10_100_1k(axes, low, high, expected):
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    figure.log_ticks(axes.yaxis)
    axes.figure.canvas.draw()
    ticks = zip(axes.get_yticklabels(), axes.get_yticks(), strict=True)
    shown = [tick.get_text() for tick, place in ticks if low <= place <= high]
    assert shown == expected


def test_the_label_of_a_limit_goes_to_the_end_where_no_line_runs(axes):
    left, right = [(0.0, 9.0), (0.3, 9.0), (0.5, 1.0), (1.0, 1.0)], [(0.0, 1.0), (0.5, 1.0), (0.7, 9.0), (1.0, 9.0)]
    for line, side in ((left, "right"), (right, "left")):
        for text in list(axes.texts):
            text.remove()
        labels.along(axes, [(8.7, "target")], [line])
        (text,) = axes.texts
        assert text.get_horizontalalignment() == side
