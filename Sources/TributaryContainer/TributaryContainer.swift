// TributaryContainer: the shared directory.
//
// It knows which names exist in a container, which peer may write them, and what has arrived:
// `ContainerScanner` lists a content name as a `ContentListing`, `SegmentStore` publishes and opens the
// segments of one peer, and `PeerManifest` is `peer.json`, by which a peer says what it has written and
// imported.
//
// Each file has one author and never changes once it has its final name, except for `peer.json`. Other
// programs may rename, truncate, lose and bring back files: a file whose contents do not match its name is
// set aside.
//
// The module knows about peers, but not about rows.
