// Tributary: the module that an application imports.
//
// `Store` is a store that publishes and imports on its own thread. `Schema` describes tables and their
// migrations; `StoreOptions` has everything that can be chosen. `imports`, `conflicts` and `reports` are
// sequences of what happens, which is also sent as notifications.
//
// This module adds no rules of its own: the engine below it decides, and the command uses the same engine.
