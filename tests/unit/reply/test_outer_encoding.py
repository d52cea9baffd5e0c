import pytest

from promptpack.reply.outer_encoding import blank_before, decode_outer


@pytest.mark.parametrize(
    ("raw", "text", "kind"),
    [
        ("{&quot;a&quot;: 1}", '{"a": 1}', "html-entity"),
        ("&#123;&#34;a&#34;: 1&#125;", '{"a": 1}', "html-entity"),
        ("{, /* x */ &#x22;a&#x22;: 1}", '{, /* x */ "a": 1}', "html-entity"),
        ('&lcub;"a": 1, "b": "&amp;"&rcub;', '{"a": 1, "b": "&amp;"}', "html-entity"),
        ('&lcub;"a": &lbrack;1&rbrack;,\n b": 2\n&rcub;', '{"a": [1],\n b": 2\n}', "html-entity"),
        ('say "x" {\\"a\\": 1}', 'say "x" {"a": 1}', "escaped"),
        ('{"b": 2}\n{\\"a\\": 1}', '{"b": 2}\n{"a": 1}', "escaped"),
        ('@"{""a"": 1, ""b"": """"}"', '@"{"a": 1, "b": ""}"', "escaped"),
        ('> {"a":\n> 1}', '{"a":\n1}', "block-quote"),
        ('{\\"a\\": 1}', '{"a": 1}', "escaped"),
        ('+ {"a":\n+ 1}\n', '{"a":\n1}\n', "line-mark"),
        ('so:\n+{"a":\n+ 1}', 'so:\n{"a":\n 1}', "line-mark"),
        (' 9 | {"a":\n10 | 1}\nend', '{"a":\n1}\nend', "line-mark"),
        ('| {"a":\n| 1}', '{"a":\n1}', "line-mark"),
        ('> {"a": 1, "b": "{&quot;c&quot;: 1}"}', '{"a": 1, "b": "{&quot;c&quot;: 1}"}', "block-quote"),
        ('agent-1  | {"a":\nagent-1  | 1}', '{"a":\n1}', "line-mark"),
        ('json.loads(\'{"a": "two\\\\nlines1"}\')', 'json.loads(\'{"a": "two\\nlines1"}\')', "escaped"),
        ('x = \'{"a": "it\\\'s 1"}\'', 'x = \'{"a": "it\'s 1"}\'', "escaped"),
        ('1\t{"a":\n2\t 1}', '{"a":\n 1}', "line-mark"),
    ],
)
def test_an_outer_encoding_is_removed_and_offsets_lead_back(raw: str, text: str, kind: str) -> None:
    decoded = decode_outer(raw)
    assert decoded.text == text
    assert {repair.kind for repair in decoded.repairs()} == {kind}
    assert raw[decoded.raw_offset(text.index("1"))] == "1"


@pytest.mark.parametrize(
    "raw",
    [
        '{"a": "x &amp; y > z"}',
        '{"a": "{&quot;b&quot;: 1}"}',
        '{"a": 1,, "b": "{&quot;b&quot;: {\\"c\\": 1}}"}',
        '"a": "{&quot;b&quot;: 1}"}',
        '{"": ""}',
        '{"" → "a"}',
        '| {"a": 1}\n',
        '1. {"a": 1}',
        '+ {"a": 1}\n- {"a": 2}',
        '1: {"a":\n3: 1}',
        '{"a": "diff:\n+ {\n+ }"}',
        '"log":\n1: {\n2: }',
        'Part(text=\'{"a": "two\\\\nlines1"}\')',
        'x = \'{"a": "one\\nline"}\'',
        'Here: \'{"a": "C:\\\\temp" x}\'',
        '&lcub;"a": "&lcub;"&rcub;',  # `&lcub;` or `{`: the writer may encode every brace
        '&lcub;\n"a": 1, b": "&#44;"\n&rcub;',
        '&lcub;"a": &lcub;b": 1&rcub;&rcub;',
    ],
)
def test_a_plain_reply_has_no_outer_encoding(raw: str) -> None:
    assert not decode_outer(raw).is_encoded


@pytest.mark.parametrize(
    ("raw", "sign", "text"),
    [
        ('[{"a": 1}', "{", ' {"a": 1}'),
        ('so\n> [{"a":\n> 1}', "{", '  \n>  {"a":\n> 1}'),
        ('1. [\n2. {"a":\n3. 1}', "{", '    \n2. {"a":\n3. 1}'),
        ('+ "x": {"a":\n+ 1}', "{", '+      {"a":\n+ 1}'),
    ],
)
def test_only_the_prefix_of_its_line_is_kept_before_a_position(raw: str, sign: str, text: str) -> None:
    assert blank_before(raw, raw.index(sign)) == text
