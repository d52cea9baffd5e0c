"""Where the HTTP server listens, and for whom."""

import socket

import pytest

from promptpack.mcp.addresses import Address, host_headers, listen, origin_headers, parse_address
from promptpack.problem import UsageError


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("8000", Address("127.0.0.1", 8000)),
        ("127.0.0.1:0", Address("127.0.0.1", 0)),
        ("127.9.9.9:80", Address("127.9.9.9", 80)),
        ("localhost:65535", Address("localhost", 65535)),
        ("[::1]:8000", Address("::1", 8000)),
    ],
)
def test_loopback_addresses_are_accepted(text: str, address: Address) -> None:
    assert parse_address(text) == address


@pytest.mark.parametrize("text", ["", "x", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "a b:1", "http://localhost:1"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert str(caught.value) == f"PP652 {text!r} is not an address\n  hint: write HOST:PORT, such as 127.0.0.1:8000"


@pytest.mark.parametrize("host", ["[::]", "192.0.2.1", "example.org", "localhost.example.org", "127.0.0.1.nip.io"])
def test_an_address_that_others_can_reach_needs_an_allowed_host(host: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(f"{host}:80")
    assert str(caught.value) == (
        f"PP653 other machines could connect to '{host}:80'\n"
        "  hint: there is no authentication: use 127.0.0.1, or pass --allow-host with the host in your clients' URL"
    )
    assert str(parse_address(f"{host}:80", ["prompts.example.org"])) == f"{host}:80"


@pytest.mark.parametrize("host", ["http://a", "a:80", "*", "", "a/b"])
def test_an_allowed_host_is_a_name(host: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address("80", [host])
    assert str(caught.value) == (
        f"PP652 {host!r} is not a host name\n"
        "  hint: write only the name, such as prompts.example.org, without scheme and port"
    )


def test_a_port_in_use_is_reported() -> None:
    with listen(Address("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(UsageError) as caught:
            listen(Address("127.0.0.1", port))
    assert str(caught.value) == (
        f"PP654 cannot listen at '127.0.0.1:{port}': Address already in use\n"
        "  hint: choose another port, or port 0 for any free one"
    )


def test_an_unknown_host_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(UsageError, match=r"PP654 cannot listen at 'nowhere\.invalid:1': unknown host"):
        listen(Address("nowhere.invalid", 1))


def test_headers_name_this_machine_and_the_allowed_hosts() -> None:
    assert host_headers(["a.org"]) == [
        "127.0.0.1", "127.0.0.1:*", "localhost", "localhost:*", "[::1]", "[::1]:*", "a.org", "a.org:*",
    ]  # fmt: skip
    assert {"https://a.org", "http://a.org:*", "http://localhost:*"} <= set(origin_headers(["a.org"]))
