# ruff: noqa: S311 -- Hypothesis provides the randomness
"""No value of an accepted reply changes, whatever its texts contain and whatever is wrong elsewhere."""

from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from promptpack.reply import replay
from promptpack.reply.syntax_tree import is_same
from tests.properties.reply_values import DEFECTS, ENVELOPES, HIDING, Sample, dump, fill, is_unclear, samples

defects, envelopes = st.sampled_from(sorted(DEFECTS)), st.sampled_from(sorted(ENVELOPES))


@given(st.sampled_from(samples()), defects, envelopes, st.integers(0, 2**32))
@settings(deadline=None, max_examples=400)
def test_values_do_not_change_and_only_hidden_defects_are_refused(
    sample: Sample, defect: str, envelope: str, seed: int
) -> None:
    random = Random(seed)
    value = fill(sample, random)
    assume(sample.pack.check(dump(value), sample.context).ok)
    text, meant = DEFECTS[defect](value, random)
    raw = ENVELOPES[envelope](text)
    verdict = sample.pack.check(raw, sample.context)
    if verdict.ok:
        assert is_same(verdict.data, meant), (defect, envelope, raw)
        assert is_same(replay(raw, verdict.repairs), meant), (defect, envelope, raw)
        assert not sample.pack.stream().feed(raw).violations, (defect, envelope, raw)
    else:
        # A defect may hide that the reply is encoded; a lost brace may hide that more text is lost.
        is_hidden = envelope in HIDING and defect != "none"
        assert is_hidden or is_unclear(text, envelope) or defect == "lost_brace", (defect, envelope, raw)


def test_few_replies_are_refused() -> None:
    refused = 0
    for seed in range(500):
        random = Random(seed)
        sample = random.choice(samples())
        text, _ = random.choice(list(DEFECTS.values()))(fill(sample, random), random)
        envelope = random.choice(list(ENVELOPES))
        is_refused = not sample.pack.check(ENVELOPES[envelope](text), sample.context).ok
        refused += is_refused and not is_unclear(text, envelope)
    assert refused < 15
