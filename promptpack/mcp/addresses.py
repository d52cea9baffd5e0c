"""Addresses of the HTTP server: where it listens, and for which host names it answers."""

import os
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Final

from promptpack.problem import Problem, UsageError

_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]")
_ADDRESS: Final = re.compile(r"(?:(?P<host>\[[0-9A-Fa-f:.]+\]|[\w.-]+):)?(?P<port>[0-9]{1,5})", re.ASCII)
_HOST: Final = re.compile(r"\[[0-9A-Fa-f:.]+\]|[\w.-]+", re.ASCII)
_MAX_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 means any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can connect to it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"  # another name may resolve to any address

    def with_port(self, port: int) -> "Address":
        """Return the address with the port that was chosen."""
        return Address(self.host, port)


def parse_address(text: str, allowed_hosts: Sequence[str] = ()) -> Address:
    """Read HOST:PORT, or PORT on 127.0.0.1; refuse an address that others can reach, unless hosts are allowed."""
    found = _ADDRESS.fullmatch(text)
    if found is None or int(found["port"]) > _MAX_PORT:
        raise UsageError(
            Problem("PP652", f"{text!r} is not an address", None, "write HOST:PORT, such as 127.0.0.1:8000")
        )
    for host in allowed_hosts:
        if not _HOST.fullmatch(host):
            hint = "write only the name, such as prompts.example.org, without scheme and port"
            raise UsageError(Problem("PP652", f"{host!r} is not a host name", None, hint))
    address = Address((found["host"] or "127.0.0.1").strip("[]"), int(found["port"]))
    if not address.is_loopback and not allowed_hosts:
        hint = "there is no authentication: use 127.0.0.1, or pass --allow-host with the host in your clients' URL"
        raise UsageError(Problem("PP653", f"other machines could connect to {str(address)!r}", None, hint))
    return address


def listen(address: Address) -> socket.socket:
    """Return a socket that listens at an address."""
    try:
        family = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((address.host, address.port), family=family)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno and error.errno > 0 else "unknown host"
        hint = "choose another port, or port 0 for any free one"
        raise UsageError(Problem("PP654", f"cannot listen at {str(address)!r}: {reason}", None, hint)) from error


def host_headers(allowed_hosts: Sequence[str]) -> list[str]:
    """Return the accepted values of the header Host: this machine and the allowed names, with any port."""
    return [value for host in (*_LOOPBACK, *allowed_hosts) for value in (host, f"{host}:*")]


def origin_headers(allowed_hosts: Sequence[str]) -> list[str]:
    """Return the accepted values of the header Origin, which only browsers send."""
    return [f"{scheme}://{value}" for value in host_headers(allowed_hosts) for scheme in ("http", "https")]
