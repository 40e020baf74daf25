import TributaryContainer
import TributaryHorizon
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
    for declaration in remembered(by: connection) { horizons.add(declaration) }
    return horizons
  }

  /// Returns the declarations that a store remembers, earlier ones included.
  static func remembered(by connection: Connection) -> [Declaration] {
    // The step that decides by a record that cannot be read says so: this only helps to read what others wrote.
    let record = try? HorizonRecord(connection).declarations
    // Without these, a segment above one of them waits for a baseline, and is named.
    let earlier = try? HorizonRecord.earlier(connection)
    return (record ?? []) + (earlier ?? [])
  }
}
