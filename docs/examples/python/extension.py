"""The visitors' book with nothing but SQL: the library as an extension of SQLite.

    extension.py LIBRARY DATABASE SHARED [NAME]

Needs a Python whose sqlite3 loads extensions, and uses libsqlite3.so.0: Debian's.
"""

import json
import sqlite3
import sys


def main(library, path, shared, name=None):
    # Each statement is a transaction of its own, unless BEGIN begins a longer one.
    connection = sqlite3.connect(path, timeout=5, isolation_level=None)
    connection.enable_load_extension(True)
    connection.load_extension(library)
    connection.execute(
        "CREATE TABLE IF NOT EXISTS visitor"
        " (id BLOB PRIMARY KEY DEFAULT (randomblob(16)) NOT NULL, name TEXT NOT NULL)"
    )
    connection.execute("SELECT tributary_attach(?, 'Visitors')", [shared]).fetchone()
    if name:
        connection.execute("INSERT INTO visitor (name) VALUES (?)", [name])
    (report,) = connection.execute("SELECT tributary_sync()").fetchone()
    changes = json.loads(report)["imported"]["changes"].get("visitor", {})
    print(f"{len(changes.get('inserted', []))} new")
    for (visitor,) in connection.execute("SELECT name FROM visitor ORDER BY name"):
        print(visitor)


if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
try:
    main(*sys.argv[1:])
except sqlite3.Error as error:
    sys.exit(f"extension.py: {error}")
