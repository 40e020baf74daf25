public import TributaryContainer
public import TributaryCoordination
public import TributaryCore
public import TributaryDocuments
public import TributaryKeyValue
public import TributaryMerge
public import TributaryReplay
public import TributarySQLite
public import TributaryStore
public import TributarySync

// The types that an application meets, under one import.

public typealias Value = TributaryCore.Value
public typealias ValueConvertible = TributaryCore.ValueConvertible
public typealias ValueReadable = TributaryStore.ValueReadable
public typealias PeerIdentity = TributaryCore.PeerIdentity
public typealias SequenceNumber = TributaryCore.SequenceNumber
public typealias HybridTime = TributaryCore.HybridTime

public typealias Database = TributaryStore.Database
public typealias Arguments = TributaryStore.Arguments
public typealias BorrowedRow = TributaryStore.BorrowedRow
public typealias PreparedStatement = TributaryStore.PreparedStatement
public typealias Version = TributaryStore.Version
public typealias Row = TributaryStore.Row
public typealias Migration = TributaryStore.Migration
public typealias TableSelection = TributaryStore.TableSelection
public typealias MergeOptions = TributaryStore.MergeOptions
public typealias KnownBy = TributaryStore.KnownBy
public typealias TableMerge = TributaryStore.TableMerge
public typealias SynchronousMode = TributaryStore.SynchronousMode
public typealias CaptureMethod = TributaryStore.CaptureMethod
public typealias ColumnPolicy = TributaryStore.ColumnPolicy
public typealias DeclaredReference = TributaryStore.DeclaredReference
public typealias ForeignKeys = TributaryStore.ForeignKeys

public typealias Conflict = TributaryStore.Conflict
public typealias Resolution = TributarySync.Resolution

public typealias TableChanges = TributaryMerge.TableChanges
public typealias KeyList = TributaryMerge.KeyList

public typealias SyncReport = TributarySync.SyncReport
public typealias VerifyReport = TributarySync.VerifyReport
public typealias RebuildReport = TributarySync.RebuildReport
public typealias BaselineReport = TributarySync.BaselineReport
public typealias StatusReport = TributarySync.StatusReport
public typealias SchemaReport = TributarySync.SchemaReport
public typealias SchemaDifference = TributaryStore.SchemaDifference
public typealias TakenSchema = TributarySync.TakenSchema
public typealias PeerStanding = TributarySync.PeerStanding
public typealias DiskUse = TributarySync.DiskUse
public typealias SpaceNotice = TributarySync.SpaceNotice
public typealias Finding = TributarySync.Finding
public typealias Waiting = TributaryReplay.Waiting
public typealias StoreEnvironment = TributarySync.StoreEnvironment

public typealias StoreError = TributaryStore.StoreError
public typealias RowCodingError = TributaryStore.RowCodingError
public typealias SyncError = TributarySync.SyncError
public typealias ContainerError = TributaryContainer.ContainerError
public typealias SQLiteError = TributarySQLite.SQLiteError
public typealias ConnectionSetup = TributarySQLite.ConnectionSetup
public typealias StatementTrace = TributarySQLite.StatementTrace

public typealias KeyValueProfile = TributaryKeyValue.KeyValueProfile
public typealias KeyValueUsage = TributaryKeyValue.KeyValueUsage
public typealias KeyValueChange = TributaryKeyValue.KeyValueChange
public typealias KeyValueError = TributaryKeyValue.KeyValueError
public typealias PropertyListValue = TributaryKeyValue.PropertyListValue

public typealias FileCoordinator = TributaryCoordination.FileCoordinator
public typealias FilePresenter = TributaryCoordination.FilePresenter
public typealias FileAccessIntent = TributaryCoordination.FileAccessIntent
public typealias CoordinationError = TributaryCoordination.CoordinationError

public typealias MetadataQuery = TributaryCoordination.MetadataQuery
public typealias MetadataPredicate = TributaryCoordination.MetadataPredicate
public typealias NamePattern = TributaryCoordination.NamePattern
public typealias MetadataScope = TributaryCoordination.MetadataScope
public typealias MetadataItem = TributaryCoordination.MetadataItem
public typealias MetadataUpdate = TributaryCoordination.MetadataUpdate
public typealias MetadataQueryEvent = TributaryCoordination.MetadataQueryEvent
public typealias MetadataQueryEvents = TributaryCoordination.MetadataQueryEvents

public typealias Containers = TributaryDocuments.Containers
public typealias ContainerDescription = TributaryDocuments.ContainerDescription
public typealias ContainerIdentifier = TributaryDocuments.ContainerIdentifier
public typealias ContainerStorage = TributaryDocuments.ContainerStorage
public typealias DataPlaces = TributaryDocuments.DataPlaces
public typealias Entitlements = TributaryDocuments.Entitlements
public typealias IdentityToken = TributaryDocuments.IdentityToken
public typealias IdentityTokenSequence = TributaryDocuments.IdentityTokenSequence
public typealias PublicContainer = TributaryDocuments.PublicContainer

public typealias DocumentContents = TributaryDocuments.DocumentContents
public typealias DocumentDescription = TributaryDocuments.DocumentDescription
public typealias DocumentError = TributaryDocuments.DocumentError
public typealias DocumentMetadata = TributaryDocuments.DocumentMetadata
public typealias DocumentModels = TributaryDocuments.DocumentModels
public typealias DocumentState = TributaryDocuments.DocumentState
