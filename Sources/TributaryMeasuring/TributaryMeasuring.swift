// TributaryMeasuring: what `tributary-benchmark` measures and `tributary-counts` counts. No product contains it.
//
// A `Case` runs one thing beside plain SQLite, in turns, and gives `Figure`s with the limits that they must meet and
// the goals that they should; `Reporting` prints them. `Counting` counts what no load changes: allocations, steps of
// SQLite, system calls, bytes. `docs/performance-method.md` says how to read the figures.
