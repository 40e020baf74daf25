// TributaryHorizon: which horizon a store may propose, promise, obey and follow. docs/space.md has the rules and their
// proof; the comments here name them by number.
//
// - `Declaration` is what is agreed on: a horizon, and who must have promised it.
// - `Antecedents` say who wrote a transaction, and what its author knew.
// - `HorizonState` is what a store must never forget: what it obeys, and what it has promised. All decisions
//   are its methods.
// - `HorizonFacts` are what peers have said about themselves; they stay true forever.
// - `QuietHorizon` finds the latest horizon that can be promised.
//
// It reads no file and no database. `HorizonStep` in TributarySync does, and calls these functions after each import.
