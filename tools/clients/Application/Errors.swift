import Foundation
import Tributary

func explain(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "done"
  } catch let error as SQLiteError where error.constraint?.kind == .unique {
    return error.constraint!.names.joined()
  } catch let error as StoreError where error.code == .closed {
    return error.remedy
  } catch let error as SyncError where error.code == .unknownPeer {
    return error.path ?? ""
  } catch let error as ContainerError where error.code == .absent || error.isTransient {
    return error.message
  } catch let error as DocumentError where error.code == .missing {
    return error.path ?? ""
  } catch let error as KeyValueError where error.code == .keyTooLong {
    return error.description
  } catch let error as CoordinationError where error.code == .deadlock {
    return error.holders.map(\.program).joined()
  } catch let error as AttachError {
    return error.refusals.map(\.remedy).joined()
  } catch let error as any TributaryError where error.code == .damaged {
    return "\(error.message) \(error.path ?? "") \(error.remedy)"
  } catch {
    return error.localizedDescription
  }
}
