// TributaryReplay: transactions in order, wherever they are stored.
//
// - `Source`: `SegmentStream` passes over one peer's transactions in a container, with overlapping, missing and
//   damaged segments, reading ahead; `LogStream` over logs that may lie anywhere.
// - `Order`: `StampOrder` picks the earliest of several streams, `OrderCheck` finds what contradicts causes.
// - `Verifying`: `LogVerification` reads everything once and says what is wrong with it.
//
// It knows segments, and the shapes of what is in them; it knows no database.
