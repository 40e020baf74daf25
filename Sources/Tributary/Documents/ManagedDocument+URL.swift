public import Foundation
import TributaryDocuments

extension ManagedDocument {
  /// Makes a document and opens it, as the other `create` does.
  public static func create(
    at url: URL, contents: DocumentContents = .empty, options: ManagedDocumentOptions = .init()
  ) async throws -> ManagedDocument {
    try await create(at: path(of: url), contents: contents, options: options)
  }

  /// Opens a document, as the other `open` does.
  public static func open(
    at url: URL, options: ManagedDocumentOptions = .init()
  ) async throws -> ManagedDocument {
    try await open(at: path(of: url), options: options)
  }

  /// Moves the document, as the other `move` does.
  public func move(to url: URL) async throws { try await move(to: Self.path(of: url)) }

  /// Makes another document with the same contents, as the other `duplicate` does.
  @discardableResult
  public func duplicate(to url: URL) async throws -> URL {
    URL(
      filePath: try await duplicate(to: Self.path(of: url)) as String, directoryHint: .isDirectory)
  }

  private static func path(of url: URL) throws -> String {
    guard url.isFileURL else {
      throw DocumentError(
        .notADocument, "the URL \(url) names no file", remedy: "use the URL of a file")
    }
    return url.path(percentEncoded: false)
  }
}
