import Foundation
import Testing
import TributaryTesting

/// Containers on file systems of the kernel that fill up, turn read-only, hang and disappear.
@Suite(.enabled(if: Shell.canMount, "mounting needs root, or user namespaces"))
struct MountTests {
  /// What every script begins with: `$0` is the command, `$1` a directory; a container `c` on a file
  /// system of its own with the stores `a` and `b`.
  private static let prelude = """
    t=$0; cd "$1" || exit 99
    fail() { echo "FAILED: $*"; exit 1; }
    insert() { "$t" sql $1.db "INSERT INTO t VALUES ($2, randomblob(${3:-10}))" || fail insert $*; }
    rows() { "$t" sql $1.db "SELECT count(*) FROM t"; }
    ok() { "$t" sync $1.db > out 2>&1 || { cat out; fail sync $1; }; }
    away() {
      "$t" sync "$@" > out 2>&1; [ $? = 1 ] || { cat out; fail "sync $1 did not exit 1"; }
      [ $(grep -c '^tributary: ' out) = 1 ] || { cat out; fail "one line of error"; }
    }
    status() { "$t" status $1.db --json | grep -q "$2" || { "$t" status $1.db; fail "status $1: $2"; }; }
    clean() { ! "$t" status $1.db --json | grep -q '"trouble"' || fail "$1 is in trouble"; }
    echo 'CREATE TABLE t (id INTEGER PRIMARY KEY, x)' > schema.sql
    attach() { "$t" attach $1.db --container c --name N -q "${@:2}" || fail attach $1; }
    trap 'kill -9 $(jobs -p) 2> /dev/null' EXIT
    # Waits until a command succeeds, for ten minutes at most, which stand for "never".
    soon() { for i in $(seq 12000); do "$@" > /dev/null 2>&1 && return; sleep 0.05; done; fail "$*"; }
    """

  private func run(_ script: String) throws {
    try withTemporaryDirectory { directory in
      let end = try Shell(
        Self.prelude + "\n" + script, try CommandProcess.path, directory, mounting: true
      ).finish()
      #expect(end.status == 0, "\(end.output)")
    }
  }

  @Test func `on a full container the store works on, says so, and publishes when there is room`()
    throws
  {
    try run(
      """
      mkdir c && mount -t tmpfs -o size=300k none c || exit 98
      attach a --schema schema.sql; attach b; ok a; ok b
      insert b 500; ok b
      insert a 1 400000; insert a 2
      away a.db; grep -q 'No space left on device' out || fail message
      [ "$(rows a)" = 3 ] || fail 'imports go on on a full container'
      status a '"unpublished":2'; status a '"kind":"full"'; status a '2 transactions are unpublished'
      ls c/tributary/N/peers/*/log/.tmp-* 2> /dev/null && fail 'something was left behind'
      insert a 3
      away a.db
      mount -o remount,size=8m c || exit 98
      ok a; clean a; status a '"unpublished":0'
      ok b
      [ "$(rows b)" = 4 ] || fail "b has $(rows b)"
      [ "$("$t" digest a.db)" = "$("$t" digest b.db)" ] || fail digests
      """)
  }

  @Test func `on a file system that is mounted read-only, a store can be read`() throws {
    try run(
      """
      mkdir c 'm#1' && mount -t tmpfs none 'm#1' || exit 98
      attach 'm#1/a' --schema schema.sql; insert 'm#1/a' 1; ok 'm#1/a'
      mount -o remount,ro 'm#1' || exit 98
      [ "$(rows 'm#1/a')" = 1 ] || fail rows
      for command in status digest verify 'conflicts list'; do
        "$t" $command 'm#1/a.db' > out 2>&1 || { cat out; fail $command; }
      done
      "$t" doctor 'm#1/a.db' > out 2>&1; [ $? = 3 ] || { cat out; fail doctor; }
      grep -q 'mount' out || { cat out; fail told; }
      "$t" sql 'm#1/a.db' 'DELETE FROM t' > out 2>&1; [ $? = 1 ] || { cat out; fail sql; }
      mount -o remount,rw 'm#1' || exit 98
      insert 'm#1/a' 2; ok 'm#1/a'
      [ "$(rows 'm#1/a')" = 2 ] || fail again
      """)
  }

  @Test func `on a full disk of its own, a store still says what it can, and names the disk`()
    throws
  {
    try run(
      """
      mkdir c m && mount -t tmpfs -o size=600k none m || exit 98
      attach m/a --schema schema.sql; insert m/a 1; ok m/a; insert m/a 2
      "$t" digest m/a.db > digest
      ! cat /dev/zero > m/fill 2> /dev/null || fail 'the disk is not full'
      "$t" status m/a.db > out 2>&1 || { cat out; fail status; }
      grep -q 'unpublished: *1 transaction' out || { cat out; fail unpublished; }
      grep -q 'has 0 bytes left' out || { cat out; fail said; }
      "$t" status m/a.db --json > out 2>&1 && grep -q '"unpublished":1' out || { cat out; fail json; }
      "$t" doctor m/a.db > out 2>&1; [ $? = 3 ] || { cat out; fail doctor; }
      grep -q '^warning: the file system of the store m/a.db has 0 bytes left.*free space' out || { cat out; fail told; }
      grep -q 'has not published 1 transaction yet' out || { cat out; fail 'the rest is examined'; }
      ! grep -q 'could not be examined' out || { cat out; fail unexamined; }
      "$t" sync m/a.db > out 2>&1; [ $? = 1 ] || { cat out; fail sync; }
      [ $(wc -l < out) = 1 ] && grep -q 'the disk is full.*free some space on the disk$' out || { cat out; fail line; }
      rm m/fill
      ok m/a
      [ "$("$t" digest m/a.db)" = "$(cat digest)" ] || fail digest
      """)
  }

