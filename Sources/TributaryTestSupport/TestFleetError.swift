/// What a test asks of a `TestFleet` and cannot have.
public struct TestFleetError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong, with the names of the device and the file.
  public var message: String
  /// What to do about it.
  public var remedy: String

  /// Both in one line.
  public var description: String { "\(message): \(remedy)" }
}
