import TributaryCore
import TributaryFiles
import TributaryLog

extension PeerNotes {
  /// Reads what `bytes` returned.
  ///
  /// - Parameter directory: the content directory that contains the files.
  /// - Returns: `nil` for anything else, such as the notes of another version of this library.
  package init?(reading bytes: [UInt8], in directory: ContentDirectory) {
    do {
      self = try bytes.withUnsafeBytes { bytes in
        var cursor = ByteCursor(bytes)
        guard try cursor.byte() == Self.version else { throw cursor.truncated() }
        return try Self(reading: &cursor, in: directory)
      }
    } catch {
      // The files have everything that these bytes could say.
      return nil
    }
  }

  private init(reading cursor: inout ByteCursor, in directory: ContentDirectory) throws {
    let subject = try cursor.optional { cursor throws(LogError) in try cursor.peer() }
    let texts = try cursor.list { cursor throws(LogError) in try cursor.text() }
    let forms = try texts.map { text in
      let form = try PeerManifest(
        decoding: Array(text.utf8), of: PeerManifest.nobody, in: directory)
      return (form, keys: form.schema.spent.keys.sorted())
    }
    self.init(subject: subject)
    let count = try cursor.length()
    entries.reserveCapacity(count)
    for _ in 0..<count {
      let peer = try cursor.peer()
      if let last = entries.last, peer <= last.peer { throw cursor.truncated() }
      let listed = try cursor.optional { cursor throws(LogError) in
        try cursor.listed(peer, in: directory)
      }
      let read = try cursor.optional { cursor throws(LogError) in
        let index = try cursor.length()
        guard index < forms.count else { throw cursor.truncated() }
        return Read(
          status: try cursor.fileStatus(),
          manifest: try cursor.manifest(of: peer, forms[index].0, forms[index].keys))
      }
      let ends = try cursor.list { cursor throws(LogError) in
        Ends(
          name: try cursor.segmentName(), first: HybridTime(rawValue: try cursor.littleEndian()),
          last: HybridTime(rawValue: try cursor.littleEndian()))
      }
      entries.append(Entry(peer, listed: listed, read: read, ends: ends))
    }
    guard cursor.remaining == 0 else { throw cursor.truncated() }
  }
}

extension ByteCursor {
  /// Reads a number of items or bytes. There cannot be more of them than bytes are left.
  fileprivate mutating func length() throws(LogError) -> Int {
    try count(upTo: remaining, of: "items of notes about peers")
  }

  fileprivate mutating func list<Item>(
    _ item: (inout ByteCursor) throws(LogError) -> Item
  ) throws(LogError) -> [Item] {
    let count = try length()
    var items: [Item] = []
    items.reserveCapacity(count)
    for _ in 0..<count { items.append(try item(&self)) }
    return items
  }

  fileprivate mutating func optional<Item>(
    _ item: (inout ByteCursor) throws(LogError) -> Item
  ) throws(LogError) -> Item? {
    switch try byte() {
    case 0: nil
    case 1: try item(&self)
    default: throw truncated()
    }
  }

  fileprivate mutating func text() throws(LogError) -> String {
    try text(byteCount: length())
  }

  /// Reads the last transaction of a peer, which may have none.
  fileprivate mutating func last() throws(LogError) -> SequenceNumber {
    let sequence = SequenceNumber(try variable())
    guard sequence <= .max else { throw failure(.malformed, "\(sequence) is not a sequence") }
    return sequence
  }

  fileprivate mutating func identity() throws(LogError) -> FileIdentity {
    FileIdentity(device: try littleEndian(), inode: try littleEndian())
  }

  fileprivate mutating func fileStatus() throws(LogError) -> FileStatus {
    FileStatus(
      size: try littleEndian(), kind: .file, identity: try identity(),
      modifiedNanoseconds: try littleEndian(), changedNanoseconds: try littleEndian())
  }

  fileprivate mutating func stamp() throws(LogError) -> DirectoryStamp {
    DirectoryStamp(identity: try identity(), changedNanoseconds: try littleEndian())
  }

  fileprivate mutating func segmentName() throws(LogError) -> SegmentName {
    let (first, last) = (try last(), try last())
    guard first > .zero, first <= last else { throw failure(.malformed, "not a segment's name") }
    return SegmentName(first: first, last: last, hash: try littleEndian())
  }

  fileprivate mutating func listed(
    _ peer: PeerIdentity, in directory: ContentDirectory
  ) throws(LogError) -> PeerNotes.Listed {
    let (own, log) = (try stamp(), try stamp())
    var listing = PeerListing(peer: peer)
    listing.hasManifest = try byte() != 0
    listing.hasBaselines = try byte() != 0
    let path = directory.log(of: peer)
    listing.segments = try list { cursor throws(LogError) in
      SegmentFile(name: try cursor.segmentName(), directory: path)
    }
    return PeerNotes.Listed(directory: own, log: log, listing: listing)
  }

  /// Reads the members that a form lacks.
  fileprivate mutating func manifest(
    of peer: PeerIdentity, _ form: PeerManifest, _ keys: [String]
  ) throws(LogError) -> PeerManifest {
    var manifest = form
    manifest.peer = peer
    manifest.name = try text()
    manifest.sequence = try last()
    manifest.receipt = Knowledge(try entries())
    for _ in 0..<(try length()) {
      manifest.times[try self.peer()] = HybridTime(rawValue: try littleEndian())
    }
    if manifest.horizon != nil {
      manifest.horizon?.made = try last()
      manifest.horizon?.day = try variable()
    }
    for key in keys { manifest.schema.spent[key] = try littleEndian() }
    manifest.schema.changed = try optional { cursor throws(LogError) in try cursor.variable() }
    return manifest
  }
}
