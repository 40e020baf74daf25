import TributaryCore
import TributaryLog
import TributarySQLite

/// The shapes and schemas to which the records of a store refer by number.
package struct ShapeRegistry {
  /// Numbers keep their meaning as long as the instance is the same. Numbers from a transaction that was
  /// rolled back are reused.
  final class Reading {}

  let reading = Reading()
  private let connection: Connection
  private var numbers: [[UInt8]: UInt32] = [:]
  /// The shapes, by number.
  package private(set) var shapes: [UInt32: TableShape] = [:]

  package init(_ connection: Connection) throws {
    self.connection = connection
    let statement = try connection.cached("SELECT id, definition FROM tributary_shape")
    defer { statement.reset() }
    while try statement.step() {
      let definition = Array(statement.bytes(1))
      do {
        let shape = try definition.withUnsafeBytes { try TableShape(decoding: $0) }
        // This library never assigns these numbers, so nothing refers to them.
        guard let number = UInt32(exactly: statement.integer(0)) else { continue }
        numbers[definition] = number
        shapes[number] = shape
      } catch {
        throw StoreError.damaged(
          "shape \(statement.integer(0)) of tributary_shape cannot be read: \(error)",
          path: connection.path)
      }
    }
  }

  /// Returns the number of a shape, recording it if it is new.
  package mutating func number(of shape: TableShape) throws -> UInt32 {
    let definition = try shape.encoded()
    if let number = numbers[definition] { return number }
    try connection.cached("INSERT INTO tributary_shape (definition) VALUES (?)")
      .run(.blob(definition))
    guard
      let id = try connection.integer(
        "SELECT id FROM tributary_shape WHERE definition = ?", .blob(definition))
    else { preconditionFailure("a row just written is there") }
    guard let number = UInt32(exactly: id) else {
      throw StoreError.damaged(
        "tributary_shape has run out of numbers", path: connection.path)
    }
    numbers[definition] = number
    shapes[number] = shape
    return number
  }

  /// Returns the layout of a shape's images; `nil` for an unknown number.
  package func layout(_ number: UInt32) -> ShapeLayout? { shapes[number].map { ShapeLayout($0) } }
}
