#!/usr/bin/env python3
"""A second reader of the formats, made from the pages Schemas/log-format*.md and baseline-format.md alone.

Usage: tools/readlog.py FILE...

Reads segments whole, holds each to every rule of the pages, and prints their transactions as
`tributary log show --json` does, in order of stamp, each once. The horizon above which a segment is written is
looked for in the baselines of all peers beside it. Of a baseline it prints what is in it, and
each of its rows.

Needs Python 3.9 and its standard library; LZ4 blocks are taken apart by the python3-lz4 package where
that is installed, and by the lz4 command otherwise.

Exit status: 0 all is right; 2 wrong usage; 3 a file breaks a rule: its name, the rule and what was found
are on standard error, and nothing of it is printed.
"""

import glob
import hashlib
import heapq
import os
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
from datetime import datetime, timedelta, timezone

SCHEMA, SHAPE, TRANSACTION, INSERT, UPDATE, DELETE, END, REPLACE = range(1, 9)
OPERATIONS = {INSERT: "insert", UPDATE: "update", DELETE: "delete", REPLACE: "insert"}
UNCHANGED = object()


class Malformed(Exception):
    """A rule that a file breaks."""


def demand(condition, text):
    if not condition:
        raise Malformed(text)


def digest8(content):
    return hashlib.blake2b(content, digest_size=32).digest()[:8]


class Cursor:
    """Bytes that are read from their start to their end."""

    def __init__(self, content, what):
        self.content, self.what, self.position = content, what, 0

    def take(self, count):
        demand(self.position + count <= len(self.content), f"{self.what} ends too early")
        self.position += count
        return self.content[self.position - count : self.position]

    def fixed(self, form):
        return struct.unpack("<" + form, self.take(struct.calcsize("<" + form)))[0]

    def number(self, limit=2**64 - 1):
        value = 0
        for count in range(10):
            byte = self.take(1)[0]
            value |= (byte & 0x7F) << (7 * count)
            if byte < 0x80:
                demand(byte or not count, "a number is not in its shortest form")
                demand(value <= limit, f"the number {value} is too large")
                return value
        raise Malformed("a number has over ten bytes")

    def name(self):
        return self.text(self.number(4096))

    def text(self, count):
        try:
            return self.take(count).decode("utf-8")
        except UnicodeDecodeError as error:
            raise Malformed(f"a name is not UTF-8: {error}") from None

    @property
    def is_at_end(self):
        return self.position == len(self.content)


# Frames


def frames(content):
    """The contents of frames 1 and 3, and frame 2 with its head."""
    whole = Cursor(content, "the file")
    header = skippable(whole, 0x184D2A50)
    begin = whole.position
    demand(whole.fixed("I") == 0x184D2204, "frame 2 is no LZ4 frame")
    demand(whole.take(2) == b"\x54\x50", "the LZ4 frame has other parameters")
    whole.take(1)
    while size := whole.fixed("I"):
        whole.take((size & 0x7FFFFFFF) + 4)
    whole.take(4)
    payload = content[begin : whole.position]
    trailer = skippable(whole, 0x184D2A51)
    demand(whole.is_at_end, "something follows frame 3")
    return header, payload, trailer


def skippable(whole, magic):
    demand(whole.fixed("I") == magic, f"there is no skippable frame {magic:#x}")
    return whole.take(whole.fixed("I"))


def decompress(frame):
    """Compares the checksums, too."""
    try:
        import lz4.frame
    except ImportError:
        run = subprocess.run(["lz4", "-dc"], input=frame, capture_output=True, check=False)
        demand(run.returncode == 0, "the payload cannot be decompressed")
        return run.stdout
    try:
        return lz4.frame.decompress(frame)
    except RuntimeError as error:
        raise Malformed(f"the payload cannot be decompressed: {error}") from None


# Header and trailer


