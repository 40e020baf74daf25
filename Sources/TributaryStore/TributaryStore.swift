// TributaryStore: one database and the record of what was written to it.
//
// - `Access`: `LocalStore` lends connections; an application writes through `WriterConnection`.
// - `Capture` records each commit with the preupdate hook; `Foreign` records what other programs write, by
//   triggers or by comparison.
// - `Bookkeeping`: the outbox, what was imported, the shapes of tables. `Schemas/store.sql` is its schema.
// - `Schema` reads what SQLite knows about tables; `Merging` holds what users declare about them.
// - `Following` compares the schema of another device with the local one, and adopts a schema that only adds
//   to it.
// - `Constraints` decides which rows may be visible, and `Conflicts` records what could not be. `Numberings`
//   decides which row a number means if several devices have assigned it.
// - `Identity` finds out whether a file is a copy of another store; `Attaching` turns a database into a
//   store.
//
// It knows about rows, not about directories.
