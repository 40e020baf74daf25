/// What travels between the containers.
extension TestFleet {
  /// Carries to the container of one device what another one has written into its own, or was brought.
  public func deliver(from source: String, to target: String) throws {
    try Carrier.carry(from: try known(source), to: try device(target))
  }

  /// Carries everything between all devices.
  public func deliver() throws {
    for (_, source) in all {
      for (_, target) in all where source !== target {
        try Carrier.carry(from: source, to: target)
      }
    }
  }

  /// The files that a delivery would carry now, or remove: their paths below the container, sorted.
  ///
  /// A test delivers them one by one, in any order, and leaves some out.
  public func undelivered(from source: String, to target: String) throws -> [String] {
    try Carrier.pending(from: try known(source), to: try device(target))
  }

  /// Carries one file.
  ///
  /// - Parameters:
  ///   - file: its path below the container, as `undelivered` returns it.
  ///   - byteCount: how many of its first bytes arrive, under its final name, as a carrier leaves it that copies in place and
  ///     was interrupted; `nil` means all. A later delivery completes it.
  /// - Throws: `TestFleetError` for a file that no delivery would carry, and if it has no more bytes than that.
  public func deliver(
    _ file: String, from source: String, to target: String, firstBytes byteCount: Int? = nil
  ) throws {
    let (from, to) = (try known(source), try device(target))
    guard try Carrier.pending(from: from, to: to).contains(file) else {
      throw TestFleetError(
        message: "\(source) has nothing for \(target) under the name \(file)",
        remedy: "take a name that undelivered returns")
    }
    guard let byteCount else { return try Carrier.carry(file, from: from, to: to) }
    let size = try Carrier.contents(of: file, in: from)?.count ?? 0
    guard (0..<size).contains(byteCount) else {
      throw TestFleetError(
        message: "\(file) of \(source) has \(size) bytes, of which \(byteCount) are no part",
        remedy: "give a smaller number, or none")
    }
    try Carrier.carry(file, from: from, to: to, firstBytes: byteCount)
  }

  /// Synchronises all open stores and carries everything, until all of them know everything.
  public func exchange() throws {
    for _ in 0..<3 {
      for (_, device) in all { try device.store?.synchronizeNow() }
      try deliver()
    }
    for (_, device) in all { try device.store?.synchronizeNow() }
  }
}
