internal import TributaryFiles

/// What an index knows of a directory.
struct DirectoryRecord {
  /// `nil` where the system does not report changes.
  var token: WatchToken?
  /// The package of which it is part, or that it is; `nil` outside of packages.
  var package: String?
  /// The items in it that match, by name. Those of a package are not items.
  var matches = ExactDictionary<MetadataItem>()
  /// The names of the directories in it, packages too.
  var children: Set<ExactText> = []
}
