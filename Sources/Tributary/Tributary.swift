// Tributary: what an application imports.
//
// `Store` is a store that publishes and imports on a thread of its own. `Schema` describes tables and their
// migrations, `StoreOptions` everything that can be chosen. `imports`, `conflicts` and `reports` are sequences of
// what happens; the same is sent as notifications.
//
// It adds no rule of its own: the engine below decides, and the command has the same engine.
