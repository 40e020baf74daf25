// TributaryContainer: the shared directory.
//
// It knows which names exist in a container, who may write them, and what has arrived: `ContainerScanner` lists a
// content name as a `ContentListing`, `SegmentStore` publishes and opens the segments of one peer, and
// `PeerManifest` is `peer.json`, by which a peer says what it has written and imported.
//
// Each file has one author and never changes once it has its final name, except for `peer.json`. Other programs
// may rename, cut, lose and bring back files: whatever does not hold what its name says is set aside.
//
// The module knows peers and no rows.
