"""The two databases a store can live in, behind the few things the store needs of one.

SQL is written with ``?`` for a value. Errors of either database become a sentence of ours. Nothing is read or
written outside of `Database.writing` or a single statement, so a process that dies leaves whole transactions.
"""

import re
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote

from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.tables.journal import is_cut, journal_of

Values = Sequence[Any]

APPLICATION = 0x534C5244  # of SQLite files of ours: "SLRD"
PATIENCE = 60.0  # seconds one writer waits for another
REMEDY = "soulread hands rebuild keeps what is whole"
_ROWS = 1000  # rows fetched at once


class BrokenOff(SoulreadError):
    """The database ended a transaction that did nothing wrong: a deadlock, or a connection that was lost.

    Nothing of it stays, so after `Database.renew` it may be run again.
    """


class Database(Protocol):
    """The operations that a store needs of a database."""

    name: str  # for messages

    def writing(self) -> Any:
        """A transaction that keeps other writers out; nothing of it stays if the block raises."""

    def run(self, sql: str, values: Values = ()) -> None:
        """Run one statement."""

    def run_many(self, sql: str, rows: Sequence[Values]) -> None:
        """Run a statement with each row of values."""

    def rows(self, sql: str, values: Values = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, a few at a time in memory."""

    def parts(self, sql: str, values: Values, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query, in parts whose last but one columns have about ``size`` bytes."""

    def tables(self) -> set[str]:
        """The names of all tables."""

    def columns(self, table: str) -> set[str]:
        """The names of the columns of a table."""

    def faults(self) -> list[str]:
        """What the database itself finds wrong with its files."""

    def renew(self) -> None:
        """Connect again if the connection is lost."""

    def close(self) -> None:
        """End the connection."""


def connect(
    where: str, *, read_only: bool = False, patience: float = PATIENCE, careless: bool = False
) -> Database:
    """The database of a path, or of an address that begins with ``postgresql://``.

    With ``careless`` a file is opened even if its journal has lost something.
    """
    if where.startswith(("postgresql://", "postgres://")):
        return PostgresDatabase(where, read_only=read_only, patience=patience)
    return SqliteDatabase(where, read_only=read_only, patience=patience, careless=careless)


_FETCHED = 256  # rows with bytes fetched at once


def _parts(cursor: Any, size: int) -> Iterator[list[tuple[Any, ...]]]:
    """The rows of a cursor, in parts whose last but one columns come to about ``size`` bytes."""
    rows: list[tuple[Any, ...]] = []
    held = 0
    while found := cursor.fetchmany(_FETCHED):
        rows += found
        try:
            held += sum([len(row[-2]) for row in found])
        except TypeError:  # a value of another type, which is noticed later
            held = size
        if held >= size:
            yield rows
            rows, held = [], 0
    if rows:
        yield rows


# SQLite -------------------------------------------------------------------------------------------


class SqliteDatabase:
    """A file of SQLite in WAL mode: one writer and many readers at once.

    A file whose journal has lost something is refused, unless ``careless``.
    """

    def __init__(
        self, where: str, *, read_only: bool = False, patience: float = PATIENCE, careless: bool = False
    ) -> None:
        self.name = where
        path = Path(where)
        if path.is_dir():
            raise SoulreadError(f"{where!r} is a folder; a store is a file")
        if read_only and not path.exists():
            raise SoulreadError(f"there is no store at {where!r}; soulread import makes one")
        if not path.absolute().parent.is_dir():
            raise SoulreadError(f"{where!r} cannot be made: there is no folder {str(path.parent)!r}")
        if not careless and journal_of(path).exists() and is_cut(path):
            raise DamagedFile(
                f"{where!r} is damaged: its journal {journal_of(path).name!r} has hands that were stored and "
                f"cannot be read; {REMEDY}, then import the same files again"
            )
        with self._told():
            self._connection = self._opened(path, read_only, patience)

    def _opened(self, path: Path, read_only: bool, patience: float) -> sqlite3.Connection:
        """A connection with our settings; a reader needs no right to write to the folder."""
        base = path.absolute().as_uri()
        modes = ["?mode=ro"] if read_only else ["?mode=rwc"]
        if read_only and not Path(f"{path}-wal").exists():
            modes.append("?immutable=1")
        for last, mode in ((mode == modes[-1], mode) for mode in modes):
            connection = sqlite3.connect(base + mode, uri=True, timeout=patience, isolation_level=None)
            try:
                # Tables first: another program may be making the store, which marks it before it makes any.
                (known,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
                (application,) = connection.execute("PRAGMA application_id").fetchone()
                if application != APPLICATION and known:
                    raise SoulreadError(
                        f"{self.name!r} is a database of something else, not a store of hands"
                    )
                if not read_only:
                    _make_ours(connection, application, patience)
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute("PRAGMA cache_size=-65536")
                return connection
            except sqlite3.OperationalError:
                connection.close()
                if last:
                    raise
            except BaseException:
                connection.close()
                raise
        raise AssertionError("one mode is the last")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of SQLite as one sentence."""
        try:
            yield
        except sqlite3.Error as error:
            raise self._sentence(error) from None
        except (MemoryError, OverflowError, UnicodeDecodeError) as error:  # of a length that is not true
            raise DamagedFile(f"{self.name!r} is damaged: {type(error).__name__}; {REMEDY}") from None

    def _sentence(self, error: sqlite3.Error) -> SoulreadError:
        text = " ".join(str(error).split())
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return SoulreadError(
                f"{self.name!r} is being written by another program; try again when it is done"
            )
        if code == sqlite3.SQLITE_FULL:
            return SoulreadError(
                f"the disk of {self.name!r} is full; what was stored before stays, and the import can go on "
                "when there is room"
            )
        if code == sqlite3.SQLITE_READONLY:
            return SoulreadError(f"{self.name!r} cannot be written: permission denied")
        if code == sqlite3.SQLITE_CANTOPEN:
            return SoulreadError(
                f"{self.name!r} cannot be opened: its name is too long, its folder is read-only, permission "
                "is denied, or too many files are open"
            )
        if code == sqlite3.SQLITE_NOTADB:
            return DamagedFile(f"{self.name!r} is not a store of hands, or is damaged: {text}")
        if code in (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_PERM):
            return SoulreadError(f"{self.name!r} cannot be used: {text}")
        return DamagedFile(f"{self.name!r} is damaged: {text}; {REMEDY}")

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction; other writers wait."""
        with self._told():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # where the disk was full SQLite has rolled back itself
                    self._connection.execute("ROLLBACK")
                raise

    def run(self, sql: str, values: Values = ()) -> None:
        """Run one statement."""
        with self._told():
            self._connection.execute(sql.replace("BYTES", "BLOB").replace("SERIES", "INTEGER"), values)

    def run_many(self, sql: str, rows: Sequence[Values]) -> None:
        """Run a statement with each row of values."""
        with self._told():
            self._connection.executemany(sql, rows)

    def rows(self, sql: str, values: Values = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, a few at a time."""
        with self._told():
            cursor = self._connection.execute(sql, values)
            while found := cursor.fetchmany(_ROWS):
                yield from found

    def parts(self, sql: str, values: Values, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query, in parts."""
        with self._told():
            yield from _parts(self._connection.execute(sql, values), size)

    def tables(self) -> set[str]:
        """The names of all tables."""
        return {name for (name,) in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def columns(self, table: str) -> set[str]:
        """The names of the columns of a table."""
        return {name for (name,) in self.rows("SELECT name FROM pragma_table_info(?)", (table,))}

    def faults(self) -> list[str]:
        """What SQLite finds wrong with the file: pages, and indexes that lack rows."""
        try:
            found = [text for (text,) in self.rows("PRAGMA integrity_check(20)")]
        except DamagedFile as error:
            return [str(error)]
        return [] if found == ["ok"] else [line for text in found for line in text.splitlines()]

    def renew(self) -> None:
        """Nothing: a file is not lost."""

    def close(self) -> None:
        """End the connection."""
        with suppress(sqlite3.Error):
            self._connection.close()


def _make_ours(connection: sqlite3.Connection, application: int, patience: float) -> None:
    """Turn on WAL and mark the file; SQLite does not wait for another process that does the same."""
    end = time.monotonic() + patience
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL").fetchone()
            if application != APPLICATION:
                connection.execute(f"PRAGMA application_id={APPLICATION}")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.02)


# PostgreSQL ---------------------------------------------------------------------------------------

_LOCK = 0x534C5244  # of the advisory lock that writers hold


class PostgresDatabase:
    """A database of a PostgreSQL server, through psycopg."""

    def __init__(self, where: str, *, read_only: bool = False, patience: float = PATIENCE) -> None:
        try:
            import psycopg
        except ImportError:
            raise SoulreadError(
                "a store on a PostgreSQL server needs psycopg: pip install 'soulread[postgres]'"
            ) from None
        self._psycopg = psycopg
        self.name = shown_address(where)
        self._secrets = _secrets(where)
        self._settings = [f"SET lock_timeout = {int(1000 * patience)}"]
        if read_only:
            self._settings.append("SET default_transaction_read_only = on")
        self._where = where
        self._connection: Any = None
        self._connect()
        self._cursors = 0

    def _connect(self) -> None:
        with self._told():
            self._connection = self._psycopg.connect(self._where, autocommit=True, connect_timeout=10)
            for setting in self._settings:
                self._connection.execute(setting)

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except self._psycopg.errors.LockNotAvailable:
            raise SoulreadError(
                f"{self.name!r} is being written by another program; try again when it is done"
            ) from None
        except self._psycopg.errors.DiskFull:
            raise SoulreadError(
                f"the disk of {self.name!r} is full; what was stored before stays, and the import can go on "
                "when there is room"
            ) from None
        except self._psycopg.Error as error:
            text = " ".join(str(error).split())
            for secret in self._secrets:
                text = text.replace(secret, _HIDDEN)
            lost = self._connection is not None and self._connection.closed
            again = self._psycopg.errors.DeadlockDetected, self._psycopg.errors.SerializationFailure
            kind = BrokenOff if lost or isinstance(error, again) else SoulreadError
            raise kind(f"{self.name!r} cannot be used: {text}") from None

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A transaction; other writers wait."""
        with self._told(), self._connection.transaction():
            self._connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
            yield

    def run(self, sql: str, values: Values = ()) -> None:
        """Run one statement."""
        with self._told():
            self._connection.execute(_for_postgres(sql), values)

    def run_many(self, sql: str, rows: Sequence[Values]) -> None:
        """Run a statement with each row of values."""
        with self._told(), self._connection.cursor() as cursor:
            cursor.executemany(_for_postgres(sql), rows)

    def rows(self, sql: str, values: Values = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, a few at a time: the server keeps the rest."""
        self._cursors += 1
        with self._told(), self._connection.cursor(f"rows{self._cursors}", withhold=True) as cursor:
            cursor.execute(_for_postgres(sql), values)
            while found := cursor.fetchmany(_ROWS):
                yield from found

    def parts(self, sql: str, values: Values, size: int) -> Iterator[list[tuple[Any, ...]]]:
        """The rows of a query, in parts."""
        self._cursors += 1
        with self._told(), self._connection.cursor(f"rows{self._cursors}", withhold=True) as cursor:
            cursor.execute(_for_postgres(sql), values)
            yield from _parts(cursor, size)

    def tables(self) -> set[str]:
        """The names of all tables."""
        return {
            name
            for (name,) in self.rows(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()"
            )
        }

    def columns(self, table: str) -> set[str]:
        """The names of the columns of a table."""
        sql = (
            "SELECT column_name FROM information_schema.columns WHERE table_schema = current_schema() "
            "AND table_name = ?"
        )
        return {name for (name,) in self.rows(sql, (table,))}

    def faults(self) -> list[str]:
        """Nothing: a server looks after its own files."""
        return []

    def renew(self) -> None:
        """Connect again if the connection is lost; it is `BrokenOff` if the server does not answer."""
        if self._connection.closed:
            self._connect()

    def close(self) -> None:
        """End the connection."""
        with suppress(self._psycopg.Error):
            self._connection.close()


_HIDDEN = "***"
_USER = re.compile(r"(?<=://)[^/?#]*@")  # the part of an address that has the password
_PASSWORD = re.compile(r"((?:^|[?&])[^=&#]*pass[^=&#]*=)([^&#]*)", re.I)  # password=, sslpassword=, passfile=


def shown_address(where: str) -> str:
    """A path or address as messages show it: without the user and without passwords."""
    if "://" not in where:
        return where
    return _PASSWORD.sub(rf"\1{_HIDDEN}", _USER.sub("", where))


def _secrets(where: str) -> list[str]:
    """The passwords of an address, as written and decoded, the longest first."""
    found = [match[2] for match in _PASSWORD.finditer(where)]
    found += [match[0].rstrip("@").partition(":")[2] for match in _USER.finditer(where)]
    return sorted({text for secret in found for text in (secret, unquote(secret)) if text}, key=len)[::-1]


def _for_postgres(sql: str) -> str:
    return sql.replace("%", "%%").replace("?", "%s").replace("BYTES", "BYTEA").replace("SERIES", "BIGINT")
