/// The two numbers of a database's file that belong to its application: `PRAGMA user_version` says which
/// version of its tables there are, `PRAGMA application_id` whose file it is.
public struct HeaderNumbers: Hashable, Sendable {
  public var userVersion: Int32
  public var applicationID: Int32

  public init(userVersion: Int32 = 0, applicationID: Int32 = 0) {
    self.userVersion = userVersion
    self.applicationID = applicationID
  }

  /// What gives them to a database; nothing for those that were never set.
  public var statements: [String] {
    (userVersion == 0 ? [] : ["PRAGMA user_version = \(userVersion)"])
      + (applicationID == 0 ? [] : ["PRAGMA application_id = \(applicationID)"])
  }
}

extension Connection {
  /// As they are in the open transaction.
  public func headerNumbers() throws -> HeaderNumbers {
    HeaderNumbers(
      userVersion: Int32(truncatingIfNeeded: try integer("PRAGMA main.user_version") ?? 0),
      applicationID: Int32(truncatingIfNeeded: try integer("PRAGMA main.application_id") ?? 0))
  }
}
