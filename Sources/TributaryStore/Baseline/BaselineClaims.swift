import TributaryCore
import TributarySQLite

/// Since when rows of an image have had the unique keys and the references of which that is recorded.
package final class BaselineClaims {
  private let image: Connection
  private let table: ClaimTable

  /// Opens an image that may have been made by anybody.
  package init(_ path: String, _ schema: ReplicatedSchema) throws {
    image = try BaselineImage.open(path, .readOnly)
    table = ClaimTable(image, schema: schema)
  }

  deinit { image.close() }

  /// Returns what is recorded of a row, by the name of the key, or the number of the reference after "#".
  package func sides(of row: RowIdentity) throws -> [String: Conflict.Side] {
    Dictionary(
      try table.claims(of: row).map { ($0.key.name, $0.value) }, uniquingKeysWith: { $1 })
  }
}
