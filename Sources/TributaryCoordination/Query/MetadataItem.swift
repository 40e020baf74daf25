public import FoundationEssentials

/// A file, directory or package that a query has found.
public struct MetadataItem: Hashable, Sendable {
  /// What an item is.
  public enum Kind: Hashable, Sendable {
    /// A file, or a package that is one document.
    case file
    /// A directory that is not a package.
    case directory
    /// A directory with a `DocumentMetadata.plist`: a managed document, which is one item.
    case package
  }

  /// The absolute path.
  public let path: String
  /// What the item is.
  public let kind: Kind
  /// The size in bytes. For a package it is the total size of all files in it, and for a directory 0.
  public let size: UInt64
  let modifiedNanoseconds: Int64
  /// What a managed document says about itself, so that it can be searched for; empty for everything else,
  /// and if its metadata cannot be read.
  public let attributes: [String: String]
  /// The content name of a managed document; `nil` for everything else, and if its metadata cannot be read.
  public let contentName: String?

  /// The URL.
  public var url: URL { URL(filePath: path) }

  /// The name, with its extension.
  public var name: String {
    String(Substring(path.utf8.suffix(while: { $0 != UInt8(ascii: "/") })))
  }

  /// When the contents last changed; for a package, the latest change of anything in it. Carriers may set it to
  /// anything.
  public var contentModificationDate: Date {
    Date(timeIntervalSince1970: Double(modifiedNanoseconds) / 1e9)
  }

  package init(
    path: String, kind: Kind, size: UInt64, modifiedNanoseconds: Int64,
    metadata: PackageMetadata? = nil
  ) {
    attributes = metadata?.attributes ?? [:]
    contentName = metadata?.contentName
    self.path = path
    self.kind = kind
    self.size = size
    self.modifiedNanoseconds = modifiedNanoseconds
  }
}

extension MetadataItem {
  /// Whether everything is the same. Paths are compared byte by byte, as files are.
  public static func == (a: MetadataItem, b: MetadataItem) -> Bool {
    ExactText(a.path) == ExactText(b.path) && a.kind == b.kind && a.size == b.size
      && a.modifiedNanoseconds == b.modifiedNanoseconds && a.attributes == b.attributes
      && a.contentName == b.contentName
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(path))
    hasher.combine(kind)
    hasher.combine(size)
    hasher.combine(modifiedNanoseconds)
  }
}

extension BidirectionalCollection {
  /// Returns the longest suffix whose elements all satisfy a condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, condition(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
