"""A connection to a Ray cluster: one that is there, or one of this machine's own cores that ends with it.

Ray is imported when somebody connects. Of a cluster of our own everything stays on this machine: it listens
on the loopback interface alone, asks for a token that only its own processes know, and writes into a
temporary folder that is removed. No usage statistics are sent, and nothing goes into the home directory.
"""

import os
import re
import secrets
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.processes import ONE_THREAD

LOCAL = "local"  # the address that means a cluster of this machine's cores

_ADDRESS = re.compile(r"(\[[\da-fA-F:]+\]|[\w.-]+):(\d{1,5})")
_FOLDER = "soulread-ray-"  # the number of the process that made it follows
_LONGEST = 44  # characters of the folder: sockets lie in it, whose paths have at most 107
_ALONE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # if 0 when Ray is imported, it listens on this machine alone
_OBJECTS = 2**29  # bytes of Ray's object store on this machine
_SECONDS = 5.0  # for an answer at an address


def verify_address(address: str) -> None:
    """Raise unless it is "local", or host and port of a Ray cluster."""
    if address.startswith("ray://"):
        raise SoulreadError(
            f"{address!r} is the address of a Ray client; give that of the cluster's head, such as "
            "10.0.0.5:6379, on a machine that takes part (ray start --address=10.0.0.5:6379 --num-cpus=0)"
        )
    found = _ADDRESS.fullmatch(address)
    if address != LOCAL and (found is None or not 0 < int(found[2]) < 2**16):
        raise SoulreadError(
            f"{address!r} is no address of a cluster; expected local, or host and port such as 10.0.0.5:6379"
        )


def import_ray() -> Any:
    """The module ``ray``; without it a sentence names the extra."""
    try:
        import ray
    except ImportError:
        raise SoulreadError("a cluster needs Ray: pip install 'soulread[cluster]'") from None
    return ray


def connect(address: str, cores: int) -> ExitStack:
    """Connect this process to a cluster; closing the stack ends the connection, and a local cluster.

    ``cores`` is how many tasks a local one runs at a time.
    """
    with ExitStack() as stack:
        settings: dict[str, str | None] = {"RAY_USAGE_STATS_ENABLED": "0"}
        if address == LOCAL:
            folder = stack.enter_context(_temporary_folder())
            settings |= {
                "RAY_TMPDIR": folder,
                _ALONE: "0",
                "RAY_worker_niceness": "0",  # workers are as important as this process, like those of --jobs
                "RAY_AUTH_MODE": None,  # it then asks for the token by itself
                "RAY_AUTH_TOKEN": _token(),
            }
            chosen: dict[str, Any] = {
                "address": LOCAL,
                "num_cpus": cores,
                "include_dashboard": False,
                "object_store_memory": _OBJECTS,
                "_temp_dir": folder,
            }
        else:
            _verify_answer(address)
            chosen = {"address": address}
        stack.enter_context(_environment(settings))
        ray = import_ray()
        if ray.is_initialized():
            raise SoulreadError("this process uses a Ray cluster already; end that first with ray.shutdown()")
        stack.callback(ray.shutdown)
        try:
            ray.init(
                **chosen,
                log_to_driver=False,
                logging_level="ERROR",
                runtime_env={"env_vars": ONE_THREAD},
            )
        except (RuntimeError, ConnectionError, ValueError, ray.exceptions.RayError) as error:
            reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
            where = "on this machine" if address == LOCAL else f"at {address}"
            raise SoulreadError(f"there is no Ray cluster {where}: {reason}") from None
        if address == LOCAL and not ip_address(ray.util.get_node_ip_address()).is_loopback:
            raise SoulreadError(
                "a local cluster would be open to other machines, because this program has imported Ray "
                f"before; set {_ALONE}=0 in its environment"
            )
        return stack.pop_all()
    raise AssertionError("the stack hides no error")


@cache
def _token() -> str:
    """The token of this process's local clusters; Ray reads it once in a process."""
    return secrets.token_hex(32)


def _verify_answer(address: str) -> None:
    """Raise unless something listens at an address; Ray itself would try for a minute."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except OSError as error:
        raise SoulreadError(f"nothing answers at {address} ({error.strerror or error})") from None


@contextmanager
def _environment(settings: Mapping[str, str | None]) -> Iterator[None]:
    """Other variables while the block runs; None: not there."""
    before = {name: os.environ.get(name) for name in settings}
    _set(settings)
    try:
        yield
    finally:
        _set(before)


def _set(settings: Mapping[str, str | None]) -> None:
    for name, value in settings.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


@contextmanager
def _temporary_folder() -> Iterator[str]:
    """A folder for all that Ray writes; those of processes that were killed are removed too."""
    base = tempfile.gettempdir()
    if len(base) + len(_FOLDER) + 20 > _LONGEST and os.path.isdir("/tmp"):
        base = "/tmp"
    for old in Path(base).glob(f"{_FOLDER}*"):
        number = old.name.removeprefix(_FOLDER).partition("-")[0]
        if number.isdecimal() and not _is_alive(int(number)):
            shutil.rmtree(old, ignore_errors=True)
    folder = tempfile.mkdtemp(prefix=f"{_FOLDER}{os.getpid()}-", dir=base)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _is_alive(number: int) -> bool:
    if sys.platform == "win32":  # where the question would end the process
        return True
    with suppress(PermissionError, OverflowError):
        try:
            os.kill(number, 0)
        except ProcessLookupError:
            return False
    return True
