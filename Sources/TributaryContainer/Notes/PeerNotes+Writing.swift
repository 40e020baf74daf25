import TributaryCore
import TributaryFiles

extension PeerNotes {
  /// The bytes from which the notes can be read. Equal notes have equal bytes.
  ///
  /// - Complexity: O(*n* · *f*) for *n* peers whose manifests have *f* forms; about 200 bytes a peer with one
  ///   segment, and the length of its file for each form.
  package var bytes: [UInt8] {
    var forms: [PeerManifest] = []
    var body = ByteBuffer()
    for entry in entries {
      body.append(entry.peer)
      body.append(entry.listed.flatMap(Self.kept)) { $0.append($1) }
      body.append(entry.read.flatMap { Self.kept($0, &forms) }) { body, read in
        body.append(variable: UInt64(read.form))
        body.append(read.note.status)
        body.append(ownMembersOf: read.note.manifest)
      }
      body.append(entry.ends.suffix(Self.mostEnds)) { body, ends in
        body.append(ends.name)
        body.append(littleEndian: ends.first.rawValue)
        body.append(littleEndian: ends.last.rawValue)
      }
    }
    var buffer = ByteBuffer()
    buffer.append(Self.version)
    buffer.append(subject) { $0.append($1) }
    buffer.append(forms) { $0.append(counted: $1.bytes) }
    buffer.append(variable: UInt64(entries.count))
    buffer.append(body.bytes)
    return Array(buffer.bytes)
  }

  private static func kept(_ listed: Listed) -> Listed? {
    listed.listing.isPlain && listed.listing.segments.count <= mostSegments ? listed : nil
  }

  /// Returns a note with the number of its form, if it is to be kept.
  private static func kept(_ read: Read, _ forms: inout [PeerManifest]) -> (form: Int, note: Read)?
  {
    guard read.status.kind == .file else { return nil }
    let form = read.manifest.form
    if let index = forms.lastIndex(of: form) { return (index, read) }
    guard forms.count < mostForms else { return nil }
    forms.append(form)
    return (forms.count - 1, read)
  }
}

extension ByteBuffer {
  fileprivate mutating func append<Item>(
    _ items: some Collection<Item>, each: (inout ByteBuffer, Item) -> Void
  ) {
    append(variable: UInt64(items.count))
    for item in items { each(&self, item) }
  }

  fileprivate mutating func append<Item>(_ item: Item?, each: (inout ByteBuffer, Item) -> Void) {
    append(CollectionOfOne(item).compactMap(\.self), each: each)
  }

  fileprivate mutating func append(counted bytes: some Collection<UInt8>) {
    append(variable: UInt64(bytes.count))
    append(contentsOf: bytes)
  }

  fileprivate mutating func append(_ identity: FileIdentity) {
    append(littleEndian: identity.device)
    append(littleEndian: identity.inode)
  }

  fileprivate mutating func append(_ status: FileStatus) {
    append(littleEndian: status.size)
    append(status.identity)
    append(littleEndian: status.modifiedNanoseconds)
    append(littleEndian: status.changedNanoseconds)
  }

  fileprivate mutating func append(_ name: SegmentName) {
    append(variable: name.first.rawValue)
    append(variable: name.last.rawValue)
    append(littleEndian: name.hash)
  }

  fileprivate mutating func append(_ listed: PeerNotes.Listed) {
    for stamp in [listed.directory, listed.log] {
      append(stamp.identity)
      append(littleEndian: stamp.changedNanoseconds)
    }
    append(listed.listing.hasManifest ? UInt8(1) : 0)
    append(listed.listing.hasBaselines ? UInt8(1) : 0)
    append(listed.listing.segments) { $0.append($1.name) }
  }

  /// Appends the members that the form of a manifest lacks.
  fileprivate mutating func append(ownMembersOf manifest: PeerManifest) {
    append(counted: manifest.name.utf8)
    append(variable: manifest.sequence.rawValue)
    append(manifest.receipt.entries) {
      $0.append($1.peer)
      $0.append(variable: $1.sequence.rawValue)
    }
    append(manifest.times.sorted { $0.key < $1.key }) {
      $0.append($1.key)
      $0.append(littleEndian: $1.value.rawValue)
    }
    if let horizon = manifest.horizon {
      append(variable: horizon.made.rawValue)
      append(variable: horizon.day)
    }
    for (_, number) in manifest.schema.spent.sorted(by: { $0.key < $1.key }) {
      append(littleEndian: number)
    }
    append(manifest.schema.changed) { $0.append(variable: $1) }
  }
}
