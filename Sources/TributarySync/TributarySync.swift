// TributarySync: connects the store and the container.
//
// The command calls `Engine`. A `SyncSession` is one store that synchronises once or watches. Each step has
// its folder:
//
// - `Exchange`: the order of the steps, watching, reports, and `peer.json` with what peers agree on.
// - `Publish`: from the outbox to segments. `Compact`: replaces many small segments with few large ones.
// - `Import`: choosing the next transaction, reading ahead, writing batches.
// - `Identity`: whether another store shares this store's identity, and what to do if so.
// - `Horizon`: what devices agree to forget: facts, promises, declared baselines, and what is removed then.
// - `Schema`: which peer's schema an import needs, and what `tributary schema` reports.
// - `Attach`: databases that become stores, join logs, or stop being stores.
// - `Maintain`: verify, rebuild, repair, doctor, conflicts, and writes by other programs.
//
// `docs/development.md` follows a transaction through these files.
