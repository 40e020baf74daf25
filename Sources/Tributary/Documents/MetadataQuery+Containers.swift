import Foundation
public import TributaryCoordination
public import TributaryDocuments

extension MetadataQuery {
  /// Makes a query over all containers that an application may use. The query does nothing until it is
  /// started. Making it may block while a mount does not answer.
  ///
  /// - Parameters:
  ///   - predicate: the items to look for.
  ///   - scopes: where to look for them.
  ///   - containers: for the scopes `.documents` and `.data`, those that are enabled now; `nil` means those of the
  ///     application. A container that comes later needs another query.
  ///   - notificationBatchingInterval: the shortest time between two updates.
  ///   - pollingInterval: the time between two scans of everything where the system does not report changes.
  ///     It is longer if a scan takes more than a twentieth of it.
  /// - Throws: `CoordinationError` if there is nothing to search; `DocumentError` if the containers cannot be found.
  public convenience init(
    predicate: MetadataPredicate = .all, scopes: [MetadataScope], containers: Containers? = nil,
    notificationBatchingInterval: Duration = .milliseconds(100),
    pollingInterval: Duration = .seconds(10)
  ) throws {
    var directories: [URL] = []
    if scopes.contains(.documents) || scopes.contains(.data) {
      let containers =
        try containers ?? Containers(places: .ofUser(), entitlements: .ofApplication())
      directories = try containers.list().filter { $0.state == .enabled }
        .map { URL(filePath: $0.path, directoryHint: .isDirectory) }
    }
    try self.init(
      predicate: predicate, scopes: scopes, containers: directories,
      notificationBatchingInterval: notificationBatchingInterval, pollingInterval: pollingInterval)
  }
}
