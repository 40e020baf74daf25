import TributaryCore
import TributarySQLite

/// Since when rows of an image have had their unique keys and references, where that is recorded.
package final class BaselineClaims {
  private let image: Connection
  private let table: ClaimTable

  /// Opens an image, which may come from an untrusted source.
  package init(_ path: String, _ schema: ReplicatedSchema) throws {
    image = try BaselineImage.open(path, .readOnly)
    table = ClaimTable(image, schema: schema)
  }

  deinit { image.close() }

  /// Returns what is recorded about a row, by the name of the key, or by the number of the reference after
  /// "#".
  package func sides(of row: RowIdentity) throws -> [String: Conflict.Side] {
    Dictionary(
      try table.claims(of: row).map { ($0.key.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
