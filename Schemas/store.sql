-- The bookkeeping that Tributary keeps inside a store, beside the tables of the application.
-- Made when a store is attached. Nothing here is replicated; everything here is written in the same
-- SQLite transaction as what it is about.

-- Facts about this store, by key:
--   version        of this bookkeeping: 1
--   peer           this store's identity as a writer, 16 bytes
--   peer_name      what people call this device
--   container      path of the shared directory
--   content_root   path below the container, components separated by "/"
--   content_name   which logical database this is
--   tables         which tables are replicated: "all", "only" or "except" those in tributary_table
--   schema         what transactions are written under: id in tributary_schema
--   missing_since  milliseconds since 1970: since when the container could not be used in full; absent otherwise
--   missing_kind   in a word, why: absent, wiped, unresponsive, readOnly, full, inaccessible, missingFile
--   missing_reason the same in a sentence, with its remedy
--   delays         what keeps this store from importing, a line each: since when in milliseconds since 1970, and what;
--                  absent otherwise
--   examined       up to which of this store's own transactions conflicts have been looked at
--   births         up to which of this store's own transactions births have been looked for
--   birth          when this file was made, in nanoseconds since 1970, as far as the file system says so: a file made at
--                  another time is a copy
--   witness        the statement of a witness outside of this file that showed that the file is an older one
--   left           the identity that nobody has any more since this file was put in the place of the one that had it
--   next_peer      the identity that this store is about to take; absent otherwise
--   capture        how writes are captured: "hook", or "triggers" for those of other programs too; absent for hook
--   extensions     SQLite extensions that this device loads: when this file was made, as birth says it (nothing where nobody
--                  knows), then the absolute paths, a NUL between each; in another file they do not count
--   unmade         statements of the schema that cannot be carried out here, a NUL between each
--   copied         tables that are not replicated and whose rows new devices get once: JSON, an array of a table's name,
--                  its columns and its rows for each, these as in peer.json
--   captured       SQLite's schema_version when the triggers were last looked at
--   suspected      names of tables, a line each, whose triggers were missing: what other programs have written
--                  there meanwhile is to be found by comparison with the logs; absent otherwise
--   uncaptured     lines: when, in milliseconds since 1970, such a comparison last found something; how many rows; and
--                  the names of their tables
--   place          where in the write-ahead log the last of the commits of this store's own processes began that are none of
--                  its transactions, in a store without triggers: in the lower 32 bits how many frames are before it, in the upper
--                  ones what tells this log from others
--   unresolved     1 when a commit left something about held rows to be found out from the logs
CREATE TABLE tributary_store (
  key TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;

-- The tables named by --tables or --except.
CREATE TABLE tributary_table (
  name TEXT PRIMARY KEY COLLATE NOCASE
) WITHOUT ROWID;

-- How tables merge, as far as it was declared. `rule` is "row" or "column" for what writes of one row compete
-- for, "natural" where a key means one row on whatever devices it was inserted, "positive" where rows that lose their number take
-- positive ones (followed by a number of bits where that is another than 29), all with an empty `column`; or the
-- policy of a column: "counter", "max" or "min". Of a table without PRIMARY KEY it also says by what rows are known:
-- "rowid" or "themselves", with an empty `column`, or "key 1", "key 2" and so on for the columns of a UNIQUE key. Of a
-- column that makes rows the same which are inserted apart, with others, it says "identify". Of a
-- column that holds numbers of rows, where no foreign key says so, it says which: refers "TABLE"."COLUMN". "keep", with an
-- empty `table`, says that foreign keys are not enforced. The same on every device.
CREATE TABLE tributary_merge (
  "table" TEXT NOT NULL COLLATE NOCASE,
  "column" TEXT NOT NULL COLLATE NOCASE,
  rule TEXT NOT NULL,
  PRIMARY KEY ("table", "column", rule)
) WITHOUT ROWID;

-- The application's migrations that have run here, in that order.
CREATE TABLE tributary_migration (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  sql TEXT NOT NULL
);

-- The schemas that transactions of this store have been written under.
CREATE TABLE tributary_schema (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

-- The shapes (table, columns, key) that records of this store refer to by id; the definition is that
-- of a shape item in log-format.md.
CREATE TABLE tributary_shape (
  id INTEGER PRIMARY KEY,
  definition BLOB NOT NULL UNIQUE
);

-- This store's own transactions, each written in the commit that it records. `time` is a hybrid time
-- (48 bits of milliseconds, 16 of counter); `basis` is NULL or a version vector; `place` says where in the write-ahead log
-- the transaction began, as in tributary_store, or is NULL; `changes` is a list of change items of the log format.
CREATE TABLE tributary_outbox (
  sequence INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  schema INTEGER NOT NULL,
  basis BLOB,
  place INTEGER,
  changes BLOB NOT NULL
);

CREATE INDEX tributary_outbox_basis ON tributary_outbox (sequence) WHERE basis IS NOT NULL;

-- Where the changes of one transaction are large, all but their first piece, numbered from 1. No
-- change item is divided between pieces.
CREATE TABLE tributary_outbox_piece (
  sequence INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  changes BLOB NOT NULL,
  PRIMARY KEY (sequence, piece)
) WITHOUT ROWID;

-- The segments that this store has published, so that one that disappears can be published again. `bytes` is the size
-- of the file, `payload` about how much it holds before compression, `level` how hard it was compressed (0, or 3 to 12):
-- the same transactions at the same level make the same file.
CREATE TABLE tributary_segment (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  payload INTEGER NOT NULL,
  level INTEGER NOT NULL
);

-- Where this file was copied: the original, too, has the own transactions up to `last`. The store publishes nothing
-- until it is `next`, an identity of its own, from there on. More than one row where it was copied again before.
CREATE TABLE tributary_copy (
  last INTEGER PRIMARY KEY,
  next BLOB NOT NULL
);

-- Identities that this store had until it found that others have written under them too. Their transactions up to
-- `last` stay theirs; what this store had written after that it has issued again as its own 1, 2, 3 …, with the
-- same times: those up to `reissued`. `shared` has bit 0 where others may have seen those under the former identity, and
-- bit 1 where nobody has that identity any more: this file was put in the place of the one that had it. Bit 2 alone
-- says that it never was this store's: a copy of it had issued some of these transactions again under that. `until` is when that was, in milliseconds since 1970.
CREATE TABLE tributary_former (
  peer BLOB PRIMARY KEY,
  last INTEGER NOT NULL,
  reissued INTEGER NOT NULL,
  shared INTEGER NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;

-- Segments to be removed from the container: those that this store published under a former identity and whose
-- transactions it has issued again; and its present ones whose transactions are in another segment, some time after
-- `since`, in milliseconds since 1970.
CREATE TABLE tributary_withdrawal (
  peer BLOB NOT NULL,
  name TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (peer, name)
) WITHOUT ROWID;

-- The other peers whose transactions have been imported, and the time of the last one.
CREATE TABLE tributary_peer (
  id INTEGER PRIMARY KEY,
  peer BLOB NOT NULL UNIQUE,
  sequence INTEGER NOT NULL,
  time INTEGER NOT NULL
);

-- What this store knew when: own transactions after sequence `after` know the peer's transactions up to
-- `sequence`. So a commit writes nothing about knowledge; an import does.
CREATE TABLE tributary_knowledge (
  peer INTEGER NOT NULL REFERENCES tributary_peer (id),
  after INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (peer, after)
) WITHOUT ROWID;

-- The latest imports, for other processes that use this store: at most 1000, about 4 MB, and, when there is time
-- to remove others, those of the last hour; the last one always. No number is left out, so one that is missing
-- was forgotten. `changes` is JSON: the same as the "imported" object of `tributary sync --json`, with
-- "conflicts", the ids of new ones, where there are any. An entry without transactions tells of conflicts that a
-- look at this store's own writes has found.
CREATE TABLE tributary_import (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  time INTEGER NOT NULL,
  changes TEXT NOT NULL
);

-- Transactions of other peers that arrived and could not be imported at the last synchronisation because a
-- constraint would not have held.
CREATE TABLE tributary_refusal (
  peer BLOB PRIMARY KEY,
  sequence INTEGER NOT NULL,
  reason TEXT NOT NULL
) WITHOUT ROWID;

-- Conflicts: what a merge could not keep visible. `id` is 16 hexadecimal digits, the same on every device; `row`
-- is the key in the spelling that all equal keys share; `key` and `columns` are values of the log format, `columns` a name, a losing value and the winner of that column (NULL, 0 for that of the conflict, or
-- peer, sequence and time) in turn. `ended` is 0 while the
-- conflict lasts, then milliseconds since 1970: lasting ones lie together, in the order of their rows.
CREATE TABLE tributary_conflict (
  ended INTEGER NOT NULL,
  "table" TEXT NOT NULL,
  row BLOB NOT NULL,
  id TEXT NOT NULL,
  key BLOB NOT NULL,
  kind TEXT NOT NULL,
  held INTEGER NOT NULL,
  columns BLOB NOT NULL,
  winner_peer BLOB NOT NULL,
  winner_sequence INTEGER NOT NULL,
  winner_time INTEGER NOT NULL,
  loser_peer BLOB NOT NULL,
  loser_sequence INTEGER NOT NULL,
  loser_time INTEGER NOT NULL,
  PRIMARY KEY (ended, "table", row, id)
) WITHOUT ROWID;

-- Rows that their table does not show as they are: held ones (out of the table; `cells` has all columns), and
-- those with columns that show NULL or a default for want of a parent (`cells` has what they refer to). `key` is
-- the key in the spelling that all equal keys share; `cells` is as `columns` of a conflict.
CREATE TABLE tributary_held (
  "table" TEXT NOT NULL,
  key BLOB NOT NULL,
  held INTEGER NOT NULL,
  cells BLOB NOT NULL,
  PRIMARY KEY ("table", key)
) WITHOUT ROWID;

-- Since which transaction rows have the unique keys that held rows claim: `name` is that of the index, `value` the
-- key's values in the spelling that all equal ones share. "#" and a number is a foreign key of a held row. A peer of
-- zeros stands for a transaction that only the logs know.
CREATE TABLE tributary_claim (
  "table" TEXT NOT NULL,
  key BLOB NOT NULL,
  name TEXT NOT NULL,
  value BLOB NOT NULL,
  peer BLOB NOT NULL,
  sequence INTEGER NOT NULL,
  time INTEGER NOT NULL,
  PRIMARY KEY ("table", key, name, value)
) WITHOUT ROWID;

CREATE INDEX tributary_claim_value ON tributary_claim ("table", name, value);

-- Rows that were given one number: the inserts that did so. `view` is what the author knew (a version vector), `content` a
-- hash of the row; empty where the number was taken over from a held row. `identity` has the values of the columns that make
-- rows of the table the same, as they were inserted, encoded as in records, in the order of the table's columns; empty where
-- nothing is declared.
CREATE TABLE tributary_birth (
  "table" TEXT NOT NULL,
  number INTEGER NOT NULL,
  peer BLOB NOT NULL,
  sequence INTEGER NOT NULL,
  time INTEGER NOT NULL,
  view BLOB NOT NULL,
  content BLOB NOT NULL,
  identity BLOB NOT NULL,
  PRIMARY KEY ("table", number, peer, sequence)
) WITHOUT ROWID;
