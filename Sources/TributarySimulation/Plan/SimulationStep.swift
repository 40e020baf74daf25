package import TributaryTesting

/// One event of one device. It has its own randomness, so that it means nearly the same regardless of what
/// came before, and any step can be left out.
package struct SimulationStep: Sendable {
  /// The number of the device.
  package var device: Int
  package var action: Action
  package var seed: UInt64

  package enum Action: Sendable {
    /// The application commits this many random writes.
    case write(Int)
    /// The application commits one random write for an occasion.
    case writeFor(WriteOccasion)
    /// The store synchronises; before its first synchronisation, it is attached.
    case synchronize([PlannedFault])
    /// The carrier brings one in this many of the missing files, and has an accident with one in
    /// this many.
    case carry(patience: Int, care: Int?)
    /// The carrier brings everything to all devices, intact.
    case carryEverything
    /// The clock of the device jumps by this many milliseconds.
    case moveClock(Int64)
    /// The device finds this in place of its container, until the next such step.
    case mount(MountPoint)
    case kill
    case powerCut
    /// The store is closed, and opened again.
    case reopen
    /// The system writes to the disk what it had in memory.
    case flush
    /// A backup is made of the store and of its copy of the container.
    case backUp
    case restoreContainer
    case restoreStore(withContainer: Bool)
    /// Another device continues with a copy of this one's store.
    case clone(to: Int)
    case loseOwnFile
    case loseFile
    case resurrect
    /// Everything that the store has published is gone from its container, and the store publishes it again.
    case wipe
    /// The store is gone, and another takes its place.
    case replaceStore
    case rebuild
    case verify
    /// The user settles one of the store's conflicts.
    case settle
    /// The store becomes an ordinary database, and then joins the logs again.
    case rejoin
    case writeBaseline
    /// The user declares that another device, or a lost store, is gone.
    case retire(Int)
  }
}

/// A fault at one of a synchronisation's operations on files.
package struct PlannedFault: Sendable {
  /// The position, in thousandths of the operations of the device's last synchronisation; over 1000 if this
  /// one takes more operations.
  var position: Int
  var fault: FileFault
}

/// What a device finds in place of its container.
package struct MountPoint: Sendable {
  var state: MountState
}

extension SimulationStep: CustomStringConvertible {
  package var description: String {
    let what =
      switch action {
      case .write(let count): count == 1 ? "writes" : "writes \(count) times"
      case .writeFor(let occasion): "writes (\(occasion))"
      case .synchronize(let faults):
        faults.isEmpty
          ? "synchronises"
          : "synchronises, with "
            + faults.map { "\($0.fault.name) (at \($0.position) ‰)" }.joined(separator: ", ")
      case .carry(let patience, let care):
        "is brought 1 of \(patience) files" + (care.map { ", 1 of \($0) with an accident" } ?? "")
      case .carryEverything: "is brought everything, like all others"
      case .moveClock(let step): "has its clock moved by \(step) ms"
      case .mount(let point): "finds its \(point.state.name)"
      case .kill: "is killed"
      case .powerCut: "loses its power"
      case .reopen: "closes and opens its store"
      case .flush: "writes everything to its disk"
      case .backUp: "is backed up"
      case .restoreContainer: "has its container brought back from the backup"
      case .restoreStore(let withContainer):
        "has its store \(withContainer ? "and its container " : "")brought back from the backup"
      case .clone(let other): "is copied to device \(other)"
      case .loseOwnFile: "loses a file that it has published"
      case .loseFile: "loses a file of another"
      case .resurrect: "gets back a file that was gone"
      case .wipe: "finds its part of the container gone, and publishes it again"
      case .replaceStore: "loses its store and gets another"
      case .rebuild: "rebuilds its store"
      case .verify: "verifies its store"
      case .settle: "settles a conflict"
      case .rejoin: "is detached and joins again"
      case .writeBaseline: "writes a baseline"
      case .retire(let other): "retires device \(other)"
      }
    return "device \(device) \(what) [\(seed)]"
  }
}
