-- The bookkeeping that Tributary keeps inside a store, beside the tables of the application. `attach` creates
-- it. Nothing here is replicated, and everything is written in the SQLite transaction that it describes.

-- Facts about this store, by key:
--   version        of this bookkeeping: 1
--   peer           this store's identity as a writer, 16 bytes
--   peer_name      the name of this device, as shown to people
--   peer_names     the names under which this store last knew its peers, one per line: the peer and its name;
--                  absent if there are none
--   container      the path of the shared directory
--   content_root   the path below the container, with components separated by "/"
--   content_name   the name of the logical database to which this store belongs
--   tables         which tables are replicated: "all", "only" or "except" those in tributary_table
--   schema         the schema under which transactions are written: id in tributary_schema
--   missing_since  the time since which the container could not be used in full, in milliseconds since 1970;
--                  absent otherwise
--   missing_kind   the reason, in one word: absent, wiped, unresponsive, readOnly, full, inaccessible,
--                  missingFile
--   missing_reason the reason, in a sentence, with the remedy
--   delays         what keeps this store from importing, one per line: the time since which it has done so, in
--                  milliseconds since 1970, and what it is; absent otherwise
--   examined       the last of this store's own transactions that have been searched for conflicts
--   births         the last of this store's own transactions that have been searched for numberings
--   birth          when this file was made, in nanoseconds since 1970, if the file system reports that: a file
--                  made at another time is a copy
--   witness        the statement of a witness outside this file which showed that the file is an older one
--   left           the identity that no store has any more since this file was put in the place of the one that
--                  had it
--   next_peer      the identity that this store is about to take; absent otherwise
--   capture        how writes are captured: "hook", or "triggers" to capture those of other programs, too; absent
--                  for hook
--   extensions     SQLite extensions that this device loads: when this file was made, as in birth (nothing if
--                  that is unknown), then the absolute paths, separated by NUL; they do not count in another file
--   unmade         statements of the schema that cannot be carried out here, separated by NUL
--   copied         tables that are not replicated and whose rows new devices get once: JSON, for each table an
--                  array of its name, its columns and its rows, with the rows as in peer.json
--   captured       SQLite's schema_version when the triggers were last checked
--   suspected      (as in all lists of names here, a line feed in a name is written \n, and a backslash twice)
--                  names of tables, one per line, whose triggers were missing: what other programs have written
--                  there in the meantime must be found by comparison with the logs; absent otherwise
--   causes         lines: the reason, and the name of such a table: "new", "changed" (it has other columns),
--                  "rebuilt", "keyless" (rows had NULL in the key), "untriggered" (there were no triggers) or "dropped"
--   uncaptured     lines: when that comparison last found something, in milliseconds since 1970, and why nothing
--                  had captured it, as in causes; how many rows it found; and the names of their tables
--   place          where in the write-ahead log the last commit of this store's own processes began that is not
--                  one of its transactions; the lower 32 bits say how many frames are before it, the upper ones
--                  distinguish this log from others
--   ways           in a store with triggers, where that commit found journals of several pages: for each of them,
--                  the pages from the root to the last one, separated by spaces; then a semicolon
--   doubted        in a store with triggers, if another program may have written something that was not captured,
--                  whatever the log still shows: 2 if the log has shown that it wrote, 1 if the file may only
--                  have been copied or restored from a backup; absent otherwise
--   unwatched      names of tables, one per line, that cannot have triggers, because they have too many columns or
--                  are named "new" or "old"; absent if there are none
--   stopped        names of tables, one per line, that other programs have dropped, renamed or given another key, or
--                  from which they have removed columns, although logs name them; and tables whose former name
--                  means something else now. They are left out until they are whole again and the store has been
--                  rebuilt; absent if there are none
--   key_forms      the form of the key of each shared table, one per line: "rowid" for SQLite's row identifier,
--                  otherwise the affinities of the key columns, separated by commas; then a space and the name of
--                  the table. A table whose key has become a different one stops. Absent until the first
--                  synchronisation
--   keyless        names of tables, one per line, in which rows with NULL in the key were found, each after "told"
--                  (earlier versions also wrote "new")
--   days           the number of days on which this store has synchronised and has seen the whole container, and
--                  the last of these days, in days of UTC since 1970
--   heard          what this store has heard from its peers, one per line: on which of those days it first knew
--                  as much as now, how many transactions the peer says it has, and the peer
--   written        how much this store has written: its last transaction that is counted, and the identity that
--                  it had then; then lines: a day of UTC since 1970, and the bytes in the outbox
--   horizon        what this store remembers about horizons, as lines of a word and hexadecimal digits: "obeys",
--                  "promises" or "settled" and a declaration (weight, members and horizon as in the header of a
--                  baseline), or "dropped" and the identifier of a declaration; absent before the first
--   horizons_before  the declarations that it obeyed before, at most eight, one per line, as in horizon, the latest
--                  first; absent if there are none
--   horizon_notes  when it does what it does at intervals, as lines of a word and milliseconds since 1970: "moved"
--                  (it proposed or promised), "considered", "obeyed", "lost" (logs are missing), "seen" (followed by
--                  the identifier of a proposal that leaves out an active peer), "arrived" (followed by the last
--                  transaction in the files of a retired peer's log that no store can import, and that peer); and
--                  "stated" with the identifiers of the declarations in its peer.json so far, the latest at the end
--   horizon_readers  the identifier of the declaration all of whose members read segments written above horizons,
--                  and "due" if segments above an earlier horizon may have to be written again; absent otherwise
--   removed        up to which of this store's own transactions segments and records were removed, because baselines
--                  stand for them; absent if none were
--   first_time     the time of this store's first transaction, as in tributary_outbox, if its record was removed;
--                  absent before that
--   whole          the baselines that were verified, one per line: the size of the file and when it was modified,
--                  then its path
--   corrections    the corrections of knowledge with which this store has read logs, and those of its own log, as
--                  in peer.json, one per line: the author, the peer's former identity, its last transaction under
--                  that, its new identity, and the author's first and last transaction; absent if there are none
--   missed_corrections  the same for corrections that arrived after the transactions had been imported
--   adopted        the branches that this store has issued again on behalf of others, one per line: the new
--                  identity, the former one, its last transaction that stays, the last one that was issued again,
--                  and the time of the first one that was; absent if there are none
--   clock          the time before which this store never writes again, as in tributary_outbox, if the
--                  transaction of that time is no longer in the bookkeeping; absent before that
--   retired        the peers that this store has declared to be gone, one per line; absent if there are none
--   reissued       what this store has issued again for peers that it has declared to be gone, one per line: the
--                  peer's last such transaction, when this store did so in milliseconds since 1970, and the peer;
--                  absent if there is nothing
--   space_limit    how many bytes this store's segments, baselines and outbox may take before it warns;
--                  absent if there is no limit
--   follows        1 if the store adopts what the schemas of its peers add when an import needs it; absent
--                  otherwise
--   followed       the statements that it has carried out to do so, one per line, as in all lists here
--   names          what migrations have renamed and dropped, here or on other devices, one per line, as in
--                  peer.json; absent if there is nothing
--   migrated       the transactions that have rows of migrations that run once, one per line: the mark of the
--                  migration, the peer and the sequence number; absent if there are none
--   schema_changed when this store last changed its schema itself: the digest8 of the statements in peer.json,
--                  each followed by a NUL, and the time in milliseconds since 1970, zero if it has changed
--                  nothing since it was attached
--   stated         SQLite's schema_version when peer.json was last written: if it differs, peer.json is written
--                  before the next segment; absent until peer.json is first written
--   quiet          the state of the store and its container before a synchronisation that found nothing to do,
--                  where there are 32 peers or more: a hash of the state, and eight hashes, each of the status of
--                  an eighth of the peer.json files, in hexadecimal digits. Without it, the next session looks
--                  for itself.
--   notes          what a session has found out about the files of 32 peers or more: the names in their
--                  directories, what is in their peer.json files, and the times of their newest segments, each
--                  with what shows that the directory or the file has not changed since. Only this library reads
--                  the form. Without notes, the next session reads everything.
--   handled …      for each command of --on-import, whose text follows the word and a space: the last import, as
--                  id in tributary_import, for which it has succeeded; -1 if any row may have changed since
--   unresolved     1 if a commit left something about held rows that must be found from the logs
CREATE TABLE tributary_store (
  key TEXT PRIMARY KEY,
  value NOT NULL
) WITHOUT ROWID;

-- The tables named by --tables or --except.
CREATE TABLE tributary_table (
  name TEXT PRIMARY KEY COLLATE NOCASE
) WITHOUT ROWID;

-- How tables merge, as far as that was declared. `rule` with an empty `column` is one of these: "row" or
-- "column", the unit in which writes of one row compete; "natural", a key means the same row on whatever
-- devices it was inserted; "positive", rows that lose their number take positive numbers (followed by a
-- number of bits if it is not 29). For a table without a PRIMARY KEY it also says what identifies rows:
-- "rowid" or "themselves", with an empty `column`, or "key 1", "key 2" and so on for the columns of a UNIQUE
-- key. For a column it is the policy, "counter", "max", "min" or "last"; "identify", if rows that devices
-- insert independently are the same when this column, perhaps with others, is equal; or refers
-- "TABLE"."COLUMN", if the column contains numbers of rows and no foreign key says so. "keep", with an empty
-- `table`, says that foreign keys are not enforced. The contents are the same on every device.
CREATE TABLE tributary_merge (
  "table" TEXT NOT NULL COLLATE NOCASE,
  "column" TEXT NOT NULL COLLATE NOCASE,
  rule TEXT NOT NULL,
  PRIMARY KEY ("table", "column", rule)
) WITHOUT ROWID;

-- The application's migrations that have run here, in the order in which they ran. `sql` is the text,
-- followed by any additional declarations as directives. It is empty if the tables came from another device,
-- or if a closure of the application made the changes.
CREATE TABLE tributary_migration (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  sql TEXT NOT NULL
);

-- The schemas under which this store has written transactions.
CREATE TABLE tributary_schema (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

-- The shapes (table, columns, key) to which records of this store refer by id. The definition is that of a
-- shape item in log-format-items.md.
CREATE TABLE tributary_shape (
  id INTEGER PRIMARY KEY,
  definition BLOB NOT NULL UNIQUE
);

-- This store's own transactions, each written in the commit that it records. `time` is a hybrid time (48 bits
-- of milliseconds, 16 of counter). `basis` is NULL or a version vector. `place` says where in the write-ahead
-- log the transaction began, as in tributary_store, or is NULL. `changes` is a list of change items of the
-- log format; it is empty for adopted rows that only a baseline has (then `removed` is 1 or more).
CREATE TABLE tributary_outbox (
  sequence INTEGER PRIMARY KEY,
  time INTEGER NOT NULL,
  schema INTEGER NOT NULL,
  basis BLOB,
  place INTEGER,
  changes BLOB NOT NULL
);

CREATE INDEX tributary_outbox_basis ON tributary_outbox (sequence) WHERE basis IS NOT NULL;

-- The pieces of large transactions, except the first piece of each, numbered from 1. No change item is
-- divided between pieces.
CREATE TABLE tributary_outbox_piece (
  sequence INTEGER NOT NULL,
  piece INTEGER NOT NULL,
  changes BLOB NOT NULL,
  PRIMARY KEY (sequence, piece)
) WITHOUT ROWID;

-- The segments that this store has published, so that it can publish one again if it disappears. `bytes` is
-- the size of the file, `payload` is roughly its content before compression, and `level` is how hard it was
-- compressed (0, or 3 to 12): the same transactions at the same level make the same file.
CREATE TABLE tributary_segment (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  name TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  payload INTEGER NOT NULL,
  level INTEGER NOT NULL
);

-- A row says that this file was copied: the original also has the own transactions up to `last`. The store
-- publishes nothing until it has taken `next`, its own identity from there on. There is more than one row if
-- the file was copied again before that.
CREATE TABLE tributary_copy (
  last INTEGER PRIMARY KEY,
  next BLOB NOT NULL
);

-- Identities that this store had until it found that others have written under them, too. Their transactions
-- up to `last` remain theirs. What this store had written after that, up to `reissued`, it has issued again
-- as its own 1, 2, 3 …, with the same times. `shared` has bit 0 if other peers may have seen those
-- transactions under the former identity, and bit 1 if no store has that identity any more, because this file
-- was put in the place of the one that had it. Bit 2 alone says that the identity was never this store's: a
-- copy of it had issued some of these transactions again under that identity. `until` is when this happened,
-- in milliseconds since 1970.
CREATE TABLE tributary_former (
  peer BLOB PRIMARY KEY,
  last INTEGER NOT NULL,
  reissued INTEGER NOT NULL,
  shared INTEGER NOT NULL,
  until INTEGER NOT NULL
) WITHOUT ROWID;

-- Segments to be removed from the container: segments that this store published under a former identity and
-- whose transactions it has issued again; and its current segments whose transactions are in another segment,
-- some time after `since`, in milliseconds since 1970.
CREATE TABLE tributary_withdrawal (
  peer BLOB NOT NULL,
  name TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (peer, name)
) WITHOUT ROWID;

-- The other peers whose transactions have been imported, with the sequence number and the time of the last
-- one.
CREATE TABLE tributary_peer (
  id INTEGER PRIMARY KEY,
  peer BLOB NOT NULL UNIQUE,
  sequence INTEGER NOT NULL,
  time INTEGER NOT NULL
);

-- What this store knew, and when: its own transactions after sequence number `after` know the peer's
-- transactions up to `sequence`. So a commit writes nothing about knowledge; an import does.
CREATE TABLE tributary_knowledge (
  peer INTEGER NOT NULL REFERENCES tributary_peer (id),
  after INTEGER NOT NULL,
  sequence INTEGER NOT NULL,
  PRIMARY KEY (peer, after)
) WITHOUT ROWID;

-- The latest imports, for other processes that use this store: at most 1000, about 4 MB, and, when there is
-- time to remove others, those of the last hour; always the last one. Numbers have no gaps, so a missing
-- entry has been removed. `changes` is JSON: the "imported" object of `tributary sync --json`, with
-- "conflicts", the ids of new ones, if there are any. An entry without transactions reports conflicts that a
-- check of this store's own writes has found.
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

-- Conflicts: what a merge could not keep visible. `id` is 16 hexadecimal digits, the same on every device.
-- `row` is the key in the spelling that all equal keys share. `key` and `columns` are values of the log
-- format; `columns` has in turn a name, a losing value and the winner of that column (NULL, 0 for the winner
-- of the conflict; otherwise peer, sequence number and time). `ended` is 0 while the conflict lasts, then
-- milliseconds since 1970. So open conflicts are stored together, in the order of their rows.
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

-- Rows that their table does not show as they really are: held rows (out of the table; `cells` has all
-- columns), and rows with columns that show NULL or a default because a parent is missing (`cells` has what
-- they refer to). `key` is the key in the spelling that all equal keys share; `cells` is like `columns` of a
-- conflict.
CREATE TABLE tributary_held (
  "table" TEXT NOT NULL,
  key BLOB NOT NULL,
  held INTEGER NOT NULL,
  cells BLOB NOT NULL,
  PRIMARY KEY ("table", key)
) WITHOUT ROWID;

-- The transaction since which rows have had the unique keys that held rows claim. `name` is the name of the
-- index, and `value` the key's values in the spelling that all equal values share. "#" and a number is a
-- foreign key of a held row; "!" is the row itself, which only its own values keep out of its table. A peer
-- of zeros stands for a transaction that only the logs know.
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

-- The inserts that gave several rows the same number. `view` is what the author knew (a version vector),
-- `content` is a hash of the row, empty if the number was taken over from a held row. `identity` has the
-- inserted values of the columns that make rows of the table the same, encoded as in records, in the order of
-- the table's columns. If nothing is declared but a migration that runs once has inserted the row, it has the
-- mark of the migration, then the first name of each column except the key and its value in turn, in the
-- order of these names. Otherwise it is empty.
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
