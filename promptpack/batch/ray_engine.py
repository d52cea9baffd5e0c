"""Chunks -> results in their order on a Ray cluster, with Ray Data: actors hold the pack, lost ones are replaced.

The chunks go through a file next to the output, which all nodes must see; Ray gets only their places in it.
"""

import logging
import os
from collections.abc import Iterator
from pickle import dumps, loads
from typing import Any, BinaryIO, Final, NamedTuple

from promptpack.batch.chunks import Chunk
from promptpack.batch.extras import import_extra
from promptpack.batch.output_files import write_error
from promptpack.batch.pool import ChunkResults, ProcessPool, map_here
from promptpack.batch.process import OnlyIds
from promptpack.batch.worker import Worker
from promptpack.problem import Problem, UsageError

LOOPBACK: Final = "127.0.0.1"
_ATTEMPTS: Final = 3
# Read when Ray is imported. Without a cluster of several machines, Ray accepts the loopback address for its node.
_LOCAL: Final = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
_MAX_BLOCKS: Final = 10_000


class RayEngine(NamedTuple):
    """Handles chunks in several actors, on the cluster at an address or on a new one on this machine."""

    processes: int
    address: str
    spool: str
    """Where the chunks are written, as all nodes see it."""

    def __call__(self, worker: Worker, chunks: Iterator[Chunk]) -> ChunkResults:
        """Yield each chunk with its result, in order; rows that are written already are only identified here."""
        if isinstance(worker.handler, OnlyIds):
            yield from map_here(worker, chunks)
            return
        try:
            places = write_spool(self.spool, chunks)
            if places:
                yield from self._map(worker, places)
        finally:
            if os.path.exists(self.spool):
                os.unlink(self.spool)

    def _map(self, worker: Worker, places: list[dict[str, int]]) -> ChunkResults:
        ray = connect(self.address, self.processes)
        try:
            results = _dataset(worker, places, os.path.abspath(self.spool), self.processes)
            with open(self.spool, "rb") as spool:
                for place, row in zip(places, results.iter_rows(), strict=True):
                    result, lost = loads(row["result"])  # noqa: S301 -- from our own actors
                    yield read_chunk(spool, place)._replace(lost=lost), result
        finally:
            ray.shutdown()


class ChunkActor:
    """Handles chunks on a node of the cluster; the pack arrives as source texts, and must have the same digest.

    It has a process of its own, because Ray would handle a row that ends the actor again for ever.
    """

    def __init__(self, stored: bytes, spool: str) -> None:
        self._pool = ProcessPool(loads(stored), 1)  # noqa: S301 -- from the driver
        self._spool = open(spool, "rb")  # noqa: SIM115 -- open as long as the actor

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        """Return the result of one chunk."""
        chunk, result = next(self._pool.map(iter((read_chunk(self._spool, row),))))
        return {"result": dumps((result, chunk.lost))}


def connect(address: str, processes: int) -> Any:
    """Connect to a cluster, or start one that listens on the loopback address only; return the library."""
    if address:
        ray = import_extra("ray")
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
        return ray
    os.environ.update(_LOCAL)
    ray = import_extra("ray")
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            ray.init(
                num_cpus=processes,
                include_dashboard=False,
                log_to_driver=False,
                logging_level="ERROR",
                _node_ip_address=LOOPBACK,
            )
            break
        except Exception as error:  # Ray raises many kinds of exceptions when its processes do not start in 30 seconds
            ray.shutdown()
            if attempt == _ATTEMPTS:
                message = f"Ray cannot start: {' '.join(str(error).split())[:200]}"
                raise UsageError(Problem("PP989", message, None, "start a cluster, and pass its --address")) from error
    _require_loopback(ray)
    return ray


def write_spool(path: str, chunks: Iterator[Chunk]) -> list[dict[str, int]]:
    """Write chunks to a file, and return their places in it."""
    places: list[dict[str, int]] = []
    start = 0
    try:
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as spool:
            for chunk in chunks:
                size = spool.write(dumps(chunk))
                places.append({"start": start, "size": size})
                start += size
    except OSError as error:
        raise write_error(error, path) from error
    return places


def read_chunk(spool: BinaryIO, place: dict[str, int]) -> Chunk:
    """Read the chunk at a place of the file."""
    spool.seek(place["start"])
    chunk: Chunk = loads(spool.read(place["size"]))  # noqa: S301 -- written by the driver
    return chunk


def _dataset(worker: Worker, places: list[dict[str, int]], spool: str, processes: int) -> Any:
    import ray.data

    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    logging.getLogger("ray.data").setLevel("ERROR")
    data = ray.data.from_items(places, override_num_blocks=min(len(places), _MAX_BLOCKS))
    actors = ray.data.ActorPoolStrategy(size=processes)
    return data.map(ChunkActor, fn_constructor_args=(dumps(worker), spool), compute=actors, num_cpus=1)


def _require_loopback(ray: Any) -> None:
    addresses = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]}
    if addresses != {LOOPBACK}:
        ray.shutdown()
        raise UsageError(Problem("PP989", f"Ray listens on {', '.join(sorted(addresses))}, not only on {LOOPBACK}"))
