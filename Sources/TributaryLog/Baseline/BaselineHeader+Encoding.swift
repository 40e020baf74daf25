import TributaryCore
import TributaryHorizon

extension BaselineHeader {
  /// Returns the content of frame 1.
  ///
  /// - Throws: `malformed` or `limitExceeded` for what the format does not allow.
  package func encoded() throws(LogError) -> [UInt8] {
    try check()
    var buffer = ByteBuffer()
    let flags =
      (declaration == nil ? 0 : Self.declares) | (tables == .all ? 0 : Self.lacksTables)
    Self.frame.begin(&buffer, minor: flags == 0 ? 0 : 1, flags: flags)
    buffer.append(peer)
    buffer.append(littleEndian: sequence.rawValue)
    buffer.append(littleEndian: databaseSize)
    buffer.append(littleEndian: UInt16(contentName.utf8.count))
    buffer.append(contentsOf: contentName.utf8)
    buffer.append(littleEndian: UInt32(entries.count))
    for entry in entries { buffer.append(entry) }
    if let declaration { buffer.append(weightAndMembersOf: declaration) }
    BaselineTables.append(tables, to: &buffer)
    return Array(buffer.bytes)
  }

  /// Reads the content of frame 1.
  ///
  /// - Parameter bytes: exactly the content.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(LogError) {
    var cursor = ByteCursor(bytes)
    let flags: UInt32
    (version, flags) = try Self.frame.begin(&cursor, known: Self.declares | Self.lacksTables)
    peer = try cursor.peer()
    let sequence = SequenceNumber(try cursor.littleEndian())
    databaseSize = try cursor.littleEndian()
    let size = Int(try cursor.littleEndian(UInt16.self))
    guard size <= LogFormat.maximumNameByteCount else {
      throw cursor.failure(.limitExceeded, "a content name of \(size) bytes")
    }
    contentName = try cursor.text(byteCount: size)
    let count = try cursor.littleEndian(UInt32.self)
    guard count <= LogFormat.maximumKnowledgeCount else {
      throw cursor.failure(.limitExceeded, "a baseline of \(count) peers")
    }
    entries = []
    for _ in 0..<count { entries.append(try cursor.entry()) }
    if flags & Self.declares != 0 {
      let (weight, members) = try cursor.weightAndMembers()
      declaration = Declaration(weight: weight, members: members, entries: entries)
    }
    tables = flags & Self.lacksTables == 0 ? .all : try BaselineTables.read(&cursor)
    guard cursor.remaining == 0 || version > Self.currentVersion else {
      throw cursor.failure(.malformed, "\(cursor.remaining) bytes follow the header")
    }
    guard flags == 0 || version.minor > 0 else {
      throw LogError(
        .malformed, "a declaration, or a list of tables, in version \(version)", at: 12)
    }
    guard sequence == self.sequence else {
      throw LogError(.malformed, "two numbers of the writer's last transaction", at: 32)
    }
    try check()
  }

  /// Checks what must be true of every header in a file.
  private func check() throws(LogError) {
    let size = contentName.utf8.count
    guard (1...LogFormat.maximumNameByteCount).contains(size) else {
      throw LogError(.malformed, "a content name of \(size) bytes", at: 48)
    }
    try LogError.checkKnowledge(count: entries.count)
    var last: PeerIdentity?
    for entry in entries {
      guard entry.sequence > .zero, entry.sequence <= .max else {
        throw LogError(.malformed, "\(entry.sequence) is not a sequence")
      }
      if let last, entry.peer <= last {
        throw LogError(.malformed, "the peers of a baseline do not ascend")
      }
      last = entry.peer
    }
    try BaselineTables.check(tables)
    guard let declaration else { return }
    try Declaration.check(weight: declaration.weight, members: declaration.members)
    guard declaration.horizonEntries == entries else {
      throw LogError(.malformed, "a declaration of another horizon")
    }
  }
}
