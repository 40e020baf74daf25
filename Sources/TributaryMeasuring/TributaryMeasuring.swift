// TributaryMeasuring: what `tributary-benchmark` measures and `tributary-counts` counts. No product contains it.
//
// A `Case` runs one thing in alternation with plain SQLite, and produces `Figure`s with the limits that they
// must meet and the goals that they should meet; `Reporting` prints them. `Counting` counts what does not
// depend on load: allocations, steps of SQLite, system calls, bytes. `docs/performance-method.md` says how to
// read the figures.
