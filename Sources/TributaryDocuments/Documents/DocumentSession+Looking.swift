internal import TributaryContainer
internal import TributaryCore
package import TributaryFiles

// What shows, without opening a store, whether anything may have happened to it since the last
// synchronisation.
extension DocumentSession {
  /// Returns the stamps of all directories in which other peers publish; `nil` if they show
  /// nothing.
  package func arrivals() -> [DirectoryStamp]? {
    let document = document
    let container =
      document.container ?? documents.local.privateContainer(of: document.metadata.contentName)
    let peers = documents.logs(
      document.metadata.contentURL, document.metadata.contentName, in: container
    ).appending(component: "peers")
    let own = store.peer
    // The package has been moved or deleted; a synchronisation looks for it.
    guard ((try? documents.files.status(document.package)) ?? nil) != nil else { return nil }
    let deletion = Tombstones(container: container, files: documents.files)
    // If that cannot be read, a synchronisation checks again and reports it.
    guard (try? deletion.contain(document.metadata)) == false else { return nil }
    // All in one step. If something cannot be listed, a synchronisation reports why.
    guard let files = documents.files as? BoundedFileSystem else {
      return (try? Self.stamps(peers, own, documents.files)).flatMap(\.self)
    }
    let found = try? files.executor.run("stat", on: peers) { () throws(FileError) in
      try Self.stamps(peers, own, files.base)
    }
    return found.flatMap(\.self)
  }

  private static func stamps(
    _ peers: String, _ own: PeerIdentity, _ files: any FileSystem
  ) throws(FileError) -> [DirectoryStamp]? {
    var directories = [peers]
    for entry in try files.list(peers).sorted(by: { $0.name < $1.name }) {
      guard let peer = PeerIdentity(hex: entry.name), peer != own else { continue }
      let directory = peers.appending(component: entry.name)
      directories.append(directory)
      // Both may still be missing; when they appear, the directory around them changes.
      for inner in try files.list(directory) where ["log", "baseline"].contains(inner.name) {
        directories.append(directory.appending(component: inner.name))
      }
    }
    let stamps = try files.stamps(directories)
    let known = stamps.compactMap(\.self)
    // A directory that does not exist yet, or has just changed, has no stamp.
    return known.count == stamps.count ? known : nil
  }

  /// Returns the state of the store's files; `nil` if it cannot be determined.
  func storeFiles() -> [FileStatus?]? {
    let path = document.store
    return try? documents.local.files.statuses([path, path + "-wal"])
  }
}
