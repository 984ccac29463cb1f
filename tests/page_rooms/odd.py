"""Answers, errors and news of every kind."""

import os
import time
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.processes import tell_owner


def double(number):
    return 2 * number


def complain():
    raise SoulreadError("the pot is empty")


def break_down():
    raise EOFError("as if a pipe had ended")


def die():
    os._exit(3)


def wait(seconds):
    time.sleep(seconds)
    return os.getpid()


def count(arguments):
    """A job: counts to a number, with a word at each step; from where its file says that it was."""
    kept = Path(arguments["kept"])
    begin = int(kept.read_text()) if kept.exists() else 0
    for number in range(begin, arguments["to"]):
        tell_owner({"at": number})
        fresh = kept.with_suffix(".new")
        fresh.write_text(str(number))
        fresh.replace(kept)  # whoever is killed leaves a whole number
        time.sleep(arguments.get("pause", 0))
    return {"counted": arguments["to"], "began": begin}