class Header:
    def __init__(self, content):
        demand(len(content) <= 2 << 20, "the header is over 2 MiB")
        cursor = Cursor(content, "the header")
        demand(cursor.take(8) == b"TRIBLOG\0", "this is no log")
        major, self.minor = cursor.fixed("H"), cursor.fixed("H")
        demand(major == 1, f"version {major} is not known")
        flags = cursor.fixed("I")
        demand(flags & ~3 == 0, "it has unknown flags")
        demand(flags != 2, "peers by their position without a horizon")
        demand(not flags or self.minor > 0, "version 1.0 has no horizon")
        self.peer = cursor.take(16)
        self.first, self.last = cursor.fixed("Q"), cursor.fixed("Q")
        self.first_time, self.last_time = cursor.fixed("Q"), cursor.fixed("Q")
        demand(1 <= self.first <= self.last < 2**63, "its sequences are not in order")
        if self.first == self.last:
            demand(self.first_time == self.last_time, "one transaction has two times")
        else:
            demand(self.first_time < self.last_time, "its times are not in order")
        size = cursor.fixed("H")
        demand(1 <= size <= 4096, "the size of the content name is wrong")
        self.content_name = cursor.text(size)
        count = cursor.fixed("I")
        demand(count <= 65536, "too many entries of knowledge")
        self.knowledge = {}
        for _ in range(count):
            peer, sequence = cursor.take(16), cursor.fixed("Q")
            demand(1 <= sequence < 2**63, "a sequence is out of range")
            demand(not self.knowledge or peer > max(self.knowledge), "peers do not ascend")
            self.knowledge[peer] = sequence
        demand(self.peer not in self.knowledge, "the knowledge names the author")
        self.declaration = None
        self.numbers_peers = bool(flags & 2)
        if flags & 1:
            self.declaration = cursor.fixed("Q")
            demand(cursor.fixed("Q") < self.first_time, "the first time is not after the horizon")
        demand(self.minor > 1 or cursor.is_at_end, "the header is too long")


class Trailer:
    def __init__(self, content, minor):
        cursor = Cursor(content, "the trailer")
        self.records, self.changes, self.size = (cursor.fixed("Q") for _ in range(3))
        count = cursor.fixed("I")
        self.index = [(cursor.fixed("Q"), cursor.fixed("Q")) for _ in range(count)]
        rest = len(content) - cursor.position
        demand(rest == 8 or rest > 8 and minor > 1, "the size of the trailer is wrong")
        self.header_checksum = content[-8:]


# The payload


class Shape:
    def __init__(self, cursor):
        self.table = cursor.name()
        count = cursor.number()
        demand(1 <= count <= 32767, "the number of columns is out of range")
        self.columns = [cursor.name() for _ in range(count)]
        folded = {re.sub("[A-Z]", lambda m: m[0].lower(), name) for name in self.columns}
        demand(len(folded) == count, "two columns have one name")
        keys = cursor.number()
        demand(1 <= keys <= count, "the number of key columns is out of range")
        self.keys = []
        for _ in range(keys):
            column, collation = cursor.number(), cursor.take(1)[0]
            demand(column < count and column not in self.keys, "a key column is wrong")
            demand(collation <= 2, "an unknown collation")
            self.keys.append(column)


