import Foundation

/// Costs that grow with the number of devices: a container of 10,000 devices, ten of which write.
struct DeclaredFleetScale {
  let options: Options
  let scratch: Scratch

  private static let name = "scale, 10,000 peers, 10 of which write"
  private static let count = 10_000

  var `case`: Case {
    func figure(_ what: String, _ unit: Figure.Unit) -> Figure {
      Figure("\(Self.name): \(what)", unit, must: nil, goal: nil)
    }
    return Case([
      figure("segment of a row", .bytes), figure("peer.json", .bytes),
      figure("sync with nothing new", .milliseconds),
      figure("the same in a new session", .milliseconds),
      figure("sync with 10 new segments, beyond the import", .milliseconds),
      figure("with 10 new segments in a new session", .milliseconds),
      figure("container", .megabytes), figure("attach", .milliseconds),
      Figure("\(Self.name): peak memory", .megabytes, must: 256, goal: 128),
    ]) { [self] in try measure() }
  }

  private func measure() throws -> [Measurement] {
    let fleet = try DeclaredFleet(of: Self.count, scratch)
    let run = DeclaredFleetRun(fleet: fleet, scratch: scratch, rounds: min(options.rounds, 3))
    let measured = try run.measure()
    let (stores, path) = (fleet.stores, fleet.stores.path("new"))
    let attaching = try ChildRun(.attach, store: path, container: stores.container).measure()
    let reader = stores.path(fleet.reader)
    let syncing = try ChildRun(.synchronize, store: reader, container: stores.container).measure()
    let bytes = try size(of: stores.container)
    return measured + [
      Measurement(
        value: Double(bytes) / 1e6,
        details: [(name: "KB a peer", value: Double(bytes) / 1e3 / Double(Self.count))]),
      Measurement(value: attaching.seconds * 1e3),
      Measurement(
        value: max(attaching.megabytes, syncing.megabytes),
        details: [
          (name: "attach", value: attaching.megabytes), (name: "sync", value: syncing.megabytes),
        ]),
    ]
  }

  /// Returns the bytes of all files in a directory.
  private func size(of directory: String) throws -> Int {
    let files = FileManager.default.enumerator(atPath: directory)?.allObjects ?? []
    return try files.compactMap { $0 as? String }.reduce(0) { sum, file in
      let path = "\(directory)/\(file)"
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else { return sum }
      return sum + (attributes[.size] as? Int ?? 0)
    }
  }
}
