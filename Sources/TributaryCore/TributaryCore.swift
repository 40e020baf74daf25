// TributaryCore: the vocabulary of all other modules.
//
// - Who and when: `PeerIdentity`, `SequenceNumber`, `HybridTime` and `HybridClock`, and `Stamp`, which orders
//   all transactions of all peers.
// - Who knew what: `Knowledge`, one sequence for each peer.
// - What a column contains: `Value`, and the lossless conversions of `ValueConvertible`.
// - Names as SQLite compares them: `SQLName`.
// - Bytes and JSON: `ByteBuffer`, `JSONWriter`, `JSONValue`.
//
// The module imports nothing, and nothing in it waits, reads or writes. Start with `Stamp` and `Knowledge`.
