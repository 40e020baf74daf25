// TributaryLog: transactions as the bytes of a segment, and back.
//
// `Schemas/log-format.md` defines the format; this is one implementation of it. A segment is a header
// (`SegmentHeader`), LZ4 frames of transactions and their changes, and a trailer with an index.
//
// - Writing: `SegmentWriter` passes what `SegmentComposer` lays out to a `ByteSink`.
// - Reading: `SegmentReader` takes bytes from a `ByteSource` and returns one `TransactionHeader` after
//   another, each followed by its changes as borrowed `ChangeView`s. Nothing is copied for a row.
// - Shapes: a change names its table by number; `TableShape` is what the number stands for.
//
// The module needs no database and no directory. Whatever the bytes are, the result is a value or a
// `LogError`.
