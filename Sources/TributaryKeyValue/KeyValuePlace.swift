package import TributarySQLite
internal import TributaryStore
package import TributarySync

/// Where a key-value store is, and what it shares.
package struct KeyValuePlace: Sendable {
  /// The path of the database.
  package var path: String
  /// The path of the shared directory.
  package var container: String
  /// The identifier: all applications that use it share the values.
  package var identifier: String
  /// The limits; `nil` means those in the container, and `standard` for the first device.
  package var profile: KeyValueProfile?
  /// A name by which people recognise this device; `nil` means the name of the machine.
  package var peerName: String?
  package var environment: StoreEnvironment

  package init(
    path: String, container: String, identifier: String, profile: KeyValueProfile? = nil,
    peerName: String? = nil, environment: StoreEnvironment = StoreEnvironment()
  ) {
    self.path = path
    self.container = container
    self.identifier = identifier
    self.profile = profile
    self.peerName = peerName
    self.environment = environment
  }

  /// The path of the values as long as the container has never been available.
  package var unsharedPath: String { path + "-unshared" }

  /// The directory below the container, separate from other stores: an application may give a store and its
  /// settings the same name.
  package static let contentRoot = "tributary-key-value"

  /// Makes the database a key-value store of the container, or checks that it is one. A database that was
  /// detached brings its values along.
  ///
  /// - Parameters:
  ///   - cancellation: cancels attaching, as in `AttachRequest`.
  ///   - progress: called with the progress, as by `Engine.attach`.
  /// - Throws: what `Engine.attach` throws, and `KeyValueError` if the database is of another kind, or the container
  ///   has something else under the identifier, or other limits.
  package func attach(
    heeding cancellation: Cancellation? = nil, progress: ((Progress) throws -> Void)? = nil
  ) throws -> AttachReport {
    do { return try make(cancellation, progress) } catch { throw namingIdentifier(in: error) }
  }

  private func make(
    _ cancellation: Cancellation?, _ progress: ((Progress) throws -> Void)?
  ) throws -> AttachReport {
    var request = AttachRequest(store: path, container: container, contentName: identifier)
    request.contentRoot = Self.contentRoot
    request.peerName = peerName
    request.defaultCapture = .triggers
    request.cancellation = cancellation
    if try isAttached() {
      _ = try presentProfile()
    } else {
      let own = try detachedProfile()
      if let statements = try Engine.sharedStatements(for: request, environment: environment) {
        guard let shared = KeyValueSchema.profile(in: statements) else {
          throw KeyValueError(
            .notKeyValueStore,
            "the container \(container) has a store of other tables under the identifier \(identifier)",
            path: path, remedy: "use another identifier, or another container")
        }
        try check(shared, "the container \(container) has the key-value store \(identifier)")
        try check(own, isOf: shared)
      } else {
        if own == nil { request.migrations = [KeyValueSchema.migration(profile ?? .standard)] }
        request.merge = KeyValueSchema.merge
      }
    }
    return try Engine.attach(request, environment: environment, progress: progress)
  }

  /// Whether the database is already a store.
  package func isAttached() throws -> Bool {
    guard try environment.fileSystem.status(path) != nil else { return false }
    return try LocalStore.isAttached(at: path)
  }

  /// Returns the limits of the attached store.
  ///
  /// - Throws: `KeyValueError` if it is not a key-value store, or its limits differ from those requested.
  package func presentProfile() throws -> KeyValueProfile {
    let present = try Self.profile(of: path)
    try check(present, "the key-value store has been made")
    return present
  }

  private func check(_ present: KeyValueProfile, _ what: String) throws {
    guard let profile, profile != present else { return }
    throw KeyValueError(
      .differentProfile, "\(what) with the profile \(present.rawValue), not \(profile.rawValue)",
      path: path,
      remedy: "ask for \(present.rawValue) or for none, or use another identifier")
  }

  /// Checks that values that were kept under some limits may join those of the container.
  private func check(_ own: KeyValueProfile?, isOf shared: KeyValueProfile) throws {
    guard let own, own != shared else { return }
    throw KeyValueError(
      .differentProfile,
      "the values here were kept with the profile \(own.rawValue), and the container \(container) has the key-value store \(identifier) with \(shared.rawValue)",
      path: path,
      remedy: "use another identifier, or give the path of a file that does not exist yet")
  }

  /// Returns the limits of a key-value store that was detached; `nil` if there is nothing yet.
  ///
  /// - Throws: `KeyValueError` if the database has other tables, or if the store was made with limits that
  ///   differ from those requested.
  private func detachedProfile() throws -> KeyValueProfile? {
    guard try environment.fileSystem.status(path) != nil else { return nil }
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    if try Self.isEmpty(connection) { return nil }
    guard let present = try Self.profile(in: connection) else {
      throw KeyValueError(
        .notKeyValueStore,
        "the database has tables already, which are not those of a key-value store",
        path: path, remedy: "give the path of a file that does not exist yet")
    }
    try check(present, "the key-value store has been made")
    return present
  }

  /// Whether `attach` would make a key-value store from the database, or from its values. Reading errors are
  /// reported elsewhere.
  package func isAttachable() -> Bool {
    guard let connection = try? Connection(path: path, mode: .readWrite) else { return false }
    defer { connection.close() }
    return (try? Self.isEmpty(connection) || Self.profile(in: connection) != nil) ?? false
  }

  private static func isEmpty(_ connection: Connection) throws -> Bool {
    try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
  }

  /// Returns the limits that a key-value store has been made with.
  ///
  /// - Throws: `KeyValueError` for any other database.
  package static func profile(of path: String) throws -> KeyValueProfile {
    let connection = try Connection(path: path, mode: .readWrite)
    defer { connection.close() }
    if let profile = try profile(in: connection) { return profile }
    throw KeyValueError(
      .notKeyValueStore, "the database is not a key-value store", path: path,
      remedy: makeRemedy)
  }

  private static func profile(in connection: Connection) throws -> KeyValueProfile? {
    let statement = try connection.prepare(
      """
      SELECT sql FROM sqlite_schema WHERE type = 'view' AND name = ?
      AND EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?)
      """)
    try statement.bind([.string(KeyValueSchema.profileView), .string(KeyValueSchema.table)])
    return try statement.step() ? KeyValueSchema.profile(in: [statement.string(0)]) : nil
  }
}
