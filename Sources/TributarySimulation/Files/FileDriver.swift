import Glibc
internal import TributaryFiles
internal import TributaryTesting

/// Counts the operations of one device on files, and triggers faults at chosen ones.
///
/// Only the thread of the simulation uses it.
package final class FileDriver {
  /// No synchronisation of so few files needs this many operations.
  static let operationLimit = 200_000

  /// The number of operations since `start`.
  package private(set) var count = 0
  /// Whether the process is dead, so that nothing it still tries has an effect.
  package private(set) var isDead = false
  /// Whether the synchronisation would have continued forever.
  private(set) var isRunaway = false
  /// The faults that have happened since `start`.
  package private(set) var happened: [FileFault] = []

  /// Changed by `SimulatedFileSystem.mount`.
  var mount = MountState.normal
  /// Whether an operation on a path is part of publishing, when the store is open to writes.
  var isPublishing: (String) -> Bool = { _ in false }
  /// The largest number of bytes per read.
  private(set) var readLimit = Int.max

  private var plan: [Int: FileFault] = [:]
  private var lasting: Int32?
  private var isShort = false
  private var isWriting = false

  /// Called when a fault involves the carrier, or the process dies, before anything else happens.
  var onFault: (FileFault) -> Void = { _ in }

  /// Starts counting, with these faults at these operations. The first operation is 1.
  package func start(_ faults: [(at: Int, fault: FileFault)] = []) {
    count = 0
    isDead = false
    isRunaway = false
    happened = []
    readLimit = .max
    lasting = nil
    isShort = false
    isWriting = false
    plan = Dictionary(faults.map { ($0.at, $0.fault) }) { first, _ in first }
  }

  /// Kills the process at this moment.
  func kill(_ fault: FileFault) {
    guard !isDead else { return }
    isDead = true
    happened.append(fault)
    onFault(fault)
  }

  /// Must be called before every operation.
  ///
  /// - Returns: whether to write only part of the data.
  @discardableResult
  func next(
    _ operation: String, _ path: String, writes: Bool = false
  ) throws(FileError) -> Bool {
    func failure(_ code: Int32) -> FileError {
      FileError(operation: operation, path: path, code: code)
    }
    if isDead { throw failure(EIO) }
    count += 1
    if count > Self.operationLimit {
      isRunaway = true
      isDead = true
      throw failure(EIO)
    }
    if let fault = plan[count] { try meet(fault, failure) }
    let isContainer = SimulatedFileSystem.isSimulated(path)
    if isContainer, let code = mount.failure(ofWrite: writes) { throw failure(code) }
    if let lasting { throw failure(lasting) }
    if isWriting, isPublishing(path) {
      isWriting = false
      happened.append(.writing)
      onFault(.writing)
    }
    guard isShort, operation == "write" else { return false }
    isShort = false
    happened.append(.shortWrite)
    return true
  }

  private func meet(
    _ fault: FileFault, _ failure: (Int32) -> FileError
  ) throws(FileError) {
    switch fault {
    case .kill, .powerCut:
      kill(fault)
      throw failure(EIO)
    case .failure(let code):
      happened.append(fault)
      throw failure(code)
    case .failures(let code):
      happened.append(fault)
      lasting = code
      throw failure(code)
    case .shortReads:
      happened.append(fault)
      readLimit = 7
    // At the next write.
    case .shortWrite: isShort = true
    case .writing: isWriting = true
    case .carrying, .mountLost:
      happened.append(fault)
      onFault(fault)
    }
  }
}
