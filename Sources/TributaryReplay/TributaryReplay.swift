// TributaryReplay: transactions in order, wherever they are stored.
//
// - `Source`: `SegmentStream` passes over one peer's transactions, with overlapping, missing and damaged
//   files. It either verifies files first and reads ahead, or takes them as they are found and compares
//   copies. It reads each file with a `SegmentCursor`. `LogStream` passes over several peers' files as they
//   are found. `SegmentCopy` copies transactions into another segment.
// - `Order`: `StampOrder` picks the earliest of several streams, `CausalOrder` the earliest whose causes are
//   here. `OrderCheck` finds transactions that contradict their causes, or came without them.
// - `Verifying`: `LogVerification` reads everything once and reports what is wrong with it.
//
// It knows about segments, and the shapes of what is in them; it knows no database.
