import Foundation
import Testing
import TributaryTesting

/// Real programs write stores on two devices, and each finds there what the other's has written.
struct InstalledProgramTests {
  /// Commands for bash: `$0` is a directory of the device's own, `$1` its database, `$2` a number.
  struct Program: Sendable, CustomTestStringConvertible {
    var name: String
    /// Has to be installed.
    var executable: String
    /// Makes the database.
    var begin: String
    var write: String
    /// Prints what the program shows of it, the same on both devices.
    var read: String

    var testDescription: String { name }
  }

  /// A feed of their own for each device, one item more each time, and one that both read.
  private static let newsboat = """
    feed() {
      for ((i = 1; i <= $3; i++)); do
        item="$item<item><title>$2 $i</title><link>http://e/$2/$i</link><guid>$2 $i</guid></item>"
      done
      printf '<rss version="2.0"><channel><title>%s</title><link>http://e/%s</link>%s</channel></rss>' "$2" "$2" "$item" > "$1"
      item=
    }
    touch "$0/config"
    export HOME=$0
    newsboat() { command newsboat -q -c "$db" -u "$0/urls" -C "$0/config" "$@"; }
    db=$1
    """

  private static let beets = """
    export HOME=$0 BEETSDIR=$0
    printf 'directory: %s\\nlibrary: %s\\nimport: {copy: no, write: no, autotag: no}\\nplugins: []\\n' "$0/music" "$1" > "$0/config.yaml"
    add() {
      mkdir -p "$0/new/$1"
      python3 -c 'import sys, wave
    file = wave.open(sys.argv[1], "wb")
    file.setparams((1, 2, 8000, 0, "NONE", None))
    file.writeframes(b"\\0\\0" * 80)' "$0/new/$1/$1.wav"
      beet import -q -A "$0/new/$1"
    }
    """

  private static let django = """
    cat > "$0/run.py" <<'END'
    sys, django = map(__import__, ['sys', 'django'])
    from django.conf import settings
    settings.configure(
        INSTALLED_APPS=['django.contrib.auth', 'django.contrib.contenttypes', 'django.contrib.sessions'],
        DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': sys.argv[1]}},
        DEFAULT_AUTO_FIELD='django.db.models.AutoField', SECRET_KEY='x', USE_TZ=True)
    django.setup()
    from django.contrib.auth.models import Group, Permission, User
    from django.contrib.sessions.backends.db import SessionStore
    from django.core.management import call_command
    from django.db import transaction
    number = sys.argv[3]
    END
    """

  static let programs = [
    Program(
      name: "newsboat", executable: "newsboat",
      begin: newsboat + """

        feed "$0/own.xml" begin 3; echo "file://$0/own.xml" > "$0/urls"; newsboat -x reload
        """,
      write: newsboat + """

        feed "$0/own.xml" "own of $2" "$2"; feed "$0/../common.xml" common "$2"
        printf 'file://%s\\n' "$0/own.xml" "${0%/*}/common.xml" > "$0/urls"; newsboat -x reload
        """,
      read: newsboat + """

        newsboat -x print-unread
        """),
    Program(
      name: "beets", executable: "beet",
      begin: beets + """

        add one; add two
        """,
      write: beets + """

        add "song $2"; beet modify -y -M -W id:1 "title=by $2" "mood=calm $2"
        beet modify -y -M -W "path:$0/new/song $2" artist="artist $2"
        """,
      read: beets + """

        beet ls -f '$path $title $artist $mood $added' | sort; beet stats
        """),
    Program(
      name: "Django", executable: "django-admin",
      begin: django + """

        echo "call_command('migrate', verbosity=0); User.objects.create_user('first')" >> "$0/run.py"
        /usr/bin/python3 "$0/run.py" "$1" begin 0
        """,
      write: django + """

        cat >> "$0/run.py" <<'END'
        with transaction.atomic():
            staff, _ = Group.objects.get_or_create(name='staff')
            group = Group.objects.create(name='group ' + number)
            user = User.objects.create_user('user ' + number, password='secret')
            user.groups.add(group, staff)
            user.user_permissions.add(*Permission.objects.order_by('codename')[:3])
        User.objects.filter(username='first').update(last_name='by ' + number)
        session = SessionStore(); session['cart'] = [number]; session.save()
        User.objects.filter(username='user 10').delete()
        END
        /usr/bin/python3 "$0/run.py" "$1" write "$2"
        """,
      read: django + """

        cat >> "$0/run.py" <<'END'
        for user in User.objects.order_by('username'):
            print(user.username, user.last_name, sorted(g.name for g in user.groups.all()),
                sorted(p.codename for p in user.user_permissions.all()))
        END
        /usr/bin/python3 "$0/run.py" "$1" read 0
        """),
  ]

  @Test(arguments: Self.programs)
  func `a program works on two devices, and both show the same`(program: Program) throws {
    // `tools/setup` installs it.
    try #require(Shell.has(program.executable), "\(program.executable) is not installed")
    try withTemporaryDirectory { directory in
      let stores = StoreFixture(directory: directory)
      for path in [stores.container, "\(directory)/device a", "\(directory)/device b"] {
        try FileManager.default.createDirectory(
          atPath: path, withIntermediateDirectories: true)
      }
      func run(_ script: String, _ name: String, _ number: Int = 0) throws -> String {
        let end = try Shell(
          "set -e\n" + script, "\(directory)/device \(name)", stores.path(name), "\(number)"
        ).finish()
        #expect(end.status == 0, "\(end.output)")
        return end.output
      }
      func synchronize() {
        for name in ["a", "b", "a", "b"] {
          let run = Invocation("sync", stores.path(name))
          #expect(run.status == .done, "\(run.errors)")
        }
      }
      _ = try run(program.begin, "a")
      for name in ["a", "b"] {
        let attached = stores.attach(name)
        #expect(attached.status == .done, "\(attached.errors)")
        #expect(Invocation("sync", stores.path(name)).status == .done)
      }
      for round in 1...3 {
        for (number, name) in ["a", "b"].enumerated() {
          _ = try run(program.write, name, 10 * round + number)
        }
        // After the first, both have written twice.
        if round != 1 { synchronize() }
      }
      let shown = try ["a", "b"].map { try run(program.read, $0) }
      #expect(shown[0] == shown[1] && !shown[0].isEmpty)
      // What reading has written, if anything.
      synchronize()
      let digests = ["a", "b"].map { Invocation("digest", stores.path($0)).output }
      #expect(digests[0] == digests[1] && !digests[0].isEmpty)
      for name in ["a", "b"] {
        let verified = Invocation("verify", stores.path(name))
        #expect(verified.status == .done, "\(verified.output)")
      }
    }
  }
}
