// TributaryTesting: support for tests. No product contains it.
//
// - `Reference`: the merge as `docs/merging.md` defines it, independent of the product's code.
// - `History` draws random schemas and writes, `Harness` runs them on several devices and compares each with the
//   reference.
// - `Simulation` does the same with a clock, disks and a carrier that fail, and shrinks what it finds.
// - `PowerCut` keeps of a disk only what a power cut would leave.
// - `Support`: directories, clocks, seeds, waiting. `docs/testing.md` says how to use it.
