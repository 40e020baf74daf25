internal import TributaryFiles

extension Containers {
  /// Returns the containers on this device that the entitlements grant, in the order of their identifiers.
  public func list() throws(DocumentError) -> [ContainerDescription] {
    let root = try root()
    let settings = try settings.read()
    var found: Set<ContainerIdentifier> = []
    do {
      if try files.status(root) != nil {
        for entry in try files.list(root) {
          guard let identifier = ContainerIdentifier(directoryName: entry.name) else { continue }
          let isDirectory = try isDirectory(root.appending(component: entry.name))
          // A dangling link is an absent container.
          if isDirectory || entry.kind == .symbolicLink { found.insert(identifier) }
        }
      }
    } catch {
      throw DocumentError(error)
    }
    for entry in settings.containers where entry.root == root && (entry.wasUsed || !entry.isEnabled)
    {
      found.insert(entry.identifier)
    }
    let application = entitlements?.application
    var states: [ContainerIdentifier: ContainerDescription.State] = [:]
    for identifier in found {
      let entry = settings.entry(identifier, in: root)
      let isDisabled =
        entry?.isEnabled == false
        || application.map { entry?.disabledApplications?.contains($0) == true } ?? false
      states[identifier] =
        isDisabled
        ? .disabled : try obstacle(to: identifier, root, settings) == nil ? .enabled : .absent
    }
    return states.filter { entitlements?.grants($0.key) ?? true }
      .map { identifier, state in
        ContainerDescription(
          identifier: identifier, path: root.appending(component: identifier.directoryName),
          state: state)
      }
      .sorted { $0.identifier.text < $1.identifier.text }
  }

  /// Returns why containers are absent, each reason once: all of them may be absent because the directory of
  /// containers is.
  func obstacles(to absent: [ContainerIdentifier]) throws(DocumentError) -> [DocumentError] {
    guard !absent.isEmpty else { return [] }
    let root = try root()
    let settings = try settings.read()
    var found: [DocumentError] = []
    for identifier in absent {
      guard let obstacle = try obstacle(to: identifier, root, settings),
        !found.contains(where: { $0.path == obstacle.path && $0.message == obstacle.message })
      else { continue }
      found.append(obstacle)
    }
    return found
  }

  /// Returns how much space the existing containers take, including disabled ones.
  public func storage() throws(DocumentError) -> [ContainerStorage] {
    var all: [ContainerStorage] = []
    for container in try list() where container.state != .absent {
      do {
        guard try isDirectory(container.path) else { continue }
        let documents = container.path.appending(component: Self.documentsName)
        var items: [ContainerStorage.Item] = []
        if try isDirectory(documents) {
          for entry in try files.list(documents) where entry.isExact {
            let bytes = try files.treeSize(documents.appending(component: entry.name))
            items.append(.init(name: entry.name, bytes: bytes))
          }
        }
        items.sort { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
        let total = try files.treeSize(try files.resolve(container.path) ?? container.path)
        let inDocuments = items.reduce(0) { $0 + $1.bytes }
        all.append(
          ContainerStorage(
            identifier: container.identifier, path: container.path, bytes: total, documents: items,
            // Files may appear and disappear between the two measurements.
            otherBytes: total > inDocuments ? total - inDocuments : 0))
      } catch {
        throw DocumentError(error)
      }
    }
    return all
  }

  /// Deletes a container with everything in it. The carrier propagates this to the other devices.
  ///
  /// - Returns: its former path, without links.
  /// - Throws: `DocumentError` with `missing` if there is none.
  @discardableResult
  public func delete(_ identifier: ContainerIdentifier) throws(DocumentError) -> String {
    let identifier = try checked(identifier)
    let root = try root()
    let path = root.appending(component: identifier.directoryName)
    let resolved: String
    do {
      guard try isDirectory(path) else {
        throw DocumentError(
          .missing, "there is no container \(identifier)", path: path,
          remedy: "run `tributary container list` to see which there are")
      }
      // A link leads to the shared directory itself, whose entries are what is shared.
      resolved = try files.resolve(path) ?? path
      if resolved == path {
        try files.removeTree(path)
      } else {
        try files.removeTrees(files.list(resolved), in: resolved)
        try files.remove(path)
      }
      try files.synchronizeDirectory(root)
    } catch let error as FileError {
      throw DocumentError(error)
    } catch let error as DocumentError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
    try settings.change { settings throws(DocumentError) in
      settings.containers.removeAll { $0.root == root && $0.identifier == identifier }
    }
    return resolved
  }

  private func isDirectory(_ path: String) throws(FileError) -> Bool {
    try files.status(path)?.kind == .directory
  }
}