class Payload:
    """The items, held to the rules that connect them."""

    def __init__(self, content, header, horizon):
        self.cursor, self.header = Cursor(content, "the payload"), header
        self.is_whole = header.declaration is None or horizon is not None
        self.horizon = horizon or {}
        self.schemas, self.shapes, self.knowledge = {}, {}, dict(self.horizon)
        self.knowledge.pop(header.peer, None)
        # Lists whose entries the payload names by position.
        self.peers = [*header.knowledge, header.peer]
        self.last_knowledge = self.above(self.knowledge, header.knowledge)
        self.index, self.changes = [], 0
        self.sequence, self.time = header.first - 1, None

    def transactions(self):
        cursor = self.cursor
        while not cursor.is_at_end:
            offset, code = cursor.position, cursor.take(1)[0]
            if code == SCHEMA:
                self.define(self.schemas, cursor.name)
            elif code == SHAPE:
                self.define(self.shapes, lambda: Shape(cursor))
            else:
                demand(code == TRANSACTION, f"item {code} between transactions")
                yield self.transaction(offset)
        demand(self.sequence == self.header.last, "it ends before its last transaction")
        demand(self.time == self.header.last_time, "the last time is not that of the header")
        demand(self.knowledge == self.last_knowledge, "the knowledge is not that of the header")

    @staticmethod
    def above(known, entries):
        for peer, sequence in entries.items():
            demand(sequence > known.get(peer, 0), "an entry is not above the horizon")
        whole = {**known, **entries}
        demand(len(whole) <= 65536, "too many entries of knowledge")
        return whole

    def define(self, definitions, read):
        identifier = self.cursor.number(2**32 - 1)
        demand(identifier not in definitions, f"{identifier} is defined twice")
        definitions[identifier] = read()

    def transaction(self, offset):
        cursor = self.cursor
        sequence, time = cursor.number(), cursor.fixed("Q")
        demand(sequence == self.sequence + 1, f"transaction {sequence} is out of order")
        if self.time is None:
            demand(time == self.header.first_time, "the first time is not that of the header")
        else:
            demand(time > self.time, f"the time of transaction {sequence} is not later")
        self.sequence, self.time = sequence, time
        if not self.index or offset >> 18 > self.index[-1][1] >> 18:
            self.index.append((sequence, offset))
        schema = cursor.number()
        demand(schema in self.schemas, f"schema {schema} is not defined")
        for peer, known in self.vector().items():
            demand(peer != self.header.peer, "the knowledge names the author")
            demand(known > self.knowledge.get(peer, 0), "the knowledge does not rise")
            self.knowledge[peer] = known
        demand(len(self.knowledge) <= 65536, "too many entries of knowledge")
        has_basis = cursor.take(1)[0]
        demand(has_basis <= 1, "the byte before the basis is neither 0 nor 1")
        result = {
            "peer": self.header.peer.hex(),
            "sequence": sequence,
            "stamp": {"milliseconds": time >> 16, "counter": time & 0xFFFF},
            "time": moment(time >> 16),
        }
        if not self.is_whole:
            result["horizon"] = f"{self.header.declaration:016x}"
        result["knowledge"] = versions(self.knowledge)
        if has_basis:
            result["basis"] = versions(self.above(self.horizon, self.vector()))
        result["schema"] = self.schemas[schema]
        result["changes"] = list(self.row_changes())
        return result

    def vector(self):
        entries, last = {}, None
        for _ in range(self.cursor.number(65536)):
            peer = place = self.cursor.take(16) if not self.header.numbers_peers else None
            if peer is None:
                place = (self.cursor.number(len(self.peers)), b"")
                if place[0] < len(self.peers):
                    peer = self.peers[place[0]]
                else:
                    peer = self.cursor.take(16)
                    place = (place[0], peer)
                    demand(peer not in self.peers, "a peer of the header is written out")
            sequence = self.cursor.number(2**63 - 1)
            demand(sequence >= 1, "a sequence is out of range")
            demand(last is None or place > last, "peers do not ascend")
            entries[peer] = sequence
            last = place
        return dict(sorted(entries.items()))

    def row_changes(self):
        count = 0
        while (code := self.cursor.take(1)[0]) != END:
            demand(code in OPERATIONS, f"item {code} within a transaction")
            count += 1
            yield self.change(code)
        demand(self.cursor.number() == count, "the count of changes is wrong")
        self.changes += count

    def change(self, code):
        identifier = self.cursor.number(2**32 - 1)
        demand(identifier in self.shapes, f"shape {identifier} is not defined")
        shape = self.shapes[identifier]
        if code == DELETE:
            key, named = self.image(len(shape.keys), False), {}
        else:
            values = self.image(len(shape.columns), code == UPDATE)
            key = [values[column] for column in shape.keys]
            demand(UNCHANGED not in key, "an update lacks a value of its key")
            named = {
                name: value
                for column, (name, value) in enumerate(zip(shape.columns, values))
                if value is not UNCHANGED and not (code == UPDATE and column in shape.keys)
            }
        return {
            "table": shape.table,
            "op": OPERATIONS[code],
            "key": key[0] if len(key) == 1 else key,
            "values": named,
        }

    def image(self, count, is_update):
        values = []
        while len(values) < count:
            kind = self.cursor.number()
            if kind in (10, 11):
                demand(is_update, "a column is unchanged outside an update")
                run = 1 if kind == 10 else self.cursor.number()
                demand(kind == 10 or run >= 2, "a run of unchanged columns is too short")
                demand(len(values) + run <= count, "a run goes beyond the last column")
                values += [UNCHANGED] * run
            else:
                values.append(self.value(kind))
        return values

    def value(self, kind):
        if kind == 0:
            return None
        if kind <= 6:
            return int.from_bytes(self.cursor.take((1, 2, 3, 4, 6, 8)[kind - 1]), "big", signed=True)
        if kind == 7:
            real = struct.unpack(">d", self.cursor.take(8))[0]
            demand(real == real, "a value is NaN")
            return real
        if kind <= 9:
            return kind - 8
        content = self.cursor.take((kind - 12 - kind % 2) // 2)
        return Text(content) if kind % 2 else Blob(content)


class Text(bytes):
    pass


class Blob(bytes):
    pass


# Output


def versions(vector):
    return {peer.hex(): sequence for peer, sequence in sorted(vector.items())}


def moment(milliseconds):
    try:
        time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(milliseconds=milliseconds)
        year = time.year
    except OverflowError:
        # Python ends with the year 9999; the calendar repeats itself every 400 years.
        cycles = milliseconds // 12622780800000
        time = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(
            milliseconds=milliseconds - cycles * 12622780800000
        )
        year = time.year + 400 * cycles
    return f"{year:04}-{time:%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text):
    def escape(match):
        return ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04x}"

    return '"' + re.sub(r'["\\\x00-\x1f\x7f]', escape, text) + '"'


