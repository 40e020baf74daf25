extension ErrorCode {
  // Of containers.

  /// The container, or a required part of it, is missing: perhaps it is not mounted.
  public static let absent = ErrorCode(rawValue: "absent")

  /// The container is present, but what was published into it is gone.
  public static let wiped = ErrorCode(rawValue: "wiped")

  /// A file belongs to another peer, another content name or another use.
  public static let foreign = ErrorCode(rawValue: "foreign")

  /// A name breaks a rule for names.
  public static let invalidName = ErrorCode(rawValue: "invalidName")

  /// A name differs from an existing one only in a way that some carriers do not preserve.
  public static let nameCollision = ErrorCode(rawValue: "nameCollision")

  /// The database would be in a place where a carrier transports it as a file.
  public static let storeInsideContainer = ErrorCode(rawValue: "storeInsideContainer")

  /// A path that must be in the container is not.
  public static let outsideContainer = ErrorCode(rawValue: "outsideContainer")

  /// A file is cut off, empty or changed.
  public static let damagedFile = ErrorCode(rawValue: "damagedFile")

  /// A later version of the program has written a file.
  public static let newerFormat = ErrorCode(rawValue: "newerFormat")

  /// A file is missing; the directory around it may exist.
  public static let missingFile = ErrorCode(rawValue: "missingFile")

  /// The device or the quota is full.
  public static let full = ErrorCode(rawValue: "full")

  /// The file, or its file system, is read-only.
  public static let readOnly = ErrorCode(rawValue: "readOnly")

  /// The container does not answer: perhaps it is a network mount without its server.
  public static let unresponsive = ErrorCode(rawValue: "unresponsive")

  /// The system refuses or fails an operation.
  public static let inaccessible = ErrorCode(rawValue: "inaccessible")
}

extension ErrorCode {
  // Of documents.

  /// A text is not an identifier of a container.
  public static let invalidIdentifier = ErrorCode(rawValue: "invalidIdentifier")

  /// The entitlements break a rule, or cannot be read.
  public static let entitlements = ErrorCode(rawValue: "entitlements")

  /// The entitlements do not grant a container.
  public static let notEntitled = ErrorCode(rawValue: "notEntitled")

  /// The description of public containers breaks a rule, or cannot be read.
  public static let publicContainers = ErrorCode(rawValue: "publicContainers")

  /// A container is disabled on this device, or not there.
  public static let unavailable = ErrorCode(rawValue: "unavailable")

  /// The environment names no directory for keeping data.
  public static let noPlace = ErrorCode(rawValue: "noPlace")

  /// There is already something at the path.
  public static let exists = ErrorCode(rawValue: "exists")

  /// There is nothing at the path.
  public static let missing = ErrorCode(rawValue: "missing")

  /// What is at the path is not a document.
  public static let notADocument = ErrorCode(rawValue: "notADocument")

  /// The document was deleted, perhaps on another device.
  public static let deleted = ErrorCode(rawValue: "deleted")

  /// The document cannot be edited at the moment.
  public static let editingDisabled = ErrorCode(rawValue: "editingDisabled")

  /// Something would be lost.
  public static let wouldLose = ErrorCode(rawValue: "wouldLose")
}

extension ErrorCode {
  // Of key-value stores.

  /// The key is empty.
  public static let emptyKey = ErrorCode(rawValue: "emptyKey")

  /// The key is longer than the profile allows.
  public static let keyTooLong = ErrorCode(rawValue: "keyTooLong")

  /// All keys together are longer than the profile allows.
  public static let keysTooLong = ErrorCode(rawValue: "keysTooLong")

  /// The store has as many keys as the profile allows.
  public static let tooManyKeys = ErrorCode(rawValue: "tooManyKeys")

  /// The value is larger than the profile allows for one key.
  public static let valueTooLarge = ErrorCode(rawValue: "valueTooLarge")

  /// All values together would be larger than the profile allows.
  public static let storeFull = ErrorCode(rawValue: "storeFull")

  /// A property list cannot contain the value.
  public static let unsupportedValue = ErrorCode(rawValue: "unsupportedValue")

  /// The value that the store has under the key is not a property list: another program wrote it.
  public static let unreadableValue = ErrorCode(rawValue: "unreadableValue")

  /// The store, or the container, was made with another profile.
  public static let differentProfile = ErrorCode(rawValue: "differentProfile")

  /// The database, or what the container has under the identifier, is not a key-value store.
  public static let notKeyValueStore = ErrorCode(rawValue: "notKeyValueStore")
}

extension ErrorCode {
  // Of coordinated files.

  /// The access would wait for something that is waiting for it.
  public static let deadlock = ErrorCode(rawValue: "deadlock")

  /// The URL does not name a file.
  public static let invalidURL = ErrorCode(rawValue: "invalidURL")

  /// A presenter could not save its changes, or make room for a deletion.
  public static let presenterFailed = ErrorCode(rawValue: "presenterFailed")

  /// A presenter was added that has no URL.
  public static let nothingPresented = ErrorCode(rawValue: "nothingPresented")

  /// A pattern for names is invalid.
  public static let invalidPattern = ErrorCode(rawValue: "invalidPattern")

  /// A query has nowhere to search, or is started twice.
  public static let invalidQuery = ErrorCode(rawValue: "invalidQuery")

  /// The runtime directory belongs to another user, or others may write to it.
  public static let unsafeDirectory = ErrorCode(rawValue: "unsafeDirectory")
}
