/// Remedies that several findings share.
enum Remedy {
  /// The addition for a log that other devices have agreed to forget.
  static let ofForgottenOwnLog =
    "; since other devices have agreed to forget it, the store does so by itself a day after it first lacked it"
  static let rebuild =
    "run `tributary rebuild`, which makes the store anew from what is intact; if it cannot, move the file "
    + "away and attach again"
  static let attachAgain =
    "move the file away and run `tributary attach` again: what had been published comes back from the "
    + "container"
  static let reseed =
    "run `tributary sync --reseed`: it publishes again what is not as it was written"
  static let theirReseed =
    "nothing needs to be done while the carrier is still at work; otherwise delete the file here, and the carrier "
    + "delivers it again if it is intact where it was written; if it is not, run `tributary sync --reseed` on that "
    + "device, which publishes it again"
  /// For a damaged file of an identity that no store has any more. It may be the only copy.
  static let lostCopy =
    "nothing needs to be done while the carrier is still at work; otherwise bring it whole from another device's copy "
    + "of the container or from a backup: nobody publishes it again"
  /// For a damaged segment of such an identity if a baseline has what was in it.
  static let coveredFile = "wait for the carrier, or delete the file: a baseline has what was in it"
  /// For a file of an identity that no store has any more.
  static let lostIdentity =
    "bring its files back from another device's copy of the container or from a backup; otherwise, run `tributary "
    + "sync` on a device that has imported it, a day after the file went missing, or `tributary sync --reseed` at "
    + "once: then all that this device has comes to the others by a baseline"
  /// For what waits for logs that no device has any more.
  static let abandonedLog =
    "retire its author and the authors of what waits for it (`tributary peers retire`), then run `tributary baseline` and "
    + "`tributary sync`: what has arrived of them is issued again here"
  /// For files that are lost but whose writer may still be there.
  static let lostLog =
    "wait for the carrier, and check it on that device; if the files are lost, run `tributary sync` there, which "
    + "publishes them again; if that device is lost, run `tributary sync --reseed` on one that has imported them: then all "
    + "that this one has comes to the others by a baseline"
  /// The beginning of a remedy for a file that is in the place of another.
  static let strayFile =
    "it was copied or moved here: put it back under its own name, or remove it; "
  /// For a damaged `peer.json` of an identity that no store has any more.
  static let abandonedFile =
    "wait for the carrier, or delete the file: its store has left that identity for another or is gone, and nobody needs it; "
    + "a device that still has the identity writes it anew"
  static let sync = "run `tributary sync`"
  /// For something that could not be examined.
  static let repair = "repair what the message names, then run `tributary doctor` again"
  /// For a store that does not continue what was published under its identity.
  static let newIdentity =
    "run `tributary sync`: the store takes a new identity by itself and keeps everything"
  /// For two stores, or one store before and after it was restored, that have written under one identity.
  static let fork =
    "run `tributary sync` on the devices that have used this identity: the one that is not the latest takes "
    + "a new one and publishes what it has under that; if none of them is left, another does it for them after a "
    + "day, and `tributary sync --reseed` does it at once"
}
