"""The visitors' book of ../c, in Python: both may share it.

    visitors.py DATABASE SHARED sign NAME | list | watch
"""

import sqlite3
import sys

import tributary

TABLE = (
    "CREATE TABLE IF NOT EXISTS visitor"
    " (id BLOB PRIMARY KEY DEFAULT (randomblob(16)) NOT NULL, name TEXT NOT NULL)"
)


def database(path):
    connection = sqlite3.connect(path, timeout=5)
    connection.execute(TABLE)
    connection.commit()
    return connection


def report(told):
    rows = told["imported"]["changes"].get("visitor", {})
    print(f"{len(rows.get('inserted', []))} new", flush=True)


def main(path, shared, what, name=None):
    # The tables first, so that attaching finds them; and closed, since it may need the file for itself.
    database(path).close()
    tributary.attach(path, shared, "Visitors")
    with tributary.Store(path) as store:
        if what == "sign":
            with database(path) as connection:
                connection.execute("INSERT INTO visitor (name) VALUES (?)", [name])
            connection.close()
            store.sync()
        elif what == "list":
            store.sync()
            for (visitor,) in database(path).execute("SELECT name FROM visitor ORDER BY name"):
                print(visitor)
        elif what == "watch":
            store.on_import(report)
            store.start()
            sys.stdin.read()


if len(sys.argv) not in (4, 5):
    sys.exit(__doc__)
try:
    main(*sys.argv[1:])
except tributary.Error as error:
    sys.exit(f"visitors.py: {error}")