def json(value):
    if value is None:
        return "null"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if value in (float("inf"), float("-inf")):
            return json({"real": str(value)})
        return repr(value)
    if isinstance(value, Blob):
        return json({"blob": value.hex()})
    if isinstance(value, Text):
        try:
            return quoted(value.decode("utf-8"))
        except UnicodeDecodeError:
            return json({"text": value.hex()})
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, list):
        return "[" + ",".join(map(json, value)) + "]"
    return "{" + ",".join(quoted(name) + ":" + json(member) for name, member in value.items()) + "}"


# Files


def read(path, content):
    """The transactions of a segment, as pairs of what orders them and what is printed."""
    name = re.fullmatch(r"([0-9a-f]{16})-([0-9a-f]{16})-([0-9a-f]{16})\.lz4", os.path.basename(path))
    header_content, frame, trailer_content = frames(content)
    header = Header(header_content)
    trailer = Trailer(trailer_content, header.minor)
    demand(digest8(header_content) == trailer.header_checksum, "the header's checksum is wrong")
    payload_content = decompress(frame)
    payload = Payload(payload_content, header, horizon(path, header.declaration))
    lines = []
    for transaction in payload.transactions():
        stamp = (payload.time, transaction["peer"], transaction["sequence"])
        lines.append((stamp, json(transaction)))
    demand(trailer.records == len(lines), "the count of transactions is wrong")
    demand(trailer.changes == payload.changes, "the count of changes is wrong")
    demand(trailer.size == len(payload_content), "the size of the payload is wrong")
    demand(trailer.index == payload.index, "the index is wrong")
    if name:
        demand(
            [int(name[1], 16), int(name[2], 16)] == [header.first, header.last],
            "it does not hold the transactions that its name says",
        )
        demand(name[3] == digest8(content).hex(), "its contents do not have the hash of its name")
    return lines


def horizon(path, declared):
    """The horizon of a declaration, from the baselines of all peers beside a segment."""
    log = os.path.dirname(os.path.abspath(path))
    if declared is None or os.path.basename(log) != "log":
        return None
    for name in sorted(glob.glob(os.path.join(glob.escape(log), "../../*/baseline/*.lz4"))):
        try:
            with open(name, "rb") as file:
                header = Cursor(skippable(Cursor(file.read(), "the file"), 0x184D2A50), "the header")
            *_, entries, found = baseline_header(header)
        except (Malformed, OSError):
            continue
        if found.get("declaration") == f"{declared:016x}":
            return {bytes.fromhex(peer): number for peer, number in entries.items()}
    return None


# Baselines


def baseline_header(header):
    """Who wrote it, its last transaction, the size of the database, the content name, entries and declaration."""
    demand(len(header.content) <= 4 << 20, "the header is over 4 MiB")
    demand(header.take(8) == b"TRIBBAS\0", "this is no baseline")
    major, minor = header.fixed("H"), header.fixed("H")
    demand(major == 1, f"version {major} is not known")
    flags = header.fixed("I")
    demand(flags & ~5 == 0, "it has unknown flags")
    peer, sequence, size = header.take(16), header.fixed("Q"), header.fixed("Q")
    count = header.fixed("H")
    demand(1 <= count <= 4096, "the size of the content name is wrong")
    name = header.text(count)
    count = header.fixed("I")
    demand(count <= 65536, "too many entries")
    entries, last, start = {}, b"", header.position
    for _ in range(count):
        other, number, _ = header.take(16), header.fixed("Q"), header.fixed("Q")
        demand(1 <= number < 2**63, "a sequence is out of range")
        demand(not entries or other > last, "peers do not ascend")
        entries[other.hex()] = number
        last = other
    declared = {}
    if flags & 1:
        demand(minor > 0, "version 1.0 declares no horizon")
        declared = declaration(header, header.content[start : header.position])
    if flags & 4:
        demand(minor > 0, "version 1.0 names no tables")
        declared["tables"] = named_tables(header)
    demand(header.is_at_end or minor > 1, "something follows the entries")
    demand(entries.get(peer.hex(), 0) == sequence, "two numbers of the writer's last transaction")
    return peer, sequence, size, name, entries, declared


