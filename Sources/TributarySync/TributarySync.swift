// TributarySync: the store and the container, brought together.
//
// `Engine` is what the command calls, `SyncSession` one store that synchronises once or watches. Each step has its
// folder:
//
// - `Exchange`: the order of the steps, watching, reports, and `peer.json` with what peers agree on.
// - `Publish`: from the outbox to segments. `Compact`: few large segments in place of many small ones.
// - `Import`: which transaction comes next, reading ahead, writing batches.
// - `Identity`: whether a store is still the only one of its identity, and what to do if not.
// - `Horizon`: what devices agree to forget: facts, promises, declared baselines, and what goes then.
// - `Schema`: which peer's schema an import needs, and what `tributary schema` says.
// - `Attach`: databases that become stores, join logs, or stop being stores.
// - `Maintain`: verify, rebuild, repair, doctor, conflicts, and writes of other programs.
//
// `docs/development.md` follows a transaction through these files.
