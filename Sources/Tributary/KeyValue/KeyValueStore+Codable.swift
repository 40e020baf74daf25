import Foundation
import TributaryKeyValue

extension KeyValueStore {
  /// Sets a value of any type that can be encoded, as data: a property list in Apple's binary format.
  ///
  /// - Throws: what encoding throws, and what the other sets throw.
  public func encode(_ value: some Encodable, forKey key: String) throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    // The top level of a property list is an array or a dictionary.
    try set(encoder.encode([value]), forKey: key)
  }

  /// Returns the value that `encode` has set; `nil` if there is nothing under the key.
  ///
  /// - Throws: what decoding throws, for example when something else is under the key.
  public func decode<Result: Decodable>(_ type: Result.Type, forKey key: String) throws -> Result? {
    guard let value = try engine.value(for: key)?.propertyListValue else { return nil }
    guard case .data(let data) = value else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: [], debugDescription: "under '\(key)' is a \(value.kind.rawValue)"))
    }
    return try PropertyListDecoder().decode([Result].self, from: Data(data)).first
  }
}
