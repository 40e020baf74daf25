import TributaryContainer
import TributaryFiles
import TributaryStore

extension [AttachRefusal] {
  /// Runs `body` and records its refusal, also one that concerns places and devices, in which case
  /// it returns `nil`.
  ///
  /// - Throws: an error that is not a refusal.
  mutating func gather<Result>(_ body: () throws -> Result) throws -> Result? {
    do {
      return try collect(body)
    } catch let error as SyncError {
      append(AttachRefusal(error))
    } catch let error as ContainerError {
      append(AttachRefusal(error))
    } catch let error as FileError {
      append(AttachRefusal(error, error.description, path: error.path, remedy: error.remedy))
    }
    return nil
  }
}
