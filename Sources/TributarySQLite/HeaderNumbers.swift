/// The two numbers in a database's file that belong to its application: `PRAGMA user_version` is the version
/// of its tables, `PRAGMA application_id` identifies the application.
package struct HeaderNumbers: Hashable, Sendable {
  package var userVersion: Int32
  package var applicationID: Int32

  package init(userVersion: Int32 = 0, applicationID: Int32 = 0) {
    self.userVersion = userVersion
    self.applicationID = applicationID
  }

  /// The statements that set the numbers in a database; none for numbers that were never set.
  package var statements: [String] {
    (userVersion == 0 ? [] : ["PRAGMA user_version = \(userVersion)"])
      + (applicationID == 0 ? [] : ["PRAGMA application_id = \(applicationID)"])
  }
}

extension Connection {
  /// Returns the numbers as they are in the open transaction.
  package func headerNumbers() throws -> HeaderNumbers {
    HeaderNumbers(
      userVersion: Int32(truncatingIfNeeded: try integer("PRAGMA main.user_version") ?? 0),
      applicationID: Int32(truncatingIfNeeded: try integer("PRAGMA main.application_id") ?? 0))
  }
}
