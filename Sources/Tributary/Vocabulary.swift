// This module re-exports the types that an application uses from the modules that declare them. What those
// modules declare for each other is `package`.

@_exported public import TributaryContainer
@_exported public import TributaryCoordination
@_exported public import TributaryCore
@_exported public import TributaryDocuments
@_exported public import TributaryKeyValue
@_exported public import TributaryMerge
@_exported public import TributaryReplay
@_exported public import TributarySQLite
@_exported public import TributaryStore
@_exported public import TributarySync
