import Foundation
import TributaryKeyValue

extension PropertyListValue {
  /// The value in the types of Foundation and of the language.
  var object: Any {
    switch self {
    case .string(let string): string
    case .integer(let integer): Int(integer)
    case .real(let real): real
    case .bool(let bool): bool
    case .date(let date): Date(timeIntervalSinceReferenceDate: date)
    case .data(let data): Data(data)
    case .array(let elements): elements.map(\.object)
    case .dictionary(let members): members.mapValues(\.object)
    }
  }

  /// Makes a value from types of Foundation and of the language; `nil` if no property list can
  /// contain it.
  init?(object: Any) {
    switch object {
    case let value as PropertyListValue: self = value
    case let string as String: self = .string(string)
    case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
    case let data as Data: self = .data([UInt8](data))
    case let bytes as [UInt8]: self = .data(bytes)
    // Before the numbers, since a bool can be cast to one.
    case let bool as Bool where Self.isBool(object): self = .bool(bool)
    case let integer as any BinaryInteger:
      guard let integer = Int64(exactly: integer) else { return nil }
      self = .integer(integer)
    case let real as Double: self = .real(real)
    case let real as Float: self = .real(Double(real))
    case let number as NSNumber: self.init(number)
    case let elements as [Any]:
      var values: [PropertyListValue] = []
      for element in elements {
        guard let value = PropertyListValue(object: element) else { return nil }
        values.append(value)
      }
      self = .array(values)
    case let members as [String: Any]:
      var values: [String: PropertyListValue] = [:]
      for (key, member) in members {
        guard let value = PropertyListValue(object: member) else { return nil }
        values[key] = value
      }
      self = .dictionary(values)
    default: return nil
    }
  }

  private init?(_ number: NSNumber) {
    switch UnicodeScalar(UInt8(bitPattern: number.objCType.pointee)) {
    case "B": self = .bool(number.boolValue)
    case "d", "f": self = .real(number.doubleValue)
    case "Q":
      guard let integer = Int64(exactly: number.uint64Value) else { return nil }
      self = .integer(integer)
    default: self = .integer(number.int64Value)
    }
  }

  private static func isBool(_ object: Any) -> Bool {
    type(of: object) == Bool.self
  }
}
