import TributaryCore
import TributaryLog
import TributaryReplay
import TributarySQLite
import TributaryStore

/// One transaction that puts the rows of a baseline.
///
/// Its author is a peer of zeros and its number is 0: it comes before all others, all authors know it, and it
/// knows what is below the horizon. It gives no row a number: its rows have the numbers that they had then.
final class SettledStream: TransactionStream {
  let peer = Conflict.Side.earliest.peer
  let generation = 0
  let schema = ""
  private(set) var head: TransactionHeader?
  private let rows: BaselineRows
  private var image = ByteBuffer()

  init(_ rows: BaselineRows, knowing horizon: Knowledge) {
    self.rows = rows
    head = TransactionHeader(
      sequence: Conflict.Side.earliest.sequence, time: Conflict.Side.earliest.time, schema: 0,
      knowledge: horizon)
  }

  func nextChange() throws -> ChangeView? {
    guard head != nil, let row = try rows.next() else { return nil }
    image.removeAll()
    for value in row.values { image.append(value) }
    return ChangeView(operation: .replace, shapeID: UInt32(row.shape), image: image.bytes)
  }

  func shape(_ id: UInt32) -> TableShape { rows.shapes[Int(id)] }

  func advance() { head = nil }
}
