internal import TributaryFiles

/// What an index knows about a directory.
struct DirectoryRecord {
  /// `nil` if the system does not report changes.
  var token: WatchToken?
  /// The package that it is or is part of; `nil` outside packages.
  var package: String?
  /// The matching items in it, by name. The contents of a package are not items.
  var matches = ExactDictionary<MetadataItem>()
  /// The names of the directories in it, including packages.
  var children: Set<ExactText> = []
}
