extension CoordinationTable {
  /// Ends a claim, and notifies presenters of what has changed.
  package mutating func end(_ number: UInt64, changes: [ItemChange]) {
    guard let index = claims.firstIndex(where: { $0.number == number }) else { return }
    withdrawQuestions(of: index)
    let claim = claims.remove(at: index)
    if claim.phase == .granted {
      for change in changes { announce(change, by: claim.presenter) }
    }
    for presenter in claim.relinquished where self.presenter(presenter) != nil {
      send(.reacquire, to: presenter, claim: number)
    }
  }

  private mutating func announce(_ change: ItemChange, by author: UInt64) {
    let path = change.path
    for presenter in presenters where presenter.number != author {
      if presenter.path.isAtOrBelow(path) {
        send(.didChange, to: presenter.number)
      } else if path.isBelow(presenter.path) {
        if case .appeared = change {
          send(.subitemDidAppear, to: presenter.number, path: path)
        } else {
          send(.subitemDidChange, to: presenter.number, path: path)
        }
      }
    }
  }

  /// Notes that an item has moved: presenters and waiting claims follow.
  ///
  /// - Parameter author: the presenter that moved it and is not notified; 0 for none.
  package mutating func move(from old: String, to new: String, by author: UInt64) {
    for index in presenters.indices {
      let presenter = presenters[index]
      let isAuthor = presenter.number == author
      if let path = presenter.path.moved(from: old, to: new) {
        presenters[index].path = path
        if !isAuthor { send(.didMove, to: presenter.number, otherPath: path) }
      } else if isAuthor {
        continue
      } else if old.isBelow(presenter.path) {
        send(.subitemDidMove, to: presenter.number, path: old, otherPath: new)
      } else if new.isBelow(presenter.path) {
        send(.subitemDidAppear, to: presenter.number, path: new)
      }
    }
    for index in claims.indices where claims[index].phase == .waiting {
      for item in claims[index].items.indices {
        guard let path = claims[index].items[item].path.moved(from: old, to: new) else { continue }
        claims[index].items[item].path = path
      }
    }
  }

  /// Notifies presenters of an item about a version of it.
  ///
  /// - Parameters:
  ///   - kinds: the messages for the presenters of the item and for those of directories above it.
  ///   - author: the presenter that is not notified; 0 for none.
  package mutating func announceVersion(
    _ version: String, of path: String,
    _ kinds: (PresenterMessage.Kind, PresenterMessage.Kind), by author: UInt64
  ) {
    for presenter in presenters where presenter.number != author {
      if presenter.path == path {
        send(kinds.0, to: presenter.number, otherPath: version)
      } else if path.isBelow(presenter.path) {
        send(kinds.1, to: presenter.number, path: path, otherPath: version)
      }
    }
  }
}
