"""Sign and verify files with `ssh-keygen -Y`, offline."""

import os
import subprocess

from promptpack import files
from promptpack.problem import Location, PackError, Problem, UsageError

_NAMESPACE = "promptpack"
_SECONDS = 120


def sign(path: str, key: str) -> str:
    """Sign a file with an SSH key, write the signature next to it, and return its path."""
    done = _run(["-Y", "sign", "-f", key, "-n", _NAMESPACE], files.read(path))
    if done.returncode != 0:
        raise UsageError(Problem("PP934", f"{path} cannot be signed: {_reason(done)}", None, "pass a private SSH key"))
    signature = _signature_of(path)
    files.write(signature, done.stdout.decode())
    return signature


def verify(path: str, content: bytes, allowed_signers: str, identity: str | None) -> str:
    """Return who signed a file with this content; raise a problem unless one of the allowed signers did."""
    signature = _signature_of(path)
    if not files.is_file(signature):
        hint = "sign it with: promptpack lock --sign KEY"
        raise PackError(Problem("PP934", f"{path} has no signature {signature}", Location(path), hint))
    signer = _find_signer(path, signature, allowed_signers) if identity is None else identity
    words = ["-Y", "verify", "-f", allowed_signers, "-I", signer, "-n", _NAMESPACE, "-s", signature]
    done = _run(words, content)
    if done.returncode != 0:
        message = f"the signature does not match {signer!r} and {path}: {_reason(done)}"
        raise PackError(Problem("PP934", message, Location(signature), "do not use these packs, or sign them again"))
    return signer


def _find_signer(path: str, signature: str, allowed_signers: str) -> str:
    done = _run(["-Y", "find-principals", "-f", allowed_signers, "-s", signature], b"")
    names = done.stdout.decode(errors="replace").split()
    if done.returncode != 0 or not names:
        message = f"{path} was not signed by an allowed signer: {_reason(done)}"
        raise PackError(Problem("PP934", message, Location(signature), f"the allowed signers are in {allowed_signers}"))
    return names[0]


def _signature_of(path: str) -> str:
    return f"{path}.sig"


def _run(words: list[str], content: bytes) -> "subprocess.CompletedProcess[bytes]":
    # Without a terminal, ssh-keygen would ask for a passphrase in a window.
    env = {**os.environ, "SSH_ASKPASS_REQUIRE": "never"}
    try:
        return subprocess.run(  # noqa: S603 -- fixed words, and paths that the user passed
            ["ssh-keygen", *words],  # noqa: S607 -- wherever the user has it
            input=content, capture_output=True, env=env, timeout=_SECONDS, check=False,
        )  # fmt: skip
    except FileNotFoundError as error:
        hint = "install OpenSSH 8.1 or newer"
        raise UsageError(Problem("PP934", "there is no command 'ssh-keygen'", None, hint)) from error
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(Problem("PP934", f"ssh-keygen failed: {type(error).__name__}")) from error


def _reason(done: "subprocess.CompletedProcess[bytes]") -> str:
    lines = (done.stderr + b"\n" + done.stdout).decode(errors="replace").split("\n")
    return next((line.strip().rstrip(".") for line in lines if line.strip()), f"exit code {done.returncode}")
