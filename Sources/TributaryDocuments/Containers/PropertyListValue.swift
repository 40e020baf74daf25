internal import FoundationEssentials
internal import TributaryFiles

/// A value of a property list, of the kinds that Tributary reads.
enum PropertyListValue: Decodable, Equatable {
  case string(String)
  case bool(Bool)
  case integer(Int)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
  /// Data, a date or a real number.
  case other

  init(from decoder: any Decoder) throws {
    if let keyed = try? [String: PropertyListValue](from: decoder) {
      self = .dictionary(keyed)
    } else if let array = try? [PropertyListValue](from: decoder) {
      self = .array(array)
    } else {
      let single = try decoder.singleValueContainer()
      if let value = try? single.decode(String.self) {
        self = .string(value)
      } else if let value = try? single.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? single.decode(Int.self) {
        self = .integer(value)
      } else {
        self = .other
      }
    }
  }

  /// The name of its kind, with an article.
  var kind: String {
    switch self {
    case .string: "a string"
    case .bool: "a boolean"
    case .integer: "a number"
    case .array: "an array"
    case .dictionary: "a dictionary"
    case .other: "neither of them"
    }
  }

  /// The largest property list that is read.
  private static let limit = 1 << 20

  /// Reads a file whose property list is a dictionary.
  ///
  /// - Parameter code: the code of the errors.
  static func dictionary(
    at path: String, _ code: DocumentError.Code, using files: some FileSystem
  ) throws(DocumentError) -> [String: PropertyListValue] {
    let bytes: [UInt8]
    do {
      bytes = try files.read(path, limit: limit)
    } catch {
      throw DocumentError(
        code, "it cannot be read: \(error.message)", path: path, remedy: error.remedy,
        underlying: error)
    }
    let value: PropertyListValue
    do {
      value = try PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes))
    } catch {
      throw DocumentError(
        code, "it is not a property list", path: path,
        remedy: "write it as an XML or binary property list; `plutil -lint`, or an XML "
          + "parser, says where it is wrong",
        underlying: error)
    }
    guard case .dictionary(let dictionary) = value else {
      throw DocumentError(
        code, "its property list is \(value.kind), not a dictionary", path: path,
        remedy: "put the keys into a dictionary")
    }
    return dictionary
  }
}
