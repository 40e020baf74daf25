// TributaryTesting: support for tests. No product contains it.
//
// - `Reference`: the merge as defined by `docs/merging.md`, independent of the product's code.
// - `History` generates random schemas and writes; `Harness` runs them on several devices and compares each
//   with the reference.
// - `Simulation` does the same with a clock, disks and a carrier that fail, and shrinks what it finds.
// - `PowerCut` keeps only what a power cut would leave on a disk.
// - `Support`: directories, clocks, seeds, waiting. `docs/testing.md` says how to use it.
