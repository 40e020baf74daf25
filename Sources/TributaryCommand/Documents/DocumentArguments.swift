import TributaryDocuments
import TributaryFiles
import TributarySync

/// The common part of the commands about documents.
enum DocumentArguments {
  static let package = Operand("PACKAGE", .directory)
  static let newPackage = Operand("NEW", .directory)

  /// The commands that find out what is wrong with a store, or repair it.
  private static let repairing: Set<String> = ["doctor", "rebuild", "verify"]
  /// The commands that make a store.
  private static let making: Set<String> = ["attach", "kv attach"]

  /// Returns the arguments with the paths of stores in place of those of documents, where the command takes one
  /// STORE.
  static func resolved(_ arguments: Arguments, _ syntax: Syntax) throws -> Arguments {
    var arguments = arguments
    for (index, operand) in syntax.operands.enumerated()
    where [.store, .storeOrContainer].contains(operand) && index < arguments.operands.count {
      arguments.operands[index] = try store(
        arguments.operands[index], asItIs: repairing.contains(syntax.path),
        makesNone: syntax.path == DoctorCommand.syntax.path, mayBeNew: making.contains(syntax.path))
    }
    return arguments
  }

  /// Whether a path is the path of a document.
  static func isDocument(_ path: String) -> Bool { TributaryDocuments.Documents.isDocument(path) }

  /// Returns the path of a STORE on the command line. For a document, that is the path of its store, which is
  /// rebuilt if it is not on this device.
  ///
  /// - Parameters:
  ///   - asItIs: whether a damaged store is acceptable too.
  ///   - makesNone: whether not to make the store of a document if it is not on this device. The path is then
  ///     left unchanged.
  ///   - mayBeNew: whether the command makes a store where there is none.
  static func store(
    _ path: String, asItIs: Bool = false, makesNone: Bool = false, mayBeNew: Bool = false
  ) throws -> String {
    // A failure to find out the places concerns documents alone.
    guard let documents = try documents(path) else { return path }
    do {
      return try documents.store(
        of: path, asItIs: asItIs, makesNone: makesNone, mayBeNew: mayBeNew) ?? path
    } catch let error as FileError where !isDocument(path) && error.path != path {
      return path
    }
  }

  /// Returns what is wrong with the package of a store, or with the packages in a directory.
  static func findings(_ path: String, isDirectory: Bool) throws -> [Finding] {
    guard let documents = try documents(path) else { return [] }
    return isDirectory ? documents.diagnose(directory: path) : documents.diagnose(store: path)
  }

  /// Returns what is wrong with a document whose store is not on this device.
  static func findings(ofPackage path: String) throws -> [Finding] {
    guard let documents = try documents(path) else { return [] }
    return documents.diagnose(directory: path) + [documents.storeIsAbsent(path)]
  }

  /// Returns findings about a store, with the remedy for a document's store if it is one: the logs of a
  /// document can be found without its database.
  static func namingRemedy(of findings: [Finding], _ store: String) throws -> [Finding] {
    guard let package = try documents(store)?.package(ofStore: store) else { return findings }
    return findings.map { finding in
      guard [.database, .bookkeeping].contains(finding.code), finding.severity == .damage else {
        return finding
      }
      var finding = finding
      finding.remedy = "run `tributary rebuild \(package)`: the logs have what was published"
      return finding
    }
  }

  /// Throws if a store belongs to a document that was deleted, perhaps on another device.
  static func checkNotDeleted(_ store: String) throws {
    // A failure to find this out is not a reason to throw.
    if let deletion = try? documents(store)?.deletion(ofStore: store) { throw deletion }
  }

  /// Recreates a store whose database does not say what it was.
  ///
  /// - Returns: where the damaged file is kept; `nil` if the store is not a document's.
  static func remake(_ store: String, after error: any Error) throws -> String? {
    try documents(store)?.remake(store, after: error)
  }

  /// Returns the documents of this device; `nil` if it has no place for documents and there is no document at
  /// the path.
  private static func documents(_ path: String) throws -> TributaryDocuments.Documents? {
    do {
      return try TributaryDocuments.Documents(containers: ContainerArguments.containers(nil))
    } catch let error as DocumentError where error.code == .noPlace && !isDocument(path) {
      return nil
    }
  }
}