  @Test func `on a read-only container imports go on, and publishing resumes`() throws {
    try run(
      """
      mkdir c && mount -t tmpfs none c || exit 98
      attach a --schema schema.sql; attach b; ok a; ok b
      insert b 500; ok b
      insert a 1
      mount -o remount,ro c || exit 98
      away a.db; grep -q 'Read-only file system' out || fail message
      [ "$(rows a)" = 2 ] || fail 'nothing was imported'
      status a '"kind":"readOnly"'; status a '1 transaction is unpublished'
      "$t" sync --watch --interval 0.2 a.db > watch.out 2>&1 & watch=$!
      soon grep -q 'Read-only file system' watch.out
      mount -o remount,rw c || exit 98
      soon sh -c "'$t' status a.db --json | grep -q '\\"unpublished\\":0'"
      kill $watch; wait $watch || { cat watch.out; fail 'the watch failed'; }
      [ $(grep -c 'Read-only' watch.out) = 1 ] || { cat watch.out; fail 'said once'; }
      clean a; ok b; [ "$(rows b)" = 2 ] || fail "b has $(rows b)"
      """)
  }

  @Test func `a container that is unmounted and comes back is found by a watch`() throws {
    try run(
      """
      mkdir real c && mount --bind real c || exit 98
      attach a --schema schema.sql; attach b; ok a; ok b
      "$t" sync --watch --interval 0.2 a.db > watch.out 2>&1 & watch=$!
      for round in 1 2 3; do
        umount c || umount -l c || exit 98
        insert a $round
        soon sh -c "'$t' status a.db --json | grep -q 1.transaction.is.unpublished"
        away a.db
        [ -z "$(ls c)" ] || fail 'something was written to the mount point'
        mount --bind real c || exit 98
        soon sh -c "'$t' status a.db --json | grep -q '\\"unpublished\\":0'"
        insert b 50$round; ok b
        soon sh -c "[ \\$('$t' sql a.db 'SELECT count(*) FROM t') = $((2 * round)) ]"
      done
      kill $watch; wait $watch || { cat watch.out; fail 'the watch failed'; }
      ok a; clean a
      [ "$("$t" digest a.db)" = "$("$t" digest b.db)" ] || fail digests
      """)
  }

  @Test func `a container that was replaced is recognised, and seeded again when told to`() throws {
    try run(
      """
      mkdir c && mount -t tmpfs none c || exit 98
      attach a --schema schema.sql; attach b; insert a 1; ok a; ok b
      umount c && mount -t tmpfs none c || exit 98
      insert a 2
      away a.db; grep -q -- --reseed out || fail remedy
      status a '"kind":"wiped"'
      [ -z "$(ls c)" ] || fail 'something was written to the other container'
      "$t" sync --reseed a.db -q || fail reseed
      "$t" sync --reseed b.db -q || fail reseed
      clean a; ok a; ok b
      "$t" attach new.db --container c --name N -q || fail attach
      [ "$("$t" digest a.db)" = "$("$t" digest new.db)" ] || fail digests
      """)
  }

  @Test(.enabled(if: Shell.canMountHanging, "this system has no /dev/fuse that may be opened"))
  func `a mount that hangs is given up after the limit, and nothing else waits`() throws {
    // A file system whose program is there and never answers.
    try run(
      """
      mkdir real c && mount --bind real c || exit 98
      attach a --schema schema.sql; ok a
      umount c || umount -l c || exit 98
      cat > hang.py << 'END'
      ctypes, os, signal, sys = map(__import__, ('ctypes', 'os', 'signal', 'sys'))
      fd = os.open('/dev/fuse', os.O_RDWR)
      libc = ctypes.CDLL(None, use_errno=True)
      options = b'fd=%d,rootmode=40000,user_id=0,group_id=0' % fd
      if libc.mount(b'hang', sys.argv[1].encode(), b'fuse', 0, options):
          sys.exit(os.strerror(ctypes.get_errno()))
      open('hanging', 'w')
      signal.pause()
      END
      python3 hang.py "$PWD/c" & fuse=$!
      soon test -e hanging
      insert a 1
      # It never answers: whoever waited for it longer than the limit would do so for ever.
      away a.db --container-timeout 1; grep -q 'does not answer' out || { cat out; fail message; }
      insert a 2
      status a '"kind":"unresponsive"'; status a '2 transactions are unpublished'
      "$t" conflicts list a.db > /dev/null || fail conflicts
      [ "$(rows a)" = 2 ] || fail rows
      "$t" sync --watch --interval 0.2 --container-timeout 1 a.db > watch.out 2>&1 & watch=$!
      soon grep -q 'does not answer' watch.out
      insert a 3
      # Its end aborts what hangs.
      kill -9 $fuse; wait $fuse 2> /dev/null
      umount c || umount -l c || exit 98
      mount --bind real c || exit 98
      soon sh -c "'$t' status a.db --json | grep -q '\\"unpublished\\":0'"
      kill $watch; wait $watch || { cat watch.out; fail 'the watch failed'; }
      ok a; clean a
      """)
  }
}
