import Foundation
import Tributary

final class Editor: FilePresenter {
  let presentedItemURL: URL?

  init(_ url: URL) { presentedItemURL = url }

  func presentedItemDidMove(to newURL: URL) async { print(newURL) }
}

@MainActor
func edit(_ url: URL) async throws {
  let editor = Editor(url)
  try await FileCoordinator.addFilePresenter(editor)
  let coordinator = FileCoordinator(filePresenter: editor)
  let text = try await coordinator.coordinate(readingItemAt: url, options: .withoutChanges) {
    try String(contentsOf: $0, encoding: .utf8)
  }
  try await coordinator.coordinate(with: [.writingIntent(with: url, options: .forReplacing)]) {
    try text.write(to: $0[0], atomically: true, encoding: .utf8)
  }
  try await FileCoordinator.removeFilePresenter(editor)
}

func find(in container: URL) async throws -> [MetadataItem] {
  let query = try MetadataQuery(
    predicate: .and([.name("*.txt"), .not(.kind(.directory))]), scopes: [.documents],
    containers: [container])
  try query.start(postingTo: .default)
  for await event in query.events {
    switch event {
    case .didFinishGathering: return query.results
    case .didUpdate(let update): print(update.added.map(\.name))
    case .didFail(let error): throw error
    }
  }
  print(try NamePattern("a*").matches("abc"), MetadataQueryNotificationKey.update)
  return []
}
