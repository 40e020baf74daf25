// TributaryStore: one database, with what was written to it.
//
// - `Access`: `LocalStore` lends connections; `WriterConnection` is the one through which an application writes.
// - `Capture` records each commit with the preupdate hook, `Foreign` what other programs write, by triggers or by
//   comparison.
// - `Bookkeeping`: the outbox, what was imported, the shapes of tables. `Schemas/store.sql` is its schema.
// - `Schema` reads what SQLite knows of tables; `Merging` has what users declare about them.
// - `Following` compares the schema of another device with the one here, and takes what that one only adds.
// - `Constraints` decides which rows may be visible, `Conflicts` records what could not be, and `Numberings` says
//   which row a number means that several devices have given.
// - `Identity` finds out whether a file is a copy of another store, `Attaching` makes a store of a database.
//
// It knows rows and no directories.
