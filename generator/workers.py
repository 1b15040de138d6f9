"""What a process of a pool does before its first task."""

from __future__ import annotations

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """End this process when the one that started it ends, even if that was killed.

    A pool whose owner was killed would wait for work for ever, and keep what it inherited, such as a lock.
    """
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=lambda: (parent.join(), os._exit(1)), daemon=True).start()
