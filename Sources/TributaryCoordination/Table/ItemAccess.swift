/// What a claim is for.
package enum ItemAccess: Hashable, Sendable {
  case reading(FileCoordinator.ReadingOptions)
  case writing(FileCoordinator.WritingOptions)

  package var isWriting: Bool {
    if case .writing = self { true } else { false }
  }
}
