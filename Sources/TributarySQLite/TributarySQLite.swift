// TributarySQLite: connections to SQLite, statements, and values as bytes.
//
// `Connection` owns a database handle, its prepared statements and a cache for what other modules found out
// with it. `Statement` binds and reads without a copy for each value; `RowFeed` gives many rows to one
// statement. `StatementClassifier` determines what a statement of the application is about to do.
//
// Result codes become `SQLiteError` here and nowhere else. The module knows nothing of the tables of a store.
