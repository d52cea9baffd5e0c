"""Small jobs that a worker can import quickly."""

import os
import signal

from benchmarks.measuring import Job, job


def give(value: object) -> Job:
    return job(lambda: value)


def fail() -> Job:
    raise ValueError("no such filter")


def give_an_object() -> Job:
    return job(object)


def die() -> Job:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


def die_when_timed(value: object) -> Job:
    return Job(die, lambda: value)
