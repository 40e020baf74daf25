// TributaryInspection: questions about logs, answered without a store.
//
// - `Reading`: `LogWalk` passes over transactions in order of their stamps, with filters.
// - `Blame`, `Searching`, `Statistics`, `Report`: who wrote a cell, where a value occurs, how much there is, and a
//   page about all of it.
// - `Moments`: the database as it was at some moment, and the difference between two moments.
// - `Following`: transactions as they arrive. `Exporting`: changes as SQL.
//
// It never writes to a container.
