public import TributaryCore
import TributaryFiles
public import TributarySQLite

/// Finds out that a store's file is a copy of the one that it was when it was last looked at.
///
/// Two stores that write under one identity can be told apart only afterwards, from what they have
/// published. A copy that knows that it is one never does: it publishes nothing before it has an
/// identity of its own.
public struct CopyRecognition: Sendable {
  private let birth: @Sendable (String) -> Int64?
  private let makeIdentity: @Sendable () -> PeerIdentity

  /// - Parameters:
  ///   - birth: when a file was made; `nil` where nobody knows, and then nothing is found out.
  ///   - makeIdentity: gives what the new identity is made from.
  public init(
    birth: @escaping @Sendable (String) -> Int64? = FileBirth.nanoseconds,
    makeIdentity: @escaping @Sendable () -> PeerIdentity = {
      var generator = SystemRandomNumberGenerator()
      return .random(using: &generator)
    }
  ) {
    self.birth = birth
    self.makeIdentity = makeIdentity
  }

  /// Finds out nothing.
  public static let none = CopyRecognition(birth: { _ in nil })

  /// Writes down that the store is a copy, if it is one; before it writes anything else.
  public func look(at connection: Connection) throws {
    guard let birth = birth(connection.filePath) else { return }
    let settings = Settings(connection)
    guard try settings.integer(.birth) != birth else { return }
    try connection.immediate {
      // Another process may have done it.
      guard let known = try settings.integer(.birth) else {
        return try settings.set(.birth, .integer(birth))
      }
      guard known != birth else { return }
      try CopyTable(connection).add(
        after: Outbox(connection).last()?.sequence ?? .zero,
        next: settings.peer().successor(makeIdentity()))
      try settings.set(.nextPeer, nil)
      try settings.set(.birth, .integer(birth))
    }
  }

  /// Up to where the original has the same, if the store is a copy; without writing anything down.
  public func copied(_ connection: Connection) throws -> SequenceNumber? {
    if let mark = try CopyTable(connection).first() { return mark.last }
    guard let known = try Settings(connection).integer(.birth),
      let birth = birth(connection.filePath), known != birth
    else { return nil }
    return try Outbox(connection).last()?.sequence ?? .zero
  }

  /// Takes the file for the original, whatever was written down; for a store that was just made.
  public func begin(_ connection: Connection) throws {
    try Settings(connection).set(.birth, birth(connection.filePath).map { .integer($0) })
  }
}
