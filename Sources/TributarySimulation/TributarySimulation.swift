// TributarySimulation: fleets of real stores, for tests. No product contains it.
//
// - `Plan` draws what happens to a fleet from a seed.
// - `Running` carries out a plan with a clock, disks and a carrier that fail, compares each store with the
//   reference of `TributaryTesting`, and shrinks a plan that fails.
// - `Files` and `Carrying` are the disks and the carrier; `Store` has the devices' stores.
// - `Support`: stores and policies for tests that need the engine but no fleet.