def named_tables(header):
    """The tables that a baseline has, or those that it lacks."""
    kind, count = header.take(1)[0], header.fixed("I")
    demand(kind in (1, 2), "it does not say which tables there are")
    demand(count <= 65536, "too many tables")
    names = []
    for _ in range(count):
        size = header.fixed("H")
        demand(1 <= size <= 4096, "the size of the name of a table is wrong")
        names.append(header.text(size))
        demand(len(names) < 2 or names[-2].encode() < names[-1].encode(), "tables do not ascend")
    return {"only" if kind == 1 else "except": names}


def read_baseline(path, content):
    """The lines of a baseline: its header, then its rows."""
    whole = Cursor(content, "the file")
    header = Cursor(skippable(whole, 0x184D2A50), "the header")
    peer, sequence, size, name, entries, declared = baseline_header(header)
    digest = digest8(content).hex()
    named = os.path.basename(path)
    demand(named == f"{sequence:016x}-{digest}.lz4", f"the name should be {sequence:016x}-{digest}.lz4")
    database = decompress(content[whole.position :])
    demand(len(database) == size, "the database has another size than the header says")
    yield json({"baseline": named, "peer": peer.hex(), "name": name, "peers": entries, **declared})
    with tempfile.NamedTemporaryFile() as copy:
        copy.write(database)
        copy.flush()
        yield from rows(copy.name)


def declaration(header, horizon):
    """What a baseline declares."""
    start, weight, count = header.position, header.fixed("Q"), header.fixed("I")
    demand(1 <= weight < 2**53, "the weight is out of range")
    demand(1 <= count <= 65536, "the number of members is out of range")
    members = [header.take(16) for _ in range(count)]
    demand(all(a < b for a, b in zip(members, members[1:])), "members do not ascend")
    identifier = digest8(header.content[start : header.position] + horizon).hex()
    return {"declaration": identifier, "weight": weight, "members": [member.hex() for member in members]}


BOOKKEEPING = {"tributary_birth", "tributary_claim", "tributary_conflict", "tributary_held", "tributary_store"}


def rows(path):
    """The rows of all ordinary tables; indexes, views and triggers are not used."""
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    connection.text_factory = Text
    connection.execute("PRAGMA trusted_schema = OFF")
    try:
        names = [
            bytes(row[0]).decode()
            for row in connection.execute(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
                " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            )
        ]
        demand(BOOKKEEPING <= set(names), "tables of the bookkeeping are missing")
        for table in names:
            cells = connection.execute('SELECT * FROM "{}" NOT INDEXED'.format(table.replace('"', '""')))
            columns = [column[0] for column in cells.description]
            for row in cells:
                values = [Blob(value) if type(value) is bytes else value for value in row]
                yield json({"table": table, "row": dict(zip(columns, values))})
    except sqlite3.Error as error:
        raise Malformed(f"the database cannot be read: {error}") from None


def main(paths):
    if not paths or paths[0] in ("-h", "--help"):
        print(__doc__.strip(), file=sys.stdout if paths else sys.stderr)
        return 0 if paths else 2
    logs, status = [], 0
    for path in paths:
        try:
            with open(path, "rb") as file:
                content = file.read()
            if content[8:16] == b"TRIBBAS\0":
                for line in list(read_baseline(path, content)):
                    print(line)
            else:
                logs.append(read(path, content))
        except (Malformed, OSError) as error:
            print(f"readlog: {path}: {error}", file=sys.stderr)
            status = 3
    last = None
    for stamp, line in heapq.merge(*logs):
        if stamp != last:
            print(line)
        last = stamp
    return status


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
