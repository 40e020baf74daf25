import TributaryContainer
import TributarySQLite
import TributaryStore

extension KnownHorizons {
  /// Adds the declarations that a store remembers.
  func add(_ record: HorizonRecord) {
    for declaration in record.declarations { add(declaration) }
  }

  /// Returns those that a store remembers, and that baselines have.
  static func known(to connection: Connection) -> KnownHorizons {
    let horizons = KnownHorizons()
    // Whoever decides anything by a record that cannot be read says so.
    if let record = try? HorizonRecord(connection) { horizons.add(record) }
    for declaration in (try? HorizonRecord.earlier(connection)) ?? [] { horizons.add(declaration) }
    return horizons
  }
}
