import TributaryCore
import TributaryStore

/// The settings that a request can change of a store that is attached already, in words.
struct AttachedSettings {
  /// Names and values, in the order of the options.
  private let values: [(name: String, value: String)]

  init(_ store: LocalStore) throws {
    values = try store.service { connection in
      let settings = Settings(connection)
      let tables = try ReplicatedSchema(
        connection, selection: TableSelection(connection)
      ).tables.filter { $0.refusal == nil }
      let merge = try MergeOptions(connection)
      return try [
        ("the name of this device", settings.identity().peerName),
        (Self.tables, Self.list(tables.map(\.name))),
        (Self.choice, Self.text(of: TableSelection(connection))),
        ("capture", settings.captureMethod().rawValue),
        ("following the schemas of others", FollowedSchema(connection).isFollowing ? "yes" : "no"),
        ("foreign keys", (merge.foreignKeys ?? .enforce).rawValue),
        (
          "tables whose rows new devices get once",
          Self.list(CopiedTables(connection).all().map(\.name))
        ),
        ("the limit of disk use", settings.spaceLimit().map { "\($0) bytes" } ?? "none"),
      ] + tables.map { ("how table \($0.name) merges", "\(merge[$0.name])") }
    }
  }

  private static let tables = "shared tables"
  /// Reported only if it concerns nothing but tables that do not exist yet.
  private static let choice = "the choice of tables"

  private static func text(of selection: TableSelection) -> String {
    switch selection.ordered {
    case .all: "all"
    case .only(let names): "only \(list(names))"
    case .except(let names): "all except \(list(names))"
    }
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "none" : names.joined(separator: ", ")
  }

  /// Returns what has changed, as phrases.
  func changes(to later: AttachedSettings) -> [String] {
    let former = Dictionary(
      values.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    let different = later.values.filter { name, value in
      former[name].map { $0 != value } ?? false
    }
    return different.compactMap { name, value in
      if name == Self.choice, different.contains(where: { $0.name == Self.tables }) { return nil }
      return former[name].map { "\(name): \(value), \($0) before" }
    }
  }
}
