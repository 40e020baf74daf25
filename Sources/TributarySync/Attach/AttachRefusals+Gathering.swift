import TributaryContainer
import TributaryFiles
import TributaryStore

extension [AttachRefusal] {
  /// Runs `body`. If it throws a refusal, including one that concerns places and devices, records it and
  /// returns `nil`.
  ///
  /// - Throws: any error that is not a refusal.
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
