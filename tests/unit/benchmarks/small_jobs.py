"""Jobs that a worker can import quickly."""

from benchmarks.measuring import Job, job


def give(value: object) -> Job:
    return job(lambda: value)


def fail() -> Job:
    raise ValueError("no such filter")


def give_an_object() -> Job:
    return job(object)
