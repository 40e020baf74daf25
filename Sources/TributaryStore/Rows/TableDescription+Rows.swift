import TributaryCore
import TributaryLog

extension TableDescription {
  /// Returns a row with some cells replaced; the cells name their columns.
  package func row(_ row: [Value], with cells: [Conflict.Cell]) -> [Value] {
    var row = row
    for cell in cells {
      if let column = shape.columns.firstIndex(where: {
        SQLName($0) == SQLName(cell.column)
      }) {
        row[column] = cell.value
      }
    }
    return row
  }

  /// Returns values that are equal, as a key, to the values with the given canonical bytes.
  package func keyValues(_ bytes: [UInt8]) throws(LogError) -> [Value] {
    var values: [Value] = []
    var failure: LogError?
    bytes.withUnsafeBytes { bytes in
      var cursor = ImageCursor(bytes)
      do throws(LogError) {
        while !cursor.isAtEnd { values.append(try cursor.next().value ?? .null) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return values
  }
}
