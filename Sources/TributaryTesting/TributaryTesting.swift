// TributaryTesting: support for tests. No product contains it, and it imports nothing of the engine.
//
// - `Reference`: the merge as defined by `docs/merging.md`, independent of the product's code.
// - `History` generates random schemas and writes, `Forms` unusual ones. `TributarySimulation` runs them on
//   several devices and compares each with the reference.
// - `PowerCut` keeps only what a power cut would leave on a disk.
// - `Support`: directories, clocks, seeds, waiting. `docs/testing.md` says how to use it.
