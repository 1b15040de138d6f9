"""Who gets a request: in turn, the least loaded, or who knows its beginning."""

from __future__ import annotations

from generator.simulation.router import route


def assigned(balance, prefixes, *, finished=lambda number, queue: 0, instances=3):
    """Queues of instances that never finish anything, or as much as `finished` says."""
    queues: dict[int, list[int]] = {}

    def start(number, queue):
        queues[number] = queue
        until = yield 0
        while until != float("inf"):
            until = yield len(queue) - finished(number, queue)

    requests = len(prefixes)
    route(start, instances, range(requests), [float(one) for one in range(requests)], balance, prefixes)
    return [queues[number] for number in range(instances)]


def test_in_turn_and_least_loaded_do_not_look_at_prefixes():
    prefixes = [(1,)] * 6
    assert assigned("round-robin", prefixes) == [[0, 3], [1, 4], [2, 5]]
    assert assigned("least-loaded", prefixes) == [[0, 3], [1, 4], [2, 5]]


def test_a_request_goes_to_the_instance_that_knows_its_beginning():
    prefixes = [(1, 2), (7, 8), (1, 2, 3), (7, 9)]
    assert assigned("prefix", prefixes, finished=lambda _, queue: len(queue)) == [[0, 1, 2, 3], [], []]
    assert assigned("prefix", prefixes) == [[0, 2], [1, 3], []]


def test_a_beginning_counts_only_without_a_gap():
    assert assigned("prefix", [(1, 2, 3), (5,), (9, 2, 3)]) == [[0], [1], [2]]


def test_a_popular_beginning_does_not_sink_one_instance():
    queues = assigned("prefix", [(1,)] * 30)
    sizes = [len(queue) for queue in queues]
    assert max(sizes) <= 2 * min(sizes) + 2


def test_without_prefixes_the_least_loaded_gets_the_request():
    assert assigned("prefix", [()] * 3) == [[0], [1], [2]]
