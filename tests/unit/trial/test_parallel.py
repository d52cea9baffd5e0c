from collections.abc import Callable
from pathlib import Path

from promptpack import Library, trial
from promptpack.trial.parallel import run_in_processes

BODY = """\
inputs: {A: {type: string}}
messages: [{role: user, content: "say {{ A }}"}]
tests:
  - {name: kept, context: {A: x}, expect: {snapshot: true}}
  - {name: t, expect: {excludes: ['7']}, cases: {file: cases.csv}}
"""


def test_processes_find_the_same_in_the_same_order(
    write_pack: Callable[..., Path], open_packs: Callable[[], Library]
) -> None:
    path = write_pack(body=BODY)
    (path.parent / "cases.csv").write_text("A\n" + "".join(f"{number}\n" for number in range(120)), "utf-8")
    packs = list(open_packs().packs())
    list(trial.run(packs, update=True))
    alone = list(trial.run(packs))
    assert (len(alone), sum(one.passed for one in alone)) == (121, 121 - 21)
    together = list(run_in_processes(packs, 2))
    assert together == alone
    assert [one.location for one in together] == [one.location for one in alone]
    some = list(run_in_processes(packs, 2, keep=lambda _, test: "9" in test.name))
    assert some == [one for one in alone if "9" in one.name]
